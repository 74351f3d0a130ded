"""The search of Eq. 1 from several starts against its slow reference."""

import numpy as np
import pytest

from mvcc import Constraints
from mvcc.cluster._descent import Problem
from mvcc.cluster._search import search_pck
from tests.reference import search as reference

NONE = Constraints([], [])


def problem(seed: int, n: int = 60, k: int = 4, d: int = 3, n_pairs: int = 30):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    X = 2 * rng.normal(size=(k, d))[y] + rng.normal(size=(n, d))
    c = Constraints.from_labels(y, n_pairs, random_state=seed) if n_pairs else NONE
    wrong = rng.random(len(c)) < 0.1
    return X, Constraints(c.pairs, c.must_link ^ wrong, rng.uniform(0.2, 2, size=len(c)))


@pytest.mark.parametrize(
    ("seed", "n_pairs", "weighted"),
    [(0, 0, False), (1, 0, True), (2, 30, False), (3, 30, True), (4, 30, True)],
)
def test_agrees_with_the_reference(seed, n_pairs, weighted):
    X, c = problem(seed, n_pairs=n_pairs)
    rng = np.random.default_rng(seed)
    masses = rng.uniform(0.5, 3, size=len(X)) if weighted else np.ones(len(X))
    starts, rng, again = [X[:4], X[4:6]], np.random.default_rng(seed), np.random.default_rng(seed)
    options = {"penalty": 0.5, "masses": masses if weighted else None, "starts": starts}
    found = search_pck(X, 4, *c.listed(), n_init=4, rng=rng, **options)
    pairs = c.pairs, c.must_link, 0.5 * c.weights
    labels, centers, objective = reference.search(
        X, 4, *pairs, masses, starts, 4, 40, again, weighted=weighted
    )
    np.testing.assert_array_equal(found.labels, labels)
    np.testing.assert_allclose(found.centers, centers, rtol=1e-10, atol=1e-12)
    assert found.objective == pytest.approx(objective, rel=1e-10)


def test_of_a_sample_three_starts_that_end_in_the_lowest_objective_are_enough(monkeypatch):
    ends, descend = [], Problem.descend

    def noted(self, *arguments):
        found = descend(self, *arguments)
        ends.append(found.objective)
        return found

    monkeypatch.setattr(Problem, "descend", noted)
    rng = np.random.default_rng(0)
    y = rng.integers(4, size=60)
    X = 6 * np.eye(4)[y] + rng.normal(size=(60, 4))
    means = np.array([X[y == cluster].mean(axis=0) for cluster in range(4)])
    apart = np.array([0.0, 0, 0, 2])
    # one cluster in halves, and two as one
    bad = np.array([means[0] - apart, means[0] + apart, means[1], means[2:].mean(axis=0)])
    for masses, number in ((None, 10), (np.ones(60), 4)):
        ends.clear()
        options = {"n_init": 10, "masses": masses, "starts": [bad], "rng": rng}
        found = search_pck(X, 4, *NONE.listed(), **options)
        lowest = np.isclose(ends, found.objective, rtol=1e-12)
        assert lowest.tolist() == [False] + [True] * (number - 1)
