"""Co-EM is Algorithm 2, for any number of views, any closure and every transfer method."""

import re
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

from mvcc import (
    ClusterMembership,
    ConstraintPropagation,
    Constraints,
    DirectMapping,
    MPCKMeans,
    MultiViewConstrainedClustering,
    PCKMeans,
    SingleView,
)
from mvcc.exceptions import InvalidInputError, PropagationWarning
from mvcc.propagation._diagnostics import diagnose
from tests.reference import multiview as slow
from tests.strategies import as_dict

METHODS = {
    "constraint-propagation": ConstraintPropagation(0.6, regularization=1e-3),
    "direct-mapping": DirectMapping(),
    "cluster-membership": ClusterMembership(),
    "single-view": SingleView(),
}
# a search from several starts takes long; of all comparisons with the reference one does it
ONE_START = {"init": "neighborhoods"}
CENTERS = np.array([[0.0, 0.0], [3.5, 0.0], [0.0, 3.5]])


def make_views(seed, sizes=(24, 18), k=2, n_constraints=(8, 4)):
    rng = np.random.default_rng(seed)
    labels = [rng.integers(k, size=n) for n in sizes]
    views = [CENTERS[y] + rng.normal(size=(len(y), 2)) for y in labels]
    constraints = [
        Constraints.from_labels(y, m, rng) for y, m in zip(labels, n_constraints, strict=True)
    ]
    mappings = {}
    for u in range(len(sizes)):
        for v in range(u + 1, len(sizes)):
            rows = np.column_stack([rng.integers(sizes[view], size=10) for view in (u, v)])
            mappings[u, v] = rows[labels[u][rows[:, 0]] == labels[v][rows[:, 1]]]
    return views, labels, constraints, mappings


def co_em(base, transfer=None, **options):
    return MultiViewConstrainedClustering(base, transfer, **{"random_state": 0} | options)


