"""Matches that seem to be wrong: their rows are not alike, or other matches contradict them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.optimize import isotonic_regression

from mvcc._utils.arrays import TINY, Bools, Floats, Ints, places_among
from mvcc._utils.contexts import one_thread
from mvcc._utils.validation import as_labels, as_list, check_order, class_codes
from mvcc.constraints import Relations
from mvcc.embedding import AnchorGraph, JointGraph, any_graph, find_objects, raw_columns, unit_rows
from mvcc.exceptions import InvalidInputError
from mvcc.views import GivenViews

MOST_COMPARED = 1_000  # matches that are compared with each other; more are compared with 500
DRAWN = 500
GLANCED = 2_000  # matches of two views; of more, so many tell whether to look at all
MOST_AT_ONCE = 5_000  # matches that are looked at together; more are in parts
LEAST_DRAWN = 200  # however many pairs of views share the work
_FEWEST = 40  # matches; fewer are not compared
_MANY = 100  # matches, of which suspicious ones are dropped
# a share of the matches, times agreement; below, mistakes cost more than they save
_FEW_WRONG = 0.03
_MANY_WRONG = 0.5  # above, nothing is known for sure
# of two views on right matches; below, unlike rows are no evidence against a match
_LEAST_AGREEMENT = 0.35
_SUSPICIOUS, _SUSPICIOUS_OF_FEW = 0.4, 0.8  # the suspicion of many matches, and of fewer
_NEIGHBORS = 10  # of a row in the graph of its view, at most
_RIDGES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)

# how alike row i here and row j there are, for any two matches i and j: left_i · right_j
Likeness = tuple[Floats, Floats]
ViewPair = tuple[int, int]  # numbers of views


def suspicious_matches(
    views: Sequence[Any] | Mapping[str, Any],
    mappings: Mapping[Any, Any],
    labels: Sequence[ArrayLike] | Mapping[str, ArrayLike],
) -> dict[tuple[int, int], Floats]:
    """Tell how likely every match is wrong.

    Two things are asked of the rows i and j of a match: whether the neighbors of i in its view are
    in the same clusters as those of j in its view; and how well the features of j follow from those
    of i, and the other way round, by ridge regression over the other matches. A right match is more
    alike than i and the partners of other rows. The share of such pairs that are more alike is p:
    even for wrong matches, and small for right ones.

    Parameters
    ----------
    views : list or dict of array-like or DataFrame of shape (n_v, d_v)
    mappings : dict {(u, v): matches}
        In the forms that ``JointGraphClustering.fit`` takes.
    labels : list or dict of array-like of shape (n_v,)
        The cluster of every row, per view, with one numbering: ``labels_`` of
        ``JointGraphClustering``, or ``labels`` of ``ClusteringResult``.

    Returns
    -------
    dict {(u, v): ndarray of shape (r,)}, u < v
        Suspicions from 0 to 1 of the distinct matches in ascending order, views by number; 0 where
        two views have fewer than 40 matches. Their mean is the share of wrong matches, as it is
        estimated. NaN where nothing can be told: the two views agree little on which rows are
        alike, or more than half of their matches seem to be wrong.

    Raises
    ------
    InvalidInputError
        For mappings or labels that do not fit the views.

    See Also
    --------
    match_candidates : Find matches that are missing.
    JointGraphClustering : Leaves out suspicious matches.

    Notes
    -----
    The share π of wrong matches is Storey's [1]_: what p is even from .5 or .75 on. The suspicion
    is π / f(p), with f Grenander's decreasing density [2]_. If two views agree less than .35
    (``view_agreement_`` of ``JointGraphClustering``), unlike rows are no evidence against a match.
    Wrong matches lower the agreement, too, so the one that is compared is divided by 1 − π. More
    than 1,000 matches of two views are compared with 500 of them, the same ones in every run. If p
    pairs of views are matched, both numbers are divided by √p, but are 200 at least: the time of
    many views is near that of two. If there are more than 2,000 matches, as many are looked at
    first: if none of these should be left out, all get their mean suspicion. Otherwise all are
    looked at, 5,000 at most together.

    References
    ----------
    .. [1] J. D. Storey, "A Direct Approach to False Discovery Rates", Journal of the Royal
       Statistical Society B, 2002.
    .. [2] U. Grenander, "On the Theory of Mortality Measurement", Scandinavian Actuarial Journal,
       1956.

    Examples
    --------
    >>> import numpy as np
    >>> from mvcc import suspicious_matches
    >>> y = np.arange(60) % 3
    >>> noise = np.random.default_rng(0).normal(size=(2, 60, 2))
    >>> places = 10 * np.eye(3)[y] @ [[1, 0], [0, 1], [1, 1]]
    >>> views = [places + noise[v] for v in (0, 1)]
    >>> matches = np.column_stack((np.arange(60), np.arange(60)))
    >>> matches[:2, 1] = 1, 0
    >>> found = suspicious_matches(views, {(0, 1): matches}, [y, y])[0, 1]
    >>> np.flatnonzero(found > 0.4).tolist()
    [0, 1]
    """
    given = GivenViews.of(views)
    data, relations = given.arrays(), given.relations(mappings)
    of_views = (given.per_view if isinstance(labels, Mapping) else as_list)(labels, "labels")
    clusters = _label_numbers(of_views, [len(X) for X in data])
    for view, (table, view_labels) in enumerate(zip(given.tables, of_views, strict=True)):
        check_order(table, view_labels, f"views[{view}] and labels[{view}]")
    k = 1 + max(int(view_clusters.max()) for view_clusters in clusters)
    with one_thread():
        graph = any_graph(data, relations, _NEIGHBORS, k, np.random.default_rng(0))
        return suspicions(relations, [raw_columns(X) for X in data], graph, clusters)


def _label_numbers(labels: Sequence[ArrayLike], sizes: list[int]) -> list[Ints]:
    """Return the labels of all views, numbered from 0 in all of them alike."""
    arrays = [as_labels(view_labels, f"labels[{view}]") for view, view_labels in enumerate(labels)]
    if [array.shape for array in arrays] != [(n,) for n in sizes]:
        raise InvalidInputError(
            f"labels must hold one label for each of the {sizes} rows, got"
            f" {[array.shape for array in arrays]}."
        )
    codes = class_codes(np.concatenate(arrays), "labels, all views together,")
    return np.split(codes, np.cumsum(sizes)[:-1])


def suspicions(
    relations: Relations, columns: list[Floats], joint: JointGraph | AnchorGraph, labels: list[Ints]
) -> dict[tuple[int, int], Floats]:
    """Return the suspicions of all matches, given the raw columns and labels of every view."""
    k = 1 + max(int(view_labels.max()) for view_labels in labels)
    around = [joint.views[view].around(view_labels, k) for view, view_labels in enumerate(labels)]
    by_pair, n_pairs = {}, sum(len(rows) >= _FEWEST for rows in relations.values())

    def of_pair(u: int, v: int, rows: Ints) -> Floats:
        i, j = rows.T
        features = [
            np.hstack((joint.views[w].spectrum(ends), columns[w][ends]))
            for w, ends in ((u, i), (v, j))
        ]
        kinds = [(unit_rows(around[u][i]), unit_rows(around[v][j])), _by_regression(*features)]
        return _posterior(_tail_shares(kinds, len(rows), n_pairs))

    for (u, v), rows in relations.items():
        by_pair[u, v] = np.zeros(len(rows))
        if len(rows) < _FEWEST:
            continue
        # by some matches, whether all are looked at
        agreement, glance = joint.agreement[u, v], _drawn(len(rows), GLANCED, GLANCED)
        suspicion = of_pair(u, v, rows[glance])
        if not _can_be_told(suspicion.mean(), agreement):
            by_pair[u, v][:] = np.nan
        elif len(glance) == len(rows):
            by_pair[u, v] = suspicion
        elif not to_drop(suspicion, agreement).any():
            by_pair[u, v][:] = suspicion.mean()
        else:
            for part in _parts(len(rows)):
                by_pair[u, v][part] = of_pair(u, v, rows[part])
    return by_pair


def _drawn(m: int, most: int, fewer: int) -> Ints:
    """Return m matches, or fewer of them if they are more than ``most``."""
    if m <= most:
        return np.arange(m)
    return np.sort(np.random.default_rng(0).choice(m, fewer, replace=False))


def _parts(m: int) -> list[Ints]:
    """Return m matches in random parts, each looked at by itself."""
    order = np.random.default_rng(0).permutation(m)
    return [np.sort(part) for part in np.array_split(order, -(-m // MOST_AT_ONCE))]


def seem_wrong(suspicion: Floats) -> Bools:
    """Tell which matches of two views a person should look at: half of them at most."""
    # if more seem so, most belong to one large group, whose rows are all alike
    limit = _SUSPICIOUS if len(suspicion) >= _MANY else _SUSPICIOUS_OF_FEW
    wrong = suspicion > limit
    return wrong & (wrong.sum() <= _MANY_WRONG * len(wrong))


def to_drop(suspicion: Floats, agreement: float) -> Bools:
    """Tell which matches of two views are left out: suspicious ones, where enough are wrong."""
    # the less two views agree, the more right matches seem to be wrong
    if len(suspicion) >= _MANY:
        share = float(suspicion.mean())
        if share * _agreement_of_right(agreement, share) >= _FEW_WRONG:  # NaN is not
            return seem_wrong(suspicion)
    return np.zeros(len(suspicion), np.bool_)


def _can_be_told(wrong: float, agreement: float) -> bool:
    """Tell whether wrong matches can be known, by their share and how much views agree."""
    return wrong <= _MANY_WRONG and _agreement_of_right(agreement, wrong) >= _LEAST_AGREEMENT


def _agreement_of_right(agreement: float, wrong: float) -> float:
    """Return how much views would agree without their wrong matches; 1 if not measured."""
    return 1.0 if np.isnan(agreement) else min(1.0, agreement / max(1 - wrong, TINY))


def hardly_agree(suspicion: Floats) -> bool:
    """Tell whether two views agree too little to tell which of their matches are wrong."""
    return bool(np.isnan(suspicion).any())


def _by_regression(X_u: Floats, X_v: Floats) -> Likeness:
    """Return minus the squared distances from what the other view predicts, both ways."""
    X_u, X_v = X_u - X_u.mean(axis=0), X_v - X_v.mean(axis=0)
    forth, back = _left_out(X_u, X_v), _left_out(X_v, X_u)
    ones = np.ones((len(X_u), 1))
    lengths = [np.einsum("ij,ij->i", rows, rows)[:, None] for rows in (forth, back, X_u, X_v)]
    # minus a squared distance is twice the product, less both squared lengths
    return (
        np.hstack((2 * forth, 2 * X_u, -lengths[0] - lengths[2], ones)),
        np.hstack((X_v, back, ones, -lengths[1] - lengths[3])),
    )


def _left_out(X: Floats, Y: Floats) -> Floats:
    """Predict every row of Y from X by ridge regression over the other rows."""
    values, vectors = scipy.linalg.eigh(X.T @ X)
    turned = X @ vectors
    projected = turned.T @ Y
    best, least = Y, np.inf
    for ridge in _RIDGES:
        inverse = 1 / (np.maximum(values, 0) + ridge)
        errors = Y - turned @ (inverse[:, None] * projected)
        # those of leave-one-out, over 1 minus the leverage with that of the mean
        errors /= np.maximum(1 - turned**2 @ inverse - 1 / len(X), 1e-6)[:, None]
        if (loss := float((errors**2).sum())) < least:
            best, least = Y - errors, loss
    return best


def _tail_shares(kinds: list[Likeness], m: int, n_pairs: int) -> Floats:
    """Return p of every match: the share of pairs of different matches that are more alike."""
    # How alike a pair is, its ranks tell, among all pairs of either row, in all kinds together. The
    # number of pairs of views tells how many matches can be compared.
    from scipy.stats import rankdata  # which takes a third of a second to import

    limits = (max(round(limit / np.sqrt(n_pairs)), LEAST_DRAWN) for limit in (MOST_COMPARED, DRAWN))
    drawn = _drawn(m, *limits)
    index_of = places_among(drawn, m)
    ranks, drawn_ranks = np.zeros(m), np.zeros((len(drawn), len(drawn)))
    for left, right in kinds:
        table = -left[drawn] @ right[drawn].T
        drawn_ranks += (rankdata(table, axis=0) + rankdata(table, axis=1) - 2) / (len(drawn) - 1)
        for rows, partners in ((left, right), (right, left)):
            for some in np.array_split(np.arange(m), -(-m // MOST_COMPARED)):
                compared = rows[some], partners[some], partners[drawn], index_of[some]
                ranks[some] += _shares_above(*compared)
    chance = np.sort(drawn_ranks[~np.eye(len(drawn), dtype=np.bool_)])
    # equal ranks but for rounding
    return np.searchsorted(chance, ranks - 1e-9) / len(chance)


def _shares_above(rows: Floats, partners: Floats, others: Floats, index: Ints) -> Floats:
    """Return the share of rows more alike than each one's partner; ties count half."""
    # the index of a partner among the others is −1 where it is none of them
    level, alike = np.einsum("ij,ij->i", rows, partners)[:, None], rows @ others.T
    is_among = index >= 0
    alike[is_among, index[is_among]] = -np.inf
    above, equal = (np.count_nonzero(mask, axis=1) for mask in (alike > level, alike == level))
    return (above + 0.5 * equal) / (len(others) - is_among)


