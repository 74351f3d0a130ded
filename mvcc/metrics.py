"""Scores of clusterings and constraints by known labels (§6.2, §6.3), and of rows by themselves."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from mvcc._utils.arrays import Floats, Ints
from mvcc._utils.contexts import one_thread
from mvcc._utils.kernels import may_share
from mvcc._utils.validation import check_alike, check_choice, check_count, check_data, label_codes
from mvcc.constraints import Constraints, check_rows

_FEWEST_ROWS = 3  # of a cluster that has a covariance of its own
_MOST_COLUMNS = 2_000  # up to which a covariance is that of all rows
_MOST_DISTANCES, _FEWEST_AMONG = 10**8, 2_000  # in search of neighbors, among fewer of many rows


def pairwise_f_measure(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Pairwise F-measure of a clustering (Eq. 19, §6.2), over all pairs of rows.

    Computed from the contingency table in O(n + clusters), exactly.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted labels; their names do not matter.

    Returns
    -------
    float
        In [0, 1]. 1 when neither labelling puts any two rows together, 0 when no pair is correct.

    Raises
    ------
    InvalidInputError
        When the two do not have one label for each row.

    See Also
    --------
    clustering_accuracy, purity : Other agreement with known classes.

    Examples
    --------
    >>> from mvcc import pairwise_f_measure
    >>> pairwise_f_measure(["a", "a", "b", "b"], [0, 0, 0, 1])
    0.4
    """
    truth, predicted = _two_labellings(y_true, y_pred)
    sizes = np.unique(truth * (predicted.max(initial=0) + 1) + predicted, return_counts=True)[1]
    correct, classed, clustered = map(_n_pairs, (sizes, np.bincount(truth), np.bincount(predicted)))
    return _ratio(2 * correct, classed + clustered)


