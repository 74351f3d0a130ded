"""Scores equal their definition over all pairs of rows, whatever the labels are called."""

import math
import tracemalloc
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from scipy.stats import rankdata
from sklearn.covariance import OAS

from mvcc import (
    Constraints,
    cluster_fit,
    clustering_accuracy,
    pairwise_f_measure,
    propagate_constraints,
    purity,
    suspicious_matches,
    weighted_precision,
)
from mvcc.exceptions import InvalidInputError
from mvcc.propagation import diagnose
from tests.reference import metrics as slow
from tests.strategies import constraint_lists

POOLS = [
    [0, 1, 2, 3],
    [-3, -1, 0, 7],
    [-(10**18), 10**18, 10**18 + 1, 5],
    [2**70, -(2**70), 0, 1],
    ["a", "b", "ab", ""],
    [0.5, -0.5, 1e300, 0.1],
    [True, False],
]
label = st.integers(0, 3)


def named(codes, pool):
    return [pool[code % len(pool)] for code in codes]


@st.composite
def two_labellings(draw, max_size=14):
    rows = draw(st.lists(st.tuples(label, label), max_size=max_size))
    first, second = (draw(st.sampled_from(POOLS)) for _ in range(2))
    return named([a for a, _ in rows], first), named([b for _, b in rows], second)


# the pairwise F-measure (Eq. 19)


@given(two_labellings())
def test_f_measure_equals_its_definition_over_all_pairs(case):
    f = pairwise_f_measure(*case)
    assert type(f) is float
    assert f == pytest.approx(slow.pairwise_f_measure(*case), rel=1e-12)


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint8, np.int32, np.uint64, np.float32, np.str_, object]
)
def test_the_dtype_of_labels_does_not_matter(dtype):
    rng = np.random.default_rng(0)
    # products of small integers would overflow
    truth, predicted = rng.integers(16, size=(2, 200)) + 100
    expected = slow.pairwise_f_measure(truth, predicted)
    assert pairwise_f_measure(truth.astype(dtype), predicted.astype(dtype)) == pytest.approx(
        expected, rel=1e-12
    )


