"""The E-step gives just the constraints of Eq. 9–11, whatever is pruned on the way (Eq. 15–18)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvcc.cluster import MPCKMeans
from mvcc.constraints._constraints import Constraints
from mvcc.exceptions import InvalidInputError
from mvcc.propagation import _e_step as propagation
from mvcc.propagation._e_step import propagate_constraints
from mvcc.propagation._kernels.e_step import endpoint_reach
from tests.reference import propagation as slow
from tests.strategies import as_dict, random_constraints


def agree(found, expected, tolerance=1e-12):
    found = as_dict(found)
    assert found.keys() == expected.keys()
    for key, weight in expected.items():
        assert found[key] == pytest.approx(weight, abs=tolerance), key


@st.composite
def scenes(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d, k = draw(st.integers(4, 24)), draw(st.integers(1, 4)), draw(st.integers(1, 4))
    X = rng.normal(size=(n, d)) * rng.uniform(0.2, 3, size=d)
    copies = draw(st.integers(0, 3))
    X[rng.integers(n, size=copies)] = X[rng.integers(n, size=copies)]
    labels = rng.integers(k, size=n)
    m = draw(st.integers(0, 12))
    constraints = random_constraints(rng, n, m, [0.2, 0.5, 0.9, 1.0, 1.7, 5.0])
    threshold = draw(st.sampled_from([0.05, 0.3, 0.5, 0.75, 0.95, 0.999, 1.0]))
    candidates = np.flatnonzero(rng.random(n) < draw(st.sampled_from([0.3, 0.7, 1.0])))
    return X, labels, constraints, threshold, candidates


def reference(X, labels, c, threshold, candidates=None, **options):
    return slow.propagate(
        X, labels, c.pairs, c.must_link, c.weights, threshold, candidates, **options
    )


@given(scenes())
def test_propagated_constraints_are_those_of_the_paper(scene):
    X, labels, constraints, threshold, candidates = scene
    found = propagate_constraints(
        X, labels, constraints, threshold, candidates=candidates, regularization=1e-3
    )
    agree(found, reference(X, labels, constraints, threshold, candidates, regularization=1e-3))


@given(scenes(), st.booleans())
def test_learned_metrics_give_rescaled_covariances(scene, full):
    X, labels, constraints, threshold, candidates = scene
    rng = np.random.default_rng(len(X))
    k, d = labels.max() + 2, X.shape[1]
    metrics = rng.uniform(0.2, 5, size=(k, d))
    if full:
        mixing = rng.normal(size=(k, d, d))
        metrics = mixing @ mixing.transpose(0, 2, 1) + 0.3 * np.eye(d)
    options = {"candidates": candidates, "metrics": metrics, "regularization": 1e-2}
    found = propagate_constraints(X, labels, constraints, threshold, **options)
    agree(found, reference(X, labels, constraints, threshold, **options), 1e-10)


def test_a_real_view_agrees_with_the_slow_reference():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=200)
    X = rng.normal(size=(200, 4)) + 3 * y[:, None]
    constraints = Constraints.from_labels(y, 60, 0).closure()
    model = MPCKMeans(3, random_state=0).fit(X, constraints=constraints)
    for metrics in (None, model.metrics_):
        found = propagate_constraints(X, model.labels_, constraints, 0.5, metrics=metrics)
        listed = constraints.listed()
        expected = slow.propagate_vectorised(X, model.labels_, *listed, 0.5, metrics=metrics)
        assert len(found) > 2 * len(constraints)
        agree(found, expected)


@given(scenes())
def test_endpoints_taken_one_by_one_or_all_at_once_give_the_same_bits(scene):
    X, labels, constraints, threshold, candidates = scene
    alike = np.concatenate((X, X[:3], X[:3] + 1e-13))  # copies, and all but copies
    clusters = np.concatenate((labels, labels[:3], labels[:3]))
    rows = np.concatenate((candidates, np.arange(len(X), len(alike))))
    found = []
    for number in (1, 10**9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(propagation, "_ENDPOINTS_AT_ONCE", number)
            found.append(
                propagate_constraints(alike, clusters, constraints, threshold, candidates=rows)
            )
    assert found[0] == found[1]


def test_only_candidates_near_an_endpoint_are_looked_at(monkeypatch):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 10_000)
    X = rng.normal(size=(20_000, 3)) + 6 * y[:, None]
    constraints = Constraints.from_labels(y, 40, 0)
    looked_at = []

    def watch(*arguments):
        looked_at.append(len(arguments[-1]))
        return endpoint_reach(*arguments)

    monkeypatch.setattr(propagation, "endpoint_reach", watch)
    found = propagate_constraints(X, y, constraints, 0.9)
    assert len(found) > len(constraints)
    assert sum(looked_at) < 0.1 * len(np.unique(constraints.pairs)) * len(X)


def test_underflow_gives_weight_one_at_the_point_and_its_copies_and_zero_elsewhere():
    rng = np.random.default_rng(0)
    cloud = rng.normal(scale=1e-3, size=(5000, 1))
    X = np.concatenate((cloud, [[4.0], [4.0], [4.0 + 1e-9], [0.0]]))
    labels = np.zeros(len(X), dtype=int)
    constraints = Constraints.from_pairs(cannot_link=[(5000, 5003)])
    found = as_dict(
        propagate_constraints(X, labels, constraints, 1e-6, candidates=[5000, 5001, 5002, 5003])
    )
    assert found == {(5000, 5003, False): 1.0, (5001, 5003, False): 1.0}


NO_ROWS = [[7], [0.5], [[0]], [[0], [1, 2]], [True, False], [0.0], [-1], [5], "ab"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"threshold": 0.0}, r"threshold must be a number in \(0, 1\], got 0.0"),
        ({"threshold": 2}, "threshold must be .*, got 2"),
        ({"threshold": float("nan")}, "threshold must be .*, got nan"),
        ({"threshold": "high"}, "threshold must be .*, got 'high'"),
        ({"regularization": -1}, r"regularization must be a number in \[0, 1e\+300\], got -1"),
        ({"candidates": [7]}, "candidates must be row numbers of X, integers in 0 … 4"),
        *(({"candidates": rows}, "candidates") for rows in NO_ROWS),
        ({"labels": [0, 0, 0]}, "labels must be 5 integers"),
        ({"labels": [0, 0, 0, 0, -1]}, "labels must be 5 integers"),
        ({"metrics": np.ones((1, 2))}, r"k > 1, the largest label; their shape is \(1, 2\)"),
        ({"metrics": np.ones((2, 3))}, "metrics must be finite"),
        ({"X": [[0.0, np.nan]] * 5}, "NaN"),
        ({"constraints": Constraints.from_pairs([(0, 9)])}, "names row 9, but X has only 5 rows"),
    ],
)
def test_bad_arguments_are_explained(arguments, message):
    good = {
        "X": np.arange(10.0).reshape(5, 2),
        "labels": [0, 0, 1, 1, 1],
        "constraints": Constraints.from_pairs([(0, 1)]),
        "threshold": 0.5,
    }
    with pytest.raises(InvalidInputError, match=message):
        propagate_constraints(**(good | arguments))