def clustering_accuracy(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Share of rows whose cluster stands for their class, with the best assignment of clusters to
    classes.

    Each cluster stands for one class at most, and each class has one cluster at most [1]_. Papers
    call it ACC.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted labels; their names do not matter.

    Returns
    -------
    float
        In (0, 1]; 1 without any row.

    Raises
    ------
    InvalidInputError
        When the two do not have one label for each row.

    See Also
    --------
    pairwise_f_measure, purity : Other agreement with known classes.

    References
    ----------
    .. [1] H. W. Kuhn, "The Hungarian Method for the Assignment Problem", Naval Research Logistics
       Quarterly, 1955.

    Examples
    --------
    >>> from mvcc import clustering_accuracy
    >>> clustering_accuracy(["a", "a", "b", "b"], [1, 1, 1, 0])
    0.75
    """
    from scipy.optimize import linear_sum_assignment

    table = _contingency(y_true, y_pred)
    rows, columns = linear_sum_assignment(table, maximize=True)
    return _ratio(table[rows, columns].sum(), table.sum())


def purity(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Share of rows that are of the most frequent class of their cluster.

    Several clusters may stand for one class.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted labels; their names do not matter.

    Returns
    -------
    float
        In (0, 1]; 1 without any row. It rises with the number of clusters, and is 1 when each row
        has its own.

    Raises
    ------
    InvalidInputError
        When the two do not have one label for each row.

    See Also
    --------
    pairwise_f_measure, clustering_accuracy : Other agreement with known classes.

    Examples
    --------
    >>> from mvcc import purity
    >>> purity(["a", "a", "b", "b"], [2, 1, 0, 0])
    1.0
    """
    table = _contingency(y_true, y_pred)
    return _ratio(table.max(axis=0, initial=0).sum(), table.sum())


def _ratio(part: Any, whole: Any) -> float:
    """Return a part as a share of a whole; nothing of nothing is all of it."""
    return float(part / whole) if whole else 1.0


def scores_of_table(table: Ints) -> tuple[float, float]:
    """Return F-measure (Eq. 19) and adjusted Rand index of a contingency table, (k, classes)."""
    correct, clustered, classed, total = map(
        _n_pairs, (table.ravel(), table.sum(axis=1), table.sum(axis=0), np.array([table.sum()]))
    )
    expected, most = classed * clustered / total, (classed + clustered) / 2
    return _ratio(2 * correct, classed + clustered), _ratio(correct - expected, most - expected)


def weighted_precision(
    constraints: Constraints,
    y_true: ArrayLike,
    kind: Literal["must-link", "cannot-link"] | None = None,
) -> float:
    """Share of the weight of constraints that agrees with the true labels (§6.3, Fig. 7).

    Parameters
    ----------
    constraints : Constraints
    y_true : array-like of shape (n,)
        True labels of the rows.
    kind : {"must-link", "cannot-link"} or None, default=None
        Count only constraints of this kind.

    Returns
    -------
    float
        In [0, 1]; NaN when there is no weight to count.

    Raises
    ------
    InvalidInputError
        For an unknown kind, or constraints on rows that y_true does not have.

    See Also
    --------
    propagate_constraints : Infers the constraints.

    Examples
    --------
    >>> from mvcc import Constraints, weighted_precision
    >>> pairs = Constraints.from_pairs([(0, 1)], [(0, 2), (0, 3)])
    >>> round(weighted_precision(pairs, ["a", "a", "b", "a"]), 2)
    0.67
    """
    if kind is not None:
        check_choice(kind, "kind", ("must-link", "cannot-link"))
    labels = label_codes(y_true, "y_true")
    check_rows(constraints, len(labels), "y_true")
    if kind is not None:
        constraints = constraints.select(constraints.must_link == (kind == "must-link"))
    weights = constraints.weights
    with np.errstate(over="ignore"):
        if np.isinf(weights.sum()):
            weights = weights / weights.max()
    i, j = constraints.pairs.T
    correct = (labels[i] == labels[j]) == constraints.must_link
    right, wrong = float(weights[correct].sum()), float(weights[~correct].sum())
    if not right + wrong:
        return float("nan")
    return right / (right + wrong)


def cluster_fit(X: ArrayLike, labels: ArrayLike, *, n_neighbors: int = 10) -> Floats:
    """How well each row fits its cluster, compared with all other rows.

    One minus the mean of two ranks: that of the Mahalanobis distance from the mean of the own
    cluster, and that of the distance to the tenth nearest row [1]_. Means of
    ranks combine scores whose scales differ [2]_.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Rows in the space in which they were clustered.
    labels : array-like of shape (n,)
        The cluster of every row.
    n_neighbors : int, default=10
        The rank of the neighbor whose distance counts; fewer where there are fewer rows.

    Returns
    -------
    ndarray of shape (n,)
        From 0 to 1; the row that fits best has the largest value. These are ranks: some row is
        always last, whether it is an outlier or not.

    Raises
    ------
    InvalidInputError
        For NaN or infinity in X, ``n_neighbors`` below 1, or when there is not one label for each
        row.

    See Also
    --------
    JointGraphClustering : Its ``probabilities_`` compare clusters of a row.

    Notes
    -----
    Covariances are shrunk towards a multiple of the identity [3]_, and clusters of fewer than three
    rows have that of all rows around the means of their clusters. Neighbors of n rows are sought
    among 10⁸ / n of them that are spaced evenly, at least 2,000: among all up to 10,000 rows. A
    covariance in more than 2,000 columns is that of at most 2,000 rows.

    References
    ----------
    .. [1] S. Ramaswamy, R. Rastogi and K. Shim, "Efficient Algorithms for Mining Outliers from
       Large Data Sets", SIGMOD 2000.
    .. [2] C. C. Aggarwal and S. Sathe, "Theoretical Foundations and Algorithms for Outlier
       Ensembles", SIGKDD Explorations, 2015.
    .. [3] Y. Chen et al., "Shrinkage Algorithms for MMSE Covariance Estimation", IEEE Transactions
       on Signal Processing, 2010.

    Examples
    --------
    >>> from mvcc import cluster_fit
    >>> X = [[0.0, 0.0], [0.1, 0.0], [0.0, 0.1], [5.0, 5.0], [5.1, 5.0], [9.0, 9.0]]
    >>> int(cluster_fit(X, [0, 0, 0, 1, 1, 1], n_neighbors=1).argmin())
    5
    """
    from scipy.stats import rankdata  # which takes a second to import

    data, clusters = check_data(X), label_codes(labels, "labels")
    check_count(n_neighbors, "n_neighbors")
    sizes = len(data), len(clusters)
    check_alike(X, labels, sizes, "X has {} rows and labels {} entries", "X and labels")
    data = data - np.median(data, axis=0)
    data /= np.abs(data).max(initial=0.0) or 1.0  # squares stay within the range of floats
    # threads find the same neighbors, but sums of covariances depend on how many there are
    with nullcontext() if may_share(len(data)) else one_thread():
        to_neighbors = _distances_to_neighbor(data, n_neighbors)
    with one_thread():
        scores = to_neighbors, _mahalanobis(data, clusters)
    # rounding breaks no ties; from SciPy 1.18 on, ranks of float32 are float32
    rounded = np.array(scores, np.float32).astype(np.float64)
    ranks = rankdata(rounded, axis=1).mean(axis=0)
    return 1 - (ranks - 1) / max(len(data) - 1, 1)


def _mahalanobis(data: Floats, labels: Ints) -> Floats:
    """Return squared Mahalanobis distances from the means of the own clusters, in their place."""
    clusters = [np.flatnonzero(labels == cluster) for cluster in np.unique(labels)]
    for rows in clusters:
        data[rows] -= data[rows].mean(axis=0)
    distances = np.empty(len(data))
    for rows in clusters:
        members = data[rows]
        distances[rows] = _distances_by(members if len(rows) >= _FEWEST_ROWS else data, members)
    return distances


def _distances_by(centered: Floats, rows: Floats) -> Floats:
    """Return squared Mahalanobis distances of rows by the shrunk covariance of centered ones."""
    d = centered.shape[1]
    if d > _MOST_COLUMNS:
        centered = centered[_spaced(len(centered), _MOST_COLUMNS)]
    n = len(centered)
    if n > d:
        centered = np.asarray(np.linalg.qr(centered, mode="r"))
    _, lengths, directions = np.linalg.svd(centered, full_matrices=False)
    variances = lengths**2 / n
    mean, mean_square = variances.sum() / d, (variances**2).sum() / d**2
    spread = (n + 1) * (mean_square - mean**2 / d)
    shrinkage = min((mean_square + mean**2) / spread, 1.0) if spread > 0 else 1.0
    along = rows @ directions.T
    across = np.maximum(np.einsum("ij,ij->i", rows, rows) - np.einsum("ij,ij->i", along, along), 0)
    floor = np.finfo(np.float64).tiny  # of the variance of rows that are all the same
    weights = 1 / np.maximum((1 - shrinkage) * variances + shrinkage * mean, floor)
    return along**2 @ weights + across / max(shrinkage * mean, floor)


def _distances_to_neighbor(data: Floats, n_neighbors: int) -> Floats:
    """Return the distance of every row to its neighbor of the given rank."""
    from sklearn.neighbors import NearestNeighbors  # which takes a second to import

    sample = _spaced(len(data), max(_MOST_DISTANCES // max(len(data), 1), _FEWEST_AMONG))
    n_nearest = min(n_neighbors, len(sample) - 1)
    distances = NearestNeighbors(n_neighbors=n_nearest + 1).fit(data[sample]).kneighbors(data)[0]
    rank = np.full(len(data), max(n_nearest - 1, 0))
    rank[sample] = n_nearest  # the nearest one is the row itself
    return distances[np.arange(len(data)), rank]


def _spaced(n: int, most: int) -> Ints:
    """Return the numbers of at most so many of n rows, spaced evenly."""
    return np.linspace(0, n - 1, min(n, most)).astype(np.int64)


def _contingency(y_true: ArrayLike, y_pred: ArrayLike) -> Ints:
    """Count the rows of every class (rows of the table) in every cluster (columns)."""
    truth, predicted = _two_labellings(y_true, y_pred)
    shape = (truth.max(initial=-1) + 1, predicted.max(initial=-1) + 1)
    counts = np.bincount(truth * shape[1] + predicted, minlength=shape[0] * shape[1])
    return counts.reshape(shape).astype(np.int64)


def _two_labellings(y_true: ArrayLike, y_pred: ArrayLike) -> tuple[Ints, Ints]:
    truth, predicted = label_codes(y_true, "y_true"), label_codes(y_pred, "y_pred")
    sizes, counts = (len(truth), len(predicted)), "y_true has {} labels and y_pred {}"
    check_alike(y_true, y_pred, sizes, counts, "y_true and y_pred")
    return truth, predicted


def _n_pairs(sizes: Ints) -> int:
    return int((sizes * (sizes - 1)).sum()) // 2
