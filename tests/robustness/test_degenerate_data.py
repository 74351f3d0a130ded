"""Data at the edge of what can be clustered give a valid result or one clear refusal."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import example
from hypothesis import strategies as st

from mvcc import (
    ClusterMembership,
    ConstraintPropagation,
    Constraints,
    DirectMapping,
    MPCKMeans,
    MultiViewConstrainedClustering,
    PCKMeans,
    SingleView,
    SpectralFeatures,
    propagate_constraints,
    spectral_features,
)
from mvcc.propagation._diagnostics import diagnose
from tests.robustness.cases import answer, assert_clustering, many, with_warnings
from tests.robustness.spoiling import SMALLEST, judged

WHERE = "X n_clusters objective covariance contradict threshold regularization metrics".split()

scales = st.sampled_from(
    [1.0, 1.0, 1.0, 1e-3, 1e6, 1e100, 1e-100, 1e149, 1e-150, 1e-170, 1e-308, 1e307, SMALLEST]
)


@st.composite
def data(draw, most_rows=12):
    """Few rows of few values: duplicates, constant and equal features, empty views, any scale."""
    n, d = draw(st.integers(0, most_rows)), draw(st.integers(0, 3))
    values = draw(st.sampled_from([(0,), (0, 1), (0, 1, 5), (-1, 0.5, 1 / 3, 7)]))
    listed = draw(st.lists(st.sampled_from(values), min_size=n * d, max_size=n * d))
    X = np.array(listed, float).reshape(n, d)
    match draw(st.sampled_from(["plain", "plain", "constant", "equal", "far", "offset", "twice"])):
        case "constant":
            X[:, :1] = draw(st.sampled_from([0.0, 0.1, -7.0]))
        case "equal":
            X[:] = X[:, :1] if d else X
        case "far":
            X[:1] = 1e6
        case "offset":
            X += 1e8
        case "twice":
            X = np.repeat(X, 2, axis=0)
    with np.errstate(over="ignore"):
        return X * draw(scales)


def clusterers(k):
    variants = [(metric, shared) for metric in ("diagonal", "full") for shared in (False, True)]
    metric_learning = [MPCKMeans(k, metric=m, shared_metric=s, random_state=0) for m, s in variants]
    return st.sampled_from([PCKMeans(k, random_state=0), *metric_learning])


@st.composite
def tasks(draw):
    """One view, constraints on it, and a clusterer of any number of clusters."""
    X = draw(data())
    k = draw(st.sampled_from([1, 2, 3, max(len(X), 1), len(X) + 1]))
    return X, draw(judged(len(X))), draw(clusterers(k))


@many(160, task=tasks(), closed=st.booleans())
def test_one_view_is_clustered_or_refused(task, closed):
    X, constraints, clusterer = task
    if closed:
        constraints = answer(constraints.closure, "contradict")
    fitted = answer(lambda: clusterer.fit(X, constraints=constraints), *WHERE)
    if fitted is not None:
        assert_clustering(fitted, len(X))
        assert set(fitted.predict(X)) <= set(range(clusterer.n_clusters))


thresholds = st.sampled_from(
    [SMALLEST, 1e-300, 0.05, 0.5, 1 - 2**-53, 1.0, 0.0, 1 + 2**-52, -1.0, "cv", "c", [0.5, 1.0], []]
)
regularizations = st.sampled_from([1e-6, 1e-6, 1e-6, 0, 1e-320, 1e300, 1e308, -1])
transfers = st.builds(ConstraintPropagation, thresholds, regularizations) | st.sampled_from(
    [ConstraintPropagation(), DirectMapping(), ClusterMembership(), SingleView()]
)


@st.composite
def related(draw):
    """Draw views, most of them with constraints, some of them related, and a clusterer for all."""
    views = draw(st.lists(data(6), max_size=3))
    constraints = [draw(st.none() | judged(len(X))) for X in views]
    mappings = {}
    for u, v in combinations(range(len(views)), 2):
        if len(views[u]) and len(views[v]) and draw(st.booleans()):
            one, other = (st.integers(0, len(views[view]) - 1) for view in (u, v))
            mappings[u, v] = draw(st.lists(st.tuples(one, other), max_size=5))
    return views, constraints, mappings, draw(clusterers(draw(st.integers(1, 3))))


@with_warnings
@many(
    140, task=related(), transfer=transfers, closure=st.sampled_from("full view none none".split())
)
def test_views_are_clustered_or_refused(task, transfer, closure):
    views, constraints, mappings, clusterer = task
    model = MultiViewConstrainedClustering(clusterer, transfer, closure=closure, random_state=0)
    given = {"constraints": constraints, "mappings": mappings}
    fitted = answer(lambda: model.fit(views, **given), *WHERE, "views")
    if fitted is None:
        return
    found = (fitted.clusterers_, fitted.propagated_, fitted.diagnostics_)
    for X, one, propagated, diagnosis in zip(views, *found, strict=True):
        assert_clustering(one, len(X))
        assert propagated.pairs.max(initial=-1) < len(X)
        assert np.isfinite(propagated.weights).all()
        assert 0 <= diagnosis.disagreement <= 1
        assert diagnosis.divergence >= 0


@st.composite
def clusterings(draw):
    """Draw data with any labels, and metrics that fit them or do not."""
    X = draw(data())
    labels = draw(st.lists(st.sampled_from([0, 0, 1, 2, 7]), min_size=len(X), max_size=len(X)))
    shape = draw(st.sampled_from([None, (8,), (8, X.shape[1]), (2,)]))
    if shape is None:
        return X, labels, None
    value = draw(st.sampled_from([1.0, 1e-300, 1e300, 0.0, -1.0, SMALLEST, 1e-150]))
    metrics = np.full((*shape, X.shape[1]), value)
    if metrics.ndim == 3 and draw(st.booleans()):
        metrics *= np.eye(X.shape[1])
    return X, labels, metrics


@many(
    140,
    clustering=clusterings(),
    constraints=st.integers(0, 13).flatmap(judged),
    t=thresholds,
    gamma=regularizations,
)
def test_constraints_are_propagated_or_refused(clustering, constraints, t, gamma):
    X, labels, metrics = clustering
    options = {"metrics": metrics, "regularization": gamma}
    names = (*WHERE, "labels", "constraint")
    found = answer(lambda: propagate_constraints(X, labels, constraints, t, **options), *names)
    if found is not None:
        assert found.pairs.max(initial=-1) < len(X)
        assert (found.weights >= t).all()
        assert np.isfinite(found.weights).all()


@many(100, clustering=clusterings())
@example(clustering=(np.array([[-1e6, 1], [1e6, 0]]), [1, 7], np.full((8, 2), 1e300)))
@example(clustering=(np.array([[-1e6, 1], [1e6, 0]]), [1, 7], np.full((8, 2, 2), 1e-300)))
def test_clusterings_are_diagnosed_or_refused(clustering):
    diagnosis = answer(lambda: diagnose(*clustering), *WHERE)
    if diagnosis is not None:
        assert 0 <= diagnosis.disagreement <= 1
        assert diagnosis.divergence >= 0


OF_FEATURES = ("X", "n_components", "sigma")
SIGMAS = (1.0, 0.1, 1e-3, 1e3, 1e300, 1e-160, SMALLEST, 0.0, -1.0, np.inf)


@many(
    100, X=data(), number=st.sampled_from([1, 2, 3, 11, 12, 0, -1]), sigma=st.sampled_from(SIGMAS)
)
@example(X=np.array([[0.0], [0.0], [1.0]]), number=1, sigma=SMALLEST)
def test_features_are_computed_or_refused(X, number, sigma):
    features = answer(lambda: spectral_features(X, number, sigma=sigma), *OF_FEATURES)
    if features is not None:
        assert features.shape == (len(X), number)
        assert np.isfinite(features).all()


@many(
    100,
    X=data(),
    number=st.sampled_from([1, 2, 3, 11]),
    sigma=st.sampled_from(SIGMAS),
    scale=scales,
)
@example(X=np.array([[0.0], [0.0], [1.0]]), number=1, sigma=1.0, scale=-1e149)
@example(X=np.array([[0.0], [0.0], [1e-170]]), number=1, sigma=1.0, scale=1e308)
def test_new_rows_are_placed_among_the_others_or_refused(X, number, sigma, scale):
    transformer = SpectralFeatures(number, sigma=sigma)
    if answer(lambda: transformer.fit_transform(X), *OF_FEATURES) is not None:
        with np.errstate(over="ignore"):
            new = np.vstack((X * scale, X + scale))
        features = answer(lambda: transformer.transform(new), *OF_FEATURES)
        assert features is None or features.shape == (len(new), number)
        assert features is None or np.isfinite(features).all()


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_features_of_many_equal_rows_are_computed(rows):
    X = np.tile(np.eye(rows), (1200 // rows, 1))
    features = answer(lambda: spectral_features(X, 2), "sigma")
    assert (features is None) == (rows == 1)
    assert features is None or np.isfinite(features).all()


@pytest.mark.compiled
@with_warnings
@pytest.mark.parametrize(
    ("clusterer", "largest"),
    [
        (PCKMeans(4), 1e6),
        (MPCKMeans(4), 1.0),
        (MPCKMeans(4), 1e6),
        (MPCKMeans(4, metric="full"), 1e6),
    ],
    ids=str,
)
def test_ten_thousand_soft_constraints_that_contradict_each_other_are_weighed(clusterer, largest):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    first, step = rng.integers(300, size=5000), rng.integers(1, 300, size=5000)
    pairs = np.tile(np.column_stack((first, (first + step) % 300)), (2, 1))
    constraints = Constraints(pairs, np.arange(10_000) < 5000, largest * rng.random(10_000))
    clusterer.set_params(random_state=0)
    assert_clustering(answer(lambda: clusterer.fit(X, constraints=constraints)), 300)
    model = MultiViewConstrainedClustering(clusterer, closure="none", random_state=0, max_iter=3)
    given = {"constraints": [constraints, None], "mappings": {(0, 1): [(n, n) for n in range(60)]}}
    fitted = answer(lambda: model.fit([X, X[:100]], **given))
    for one, n in zip(fitted.clusterers_, (300, 100), strict=True):
        assert_clustering(one, n)
