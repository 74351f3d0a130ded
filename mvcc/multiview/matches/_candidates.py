"""Likely counterparts of rows without a match, by canonical correlations of the matches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
from scipy.spatial.distance import cdist, pdist

from mvcc._utils.arrays import Bools, Floats, Ints
from mvcc._utils.one_thread import one_thread
from mvcc._utils.validation import check_count
from mvcc.embedding import raw_columns, unit_rows
from mvcc.exceptions import InvalidInputError
from mvcc.views import GivenViews

FEWEST_MATCHES = 20  # matches between two views that their canonical correlations are learned from
MOST_LANDMARKS = 500  # matched rows that all rows are compared with
# of the kernel, in median squared distances; of the columns, in their mean variance
WIDTH, RIDGE = (0.5, 0.01)
# whose mean similarity is taken off: rows that are near everything are near nothing in particular
_NEIGHBORS = 10
LEAST = -4.0  # of all scores
_BLOCK_ENTRIES = 2**23  # similarities that are in memory at a time, 64 MB

Pair = tuple[int, int]
_NONE = np.empty((0, 2), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class MatchCandidates:
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
        candidate.
    """

    rows: Ints
    candidates: Ints
    scores: Floats
    mutual: Bools
    margins: Floats


def match_candidates(
    views: Sequence[Any] | Mapping[str, Any], mappings: Mapping[Any, Any], *, n_candidates: int = 5
) -> dict[Pair, MatchCandidates]:
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
            key: candidates_between(here, there, rows, c)
            for key, here, there, rows, _ in matched_columns(views, mappings)
        }