def quiet_fit(model, views, constraints, mappings=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", PropagationWarning)
        return model.fit(views, constraints=constraints, mappings=mappings)


def against_reference(views, constraints, mappings, base, method, closure):
    model = co_em(base, METHODS[method], closure=closure, max_iter=6, random_state=3)
    quiet_fit(model, views, constraints, mappings)
    seeds = [c.random_state for c in model.clusterers_]

    def fit(view, X, pairs, must_link, weights):
        made = clone(base).set_params(random_state=seeds[view])
        made.fit(X, constraints=Constraints(pairs, must_link, weights))
        return made.labels_, made.objective_, getattr(made, "metrics_", None)

    labels, history = slow.co_em(
        views,
        [(c.pairs, c.must_link, c.weights) for c in constraints],
        mappings,
        method,
        0.6,
        fit,
        closure=closure,
        max_iter=model.n_iter_,
        regularization=1e-3,
    )
    assert len(history) == model.n_iter_
    for found, expected in zip(model.labels_, labels, strict=True):
        np.testing.assert_array_equal(found, expected)
    for found, expected in zip(model.history_, history, strict=True):
        for record, (objective, propagated) in zip(found, expected, strict=True):
            assert record.objective == pytest.approx(objective, rel=1e-9)
            assert as_dict(record.propagated) == pytest.approx(propagated, abs=1e-9)


@pytest.mark.parametrize("closure", ["full", "view", "none"])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_and_closure_follows_algorithm_2(method, closure):
    for seed, base in enumerate([MPCKMeans(2, **ONE_START), PCKMeans(2, n_init=2)]):
        views, _, constraints, mappings = make_views(seed)
        against_reference(views, constraints, mappings, base, method, closure)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("closure", ["full", "view", "none"])
def test_constraints_of_unlike_weights_follow_algorithm_2(method, closure):
    for seed in range(3):
        views, _, constraints, mappings = make_views(seed, (20, 16, 12), 2 + seed // 2, (10, 5, 5))
        if seed:
            del mappings[0, 2]
        rng = np.random.default_rng(seed)
        weights = [rng.choice([0, 0.3, 0.65, 1, 2], len(c)) for c in constraints]
        pairs = zip(constraints, weights, strict=True)
        weighted = [Constraints(c.pairs, c.must_link, own) for c, own in pairs]
        base = PCKMeans(2 + seed // 2, **ONE_START)
        against_reference(views, weighted, mappings, base, method, closure)


def test_one_view_is_the_algorithm_of_section_6_4():
    for seed in range(4):
        views, _, constraints, _ = make_views(seed, (40,), 3, (12,))
        base = MPCKMeans(3, **ONE_START)
        against_reference(views, constraints, {}, base, "constraint-propagation", "full")


def results(transfer, closure, views, constraints, mappings):
    model = co_em(MPCKMeans(2, **ONE_START), transfer, closure=closure)
    quiet_fit(model, views, constraints, mappings)
    return [labels.tolist() for labels in model.labels_]


@given(st.integers(0, 10**6), st.sampled_from(["view", "none"]), st.sampled_from(list(METHODS)))
def test_an_empty_mapping_gives_single_view(seed, closure, method):
    views, _, constraints, _ = make_views(seed)
    expected = results(SingleView(), closure, views, constraints, {})
    for empty in (None, {}, {(0, 1): np.empty((0, 2), int)}):
        assert results(METHODS[method], closure, views, constraints, empty) == expected


@pytest.mark.parametrize("related", [True, False])
def test_direct_mapping_passes_a_repeated_constraint_on_once_with_its_largest_weight(related):
    listed = [(0, 1), (0, 1), (2, 3), (0, 1)]
    repeated = Constraints(listed, [True, True, False, False], [0.5, 1, 1, 0.2])
    model = co_em(PCKMeans(2), DirectMapping(), closure="none")
    view, mappings = np.arange(5.0)[:, None], {(0, 1): [(i, i) for i in range(4)]}
    if related:
        quiet_fit(model, [view, view], [repeated, None], mappings)
    else:
        quiet_fit(model, [view], [repeated])
    once = Constraints([(0, 1), (2, 3), (0, 1)], [True, False, False], [1, 1, 0.2])
    assert model.propagated_[0] == once


def test_the_default_transfer_is_constraint_propagation():
    views, _, constraints, mappings = make_views(1)
    arguments = ("full", views, constraints, mappings)
    assert results(None, *arguments) == results(ConstraintPropagation(), *arguments)


def test_thresholds_may_differ_between_views():
    views, _, constraints, mappings = make_views(2)

    def sent_first(threshold):
        model = co_em(PCKMeans(2), ConstraintPropagation(threshold))
        quiet_fit(model, views, constraints, mappings)
        return len(model.history_[0][0].propagated)

    assert sent_first((0.3, 1.0)) == sent_first(0.3) > sent_first(1.0)
    message = "threshold has 3 values; one for all views or one for each of the 2"
    with pytest.raises(InvalidInputError, match=message):
        sent_first([0.5, 0.5, 0.5])


def overlapping_views(seed):
    """Draw two views of clusters that overlap so much that they contradict each other for ever."""
    views, labels, constraints, _ = make_views(seed, (60, 60), 3, (20, 20))
    rng = np.random.default_rng(seed)
    views = [CENTERS[y] * 0.35 + rng.normal(size=(60, 2)) for y in labels]
    rows = np.column_stack((np.arange(60), rng.permutation(60)))
    return views, constraints, {(0, 1): rows[labels[0][rows[:, 0]] == labels[1][rows[:, 1]]]}


def test_a_cycle_is_noticed_and_named():
    cycles = 0
    for seed in range(12):
        views, constraints, mappings = overlapping_views(seed)
        model = co_em(PCKMeans(3, **ONE_START), ConstraintPropagation(0.6), max_iter=60)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.simplefilter("ignore", PropagationWarning)
            model.fit(views, constraints=constraints, mappings=mappings)
        if model.converged_:
            assert not caught
            continue
        cycles += 1
        assert len(caught) == 1
        period = int(re.search(r"repeats itself, period (\d+)", str(caught[0].message)).group(1))
        assert model.n_iter_ == len(model.history_) < 60
        last, former = model.history_[-1], model.history_[-1 - period]
        assert all(now.propagated == old.propagated for now, old in zip(last, former, strict=True))
        assert period >= 2
    assert cycles >= 3


def test_the_limit_is_noticed_and_named():
    views, _, constraints, mappings = make_views(0)
    model = co_em(PCKMeans(2), DirectMapping(), max_iter=1)
    with pytest.warns(ConvergenceWarning, match="stopped at its limit max_iter=1"):
        model.fit(views, constraints=constraints, mappings=mappings)
    assert model.converged_ is False
    assert model.n_iter_ == 1


def test_a_warning_that_is_an_error_leaves_the_former_fit_as_it_is():
    views, _, constraints, mappings = make_views(0)
    model = co_em(PCKMeans(2), DirectMapping()).fit(views)
    model.set_params(max_iter=1)
    before = vars(model).copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        with pytest.raises(ConvergenceWarning):
            model.fit(views, constraints=constraints, mappings=mappings)
    assert all(vars(model)[name] is value for name, value in before.items())


def moons_and_blobs():
    """Draw half-moons and separate blobs, fully related, and constraints by their classes."""
    rng = np.random.default_rng(0)
    moons, y = make_moons(200, noise=0.05, random_state=0)
    blobs = 8 * y[:, None] + rng.normal(size=(200, 2))
    constraints = [Constraints.from_labels(y, 60, rng) for _ in range(2)]
    return [moons, blobs], constraints, {(0, 1): np.column_stack((np.arange(200), np.arange(200)))}


def test_one_warning_names_the_views_that_propagation_does_not_suit():
    views, constraints, mappings = moons_and_blobs()
    named = dict(zip(("moons", "blobs"), views, strict=True))
    model = co_em(PCKMeans(2), ConstraintPropagation(0.75))
    for learn in (model.fit_predict, model.fit):
        with pytest.warns(PropagationWarning) as caught:
            learn(named, constraints=constraints, mappings=mappings)
        assert caught[0].filename == __file__
    assert [found.suspicious for found in model.diagnostics_] == [True, False]
    (message,) = (str(w.message) for w in caught)
    said = r"in view 'moons' \(disagreement ([\d.]+), divergence ([\d.]+)\):"
    told = re.search(said, message).groups()
    doubted = model.diagnostics_[0]
    expected = [doubted.disagreement, doubted.divergence]
    assert list(map(float, told)) == pytest.approx(expected, rel=0.1)
    assert "blobs" not in message
    assert "Compare with DirectMapping()" in message


@pytest.mark.parametrize("method", METHODS)
def test_nothing_is_doubted_where_nothing_was_propagated(method):
    views, constraints, mappings = moons_and_blobs()
    if method == "constraint-propagation":
        mappings = {}  # no row is mapped, and a warning would be an error
    model = co_em(PCKMeans(2, init="neighborhoods"), METHODS[method])
    model.fit(views, constraints=constraints, mappings=mappings)
    moons, blobs = model.diagnostics_
    assert moons.suspicious
    assert blobs.suspicious == (method == "cluster-membership")
    assert repr(model.transfer_) == repr(METHODS[method])


def test_the_diagnosis_is_that_of_the_clustering_with_its_metrics():
    views, constraints, mappings = moons_and_blobs()
    model = co_em(MPCKMeans(2))
    quiet_fit(model, views, constraints, mappings)
    for X, clusterer, found in zip(views, model.clusterers_, model.diagnostics_, strict=True):
        assert found == diagnose(X, clusterer.labels_, clusterer.metrics_)


class Forwarding(PCKMeans):
    """Clusters as PCKMeans does, and says only that it takes further arguments."""

    def fit(self, X, y=None, **more):
        return super().fit(X, y, **more)


def test_a_base_that_forwards_its_arguments_is_one():
    views = [np.arange(8.0).reshape(-1, 1)] * 2
    plain, forwarding = (
        co_em(base, DirectMapping()).fit(views).labels_ for base in (PCKMeans(2), Forwarding(2))
    )
    np.testing.assert_array_equal(plain, forwarding)
