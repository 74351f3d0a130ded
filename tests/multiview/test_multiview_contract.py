"""MultiViewConstrainedClustering keeps all promises with every base, transfer and closure."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import replace
from functools import partial
from io import BytesIO
from itertools import product

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from numpydoc.docscrape import ClassDoc
from sklearn.base import clone
from sklearn.cluster import KMeans

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
from mvcc.constraints import neighborhood_folds
from mvcc.exceptions import ConstraintConflictError, InvalidInputError
from tests.multiview_problems import Problem, fitted, learned, make_problem, outcome

# overlapping views, and few iterations
pytestmark = pytest.mark.filterwarnings(
    "ignore::mvcc.exceptions.PropagationWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)


# ---- what is promised, by one function for each: parameters


def check_the_constructor_only_stores_its_parameters(model, problem):
    given = {name: object() for name in inspect.signature(type(model)).parameters}
    assert vars(type(model)(**given)) == given


def check_a_fit_changes_neither_parameters_nor_base_nor_transfer(model, problem):
    parts = [part for part in (model, model.base, model.transfer) if part is not None]
    before = [part.get_params(deep=False) for part in parts]
    problem.fit(model)
    assert [part.get_params(deep=False) for part in parts] == before  # the same objects
    for part in parts[1:]:
        assert not learned(part)


def check_impossible_parameters_are_refused_by_fit_alone_with_value_and_what_is_allowed(
    model, problem
):
    count, number, seed = "an integer of at least 1", r"\[0, inf\)", "a non-negative integer"
    closures, method = "'full', 'view' or 'none'", "an instance of a TransferMethod"
    base = "an estimator whose fit takes constraints"
    impossible_values = {
        ("max_iter", count): [0, 2.5, True],
        ("tol", number): [-1e-9, float("nan"), "small"],
        ("closure", closures): ["all", None],
        ("random_state", seed): ["seed", -1],
        ("transfer", method): [0.5, SingleView],
        ("base", base): ["k-means", None, PCKMeans, KMeans(3)],
    }
    for name, value, allowed in [
        (name, value, allowed)
        for (name, allowed), values in impossible_values.items()
        for value in values
    ]:
        impossible = clone(model).set_params(**{name: value})
        message = f"{name} must be .*{allowed}|{name}=.*{allowed}"
        with pytest.raises(InvalidInputError, match=message) as error:
            problem.fit(impossible)
        assert repr(value)[:9] in str(error.value)
        assert not learned(impossible)


# ---- what a fit learns


def check_a_fit_returns_the_estimator_and_learns_what_is_documented(model, problem):
    assert problem.fit(model) is model
    documented = [attribute.name for attribute in ClassDoc(type(model))["Attributes"]]
    assert sorted(learned(model)) == sorted(documented)
    assert all(name.endswith("_") for name in documented)


def check_there_is_one_result_for_every_view_and_row(model, problem):
    sizes = [len(X) for X in problem.views]
    problem.fit(model)
    for labels, clusterer, n in zip(model.labels_, model.clusterers_, sizes, strict=True):
        assert labels.shape == (n,)
        assert labels.dtype.kind == "i"
        assert set(labels.tolist()) <= set(range(model.base.n_clusters))
        assert np.array_equal(labels, clusterer.labels_)
    assert 1 <= model.n_iter_ == len(model.history_) <= model.max_iter
    assert isinstance(model.converged_, bool)
    for records in model.history_:
        for record, n in zip(records, sizes, strict=True):
            assert record.propagated.pairs.max(initial=0) < n
    assert [record.propagated for record in model.history_[-1]] == model.propagated_
    objectives = [clusterer.objective_ for clusterer in model.clusterers_]
    assert [record.objective for record in model.history_[-1]] == objectives
    assert len(model.diagnostics_) == len(sizes)


def check_the_same_seed_gives_the_same_bits(model, problem):
    first = fitted(model, problem)
    assert fitted(model, problem) == first
    problem.fit(model)
    assert outcome(problem.fit(model)) == first


def check_generators_in_the_same_state_give_the_same_bits(model, problem):
    for make in (np.random.default_rng, np.random.RandomState, np.random.SeedSequence):
        states = (vars(model) | {"random_state": make(7)} for _ in range(2))
        one, other = (fitted(type(model)(**state), problem) for state in states)
        assert one == other


# ---- former and later fits


def check_refitting_leaves_no_trace_of_the_former_fit(model, problem):
    larger = make_problem(2, (17, 12, 15), (3, 1, 2))
    one_view = Problem(problem.views[:1], problem.constraints[:1], None)
    expected = fitted(model, problem)
    k = model.base.n_clusters
    for former in (larger, one_view):
        former.fit(model.set_params(base__n_clusters=k - 1))
        assert outcome(problem.fit(model.set_params(base__n_clusters=k))) == expected


def check_results_of_one_fit_are_not_touched_by_the_next(model, problem):
    kept = copy.copy(problem.fit(model))
    before = outcome(kept)
    make_problem(2, (17, 12, 15), (3, 1, 2)).fit(model)
    model.set_params(base__n_clusters=2)
    if hasattr(model.transfer, "threshold"):
        model.set_params(transfer__threshold=0.9)
    assert outcome(kept) == before


def check_a_refused_fit_keeps_the_former_one(model, problem):
    before = outcome(problem.fit(model))
    far = Constraints([(0, 99)], [True])
    contradiction = problem.constraints[0].max_union(Constraints([(0, 9)], [False]))
    # found out when the first view is clustered already
    few = [problem.views[0], problem.views[1][:2]]
    for refused, error in [
        (replace(problem, views=[]), InvalidInputError),
        (replace(problem, views=None), InvalidInputError),
        (replace(problem, constraints=problem.constraints[0]), InvalidInputError),
        (replace(problem, mappings=[(0, 1)]), InvalidInputError),
        (replace(problem, constraints=[far, None]), InvalidInputError),
        (replace(problem, mappings={(0, 1): [(0, 99)]}), InvalidInputError),
        (Problem(few, [problem.constraints[0], None], None), InvalidInputError),
        (replace(problem, constraints=[contradiction, None]), ConstraintConflictError),
    ]:
        if error is ConstraintConflictError and model.closure == "none":
            continue  # contradictions are weighed against each other
        with pytest.raises(error):
            refused.fit(model)
        assert outcome(model) == before


def check_a_fit_survives_pickle_joblib_and_skops(model, problem):
    expected = fitted(model, problem)
    assert outcome(problem.fit(pickle.loads(pickle.dumps(model)))) == expected
    problem.fit(model)
    stored = BytesIO()
    joblib.dump(model, stored)
    stored.seek(0)
    content = skops.io.dumps(model)
    of_skops = skops.io.loads(content, trusted=skops.io.get_untrusted_types(data=content))
    for revived in (pickle.loads(pickle.dumps(model)), joblib.load(stored), of_skops):
        assert outcome(revived) == expected
        assert repr(revived.get_params()) == repr(model.get_params())
        for view, X in enumerate(problem.views):
            expected_labels = model.clusterers_[view].predict(X[::-1])
            assert np.array_equal(revived.clusterers_[view].predict(X[::-1]), expected_labels)


# ---- the numbers alone matter


def check_the_arguments_of_fit_are_not_changed_and_may_be_read_only(model, problem):
    expected = fitted(model, problem)
    frozen = copy.deepcopy(problem)
    for array in (*frozen.views, *frozen.mappings.values()):
        array.flags.writeable = False
    assert fitted(model, frozen) == expected
    given = copy.deepcopy(problem)
    given.fit(model)
    for X, before in zip(given.views, problem.views, strict=True):
        assert np.array_equal(X, before)
        X[:] = np.nan
    assert given.constraints == problem.constraints
    assert given.mappings.keys() == problem.mappings.keys()
    for key, rows in given.mappings.items():
        assert np.array_equal(rows, problem.mappings[key])
        rows[:] = -1
    assert outcome(model) == expected  # nothing learned is a window on what was given


def check_other_types_are_computed_as_the_same_numbers_in_double_precision(model, problem):
    expected = fitted(model, problem)
    for types in [("float32", "float16"), ("int8", "object"), (">f8", "int64")]:
        views = [X.astype(dtype) for X, dtype in zip(problem.views, types, strict=True)]
        assert fitted(model, replace(problem, views=views)) == expected
    truths = [X > 0 for X in problem.views]
    numbers = [X.astype(float) for X in truths]
    one, other = (fitted(model, replace(problem, views=views)) for views in (truths, numbers))
    assert one == other


def check_the_form_of_the_views_does_not_matter(model, problem):
    expected = fitted(model, problem)
    for first, second in [
        (np.asfortranarray, lambda X: X[::-1][::-1]),
        (lambda X: np.repeat(X, 2, axis=1)[:, ::2], lambda X: np.repeat(X, 3, axis=0)[::3]),
        (np.ndarray.tolist, pd.DataFrame),
    ]:
        X, Y = problem.views
        assert fitted(model, replace(problem, views=(first(X), second(Y)))) == expected


def check_views_and_constraints_may_be_any_sequence(model, problem):
    expected = fitted(model, problem)
    for form in (tuple, iter):
        other = replace(problem, views=form(problem.views), constraints=form(problem.constraints))
        assert fitted(model, other) == expected


def check_no_constraints_may_be_said_in_three_ways(model, problem):
    nothings = (None, [None, None], [Constraints([], [])] * 2)
    ways = [replace(problem, constraints=nothing) for nothing in nothings]
    if getattr(model.transfer, "threshold", None) == "cv":
        for way in ways:
            with pytest.raises(InvalidInputError, match="at least two"):
                way.fit(model)
    else:
        first, *others = [fitted(model, way) for way in ways]
        assert others == [first, first]


CHECKS = [value for name, value in list(globals().items()) if name.startswith("check_")]

# ---- every configuration

ONE_START = {"init": "neighborhoods"}  # a search from several takes long; one of the bases does it
BASES = {
    "pck": PCKMeans(3, n_init=2),
    "mpck": MPCKMeans(3, **ONE_START),
    "mpck-shared": MPCKMeans(3, shared_metric=True, **ONE_START),
    "mpck-full": MPCKMeans(3, metric="full", **ONE_START),
    "mpck-full-shared": MPCKMeans(3, metric="full", shared_metric=True, **ONE_START),
}
TRANSFERS = {
    "default": None,
    "propagation": ConstraintPropagation(0.5),
    "cross-validated": ConstraintPropagation("cv"),
    "direct": DirectMapping(),
    "membership": ClusterMembership(),
    "single": SingleView(),
}
CLOSURES = ["full", "view", "none"]
# each base with each transfer, and a closure that differs among its neighbors
CONFIGURATIONS = {
    f"{base}-{transfer}-{CLOSURES[(b + t) % 3]}": MultiViewConstrainedClustering(
        BASES[base], TRANSFERS[transfer], closure=CLOSURES[(b + t) % 3], max_iter=5, random_state=0
    )
    for (b, base), (t, transfer) in product(enumerate(BASES), enumerate(TRANSFERS))
}
# a search at each of the many fits of a cross-validation takes long
_name = "pck-cross-validated-none"
CONFIGURATIONS[_name] = clone(CONFIGURATIONS[_name]).set_params(base=PCKMeans(3, **ONE_START))
# check number c meets every second transfer t with base (t + c) mod 5, and so two closures
# or three; all checks together meet every configuration
COVER = [
    (check, list(CONFIGURATIONS)[(t + c) % len(BASES) * len(TRANSFERS) + t])
    for c, check in enumerate(CHECKS)
    for t in range(c % 2, len(TRANSFERS), 2)
]


@pytest.mark.parametrize(
    ("check", "name"),
    COVER,
    ids=[f"{check.__name__.removeprefix('check_')}-{name}" for check, name in COVER],
)
def test_every_configuration_keeps_every_promise(check, name):
    check(clone(CONFIGURATIONS[name]), make_problem())


def test_every_check_meets_several_closures_and_every_configuration_some_checks():
    for check in CHECKS:
        closures = {CONFIGURATIONS[name].closure for own, name in COVER if own is check}
        assert len(closures) > 1
    assert {name for _, name in COVER} == set(CONFIGURATIONS)


@pytest.fixture(autouse=True)
def brief_cross_validation(monkeypatch):
    loop = "mvcc.multiview.co_em._loop"
    monkeypatch.setattr(f"{loop}.GRID", (0.3, 0.9))
    monkeypatch.setattr(f"{loop}.neighborhood_folds", partial(neighborhood_folds, n_folds=3))


def clusterings(model, problem):
    return str(fitted(model, problem)["clusterers_"])


def test_the_problem_tells_the_configurations_and_the_seeds_apart():
    """Were their outcomes the same, the checks would see no difference, either."""
    problem = make_problem()
    transfers = [name for name in TRANSFERS if name not in ("default", "cross-validated")]
    for closure in CLOSURES:
        options = {"closure": closure, "random_state": 0}
        models = [
            MultiViewConstrainedClustering(PCKMeans(3), TRANSFERS[t], **options) for t in transfers
        ]
        assert len({clusterings(model, problem) for model in models}) == len(transfers), closure
    for model in CONFIGURATIONS.values():
        seeded = (clone(model).set_params(random_state=seed) for seed in range(4))
        found = (clusterings(one, problem) for one in seeded)
        first = next(found)
        assert any(other != first for other in found)


@pytest.mark.parametrize("base", BASES)
def test_without_transfer_and_chance_views_may_come_in_any_order(base):
    """Every cluster starts from a neighborhood, else seeds of views would change places."""
    problem = make_problem(0, (16, 13, 19), (2, 3, 1))
    known = [
        Constraints.from_pairs([(0, 3 + v), (1, 6 + v), (2, 9 + v)], [(0, 1), (0, 2), (1, 2)])
        for v in range(3)
    ]
    # a search draws its other starts
    start = clone(BASES[base]).set_params(init="neighborhoods", n_init="auto")
    model = MultiViewConstrainedClustering(start, SingleView())
    found = model.fit(problem.views, constraints=known).labels_
    order = [2, 0, 1]
    turned = model.fit(
        [problem.views[v] for v in order], constraints=[known[v] for v in order]
    ).labels_
    for labels, v in zip(turned, order, strict=True):
        np.testing.assert_array_equal(labels, found[v])
