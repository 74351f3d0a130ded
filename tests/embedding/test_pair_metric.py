"""The metric of constraints against its reference, and in scikit-learn's manner."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from mvcc import Constraints, PairMetric
from mvcc.embedding import _pair_metric as module
from mvcc.exceptions import InvalidInputError
from tests.reference import joint as slow
from tests.strategies import seeds


def test_what_happens_to_rows_is_true_or_false():
    assert PairMetric(unit_rows=np.True_).fit(np.eye(3)).ridge_ is None
    with pytest.raises(InvalidInputError, match="unit_rows must be True or False, got 'maybe'"):
        PairMetric(unit_rows="maybe").fit(np.eye(3))


def judged(seed, n=40, d=4, n_pairs=12):
    """Rows whose first column tells three kinds, and weighted pairs."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    X = rng.normal(size=(n, d))
    X[:, 0] += 4 * y
    c = Constraints.from_labels(y, n_pairs, seed)
    return X, y, Constraints(c.pairs, c.must_link, rng.uniform(0.2, 3, n_pairs))


@given(seeds, st.integers(4, 16), st.sampled_from([2, 4]))
def test_the_metric_is_that_of_one_fit_for_every_pair_left_out(seed, n_pairs, d):
    X, _, c = judged(seed, d=d, n_pairs=n_pairs)
    E = slow.unit_rows(X)
    fitted = PairMetric(unit_rows=True).fit(X, constraints=c)
    expected, ridge = slow.metric(E, c.pairs, c.must_link, c.weights)
    assert fitted.ridge_ == ridge
    np.testing.assert_allclose(fitted.metric_, expected, atol=1e-9)
    mapped = fitted.transform(X)
    inner = E @ expected @ E.T
    far = np.diag(inner) > 1e-6
    inner, mapped = inner[np.ix_(far, far)], mapped[far]
    lengths = np.sqrt(np.diag(inner))
    np.testing.assert_allclose(mapped @ mapped.T, inner / np.outer(lengths, lengths), atol=1e-6)


@given(seeds, st.booleans(), st.sampled_from([2, 4]))
def test_by_one_kind_of_pairs_some_others_stay_as_they_are(seed, together, d):
    X, _, c = judged(seed, d=d, n_pairs=60)
    one_kind = c.select(np.flatnonzero(c.must_link == together)[:12])
    fitted = PairMetric(unit_rows=True).fit(X, constraints=one_kind)
    given_pairs = one_kind.pairs, one_kind.must_link, one_kind.weights
    expected, ridge = slow.metric(slow.unit_rows(X), *given_pairs)
    assert fitted.ridge_ == ridge
    np.testing.assert_allclose(fitted.metric_, expected, atol=1e-9)


@given(seeds, st.integers(4, 60), st.sampled_from([2, 3, 7]))
def test_both_ways_to_solve_give_the_same(seed, n_pairs, d):
    X, _, c = judged(seed, d=d, n_pairs=n_pairs)
    first, second = X[c.pairs[:, 0]] * np.sqrt(c.weights)[:, None] / 5, X[c.pairs[:, 1]] / 5
    missing = np.sqrt(c.weights) * c.must_link - (first * second).sum(axis=1)
    solvers = (module._by_pairs, module._by_products)
    one, other = (solve(first, second, missing) for solve in solvers)
    np.testing.assert_allclose(one[0], other[0], rtol=1e-6)
    for ridge in range(len(module.RIDGES)):
        np.testing.assert_allclose(one[1](ridge), other[1](ridge), atol=1e-8)


def test_products_are_made_in_blocks(monkeypatch):
    X, _, c = judged(0, n_pairs=40)
    expected = PairMetric().fit(X, constraints=c).metric_
    monkeypatch.setattr("mvcc._utils.arrays.BLOCK_ENTRIES", 70)
    np.testing.assert_allclose(PairMetric().fit(X, constraints=c).metric_, expected, atol=1e-12)


def test_more_pairs_than_can_be_solved_for_are_thinned(monkeypatch):
    X, _, c = judged(0, n=200, d=6, n_pairs=300)
    monkeypatch.setattr(module, "MOST_UNKNOWNS", 20)
    fitted = PairMetric().fit(X, constraints=c)
    some = np.linspace(0, 299, 20).astype(int)
    few = PairMetric().fit(X, constraints=c.select(some))
    assert np.array_equal(fitted.metric_, few.metric_)


@pytest.mark.parametrize("unit_rows", [False, True])
@pytest.mark.parametrize(
    "constraints", [None, Constraints([], []), Constraints([(0, 1), (1, 2), (0, 2)], [1, 0, 0])]
)
def test_nothing_is_learned_from_less_than_four_pairs(unit_rows, constraints):
    X, _, _ = judged(0)
    fitted = PairMetric(unit_rows=unit_rows).fit(X, constraints=constraints)
    assert fitted.ridge_ is None
    assert np.array_equal(fitted.metric_, np.eye(4))
    moved = X - X.mean(axis=0)
    expected = slow.unit_rows(X) if unit_rows else moved / np.sqrt((moved**2).sum(axis=1).mean())
    np.testing.assert_allclose(fitted.transform(X), expected, atol=1e-12)


@pytest.mark.parametrize(("n", "value"), [(6, 0.1), (10_000, 0.3), (100, 1e90), (6, 0.0)])
def test_nothing_is_learned_where_all_rows_are_equal(n, value):
    c = Constraints.from_pairs([(0, 1), (1, 2)], [(3, 4), (2, 5)])
    X = np.full((n, 3), value)
    fitted = PairMetric().fit(X, constraints=c)
    assert fitted.ridge_ is None
    assert not fitted.transform(X).any()


def test_nothing_is_learned_where_the_rows_say_it_already():
    y = np.arange(12) % 3
    c = Constraints.from_labels(y, 20, 0)
    assert PairMetric(unit_rows=True).fit(np.eye(3)[y], constraints=c).ridge_ is None


def test_a_pair_of_weight_zero_counts_for_nothing():
    X, _, c = judged(0)
    pairs = np.concatenate((c.pairs, [(0, 1), (2, 5)]))
    more = Constraints(pairs, [*c.must_link, True, False], [*c.weights, 0.0, 0.0])
    one, other = (PairMetric().fit(X, constraints=given) for given in (c, more))
    np.testing.assert_allclose(one.metric_, other.metric_, atol=1e-12)


def test_place_and_unit_of_raw_columns_do_not_matter():
    X, _, c = judged(0)
    one, other = (PairMetric().fit(Z, constraints=c) for Z in (X, 100 * X + 7))
    np.testing.assert_allclose(one.metric_, other.metric_, atol=1e-8)
    np.testing.assert_allclose(one.transform(X), other.transform(100 * X + 7), atol=1e-8)


def test_one_thread_and_two_give_the_same_bits():
    X, _, c = judged(0, n=300, d=20, n_pairs=150)
    found = []
    for number in (1, 2):
        with threadpool_limits(number):
            found.append(PairMetric().fit(X, constraints=c).transform(X).tobytes())
    assert found[0] == found[1]


def test_columns_that_would_fill_the_memory_are_refused():
    with pytest.raises(InvalidInputError, match="use fewer features"):
        PairMetric().fit(np.zeros((2, 20_000)))