def candidate_hits(
    views: Sequence[Any] | Mapping[str, Any],
    mappings: Mapping[Any, Any],
    *,
    most: int = 5,
    n_folds: int = 5,
) -> dict[Pair, Floats]:
    """Measure how often ``match_candidates`` finds matches that were kept from it.

    The matches of a fold of the rows of u are cut in turn, and its rows and their counterparts are
    among those without a match: other matches of these are not learned from.

    Parameters
    ----------
    views, mappings
        As for ``match_candidates``; 25 matches or more for every two views with five folds.
    most : int, default=5
    n_folds : int, default=5

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
    found = {}
    with one_thread():
        for key, here, there, rows, _ in matched_columns(views, mappings):
            folds = without_folds(here, there, rows, n_folds, c)
            places = np.concatenate([first_hits(*fold, c) for fold in folds])
            found[key] = np.cumsum(places.mean(axis=0)) if len(places) else np.zeros(c)
    return found


def matched_columns(
    views: Sequence[Any] | Mapping[str, Any],
    mappings: Mapping[Any, Any],
    refused: Mapping[Any, Any] | None = None,
) -> Iterator[tuple[Pair, Floats, Floats, Ints, Ints]]:
    """Give the raw columns of every two views with matches, these, and what is refused."""
    given = GivenViews.of(views)
    data, relations = given.arrays(), given.relations(mappings)
    apart = given.relations(refused or {})
    columns = [raw_columns(X) for X in data]
    for (u, v), rows in relations.items():
        yield (u, v), columns[u], columns[v], rows, apart.get((u, v), _NONE)


def fewest_left(matches: Ints, n_folds: int) -> int:
    """Return how many matches are learned from at least where each fold is cut."""
    return min((len(others) for _, others in _folds(matches, n_folds)), default=0)


def _folds(matches: Ints, n_folds: int) -> Iterator[tuple[Ints, Ints]]:
    """Deal out the rows of u; give the matches of each fold, and those of no row in these."""
    found, number = np.unique(matches[:, 0], return_inverse=True)
    fold = (np.random.default_rng(0).permutation(len(found)) % n_folds)[number]
    for own in np.unique(fold):
        cut = matches[fold == own]
        yield cut, matches[(fold != own) & ~np.isin(matches[:, 1], cut[:, 1])]


def without_folds(
    here: Floats, there: Floats, matches: Ints, n_folds: int, c: int
) -> Iterator[tuple[Ints, MatchCandidates]]:
    """Give each fold of the matches, and the counterparts that are found without it."""
    n_left = fewest_left(matches, n_folds)
    if n_left < FEWEST_MATCHES:
        raise InvalidInputError(
            f"mappings must leave {FEWEST_MATCHES} matches or more of two views outside of each of"
            f" {n_folds} folds; {len(matches)} leave {n_left}."
        )
    for cut, others in _folds(matches, n_folds):
        yield cut, candidates_between(here, there, others, c)


def are_matches(matches: Ints, rows: Ints, others: Ints) -> Bools:
    """Tell which rows of u and others of v match."""
    return np.isin((rows << 32) | others, (matches[:, 0] << 32) | matches[:, 1])


def first_hits(cut: Ints, found: MatchCandidates, most: int) -> Bools:
    """Tell which of the first candidates of every cut row is the first counterpart, (r, most)."""
    own = np.isin(found.rows, cut[:, 0])
    hits = are_matches(cut, found.rows[own, None], found.candidates[own, :most])
    hits &= np.cumsum(hits, axis=1) == 1
    return np.pad(hits, ((0, 0), (0, most - hits.shape[1])))


def candidates_between(
    here: Floats, there: Floats, matches: Ints, c: int, refused: Ints = _NONE
) -> MatchCandidates:
    """Return the c likeliest counterparts of the rows of one view that no match names.

    Pairs of rows that are ``refused`` have the least score.
    """
    if len(matches) < FEWEST_MATCHES:
        raise InvalidInputError(
            f"mappings must have {FEWEST_MATCHES} matches or more of two views, got {len(matches)}."
        )
    # in random order: by number, equally near rows would match where tables have the same order
    rng = np.random.default_rng(0)
    rows = rng.permutation(np.setdiff1d(np.arange(len(here)), matches[:, 0]))
    others = rng.permutation(np.setdiff1d(np.arange(len(there)), matches[:, 1]))
    if not len(rows) or not len(others):
        none = np.empty((0, 0))
        return MatchCandidates(
            rows[:0], none.astype(np.int64), none, np.empty(0, np.bool_), np.empty(0)
        )
    x, y = _in_one_space(here, there, matches, rows, others)
    hubs = _similarity_to_nearest(x, y), _similarity_to_nearest(y, x)
    ends = zip((len(here), len(there)), (rows, others), refused.T, strict=True)
    apart = np.column_stack([_places(*own) for own in ends])
    apart = apart[(apart >= 0).all(axis=1)]
    found, scores = _nearest(x, y, *hubs, max(c, 2), apart)
    back, back_scores = _nearest(y, x, *hubs[::-1], 2, apart[:, ::-1])
    first = found[:, 0]
    mutual = back[first, 0] == np.arange(len(rows))
    rival = np.where(mutual, _second(back_scores)[first], back_scores[first, 0])
    margins = scores[:, 0] - np.maximum(_second(scores), rival)
    order = np.argsort(-scores[:, 0], kind="stable")
    return MatchCandidates(
        rows[order], others[found[order, :c]], scores[order, :c], mutual[order], margins[order]
    )


def _places(n: int, rows: Ints, wanted: Ints) -> Ints:
    """Return where the wanted ones of n rows are among some; −1 for others."""
    places = np.full(n, -1)
    places[rows] = np.arange(len(rows))
    return places[wanted]


def _second(scores: Floats) -> Floats:
    return scores[:, 1] if scores.shape[1] > 1 else np.full(len(scores), LEAST)


def _in_one_space(
    here: Floats, there: Floats, matches: Ints, rows: Ints, others: Ints
) -> tuple[Floats, Floats]:
    """Return rows of both views as unit rows of canonical variates, each times its correlation."""
    m = len(matches)
    drawn = np.sort(np.random.default_rng(0).permutation(m)[:MOST_LANDMARKS])
    matched_u, own_u = _whitened(here, matches[:, 0], drawn, rows)
    matched_v, own_v = _whitened(there, matches[:, 1], drawn, others)
    left, correlations, right = scipy.linalg.svd(matched_u.T @ matched_v / m)
    return unit_rows(own_u @ left * correlations), unit_rows(own_v @ right.T * correlations)


def _whitened(X: Floats, matched: Ints, drawn: Ints, own: Ints) -> tuple[Floats, Floats]:
    """Return matched rows and others, by their kernel with some, without correlation."""
    landmarks = X[matched[drawn]]
    width = WIDTH / (float(np.median(pdist(landmarks, "sqeuclidean"))) or 1.0)
    near, near_own = (
        np.exp(-width * cdist(X[rows], landmarks, "sqeuclidean")) for rows in (matched, own)
    )
    mean = near.mean(axis=0)
    near, near_own = near - mean, near_own - mean
    covariance = near.T @ near / len(near)
    ridge = max(RIDGE * float(np.trace(covariance)) / len(covariance), np.finfo(float).tiny)
    factor = scipy.linalg.cholesky(covariance + ridge * np.eye(len(covariance)), lower=True)
    whitened = (scipy.linalg.solve_triangular(factor, X.T, lower=True).T for X in (near, near_own))
    return next(whitened), next(whitened)


def _blocks(n: int, width: int) -> list[Ints]:
    return np.array_split(np.arange(n), -(-n * width // _BLOCK_ENTRIES))


def _similarity_to_nearest(x: Floats, y: Floats) -> Floats:
    """Return the mean cosine of every row of x to its nearest rows of y."""
    q = min(_NEIGHBORS, len(y))
    near = (np.partition(x[some] @ y.T, -q, axis=1)[:, -q:] for some in _blocks(len(x), len(y)))
    return np.concatenate([cosines.mean(axis=1) for cosines in near])


def _nearest(
    x: Floats, y: Floats, hub_x: Floats, hub_y: Floats, c: int, apart: Ints
) -> tuple[Ints, Floats]:
    """Return the rows of y with the highest scores, descending, for every row of x, and scores.

    The pairs of rows that are ``apart`` come last, with the least score.
    """
    c = min(c, len(y))
    places, scores = [], []
    for some in _blocks(len(x), len(y)):
        score = 2 * (x[some] @ y.T) - hub_y
        row, other = apart[np.isin(apart[:, 0], some)].T
        score[row - some[0], other] = -np.inf
        found = np.argpartition(-score, c - 1, axis=1)[:, :c]
        own = np.take_along_axis(score, found, axis=1)
        order = np.argsort(-own, axis=1, kind="stable")
        places.append(np.take_along_axis(found, order, axis=1))
        own = np.take_along_axis(own, order, axis=1) - hub_x[some, None]
        scores.append(np.maximum(own, LEAST))
    return np.concatenate(places), np.concatenate(scores)
