"""threshold="cv" holds out whole neighborhoods, and takes the threshold that foretells them."""

import warnings
from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from mvcc import (
    ConstraintPropagation,
    Constraints,
    DirectMapping,
    MultiViewConstrainedClustering,
    PCKMeans,
)
from mvcc.constraints import n_satisfied
from mvcc.constraints._relations import N_FOLDS, close_views
from mvcc.exceptions import InvalidInputError
from mvcc.multiview.co_em._loop import GRID, MAX_ITER, CoEM, Outcome, choose_threshold

# of views that overlap, and of few iterations
pytestmark = pytest.mark.filterwarnings(
    "ignore::mvcc.exceptions.PropagationWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)


def two_views(seed, n_constraints=20, n=60):
    """Draw two views of three blobs, a third of the rows related."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 3)
    views = [3 * np.eye(3, 2)[y] + rng.normal(size=(n, 2)) for _ in range(2)]
    constraints = [Constraints.from_labels(y, n_constraints, rng) for _ in range(2)]
    return views, constraints, {(0, 1): np.column_stack((np.arange(n // 3),) * 2)}


def cross_validated(seed=0, **options):
    base = PCKMeans(3, init="neighborhoods")  # a search at each of hundreds of fits takes long
    transfer = ConstraintPropagation("cv")
    return MultiViewConstrainedClustering(base, transfer, random_state=seed, **options)


@pytest.fixture
def recorded(monkeypatch):
    """Note all thresholds and training parts asked for; ``answer`` gives the labels of rows."""

    def record(answer):
        asked = []

        def run(self, constraints, relations, transfer):
            asked.append((transfer.threshold, constraints, self.max_iter))
            labels = answer(transfer.threshold)
            return Outcome([Labelled(labels) for _ in self.views], [], 0, [], {}, {})

        monkeypatch.setattr(CoEM, "run", run)
        return asked

    return record


@dataclass(frozen=True)
class Labelled:
    labels_: np.ndarray


def choose(constraints, relations=None, n=12, seed=0, max_iter=20):
    views, no_seeds = [np.zeros((n, 1))] * len(constraints), [0] * len(constraints)
    co_em = CoEM(views, None, no_seeds, "full", max_iter, 1e-6)
    transfer, rng = ConstraintPropagation("cv"), np.random.default_rng(seed)
    return choose_threshold(co_em, constraints, relations or {}, transfer, rng)


TRUTH = np.array([0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2])
LINKS = Constraints.from_pairs([(0, 1), (2, 3), (4, 5), (6, 7)], [(0, 2), (8, 10), (5, 9), (1, 11)])
NEARLY = np.where(np.arange(12) == 6, 1, TRUTH)  # satisfies one constraint less


@pytest.mark.parametrize(
    ("foretells_all", "other", "chosen"),
    [
        (lambda t: t == GRID[0], np.arange(12), GRID[0]),
        (lambda t: t == 0.5, np.arange(12), 0.5),
        (lambda t: t == GRID[-1], np.arange(12), GRID[-1]),
        (lambda t: t == 0.5, NEARLY, 0.5),
        (lambda t: True, NEARLY, max(GRID)),
        (lambda t: t < 0.8, np.zeros(12), 0.75),
    ],
)
def test_the_largest_threshold_that_foretells_most_wins(recorded, foretells_all, other, chosen):
    assert n_satisfied(LINKS, TRUTH) == n_satisfied(LINKS, NEARLY) + 1 == len(LINKS)
    recorded(lambda t: TRUTH if foretells_all(t) else other)
    assert choose([LINKS]) == chosen


@pytest.mark.parametrize("seed", range(3))
def test_nothing_that_follows_from_the_training_part_is_held_out(recorded, seed):
    """Closed with all relations, the training part decides on no scored constraint."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=40)
    constraints = [Constraints.from_labels(y, 15, rng) for _ in range(2)]
    relations = {(0, 1): np.column_stack((np.arange(30), np.arange(30)))}
    asked = recorded(lambda t: np.zeros(40))
    choose(constraints, relations, 40, seed)
    trained = [seen for t, seen, _ in asked if t == GRID[0]]
    assert 2 <= len(trained) <= N_FOLDS
    ever_held_out = [set(), set()]
    for seen in trained:
        closed, _ = close_views(seen, relations)
        for view, (drawn, part, implied) in enumerate(zip(constraints, seen, closed, strict=True)):
            held_out = set(map(tuple, drawn.pairs)) - set(map(tuple, part.pairs))
            assert held_out.isdisjoint(map(tuple, implied.pairs))
            ever_held_out[view] |= held_out
    assert ever_held_out == [set(map(tuple, c.pairs)) for c in constraints]


def test_every_threshold_is_tried_on_the_same_parts_with_few_iterations(recorded):
    asked = recorded(lambda t: TRUTH)
    choose([LINKS])
    assert [t for t, _, _ in asked] == list(GRID) * (len(asked) // len(GRID))
    for start in range(0, len(asked), len(GRID)):
        assert all(seen == asked[start][1] for _, seen, _ in asked[start : start + len(GRID)])
    assert {limit for *_, limit in asked} == {MAX_ITER}
    asked.clear()
    choose([LINKS], max_iter=2)
    assert {limit for *_, limit in asked} == {2}


def test_a_chosen_threshold_gives_what_the_same_number_gives():
    views, constraints, mappings = two_views(0)
    given = {"constraints": constraints, "mappings": mappings}
    found = cross_validated().fit(views, **given)
    assert found.transfer_.threshold in GRID
    assert found.transfer.threshold == "cv"
    same = clone(found).set_params(transfer=clone(found.transfer_)).fit(views, **given)
    for a, b in zip(found.labels_, same.labels_, strict=True):
        np.testing.assert_array_equal(a, b)
    assert same.transfer_.threshold == found.transfer_.threshold


@pytest.mark.parametrize("seed", range(3))
def test_a_low_threshold_is_chosen_where_only_far_inference_helps(seed):
    """What the first view infers is right, and the second one needs more than 0.9 gives."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(120) % 2)
    clean = 30 * y[:, None] + rng.normal(size=(120, 2))
    # the second view shows the classes in one feature, and something else in the other
    other = np.column_stack((3 * y, 5 * rng.integers(2, size=120))) + rng.normal(size=(120, 2))
    constraints = [Constraints.from_labels(y, 20, rng), Constraints.from_labels(y, 20, rng)]
    mappings = {(0, 1): np.column_stack((np.arange(60),) * 2)}

    def share_right(transfer):
        base = PCKMeans(2, init="neighborhoods")
        model = MultiViewConstrainedClustering(base, transfer, random_state=0)
        model.fit([clean, other], constraints=constraints, mappings=mappings)
        labels = model.labels_[1]
        return max(np.mean(labels == y), np.mean(labels != y)), model.transfer_

    right, transfer = share_right(ConstraintPropagation("cv"))
    assert transfer.threshold < 0.9
    assert right > 0.9
    for method in (ConstraintPropagation(0.9), DirectMapping()):
        assert share_right(method)[0] < 0.6


def test_inner_fits_are_silent():
    """The only fit that may complain is the one that the caller gets."""
    views, constraints, mappings = two_views(0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = cross_validated(max_iter=1).fit(views, constraints=constraints, mappings=mappings)
    assert [w.category for w in caught].count(ConvergenceWarning) == 1
    assert not model.converged_


def test_another_word_than_cv_is_explained():
    views, constraints, mappings = two_views(0)
    model = MultiViewConstrainedClustering(PCKMeans(3), ConstraintPropagation("auto"))
    message = r"threshold must be a number in \(0, 1\].*, got 'auto'"
    with pytest.raises(InvalidInputError, match=message):
        model.fit(views, constraints=constraints, mappings=mappings)