def _posterior(p: Floats) -> Floats:
    """Return π / f(p), at most 1."""
    wrong = min(float(np.mean(p > low)) / (1 - low) + 0.5 / len(p) for low in (0.5, 0.75))
    return np.minimum(1, wrong / np.maximum(_decreasing_density(p), TINY))


def _decreasing_density(p: Floats) -> Floats:
    """Return a decreasing density at each value in 0 … 1: slopes of the least concave majorant."""
    ends = np.unique(np.concatenate((p, [0.0, 1.0])))
    reached = np.searchsorted(np.sort(p), ends, side="right") / len(p)
    reached[0], reached[-1] = 0, 1
    widths = np.diff(ends)
    slopes = isotonic_regression(np.diff(reached) / widths, weights=widths, increasing=False).x
    return slopes[np.maximum(np.searchsorted(ends, p) - 1, 0)]


def contradicted_matches(sizes: list[int], relations: Relations) -> dict[ViewPair, Bools]:
    """Tell which matches more views contradict than confirm; the most contradicted go first."""
    # View w confirms the match of i and j where both are matched with the same row of w. It
    # contradicts it where a row that is matched with one of them is matched with a row of the
    # other's view that is not its partner: a few of these would chain many objects. If no object
    # has two rows of one view, all matches agree.
    contradicted = {key: np.zeros(len(rows), np.bool_) for key, rows in relations.items()}
    if len(relations) < 3:
        return contradicted
    _, objects = find_objects(sizes, relations)
    if all(len(np.unique(row_objects)) == len(row_objects) for row_objects in objects):
        return contradicted
    while True:
        excess = _excess(sizes, {key: rows[~contradicted[key]] for key, rows in relations.items()})
        most = max(of_pair.max(initial=0) for of_pair in excess.values())
        if most == 0:
            return contradicted
        for key, of_pair in excess.items():
            kept = np.flatnonzero(~contradicted[key])
            contradicted[key][kept[of_pair == most]] = True


