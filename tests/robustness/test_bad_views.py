"""Bad views, labels and parameters are refused by name by all that takes them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example
from hypothesis import strategies as st
from scipy import sparse

from mvcc import (
    ConstraintPropagation,
    Constraints,
    DirectMapping,
    MPCKMeans,
    MultiViewConstrainedClustering,
    PCKMeans,
    load_dataset,
    pairwise_f_measure,
    propagate_constraints,
    spectral_features,
)
from mvcc.propagation._diagnostics import diagnose
from tests.robustness.cases import LABELS, X, answer, assert_clustering, many, with_warnings
from tests.robustness.spoiling import (
    ODD_FLOATS,
    any_array,
    odd_objects,
    odd_values,
    spoilt_list,
    spoilt_rows,
)

JUDGED = Constraints.from_pairs([(0, 1), (3, 4)], [(0, 3)])

FORMS = [
    *(X[:0], X[:, :0], X[0], X[:1], X[np.newaxis], X[:, :, np.newaxis], np.array(3.0)),
    *(X * 1e307, X * 1e-320, X.view(np.matrix), np.ma.masked_less(X, 1)),
    *(sparse.csr_array(X), sparse.coo_matrix(X), pd.Series(X[:, 0]), pd.DataFrame(X)),
    *(pd.DataFrame(X, columns=["a", 1]), pd.DataFrame({"a": pd.Categorical(["x"] * 8)})),
]
rows = spoilt_rows(X.tolist())
views = (
    any_array(rows)
    | st.sampled_from(FORMS)
    | st.builds(np.where, st.just(X > 4.1), st.sampled_from(ODD_FLOATS), st.just(X))
)
clusterers = st.sampled_from(
    [PCKMeans(2, random_state=0), MPCKMeans(2, metric="full", random_state=0)]
)


@pytest.mark.filterwarnings("ignore:X has feature names")
@many(130, view=views, clusterer=clusterers)
@example(view=[[10**400, 0]] * 3, clusterer=PCKMeans(2))
@example(view=[[{}, 0]] * 3, clusterer=PCKMeans(2))
@example(view=[["x" * 10**6, 0]] * 3, clusterer=PCKMeans(2))
@example(view=X * (np.finfo(np.longdouble).max / 8), clusterer=PCKMeans(2))
@example(view=X * 1e150, clusterer=PCKMeans(2, random_state=0))
@example(view=X * 1e-165, clusterer=MPCKMeans(2, random_state=0))
def test_a_view_is_clustered_or_refused(view, clusterer):
    fitted = answer(lambda: clusterer.fit(view), "X", "n_samples", "objective")
    if fitted is not None:
        assert_clustering(fitted, len(fitted.labels_))
        assert answer(lambda: fitted.predict(view)) is not None
    clusterer.fit(X)
    predicted = answer(lambda: clusterer.predict(view), "X")
    if predicted is not None:
        assert set(predicted) <= {0, 1}


@many(60, given=st.lists(views | st.just(X), max_size=3) | odd_objects)
def test_views_are_clustered_together_or_refused(given):
    model = MultiViewConstrainedClustering(PCKMeans(2), DirectMapping(), random_state=0)
    fitted = answer(lambda: model.fit(given), "views", "n_samples")
    if fitted is not None:
        assert all(set(labels) <= {0, 1} for labels in fitted.labels_)


@many(60, view=views)
def test_a_view_is_embedded_propagated_in_and_diagnosed_or_refused(view):
    features = answer(lambda: spectral_features(view, 1), "X", "sigma")
    assert features is None or np.isfinite(features).all()
    names = ("X", "labels", "regularization")
    found = answer(lambda: propagate_constraints(view, LABELS, JUDGED, 0.5), *names)
    assert found is None or np.isfinite(found.weights).all()
    diagnosis = answer(lambda: diagnose(view, LABELS), "X", "labels")
    assert diagnosis is None or 0 <= diagnosis.disagreement <= 1


def wide(d):
    return np.tile(np.arange(5.0)[:, np.newaxis], (1, d))


@pytest.mark.compiled
@pytest.mark.parametrize(
    "call",
    [
        lambda: MPCKMeans(2, metric="full").fit(wide(10**6)),
        lambda: spectral_features(wide(10**6), 2),
        lambda: propagate_constraints(wide(10**6), [0] * 5, JUDGED, 0.5),
        lambda: diagnose(wide(10**6), [0] * 5),
        lambda: MultiViewConstrainedClustering(PCKMeans(2), DirectMapping()).fit([wide(20_000)]),
        lambda: propagate_constraints(X, [10**12] * 8, JUDGED, 0.5),
        lambda: propagate_constraints(X, np.full(8, 2**63, dtype=np.uint64), JUDGED, 0.5),
    ],
)
def test_what_would_fill_the_memory_is_refused(call):
    assert answer(call, "dimensions", "labels", "sigma") is None


@pytest.mark.compiled
@pytest.mark.parametrize("Estimator", [PCKMeans, MPCKMeans])
def test_a_hundred_thousand_features_are_clustered(Estimator):
    one = Estimator(2, init="neighborhoods", random_state=0)
    assert answer(lambda: one.fit(wide(100_000))) is not None
    several = Estimator(2, random_state=0)  # some forty descents
    assert answer(lambda: several.fit(wide(10_000))) is not None


WIDER = np.full((4, 2), np.finfo(np.longdouble).max)
METRICS = [
    *(WIDER, np.ones((4, 2)), np.ones((4, 2, 2)), np.tile(np.eye(2), (4, 1, 1))),
    *(np.full((4, 2), 1e-320), np.zeros((4, 2)), np.zeros((4, 2, 2)), -np.ones((4, 2, 2))),
    *(np.ones((1, 2)), np.full((4, 2), np.nan)),
]
labels = any_array(spoilt_list(LABELS))


@many(
    60,
    labels=labels | st.just(LABELS),
    candidates=st.none() | labels,
    metrics=st.none() | st.sampled_from(METRICS) | views,
    threshold=st.just(0.5) | odd_values,
    regularization=st.just(1e-6) | odd_values,
)
@example(labels=LABELS, candidates=None, metrics=WIDER, threshold=0.5, regularization=WIDER[0, 0])
@example(labels=LABELS, candidates=None, metrics=METRICS[2], threshold=0.5, regularization=1e-6)
@example(labels=LABELS, candidates=None, metrics=METRICS[5], threshold=0.5, regularization=1e-6)
@example(labels=LABELS, candidates=None, metrics=None, threshold=5e-324, regularization=1e-6)
@example(labels=LABELS, candidates=None, metrics=None, threshold=0.5, regularization=1e308)
@example(labels=LABELS, candidates=None, metrics=None, threshold=10**400, regularization=1e-6)
def test_constraints_are_propagated_or_refused(
    labels, candidates, metrics, threshold, regularization
):
    options = {"candidates": candidates, "metrics": metrics, "regularization": regularization}
    names = ("threshold", "labels", *options)
    found = answer(lambda: propagate_constraints(X, labels, JUDGED, threshold, **options), *names)
    assert found is None or (found.weights >= threshold).all()
    score = answer(lambda: pairwise_f_measure(LABELS, labels), "y_pred")
    assert score is None or 0 <= score <= 1


parameters = odd_values | views
NAMES = "n_clusters init metric max_iter tol random_state threshold regularization".split()


@with_warnings
@many(
    70,
    k=st.just(2) | parameters,
    init=st.just("neighborhoods") | parameters,
    metric=st.sampled_from(["diagonal", "full"]) | parameters,
    limits=st.tuples(st.just(3) | parameters, st.just(0.0) | parameters),
    seed=st.just(0) | parameters,
)
@example(k=4, init=WIDER, metric="full", limits=(3, WIDER[0, 0]), seed=0)
@example(k=10**5000, init="neighborhoods", metric="full", limits=(3, 0.0), seed=0)
@example(k=2, init="neighborhoods", metric="full", limits=(2**63 - 1, 10**400), seed=0)
@example(
    k=2, init="neighborhoods", metric="full", limits=(3, [0.0] * 10**6), seed=X.view(np.matrix)
)
def test_parameters_are_taken_or_refused(k, init, metric, limits, seed):
    max_iter, tol = limits
    options = {"max_iter": max_iter, "tol": tol, "random_state": seed}
    one = MPCKMeans(k, init=init, metric=metric, **options)
    fitted = answer(lambda: one.fit(X, constraints=JUDGED), *NAMES)
    assert fitted is None or set(fitted.labels_) <= set(range(k))
    transfer = ConstraintPropagation(tol, tol)
    model = MultiViewConstrainedClustering(PCKMeans(2), transfer, **options)
    fitted = answer(lambda: model.fit([X], constraints=[JUDGED]), *NAMES)
    assert fitted is None or set(fitted.labels_[0]) <= {0, 1}


OPTIONS = ("instances_per_view", "n_views", "noise", "words", "\x1b[31m", "x" * 5000)


@many(
    50,
    name=st.sampled_from(["four_quadrants", "half_moons", "rings"]) | odd_values,
    seed=st.just(0) | parameters,
    options=st.dictionaries(
        st.sampled_from(OPTIONS), odd_values | st.sampled_from([20, 21, 2, 0.1]), max_size=2
    ),
)
@example(name="four_quadrants", seed=0, options={"instances_per_view": 4 * 10**6})
@example(name="rings", seed=0, options={"instances_per_view": 10**400})
@example(name="rings", seed=0, options={"noise": 1e308})
@example(name="x" * 10**6, seed=0, options={})
def test_a_data_set_is_generated_or_refused(name, seed, options):
    names = ("data set", "random_state", *OPTIONS[:3])
    made = answer(lambda: load_dataset(name, random_state=seed, **options), *names)
    assert made is None or all(np.isfinite(view).all() for view in made.views)
