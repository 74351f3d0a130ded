"""The E-step gives just the constraints of Eq. 9–11, whatever is pruned (Eq. 15–18)."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mvcc.cluster import MPCKMeans
from mvcc.constraints._constraints import Constraints
from mvcc.exceptions import InvalidInputError
from mvcc.propagation import _e_step as module
from mvcc.propagation._e_step import origins, propagate_constraints
from mvcc.propagation._kernels import endpoint_reach
from tests.reference import propagation as slow
from tests.strategies import as_dict, of_every_metric, random_constraints, random_metrics, seeds


def agree(found, expected, tolerance=1e-12):
    found = as_dict(found)
    assert found.keys() == expected.keys()
    for key, weight in expected.items():
        # weights are up to 50, and rounded in proportion
        assert found[key] == pytest.approx(weight, rel=tolerance, abs=tolerance), key


REGULARIZATION = 1e-3
THRESHOLDS = st.sampled_from([1e-6, 0.05, 0.3, 0.5, 0.75, 0.9, 0.95, 0.999, 1.0])


def scene(seed):
    """Draw rows, some of them equal, their labels, constraints and candidates."""
    rng = np.random.default_rng(seed)
    n, d, k, m, copies = rng.integers((4, 1, 1, 0, 0), (25, 5, 5, 13, 4))
    X = rng.normal(size=(n, d)) * rng.uniform(0.2, 3, size=d)
    X[rng.integers(n, size=copies)] = X[rng.integers(n, size=copies)]
    labels = rng.integers(k, size=n)
    constraints = random_constraints(rng, n, m, [0.02, 0.2, 0.5, 0.9, 1.0, 1.7, 5.0, 50.0])
    candidates = np.flatnonzero(rng.random(n) < rng.choice([0.3, 0.7, 1.0]))
    return X, labels, constraints, candidates, rng


def propagated(seed, threshold, kind):
    """Propagate in such a scene; return rows, labels, constraints, what was found, and options."""
    X, labels, constraints, candidates, rng = scene(seed)
    metrics = random_metrics(rng, labels.max() + 2, X.shape[1], kind)
    options = {"metrics": metrics, "regularization": REGULARIZATION}
    found = propagate_constraints(
        X, labels, constraints, threshold, candidates=candidates, **options
    )
    return (X, labels, constraints), found, options, candidates


@of_every_metric
@example(seed=318112, threshold=1e-6)  # a weight of 23 differs by 1.2e-11
@given(seed=seeds, threshold=THRESHOLDS)
def test_propagated_constraints_are_those_of_the_paper(seed, threshold, kind):
    (X, labels, constraints), found, options, candidates = propagated(seed, threshold, kind)
    expected = slow.propagate(X, labels, *constraints.listed(), threshold, candidates, **options)
    agree(found, expected, 1e-10 if kind else 1e-12)


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


@given(seeds, THRESHOLDS)
def test_endpoints_taken_one_by_one_or_all_at_once_give_the_same_bits(seed, threshold):
    X, labels, constraints, candidates, _ = scene(seed)
    alike = np.concatenate((X, X[:3], X[:3] + 1e-13))  # copies, and all but copies
    clusters = np.concatenate((labels, labels[:3], labels[:3]))
    rows = np.concatenate((candidates, np.arange(len(X), len(alike))))
    found = []
    for number in (1, 10**9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "_ENDPOINTS_AT_ONCE", number)
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

    monkeypatch.setattr(module, "endpoint_reach", watch)
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


# at the edges


@given(seeds, st.integers(1, 3))
def test_a_pair_whose_weight_is_just_the_threshold_is_kept(seed, d):
    rng = np.random.default_rng(seed)
    corners = np.concatenate((np.eye(d), -np.eye(d)))
    X = np.concatenate((corners, rng.normal(scale=0.3, size=(8, d)), corners * 9))
    labels = np.repeat([0, 1, 0], [len(corners), 8, len(corners)])
    constraints = Constraints([[0, len(X) - 1]], [rng.random() < 0.5])
    every = propagate_constraints(X, labels, constraints, 1e-3)
    assert len(every) > 3
    for weight in np.unique(every.weights):
        kept = propagate_constraints(X, labels, constraints, weight)
        assert kept == every.select(every.weights >= weight)


def test_candidates_may_come_in_any_order_and_more_than_once():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(30, 2)), rng.integers(2, size=30)
    constraints = Constraints.from_labels(labels, 8, 0)
    expected = propagate_constraints(X, labels, constraints, 0.2, candidates=np.arange(20))
    assert len(expected) > 8
    for dtype in (np.int16, np.uint64):
        rows = np.concatenate((np.arange(20)[::-1], [3, 3, 19])).astype(dtype)
        assert propagate_constraints(X, labels, constraints, 0.2, candidates=rows) == expected


def test_where_the_reach_has_underflowed_a_row_that_shares_some_features_is_not_taken_for_a_copy():
    X = np.array([[1.0, 2.0], [1.0, 2.5], [1.0, 2.0], [1.5, 2.0]])
    everyone, whiteners = np.arange(4), np.eye(2)[np.newaxis]
    ends = np.array([0]), np.zeros(4, int), whiteners, np.zeros(1), np.ones(1)
    start, reached, value = endpoint_reach(X, everyone, *ends, np.array([0, 4]), everyone)
    assert (start.tolist(), reached.tolist(), value.tolist()) == ([0, 2], [0, 2], [1.0, 1.0])


# where each comes from (Eq. 10)


def products(X, labels, constraints, i, j, must_link, metrics):
    """Compute what each constraint gives to rows i and j; −1 where it is of the other kind."""
    sigma, confidence = slow._model(X, labels, metrics, REGULARIZATION)

    def reach(row, end):
        return slow.endpoint_weight(X[row], X[end], sigma[labels[end]], float(confidence[end]))

    given = zip(constraints.pairs.tolist(), constraints.must_link, constraints.weights, strict=True)
    return np.array(
        [
            (
                w * max(reach(i, u) * reach(j, v), reach(j, u) * reach(i, v))
                if kind == must_link
                else -1.0
            )
            for (u, v), kind, w in given
        ]
    )


@of_every_metric
@given(seed=seeds, threshold=THRESHOLDS)
def test_the_origin_has_the_largest_product_of_all_constraints(seed, threshold, kind):
    (X, labels, constraints), found, options, _ = propagated(seed, threshold, kind)
    traced, ends = origins(X, labels, constraints, found, **options)
    assert traced.shape == (len(found),)
    assert [sorted(pair) for pair in ends.tolist()] == constraints.pairs[traced].tolist()
    for place, ((i, j), must_link, weight) in enumerate(
        zip(found.pairs.tolist(), found.must_link, found.weights, strict=True)
    ):
        every = products(X, labels, constraints, i, j, must_link, options["metrics"])
        assert every[traced[place]] == pytest.approx(weight, rel=1e-9)
        assert every[traced[place]] == pytest.approx(every.max(), rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_in_small_blocks_the_origins_are_the_same(seed, monkeypatch):
    scene, found, options, _ = propagated(seed, 1e-6, "diagonal")
    whole = origins(*scene, found, **options)
    monkeypatch.setattr(module, "_AT_ONCE", 7)
    in_blocks = origins(*scene, found, **options)
    assert all(map(np.array_equal, whole, in_blocks))


def test_of_equal_products_the_first_constraint_is_the_origin():
    X = np.array([[0.0], [0.0], [5.0], [5.0]])
    constraints = Constraints.from_pairs([], [(0, 2), (1, 3)])
    found = propagate_constraints(X, [0, 0, 1, 1], constraints, 0.5)
    assert len(found) == 4
    assert set(origins(X, np.array([0, 0, 1, 1]), constraints, found)[0]) == {0}


# what is refused

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