def f_measure_and_memory(truth, predicted):
    tracemalloc.start()
    try:
        return pairwise_f_measure(truth, predicted), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_pairs_of_many_rows_are_counted_exactly_and_never_listed():
    n, k = 1_000_000, 10
    f, peak = f_measure_and_memory(np.zeros(n, dtype=np.int64), np.arange(n) % k)
    correct, same = k * math.comb(n // k, 2), math.comb(n, 2)
    assert f == 2 * correct / (same + correct)
    assert peak < 250 * n  # bytes: some numbers per row


def test_clusters_are_as_many_as_rows_without_a_table_of_all():
    n = 200_000
    f, peak = f_measure_and_memory(np.arange(n), np.arange(n)[::-1] // 2)
    assert f == 0.0
    assert peak < 250 * n


@pytest.mark.parametrize(
    ("y_true", "y_pred", "message"),
    [
        ([0, 1], [0, 1, 2], "y_true has 2 labels and y_pred 3; they must be as many"),
        ([[0, 1]], [0, 1], r"y_true must hold one label per row, shape \(n,\), not \(1, 2\)"),
        ([0, 1], [[0], [1]], r"y_pred must hold one label per row, shape \(n,\), not \(2, 1\)"),
        (0, [0], r"y_true must hold one label per row, shape \(n,\), not \(\)"),
    ],
)
def test_labels_that_are_not_one_per_row_are_refused(y_true, y_pred, message):
    with pytest.raises(InvalidInputError, match=message):
        pairwise_f_measure(y_true, y_pred)


# weighted precision (§6.3)


@given(
    constraint_lists(n_rows=6),
    st.lists(label, min_size=6, max_size=8),
    st.sampled_from(POOLS),
    st.sampled_from([None, "must-link", "cannot-link"]),
)
def test_precision_equals_its_definition(listed, codes, pool, kind):
    y = named(codes, pool)
    precision = weighted_precision(Constraints(*listed), y, kind)
    assert type(precision) is float
    assert precision == pytest.approx(
        slow.weighted_precision(listed, y, kind), rel=1e-12, nan_ok=True
    )


def test_rounding_makes_no_precision_above_1():
    # the only wrong constraint weighs nothing, and the others are summed in another order than all
    weights = [0.1, 0.2, 0.3, 0.1, 0.2, 0.3, 0.0, 0.2]
    pairs = [(i, i + 1) for i in range(8)]
    y = [0] * 7 + [1] * 2
    assert weighted_precision(Constraints(pairs, [True] * 8, weights), y) == pytest.approx(1.0)
    assert weighted_precision(Constraints(pairs, [True] * 8, weights), y) <= 1.0


def test_without_weight_there_is_no_precision():
    y = [0, 0, 1]
    assert math.isnan(weighted_precision(Constraints([], []), y))
    assert math.isnan(weighted_precision(Constraints([], []), []))
    assert math.isnan(weighted_precision(Constraints([(0, 1)], [True], [0.0]), y))
    must_only = Constraints([(0, 1)], [True])
    assert math.isnan(weighted_precision(must_only, y, "cannot-link"))
    assert weighted_precision(must_only, y, "must-link") == 1.0


@pytest.mark.parametrize(
    ("y", "kind", "message"),
    [
        ([0] * 4, "must_link", "kind must be 'must-link' or 'cannot-link', got 'must_link'"),
        ([0, 0, 0, 0], True, "kind must be .*, got True"),
        ([0, 0, 0], None, "A constraint names row 3, but y_true has only 3 rows"),
        ([0, 0, 0], "cannot-link", "A constraint names row 3, but y_true has only 3 rows"),
        ([[0, 0, 0, 0]], None, r"y_true must hold one label per row, shape \(n,\), not \(1, 4\)"),
    ],
)
def test_a_precision_that_cannot_be_computed_is_refused(y, kind, message):
    with pytest.raises(InvalidInputError, match=message):
        weighted_precision(Constraints.from_pairs([(0, 3)]), y, kind)


@pytest.mark.parametrize("missing", [np.nan, None, pd.NA])
@pytest.mark.parametrize("score", [pairwise_f_measure, clustering_accuracy, purity])
def test_a_label_that_is_missing_among_objects_is_refused_with_its_row(score, missing):
    for labels in (np.array([1.0, missing, 1.0, missing], dtype=object), ["a", missing, "b", "c"]):
        with pytest.raises(InvalidInputError, match=r"has no label \(NaN\) in row 1"):
            score(labels, [0, 1, 0, 1])


SCORES = [pairwise_f_measure, clustering_accuracy, purity]
OF_TABLES = [
    cluster_fit,
    diagnose,
    lambda X, labels: propagate_constraints(X, labels, Constraints.from_pairs([(3, 4)]), 0.5),
    lambda X, labels: suspicious_matches([X, X], {(0, 1): [(0, 0)]}, [labels, labels])[0, 1],
]


@pytest.mark.parametrize("score", SCORES + OF_TABLES)
def test_rows_that_pandas_names_in_another_order_are_refused(score):
    one = pd.Series([0, 1, 2, 3, 3], index=list("abcde"))
    rows = one.to_frame() if score in OF_TABLES else one
    with pytest.raises(InvalidInputError, match="same row index in another order; bring one into"):
        score(rows, one[::-1])
    np.testing.assert_array_equal(score(rows, one), score(rows, one.to_numpy()))
    score(rows, one.set_axis(list("vwxyz")))
    score(rows.set_axis([4, 3, 2, 1, 0]), one.reset_index(drop=True))  # numbered anew


def test_labels_that_cannot_be_compared_are_refused():
    with pytest.raises(InvalidInputError, match="y_true mixes labels that cannot be compared"):
        pairwise_f_measure(np.array([0, "b", "a"], dtype=object), [0, 1, 2])


# fit


def slow_fit(X, labels, n_neighbors=10):
    """Ranks by scikit-learn's covariance and by all distances."""
    distances = np.empty(len(X))
    centers = np.array([X[labels == label].mean(axis=0) for label in labels])
    for label in set(labels.tolist()):
        own = labels == label
        inside = X[own] - centers[own] if own.sum() >= 3 else X - centers
        distances[own] = OAS(assume_centered=True).fit(inside).mahalanobis((X - centers)[own])
    neighbor = np.sort(cdist(X, X), axis=1)[:, min(n_neighbors, len(X) - 1)]
    ranks = (rankdata(distances.round(9)) + rankdata(neighbor.round(9))) / 2
    return 1 - (ranks - 1) / (len(X) - 1)


@pytest.mark.parametrize("sizes", [(30, 20, 10), (30, 2, 1), (5, 4)])
@pytest.mark.parametrize("d", [1, 3, 40])
def test_fit_is_the_mean_of_two_ranks(sizes, d):
    rng = np.random.default_rng(d)
    labels = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = rng.normal(size=(len(labels), d)) * np.arange(1, d + 1) + 5 * labels[:, None]
    fit = cluster_fit(X, labels)
    assert fit == pytest.approx(slow_fit(X, labels))
    assert cluster_fit(1e100 * X, labels) == pytest.approx(fit)
    assert cluster_fit(1e-9 * X, labels) == pytest.approx(fit)


@pytest.mark.parametrize(
    "X", [np.zeros((7, 3)), np.zeros((1, 2)), np.repeat([[0.0], [1.0]], 2, axis=0)]
)
def test_equal_rows_fit_alike(X):
    fit = cluster_fit(X, np.zeros(len(X)))
    assert np.ptp(fit) == 0
    assert 0 <= fit[0] <= 1


def test_fit_of_many_rows_and_columns_is_that_by_some_of_them(monkeypatch):
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=600)
    X = rng.normal(size=(600, 30)) + 3 * np.eye(30)[labels]
    X[:20] *= 5
    whole = cluster_fit(X, labels)
    monkeypatch.setattr("mvcc.metrics._MOST_DISTANCES", 1)
    monkeypatch.setattr("mvcc.metrics._FEWEST_AMONG", 300)
    monkeypatch.setattr("mvcc.metrics._MOST_COLUMNS", 25)
    some = cluster_fit(X, labels)
    assert not np.array_equal(some, whole)
    assert np.corrcoef(some, whole)[0, 1] > 0.8
    assert some[:20].max() < np.median(some[20:])


def test_fit_needs_a_label_for_each_row():
    message = "X has 3 rows and labels 2 entries; they must be as many"
    with pytest.raises(InvalidInputError, match=message):
        cluster_fit([[0.0], [1.0], [2.0]], [0, 1])
    with pytest.raises(InvalidInputError, match="n_neighbors must be"):
        cluster_fit([[0.0], [1.0]], [0, 1], n_neighbors=0)


# accuracy and purity


def _accuracy_by_trying(truth, predicted):
    clusters, classes = sorted(set(predicted)), sorted(set(truth))
    spare = [*classes, *(object() for _ in clusters)]
    best = 0
    for assigned in permutations(spare, len(clusters)):
        of = dict(zip(clusters, assigned, strict=True))
        best = max(
            best, sum(of[cluster] == label for label, cluster in zip(truth, predicted, strict=True))
        )
    return best / len(truth)


@pytest.mark.parametrize("seed", range(20))
def test_accuracy_is_that_of_the_best_assignment_and_purity_that_of_the_largest_classes(seed):
    rng = np.random.default_rng(seed)
    truth, predicted = (
        rng.integers(3, size=12).tolist(),
        rng.integers(rng.integers(1, 4), size=12).tolist(),
    )
    assert clustering_accuracy(truth, predicted) == pytest.approx(
        _accuracy_by_trying(truth, predicted)
    )
    largest = [max(np.bincount(np.array(truth)[np.equal(predicted, c)])) for c in set(predicted)]
    assert purity(truth, predicted) == pytest.approx(sum(largest) / 12)


@given(two_labellings())
def test_accuracy_and_purity_are_1_for_the_same_grouping_under_other_names(case):
    truth, predicted = case
    renamed = [{name: -i for i, name in enumerate(dict.fromkeys(truth))}[name] for name in truth]
    assert clustering_accuracy(truth, renamed) == purity(truth, renamed) == 1.0
    assert clustering_accuracy(truth, predicted) <= purity(truth, predicted) <= 1.0
    assert clustering_accuracy(truth, predicted) == clustering_accuracy(predicted, truth)
