"""The reference of the E-step by an example worked by hand; its fast version by the literal one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mvcc import Constraints, propagate_constraints
from tests.reference.propagation import propagate, propagate_vectorised
from tests.strategies import as_dict, of_every_metric, random_metrics

CL = False


def test_propagation_by_hand():
    # one cluster, mean 0, variance 2/3 · 1.5² = 1.5; constraint (1, 2) from 0 to 1.5
    X, labels = np.array([[-1.5], [0.0], [1.5]]), np.zeros(3, dtype=int)
    variance = 1.5
    g_edge = math.exp(-0.5 * 1.5**2 / variance)
    to_center = math.exp(-0.5 * 1.5**2 / (variance * g_edge))  # from 1.5 to 0
    from_center = math.exp(-0.5 * 1.5**2 / variance)  # from 0 to ±1.5, G = 1 there
    to_other_side = math.exp(-0.5 * 3.0**2 / (variance * g_edge))
    expected = {
        (1, 2, CL): 0.8,
        (0, 2, CL): 0.8 * from_center,  # 0 for 1, 2 for 2
        (0, 1, CL): 0.8 * max(from_center * to_center, to_other_side),
    }
    given = [(1, 2)], [CL], [0.8]
    assert propagate(X, labels, *given, 1e-9, regularization=0.0) == pytest.approx(expected)
    found = propagate_constraints(X, labels, Constraints(*given), 1e-9, regularization=0.0)
    assert as_dict(found) == pytest.approx(expected)


@of_every_metric
def test_vectorised_propagation_equals_the_literal_one(kind):
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(14, 2)), rng.integers(3, size=14)
    X[5], X[6] = X[4], X[4]
    metrics = random_metrics(rng, 3, 2, kind)
    pairs = np.array([rng.choice(14, 2, replace=False) for _ in range(8)])
    constraints = pairs, rng.random(8) < 0.5, rng.uniform(0.1, 2.0, 8)
    for candidates in (None, [9, 2, 4, 5, 13, 2], []):
        for threshold in (0.05, 0.5, 1.0):
            arguments = (X, labels, *constraints, threshold, candidates, metrics)
            literal, vectorised = propagate(*arguments), propagate_vectorised(*arguments)
            assert vectorised == pytest.approx(literal, rel=1e-10)
            assert all(i < j for i, j, _ in literal)
            assert literal or candidates == [] or threshold == 1.0
