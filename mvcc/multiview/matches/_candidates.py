"""Likely counterparts of rows without a match, by canonical correlations of the matches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mvcc._utils.arrays import Bools, Floats, Ints
from mvcc._utils.contexts import one_thread
from mvcc._utils.validation import check_count
from mvcc.embedding import raw_columns
from mvcc.exceptions import InvalidInputError
from mvcc.multiview.matches._suspicious import ViewPair
from mvcc.multiview.matches._unmatched import FEWEST_MATCHES, LEAST, NONE, Unmatched
from mvcc.views import GivenViews


@dataclass(frozen=True, eq=False)
class Likeliest:
    """Rows of view u, their likeliest counterparts, and scores, as ``MatchCandidates`` has them."""

    rows: Ints
    candidates: Ints
    scores: Floats


@dataclass(frozen=True, eq=False)
class MatchCandidates(Likeliest):
    """The likeliest counterparts, in view v, of the rows of view u without a match to it.

    Attributes
    ----------
    rows : ndarray of shape (n,)
        The rows of u, those with the highest score first.
    candidates : ndarray of shape (n, c)
        Rows of v without a match to u, the likeliest first.
    scores : ndarray of shape (n, c)
        How much more alike a row and its candidate are than either is to its ten nearest in the
        other view, −4 to 4.
    mutual : ndarray of bool of shape (n,)
        Whether the row is the likeliest counterpart of its first candidate, too.
    margins : ndarray of shape (n,)
        The score of the first candidate less the highest other score of the row or of the
        candidate, −4 without another.
    """

    mutual: Bools
    margins: Floats


def match_candidates(
    views: Sequence[Any] | Mapping[str, Any], mappings: Mapping[Any, Any], *, n_candidates: int = 5
) -> dict[ViewPair, MatchCandidates]:
    """Find likely counterparts of rows without a match, for a person to confirm: most may be wrong.

    Canonical correlations of the matched rows [1]_, with a Gaussian kernel and a ridge [2]_, place
    the rows of both views in one space. Rows are near by their cosine there, less the mean of each
    to its ten nearest (CSLS [3]_).

    Parameters
    ----------
    views : list or dict of array-like or DataFrame of shape (n_v, d_v)
        Scaled, where the units of columns differ.
    mappings : dict {(u, v): matches}
        In the forms that ``JointGraphClustering.fit`` takes, 20 matches or more for every two
        views.
    n_candidates : int, default=5
        c, for each row; fewer where fewer rows are left.

    Returns
    -------
    dict {(u, v): MatchCandidates}, u < v
        Views and rows by number.

    Raises
    ------
    InvalidInputError
        For mappings that do not fit the views, or fewer than 20 matches between two of them.

    See Also
    --------
    multiview.match_proposals : Each row in one match at most, with a probability.
    candidate_hits : How often known matches are found.

    References
    ----------
    .. [1] H. Hotelling, "Relations Between Two Sets of Variates", Biometrika, 1936.
    .. [2] D. R. Hardoon, S. Szedmak and J. Shawe-Taylor, "Canonical Correlation Analysis: An
       Overview with Application to Learning Methods", Neural Computation, 2004.
    .. [3] A. Conneau et al., "Word Translation Without Parallel Data", ICLR 2018.

    Examples
    --------
    >>> import numpy as np
    >>> from mvcc import candidate_hits, match_candidates
    >>> from mvcc.multiview import match_proposals
    >>> rng = np.random.default_rng(0)
    >>> things = rng.normal(size=(100, 2))
    >>> views = [things @ rng.normal(size=(2, 4)), things @ rng.normal(size=(2, 3))]
    >>> known = np.column_stack((np.arange(60), np.arange(60)))
    >>> found = match_candidates(views, {(0, 1): known})[0, 1]
    >>> bool((found.candidates[:, 0] == found.rows).mean() > 0.8)
    True
    >>> candidate_hits(views, {(0, 1): known}, most=2)[0, 1].round(1)
    array([0.8, 1. ])
    >>> proposed = match_proposals(views, {(0, 1): known})[0, 1]
    >>> bool((proposed.pairs[:, 0] == proposed.pairs[:, 1]).mean() > 0.9)
    True
    """
    c = check_count(n_candidates, "n_candidates")
    with one_thread():
        return {
            key: candidates_between(X_u, X_v, matches, c)
            for key, X_u, X_v, matches, _ in matched_columns(views, mappings)
        }


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


def matched_columns(
    views: Sequence[Any] | Mapping[str, Any],
    mappings: Mapping[Any, Any],
    refused: Mapping[Any, Any] | None = None,
) -> Iterator[tuple[ViewPair, Floats, Floats, Ints, Ints]]:
    """Give the raw columns of every two views with matches, these, and what is refused."""
    given = GivenViews.of(views)
    data, relations = given.arrays(), given.relations(mappings)
    apart = given.relations(refused or {})
    columns = [raw_columns(X) for X in data]
    for (u, v), matches in relations.items():
        yield (u, v), columns[u], columns[v], matches, apart.get((u, v), NONE)


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
    """Tell which rows of u and others of v match."""
    return np.isin((rows << 32) | others, (matches[:, 0] << 32) | matches[:, 1])


def first_hits(matches: Ints, cut: Ints, ranked: Likeliest, most: int) -> Bools:
    """Tell which of the first candidates of every cut row is the first counterpart, (r, most)."""
    is_cut = np.isin(ranked.rows, cut[:, 0])
    hits = are_matches(matches, ranked.rows[is_cut, None], ranked.candidates[is_cut, :most])
    hits &= np.cumsum(hits, axis=1) == 1
    return np.pad(hits, ((0, 0), (0, most - hits.shape[1])))


def likeliest(X_u: Floats, X_v: Floats, matches: Ints, c: int, refused: Ints = NONE) -> Likeliest:
    """Return the c likeliest counterparts of the rows of one view that no match names."""
    # pairs of rows that are ``refused`` have the least score
    unmatched = Unmatched.of(X_u, X_v, matches, refused)
    nearest, scores, _ = unmatched.nearest(max(c, 2))
    order = _order(scores)
    rows, candidates = unmatched.rows[order], unmatched.others[nearest[order, :c]]
    return Likeliest(rows, candidates, scores[order, :c])


def candidates_between(X_u: Floats, X_v: Floats, matches: Ints, c: int) -> MatchCandidates:
    """Return what `likeliest` does, and whether candidates have the same rows as theirs."""
    unmatched = Unmatched.of(X_u, X_v, matches, NONE)
    nearest, scores, hubs = unmatched.nearest(max(c, 2))
    if not len(nearest):
        return MatchCandidates(unmatched.rows, nearest, scores, hubs.astype(np.bool_), hubs)
    back, back_scores, _ = unmatched.turned(hubs).nearest(2)
    first = nearest[:, 0]
    mutual = back[first, 0] == np.arange(len(first))
    rival = np.where(mutual, _second(back_scores)[first], back_scores[first, 0])
    margins = scores[:, 0] - np.maximum(_second(scores), rival)
    order = _order(scores)
    rows, candidates = unmatched.rows[order], unmatched.others[nearest[order, :c]]
    return MatchCandidates(rows, candidates, scores[order, :c], mutual[order], margins[order])


def _order(scores: Floats) -> Ints:
    """Return the rows with the highest scores first; each has its highest one first."""
    return np.argsort(-scores.max(axis=1, initial=LEAST), kind="stable")


def _second(scores: Floats) -> Floats:
    return scores[:, 1] if scores.shape[1] > 1 else np.full(len(scores), LEAST)
