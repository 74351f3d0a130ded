"""Likely counterparts of rows without a match, by canonical correlations of the matches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
from scipy.spatial.distance import cdist, pdist

from mvcc._utils.arrays import Bools, Floats, Ints, places_among
from mvcc._utils.contexts import one_thread
from mvcc._utils.validation import check_count
from mvcc.constraints import NO_RELATIONS
from mvcc.embedding import raw_columns, unit_rows
from mvcc.exceptions import InvalidInputError
from mvcc.multiview.matches._suspicious import ViewPair
from mvcc.views import GivenViews

FEWEST_MATCHES = 20  # matches between two views that their canonical correlations are learned from
MOST_LANDMARKS = 500  # matched rows that all rows are compared with
WIDTH = 0.5  # of the kernel, in median squared distances
RIDGE = 0.01  # of the columns, in their mean variance
# whose mean similarity is taken off: rows near everything are near nothing in particular
_NEIGHBORS = 10
LEAST = -4.0  # of all scores
_BLOCK_ENTRIES = 2**23  # similarities that are in memory at a time, 64 MB


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
        yield (u, v), columns[u], columns[v], matches, apart.get((u, v), NO_RELATIONS)


def likeliest(
    X_u: Floats, X_v: Floats, matches: Ints, c: int, refused: Ints = NO_RELATIONS
) -> Likeliest:
    """Return the c likeliest counterparts of the rows of one view that no match names."""
    # pairs of rows that are ``refused`` have the least score
    unmatched = Unmatched.of(X_u, X_v, matches, refused)
    nearest, scores, _ = unmatched.nearest(max(c, 2))
    return Likeliest(*unmatched.in_order(nearest[:, :c], scores[:, :c], _order(scores)))


def candidates_between(X_u: Floats, X_v: Floats, matches: Ints, c: int) -> MatchCandidates:
    """Return what `likeliest` does, and whether candidates have the same rows as theirs."""
    unmatched = Unmatched.of(X_u, X_v, matches, NO_RELATIONS)
    nearest, scores, hubs = unmatched.nearest(max(c, 2))
    if not len(nearest):
        return MatchCandidates(unmatched.rows, nearest, scores, hubs.astype(np.bool_), hubs)
    back, back_scores, _ = unmatched.turned(hubs).nearest(2)
    first = nearest[:, 0]
    mutual = back[first, 0] == np.arange(len(first))
    rival = np.where(mutual, _second(back_scores)[first], back_scores[first, 0])
    margins = scores[:, 0] - np.maximum(_second(scores), rival)
    order = _order(scores)
    ranked = unmatched.in_order(nearest[:, :c], scores[:, :c], order)
    return MatchCandidates(*ranked, mutual[order], margins[order])


def _order(scores: Floats) -> Ints:
    """Return the rows with the highest scores first; each has its highest one first."""
    return np.argsort(-scores.max(axis=1, initial=LEAST), kind="stable")


def _second(scores: Floats) -> Floats:
    return scores[:, 1] if scores.shape[1] > 1 else np.full(len(scores), LEAST)


@dataclass(frozen=True, eq=False)
class Unmatched:
    """Rows of two views that no match names, in one space."""

    rows: Ints
    others: Ints
    x: Floats
    y: Floats
    hubs: Floats  # how near each of the others is to its nearest rows
    apart: Ints  # places among rows and others that do not match

    @classmethod
    def of(cls, X_u: Floats, X_v: Floats, matches: Ints, refused: Ints) -> Unmatched:
        """Place the rows by canonical correlations of the matches."""
        if len(matches) < FEWEST_MATCHES:
            raise InvalidInputError(
                f"mappings must have {FEWEST_MATCHES} matches or more of two views, got"
                f" {len(matches)}."
            )
        # in random order: by number, equally near rows would match where tables have the same order
        rng = np.random.default_rng(0)
        rows = rng.permutation(np.setdiff1d(np.arange(len(X_u)), matches[:, 0]))
        others = rng.permutation(np.setdiff1d(np.arange(len(X_v)), matches[:, 1]))
        if not len(rows) or not len(others):
            nothing = np.empty((0, 0))
            return cls(rows[:0], others[:0], nothing, nothing, nothing.ravel(), NO_RELATIONS)
        x, y = _in_one_space(X_u, X_v, matches, rows, others)
        of_rows, of_others = places_among(rows, len(X_u)), places_among(others, len(X_v))
        apart = np.column_stack((of_rows[refused[:, 0]], of_others[refused[:, 1]]))
        apart = apart[(apart >= 0).all(axis=1)]
        hubs = [_mean_of_nearest(y[some] @ x.T) for some in _blocks(len(y), len(x))]
        return cls(rows, others, x, y, np.concatenate(hubs), apart)

    def turned(self, hubs: Floats) -> Unmatched:
        """Return the same for the counterparts of the others, given how near the rows are."""
        return Unmatched(self.others, self.rows, self.y, self.x, hubs, self.apart[:, ::-1])

    def in_order(self, nearest: Ints, scores: Floats, order: Ints) -> tuple[Ints, Ints, Floats]:
        """Return rows in an order, their nearest others by number, and the scores."""
        return self.rows[order], self.others[nearest[order]], scores[order]

    def nearest(self, c: int) -> tuple[Ints, Floats, Floats]:
        """Return the others with the highest scores, descending, for every row; scores; hubs."""
        # rows and others that are apart come last, with the least score
        if not len(self.rows):
            return np.empty((0, 0), np.int64), np.empty((0, 0)), np.empty(0)
        c = min(c, len(self.others))
        nearest, scores, hubs = [], [], []
        for some in _blocks(len(self.rows), len(self.others)):
            cosines = self.x[some] @ self.y.T
            hubs.append(_mean_of_nearest(cosines))
            similarity = 2 * cosines - self.hubs
            row, other = self.apart[np.isin(self.apart[:, 0], some)].T
            similarity[row - some[0], other] = -np.inf
            top = np.argpartition(-similarity, c - 1, axis=1)[:, :c]
            top_scores = np.take_along_axis(similarity, top, axis=1)
            order = np.argsort(-top_scores, axis=1, kind="stable")
            nearest.append(np.take_along_axis(top, order, axis=1))
            top_scores = np.take_along_axis(top_scores, order, axis=1) - hubs[-1][:, None]
            scores.append(np.maximum(top_scores, LEAST))
        return np.concatenate(nearest), np.concatenate(scores), np.concatenate(hubs)


def _in_one_space(
    X_u: Floats, X_v: Floats, matches: Ints, rows: Ints, others: Ints
) -> tuple[Floats, Floats]:
    """Return rows of both views as unit rows of canonical variates, each times its correlation."""
    m = len(matches)
    drawn = np.sort(np.random.default_rng(0).permutation(m)[:MOST_LANDMARKS])
    matched_u, rows_u = _whitened(X_u, matches[:, 0], drawn, rows)
    matched_v, rows_v = _whitened(X_v, matches[:, 1], drawn, others)
    left, correlations, right = scipy.linalg.svd(matched_u.T @ matched_v / m)
    return unit_rows(rows_u @ left * correlations), unit_rows(rows_v @ right.T * correlations)


def _whitened(X: Floats, matched: Ints, drawn: Ints, rest: Ints) -> tuple[Floats, Floats]:
    """Return matched rows and others, by their kernel with some, without correlation."""
    landmarks = X[matched[drawn]]
    width = WIDTH / (float(np.median(pdist(landmarks, "sqeuclidean"))) or 1.0)
    near, near_rest = (
        np.exp(-width * cdist(X[rows], landmarks, "sqeuclidean")) for rows in (matched, rest)
    )
    mean = near.mean(axis=0)
    near, near_rest = near - mean, near_rest - mean
    covariance = near.T @ near / len(near)
    ridge = max(RIDGE * float(np.trace(covariance)) / len(covariance), np.finfo(float).tiny)
    factor = scipy.linalg.cholesky(covariance + ridge * np.eye(len(covariance)), lower=True)
    whitened = (scipy.linalg.solve_triangular(factor, K.T, lower=True).T for K in (near, near_rest))
    return next(whitened), next(whitened)


def _blocks(n: int, width: int) -> list[Ints]:
    return np.array_split(np.arange(n), -(-n * width // _BLOCK_ENTRIES))


def _mean_of_nearest(cosines: Floats) -> Floats:
    q = min(_NEIGHBORS, cosines.shape[1])
    return np.partition(cosines, -q, axis=1)[:, -q:].mean(axis=1)
