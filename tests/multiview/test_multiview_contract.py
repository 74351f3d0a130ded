"""MultiViewConstrainedClustering keeps all promises with every base, transfer and closure."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
import pytest
from sklearn.base import clone

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
from tests.multiview_checks import CHECKS
from tests.multiview_problems import fitted, make_problem

# overlapping views, and few iterations
pytestmark = pytest.mark.filterwarnings(
    "ignore::mvcc.exceptions.PropagationWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)

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
