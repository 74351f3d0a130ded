"""What is found of known matches that are cut, and so how likely proposals of others are right.

A proposal is the one counterpart at most of a row without a match.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mvcc._utils.arrays import Bools, Floats, Ints
from mvcc._utils.contexts import one_thread
from mvcc._utils.validation import check_count
from mvcc.exceptions import InvalidInputError
from mvcc.multiview.matches._candidates import (
    FEWEST_MATCHES,
    LEAST,
    Likeliest,
    likeliest,
    matched_columns,
)
from mvcc.multiview.matches._suspicious import ViewPair

_CONSIDERED = 10  # counterparts of each row
_HITS = 5
_STRENGTH = 0.1  # C of the logistic regression: how far probabilities may differ


@dataclass(frozen=True, eq=False)
class MatchProposals:
    """Pairs of rows of views u and v without a match, each row in one pair at most.

    Attributes
    ----------
    pairs : ndarray of shape (p, 2)
        Rows of u and of v, the likeliest first.
    probabilities : ndarray of shape (p,)
        How likely each is a match, if its row of u has one; NaN where this was not measured.
    scores : ndarray of shape (p,)
        As those of ``MatchCandidates``.
    hits : ndarray of shape (5,)
        As ``candidate_hits`` tells; NaN where this was not measured.
    """

    pairs: Ints
    probabilities: Floats
    scores: Floats
    hits: Floats


def candidate_hits(
    views: Sequence[Any] | Mapping[str, Any],
    mappings: Mapping[Any, Any],
    *,
    most: int = 5,
    n_folds: int = 5,
) -> dict[ViewPair, Floats]:
    """Measure how often ``match_candidates`` finds matches that were kept from it.

    The matches of each fold of rows are cut in turn, and these rows and their counterparts are
    among those without a match: other matches of the counterparts are not learned from. The rows
    that are dealt out to folds are those of u, or of v if fewer of its rows have matches.

    Parameters
    ----------
    views, mappings
        As for ``match_candidates``; outside of each fold 20 matches or more must be left of every
        two views, as 25 leave with five folds if no row has several.
    most : int, default=5
        Candidates of every row that are looked at.
    n_folds : int, default=5
        Parts of the matches that are kept back in turn.

    Returns
    -------
    dict {(u, v): ndarray of shape (most,)}, u < v
        The share of the rows of u in cut matches of which a counterpart is the first candidate,
        among the first two, and so on.

    Raises
    ------
    InvalidInputError
        As ``match_candidates``.

    See Also
    --------
    match_candidates : What is measured, with an example.
    """
    c, n_folds = check_count(most, "most"), check_count(n_folds, "n_folds", low=2)
    hit_rates = {}
    with one_thread():
        for key, X_u, X_v, matches, _ in matched_columns(views, mappings):
            folds = without_folds(X_u, X_v, matches, n_folds, c)
            is_hit = np.concatenate([first_hits(matches, *fold, c) for fold in folds])
            hit_rates[key] = np.cumsum(is_hit.mean(axis=0)) if len(is_hit) else np.zeros(c)
    return hit_rates


def match_proposals(
    views: Sequence[Any] | Mapping[str, Any],
    mappings: Mapping[Any, Any],
    *,
    n_folds: int = 5,
    refused: Mapping[Any, Any] | None = None,
) -> dict[ViewPair, MatchProposals]:
    """Propose matches, each row in one at most, with a probability.

    The pairs with the highest scores of ``match_candidates`` are taken one after the other. Known
    matches are cut, fold by fold, and a logistic regression learns from the score and the margin of
    pairs proposed then how many are right [1]_.

    Parameters
    ----------
    views, mappings
        As for ``match_candidates``, or as for ``candidate_hits`` with more than one fold.
    n_folds : int, default=5
        1 measures no probabilities.
    refused : dict {(u, v): pairs of rows}, default=None
        Rows that are known not to match, in the same forms; their next counterparts are proposed.

    Returns
    -------
    dict {(u, v): MatchProposals}, u < v
        Views and rows by number.

    Raises
    ------
    InvalidInputError
        As ``match_candidates``.

    See Also
    --------
    match_candidates : Several counterparts of each row, with scores, and an example.

    References
    ----------
    .. [1] J. Platt, "Probabilistic Outputs for Support Vector Machines", Advances in Large Margin
       Classifiers, 1999.
    """
    n_folds = check_count(n_folds, "n_folds")
    with one_thread():
        return {
            key: _proposals(X_u, X_v, matches, n_folds, apart)
            for key, X_u, X_v, matches, apart in matched_columns(views, mappings, refused)
        }


def _proposals(
    X_u: Floats, X_v: Floats, matches: Ints, n_folds: int, refused: Ints
) -> MatchProposals:
    pairs, features = _one_to_one(likeliest(X_u, X_v, matches, _CONSIDERED, refused))
    if n_folds == 1 or not len(pairs):
        unknown = np.full(len(pairs), np.nan)
        return MatchProposals(pairs, unknown, features[:, 0], np.full(_HITS, np.nan))
    known, right = list[Floats](), list[Bools]()
    hits, n_cut = np.zeros(_HITS), 0
    for cut, ranked in without_folds(X_u, X_v, matches, n_folds, _CONSIDERED):
        proposed, proposed_features = _one_to_one(ranked)
        is_cut = np.isin(proposed[:, 0], cut[:, 0])
        known.append(proposed_features[is_cut])
        right.append(are_matches(matches, *proposed[is_cut].T))
        is_hit = first_hits(matches, cut, ranked, _HITS)
        hits += np.cumsum(is_hit.sum(axis=0))
        n_cut += len(is_hit)
    probabilities = _calibrated(np.concatenate(known), np.concatenate(right), features)
    order = np.lexsort((-features[:, 0], -probabilities))
    hits /= max(n_cut, 1)
    return MatchProposals(pairs[order], probabilities[order], features[order, 0], hits)


def fewest_left(matches: Ints, n_folds: int) -> int:
    """Return how many matches are learned from at least where each fold is cut."""
    return min((len(others) for _, others in _folds(matches, n_folds)), default=0)


def _folds(matches: Ints, n_folds: int) -> Iterator[tuple[Ints, Ints]]:
    """Deal out rows of a view; give the matches of each fold, and those of none of their rows."""
    side = int(len(np.unique(matches[:, 1])) < len(np.unique(matches[:, 0])))
    rows, row_of = np.unique(matches[:, side], return_inverse=True)
    fold_of = (np.random.default_rng(0).permutation(len(rows)) % n_folds)[row_of]
    for fold in np.unique(fold_of):
        cut, others = matches[fold_of == fold], matches[fold_of != fold]
        yield cut, others[~np.isin(others[:, 1 - side], cut[:, 1 - side])]


def without_folds(
    X_u: Floats, X_v: Floats, matches: Ints, n_folds: int, c: int
) -> Iterator[tuple[Ints, Likeliest]]:
    """Give each fold of the matches, and the counterparts that are found without it."""
    n_left = fewest_left(matches, n_folds)
    if n_left < FEWEST_MATCHES:
        raise InvalidInputError(
            f"mappings must leave {FEWEST_MATCHES} matches or more of two views outside of each of"
            f" {n_folds} folds; {len(matches)} leave {n_left}."
        )
    for cut, others in _folds(matches, n_folds):
        yield cut, likeliest(X_u, X_v, others, c)


def are_matches(matches: Ints, rows: Ints, others: Ints) -> Bools:
    return np.isin((rows << 32) | others, (matches[:, 0] << 32) | matches[:, 1])


def first_hits(matches: Ints, cut: Ints, ranked: Likeliest, most: int) -> Bools:
    """Tell which of the first candidates of every cut row is the first counterpart, (r, most)."""
    is_cut = np.isin(ranked.rows, cut[:, 0])
    hits = are_matches(matches, ranked.rows[is_cut, None], ranked.candidates[is_cut, :most])
    hits &= np.cumsum(hits, axis=1) == 1
    return np.pad(hits, ((0, 0), (0, most - hits.shape[1])))


def _one_to_one(ranked: Likeliest) -> tuple[Ints, Floats]:
    """Return pairs, those with the highest scores first, and the score and the margin of each."""
    # the margin is the score less the next best one of the row
    n, c = ranked.candidates.shape
    rows, ranks = np.divmod(np.argsort(-ranked.scores, axis=None, kind="stable"), max(c, 1))
    free_rows, taken = np.ones(n, np.bool_), set[int]()
    chosen = []
    for row, rank in zip(rows.tolist(), ranks.tolist(), strict=True):
        candidate = int(ranked.candidates[row, rank])
        if free_rows[row] and candidate not in taken and ranked.scores[row, rank] > LEAST:
            free_rows[row] = False
            taken.add(candidate)
            chosen.append((row, rank))
    row, rank = np.array(chosen, dtype=np.int64).reshape(-1, 2).T
    scores = ranked.scores[row, rank]
    # the first candidate has the second one as its rival, and any other the first one
    rivals = ranked.scores[row, np.minimum(rank == 0, c - 1)] if len(row) else scores
    rivals = np.where(rivals > LEAST, rivals, scores)  # all others were refused
    pairs = np.column_stack((ranked.rows[row], ranked.candidates[row, rank]))
    return pairs, np.column_stack((scores, scores - rivals))


def _calibrated(known: Floats, right: Bools, features: Floats) -> Floats:
    """Return the probability of proposals like those that are known to be right or wrong."""
    if right.all() or not right.any():
        return np.full(len(features), (right.sum() + 0.5) / (len(right) + 1))
    from sklearn.linear_model import LogisticRegression

    mean, spread = known.mean(axis=0), known.std(axis=0)
    spread[spread == 0] = 1  # what is equal in all of them tells nothing
    model = LogisticRegression(C=_STRENGTH).fit((known - mean) / spread, right)
    return model.predict_proba((features - mean) / spread)[:, 1]
