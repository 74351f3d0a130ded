"""Features by one rule: which a table gets, what that makes, sparse matrices, new rows."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from mvcc import AutoFeatures, AutoScaler, JointGraphClustering, JointSpectralFeatures
from mvcc.exceptions import InvalidInputError


def documents(n=200, d=500, k=4, seed=0):
    """Make counts of words in documents of k topics, of very different lengths; and the topics."""
    rng = np.random.default_rng(seed)
    topic = rng.integers(k, size=n)
    often = rng.dirichlet(np.full(d, 0.2), size=k) + 1 / d
    often /= often.sum(axis=1, keepdims=True)
    lengths = np.exp(rng.normal(3.5, 1, size=n)).astype(int) + 3
    counts = [rng.multinomial(m, often[t]) for m, t in zip(lengths, topic, strict=True)]
    return np.array(counts, dtype=float), topic


def histograms(n=80, d=6, seed=0):
    shares = np.arange(1, d + 1) / sum(range(1, d + 1))
    return np.random.default_rng(seed).multinomial(500, shares, size=n) / 500


def test_counts_get_tf_idf_singular_vectors_and_rows_of_length_one():
    X, _ = documents()
    features = AutoFeatures().fit(X)
    assert features.rule_ == "counts"
    assert features.hub_share_ > 0.4
    why = (
        f"since {100 * features.hub_share_:.0f} % of the edges to neighbors end in 5 % of the rows"
    )
    assert features.description_ == f"counts by TF-IDF in 100 dimensions, {why}"
    made = features.transform(X)
    assert made.shape == (200, 100)
    assert_allclose(np.linalg.norm(made, axis=1), 1)
    weighted = np.log1p(X) * (np.log(201 / (1 + (X > 0).sum(axis=0))) + 1)
    weighted /= np.linalg.norm(weighted, axis=1, keepdims=True)
    u, s, _ = np.linalg.svd(weighted, full_matrices=False)
    wanted = (u * s)[:, :100]
    wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
    assert_allclose(made @ made.T, wanted @ wanted.T, atol=0.1)  # randomized


def test_narrow_counts_keep_their_columns():
    X, _ = documents(d=60)
    made = AutoFeatures("counts").fit_transform(X)
    assert made.shape == X.shape
    assert_array_equal(made == 0, X == 0)


@pytest.mark.parametrize("n", [30, 110])
def test_counts_are_known_among_few_rows_too(n):
    X, _ = documents(n, 1000)
    assert AutoFeatures().fit(X).rule_ == "counts"
    assert AutoFeatures().fit(X[:1]).rule_ == "scaled"  # a row has no neighbor


@pytest.mark.parametrize("load", [load_digits, load_wine, load_breast_cancer])
def test_pixels_and_measurements_are_scaled_as_ever(load):
    X = load().data
    features = AutoFeatures().fit(X)
    scaler = AutoScaler().fit(X)
    assert features.rule_ == "scaled"
    assert scaler.rule_ == "each to [0, 1]"
    assert features.description_.removesuffix(", outliers clipped") == "each scaled to [0, 1]"
    assert_array_equal(features.transform(X), scaler.transform(X))


@pytest.mark.parametrize(
    ("units", "untouched", "clipped"),
    [
        ([1, 1, 1], "in one unit, as they are", "in one unit, outliers clipped"),
        ([1, 9, 99], "each scaled to [0, 1]", "each scaled to [0, 1], outliers clipped"),
    ],
)
def test_it_is_said_that_values_were_clipped(units, untouched, clipped):
    X = np.random.default_rng(0).uniform(-1, 1, (200, 3)) * units
    assert AutoFeatures().fit(X).description_ == untouched
    assert AutoFeatures().fit(sp.csr_array(X)).description_ == untouched
    X[0, 0] = 1000
    features = AutoFeatures().fit(X)
    assert features.description_ == clipped
    assert features.transform(X)[0, 0] < 10
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    assert AutoFeatures().fit(X).description_ == "rows of length 1, as they are"


def test_columns_that_stay_columns_keep_their_names():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 2)), columns=["a", "b"])
    features = AutoFeatures().set_output(transform="pandas")
    assert list(features.fit_transform(frame)) == ["a", "b"]
    assert list(features.fit_transform(frame.to_numpy())) == ["x0", "x1"]
    X, _ = documents(200, 300)
    made = AutoFeatures().set_output(transform="pandas").fit_transform(X)
    assert [made.columns[0], made.columns[-1]] == ["autofeatures0", "autofeatures99"]


def test_truth_values_of_categories_are_no_counts():
    rng = np.random.default_rng(0)
    X = np.hstack([np.eye(10)[rng.integers(10, size=400)] for _ in range(5)])
    assert_array_equal(AutoFeatures().fit_transform(X), X)


def test_rows_of_length_one_stay_where_they_are_narrow_and_are_reduced_where_wide():
    narrow, _ = documents(d=60)
    narrow /= np.linalg.norm(narrow, axis=1, keepdims=True)
    assert_array_equal(AutoFeatures().fit_transform(narrow), narrow)
    wide, _ = documents(d=400)
    wide /= np.linalg.norm(wide, axis=1, keepdims=True)
    features = AutoFeatures().fit(wide)
    assert features.rule_ == "counts"
    assert features.description_.endswith("since most values are zero and the rows have length 1")


@pytest.mark.parametrize("years", [[2024], np.arange(2019, 2025), 20190000 + np.arange(400)])
def test_a_column_that_is_nearly_the_whole_sum_makes_no_histograms(years):
    rng = np.random.default_rng(0)
    X = np.column_stack((rng.uniform(0, 3, size=(80, 3)), rng.choice(years, size=80)))
    X[5] = 0
    assert AutoFeatures().fit(X).rule_ == "scaled"
    shares = np.column_stack((histograms(), np.full(80, 7.0)))
    assert AutoFeatures().fit(shares).rule_ == "histograms"


def test_histograms_become_square_roots():
    X = histograms()
    X[3] = 0  # an empty one
    features = AutoFeatures().fit(X)
    assert features.rule_ == "histograms"
    assert_array_equal(features.transform(X), np.sqrt(X))
    made = features.transform([[-1e-9, 0, 0.25, 0.75, 0, 0]])
    assert_array_equal(made, np.sqrt([[0, 0, 0.25, 0.75, 0, 0]]))
    X[5] *= 1.5
    assert AutoFeatures().fit(X).rule_ == "scaled"


@pytest.mark.parametrize(
    ("form", "make"),
    [
        (sp.csr_matrix, lambda: documents()[0]),
        (sp.csc_matrix, lambda: documents(d=60)[0]),
        (sp.coo_array, histograms),
        (sp.csr_array, lambda: documents()[0]),
    ],
    ids=["csr-documents", "csc-narrow", "coo-histograms", "csr-array-documents"],
)
def test_sparse_matrices_have_the_same_features_to_the_bit(form, make):
    X = make()
    dense, sparse = AutoFeatures().fit(X), AutoFeatures().fit(form(X))
    assert sparse.description_ == dense.description_
    assert_array_equal(sparse.transform(form(X)), dense.transform(X))
    assert_array_equal(dense.transform(form(X)), dense.transform(X))


@pytest.mark.parametrize("rule", ["auto", "histograms", "scaled"])
def test_wide_sparse_matrices_are_never_made_dense(rule):
    rng = np.random.default_rng(0)
    places = rng.integers(1_000, size=10_000), rng.integers(20_000, size=10_000)
    X = sp.csr_array((rng.random(10_000), places), shape=(1_000, 20_000))  # 160 MB if it were dense
    features = AutoFeatures(rule)
    tracemalloc.start()
    made = features.fit_transform(X)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert features.rule_ == ("counts" if rule == "auto" else rule)
    assert made.shape == (1_000, 100)
    assert most < 120e6


def test_the_same_rows_have_the_same_features_among_any_others():
    X, _ = documents()
    features = AutoFeatures().fit(X)
    assert_array_equal(features.transform(X)[[5, 3, 70]], features.transform(X[[5, 3, 70]]))
    assert_array_equal(AutoFeatures().fit(X).transform(X), features.transform(X))


def test_rows_of_zeros_and_unknown_words_stay_zero():
    X, _ = documents()
    X[7] = 0
    features = AutoFeatures().fit(X)
    assert not features.transform(X)[7].any()
    X[:, 5] = 0
    only_unknown = np.zeros((1, 500))
    only_unknown[0, 5] = 3
    made = AutoFeatures("counts").fit(X).transform(only_unknown)
    assert np.isfinite(made).all()


def test_a_rule_may_be_asked_for_and_refuses_what_it_cannot_take():
    X, _ = documents()
    assert_array_equal(AutoFeatures("scaled").fit_transform(X), AutoScaler().fit_transform(X))
    assert AutoFeatures("none").fit(X).transform(X) is X
    for rule, data, message in [
        ("counts", X - 2, "counts cannot be negative, but X has a value of -2"),
        ("words", X, r"rule must be 'auto', 'counts', .*got 'words'"),
        (np.array(["counts", "none"]), X, "rule must be 'auto', 'counts', .*got array"),
        ("none", sp.csr_array(X), "sparse matrix, which cannot be clustered as it is"),
    ]:
        with pytest.raises(InvalidInputError, match=message):
            AutoFeatures(rule).fit(data)
    former = AutoFeatures("counts").fit(X)
    with pytest.raises(InvalidInputError, match="counts cannot be negative"):
        former.fit(X[:, :40] - 2)
    assert former.transform(X).shape == (len(X), 100)


# ---- in the estimators of several views


def two_tables():
    """Make two tables of counts of the same documents, 60 of them matched."""
    X, _ = documents(260, 1000)
    return [X[:160, :500], X[100:, 500:]], {(0, 1): [(i + 100, i) for i in range(60)]}


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.coo_array, sp.dok_array])
def test_joint_takes_sparse_matrices_and_new_rows_of_them(form):
    views, matches = two_tables()
    of_arrays = JointGraphClustering(4, random_state=0).fit(views, mappings=matches)
    for made in of_arrays.features_made_:
        assert made.startswith("counts by TF-IDF in 100 dimensions,")
    model = JointGraphClustering(4, random_state=0).fit([form(X) for X in views], mappings=matches)
    assert_array_equal(np.concatenate(model.labels_), np.concatenate(of_arrays.labels_))
    assert_array_equal(model.predict(form(views[1]), view=1), model.labels_[1])
    assert_array_equal(model.predict([form(X) for X in views])[0], model.labels_[0])
    assert_array_equal(model.predictor(1).predict(views[1]), model.labels_[1])


def test_joint_spectral_features_take_sparse_matrices():
    views, matches = two_tables()
    for estimator in (JointSpectralFeatures, JointGraphClustering):
        assert estimator().__sklearn_tags__().input_tags.sparse
        assert not estimator(features="none").__sklearn_tags__().input_tags.sparse
    joint = JointSpectralFeatures(4, n_view_components=4)
    expected = joint.fit_transform(views, mappings=matches)[0]
    made = joint.fit_transform([sp.csr_array(X) for X in views], mappings=matches)[0]
    assert_array_equal(made, expected)
    assert_array_equal(joint.transform(sp.csr_array(views[0]), view=0), expected)


def test_joint_refuses_features_by_the_name_of_the_view():
    views = {"texts": documents()[0], "images": documents()[0] - 1}
    message = "features='counts', view 'images': counts cannot be negative"
    with pytest.raises(InvalidInputError, match=message):
        JointGraphClustering(2, features="counts").fit(views)
    with pytest.raises(InvalidInputError, match=r"features must be 'auto', .*got 'words'"):
        JointGraphClustering(2, features="words").fit(views)
    broken = sp.csr_array(np.array([[np.nan, 1.0], [2.0, 3.0]]))
    with pytest.raises(InvalidInputError, match=r"views\[0\]"):
        JointGraphClustering(2).fit([broken])
