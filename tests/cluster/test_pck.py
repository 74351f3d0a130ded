"""PCK-Means descends on Eq. 1 with M = I and f = 1."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mvcc import PCKMeans
from tests.cluster.test_laws import same_fit
from tests.reference import pck
from tests.strategies import random_constraints

# a rise within rounding, as a share of the objective: each of its terms, and each cost of a sweep,
# is rounded
ROUNDING = 1e-12


@st.composite
def problems(draw, weights=(0.0, 0.25, 0.5, 1.0, 3.0, 20.0)):
    """Draw rows, k and a start, and constraints that may repeat or contradict each other."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(2, 20)), draw(st.integers(1, 4))
    k = draw(st.integers(1, min(n, 4)))
    # equal rows have exact means
    X = np.rint(rng.normal(size=(n, d)) * draw(st.sampled_from([512, 1024, 3072]))) / 1024
    copies = rng.integers(n, size=(2, draw(st.integers(0, 4))))
    X[copies[0]] = X[copies[1]]
    c = random_constraints(rng, n, draw(st.integers(0, 3 * n)), weights)
    start = X[rng.permutation(n)[:k]] + draw(st.sampled_from([0, 0.1, 50])) * rng.normal(
        size=(k, d)
    )
    return X, c, k, draw(st.sampled_from(["neighborhoods", start]))


def fit(X, constraints, k, init="neighborhoods", **options):
    return PCKMeans(k, init=init, **{"tol": 0, "random_state": 0} | options).fit(
        X, constraints=constraints
    )


@given(problems(), st.integers(0, 2**32 - 1))
def test_every_iteration_is_that_of_the_reference(problem, seed):
    X, c, k, _ = problem
    start = np.random.default_rng(seed).normal(size=(k, X.shape[1])) * 2
    centers, labels = start, np.full(len(X), -1)
    for iteration in range(1, 7):
        labels = pck.sweep(X, centers, labels, *c.listed())
        centers = pck.centers(X, labels, k)
        found = fit(X, c, k, start, max_iter=iteration)
        assert_array_equal(found.labels_, labels)
        assert_allclose(found.cluster_centers_, centers, rtol=1e-9, atol=1e-9)
        assert found.objective_ == pytest.approx(
            pck.objective(X, labels, centers, *c.listed()), rel=1e-9, abs=1e-12
        )
        if found.converged_:
            break
        assert found.n_iter_ == iteration


@given(problems())
def test_the_objective_never_rises(problem):
    """A fit that is one iteration longer ends no higher, and the last one is the whole fit."""
    X, c, k, init = problem
    whole = fit(X, c, k, init)
    steps = [fit(X, c, k, init, max_iter=t) for t in range(1, whole.n_iter_ + 1)]
    objectives = np.array([step.objective_ for step in steps])
    assert (np.diff(objectives) <= ROUNDING * objectives[:-1]).all()
    assert same_fit(steps[-1], whole)


@given(st.integers(0, 2**32 - 1), st.integers(2, 12), st.integers(1, 2))
def test_without_constraints_no_cluster_is_left_empty_while_rows_differ(seed, n, d):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, d)) * 1.0
    k = int(rng.integers(1, len(np.unique(X, axis=0)) + 1))
    start = np.full((k, d), 1e3) + rng.normal(size=(k, d))
    assert len(np.unique(fit(X, None, k, start).labels_)) == k