def _excess(sizes: list[int], relations: Relations) -> dict[ViewPair, Ints]:
    """Return how many more views contradict every match than confirm it."""
    tables: dict[ViewPair, sp.csr_array] = {}
    for (u, v), rows in relations.items():
        table = sp.csr_array(
            (np.ones(len(rows)), (rows[:, 0], rows[:, 1])), shape=(sizes[u], sizes[v])
        )
        tables[u, v], tables[v, u] = table, table.T.tocsr()
    excess = {key: np.zeros(len(rows), np.int64) for key, rows in relations.items()}
    for (u, v), rows in relations.items():
        for w in range(len(sizes)):
            if len(rows) and (u, w) in tables and (w, v) in tables:
                excess[u, v] += _contradiction(tables[u, w] @ tables[w, v], tables[u, v], rows)
    return excess


def _contradiction(paths: sp.csr_array, table: sp.csr_array, rows: Ints) -> Ints:
    """Return 1 for matches that paths through one view contradict, −1 for confirmed, else 0."""
    # a row may have several partners; paths that lead to any of them contradict nothing
    i, j = rows.T
    stray = paths - paths * table
    elsewhere = (stray.sum(axis=1)[i] > 0) | (stray.sum(axis=0)[j] > 0)
    return np.where(paths[i, j] > 0, -1, elsewhere.astype(np.int64))
