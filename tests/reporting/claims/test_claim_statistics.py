"""The statistics agree with SciPy, and with arithmetic done by hand."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mvcc.reporting.claims._statistics import (
    bootstrap_means,
    holm,
    mean_estimate,
    pool,
    r_squared,
    signed_rank,
)

RNG_SEED = 5


def by_listing_all_signs(differences):
    """Test slowly: twice the smaller tail over all 2ⁿ ways to toss the signs."""
    away = np.array([d for d in differences if d != 0])
    ranks = stats.rankdata(np.abs(away))
    observed = ranks[away > 0].sum()
    sums = np.array([ranks @ signs for signs in product([0, 1], repeat=len(away))])
    return min(1.0, 2 * min(np.mean(sums <= observed), np.mean(sums >= observed)))


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9).filter(any))
def test_the_signed_rank_test_is_exact_with_ties_and_zeros(differences):
    p, _ = signed_rank(np.array(differences, dtype=float))
    assert p == pytest.approx(by_listing_all_signs(differences))


@pytest.mark.parametrize("n", [10, 50, 51, 100])
def test_the_signed_rank_test_is_scipys_without_ties(n):
    values = np.random.default_rng(RNG_SEED).normal(0.2, 1, n)
    assert signed_rank(values)[0] == pytest.approx(stats.wilcoxon(values).pvalue)


def test_differences_that_are_all_zero_but_for_rounding_decide_nothing():
    assert signed_rank(np.array([0.0, 1e-17, -1e-16])) == (1.0, 0)


def test_the_side_is_that_of_the_ranks_not_of_the_mean():
    values = np.array([100.0, *-np.arange(1.0, 12.0)])
    assert values.mean() > 0
    assert signed_rank(values)[1] == -1


def test_holm_by_hand():
    # smallest × 3, next × 2, never less than the one before
    np.testing.assert_allclose(holm([0.04, 0.01, 0.03]), [0.06, 0.03, 0.06])
    np.testing.assert_allclose(holm([0.6, 0.9]), [1.0, 1.0])


def test_the_mean_has_the_interval_of_the_t_test():
    values = np.random.default_rng(RNG_SEED).normal(0.3, 1, 20)
    expected = stats.ttest_1samp(values, 0.1)
    estimate = mean_estimate(values)
    assert (estimate.low, estimate.high) == pytest.approx(tuple(expected.confidence_interval()))
    assert estimate.p_value(0.1) == pytest.approx(expected.pvalue)


def test_values_without_spread_are_known_exactly():
    estimate = mean_estimate(np.full(12, 0.1))
    assert (estimate.low, estimate.mean, estimate.high) == (0.1, 0.1, 0.1)
    assert (estimate.p_value(0.1), estimate.p_value(0.2)) == (1.0, 0.0)


def test_copies_of_a_cell_make_no_interval_narrower():
    # the cells of a trial share its draws: ten equal cells say no more than one
    one = np.random.default_rng(RNG_SEED).normal(0.3, 1, (20, 1))
    ten = np.repeat(one, 10, axis=1)
    assert pool(ten, ["protein"] * 10).high == pytest.approx(pool(one, ["protein"]).high)


def test_the_trials_of_another_data_set_do_make_it_narrower():
    rng = np.random.default_rng(RNG_SEED)
    two = rng.normal(0.3, 1, (20, 2))
    apart, together = pool(two, ["protein", "rec_talk"]), pool(two, ["protein", "protein"])
    assert apart.mean == pytest.approx(together.mean)
    variances = two.var(axis=0, ddof=1) / 20
    assert apart.standard_error == pytest.approx(np.sqrt(variances.sum()) / 2)


def test_data_sets_weigh_as_many_cells_as_they_have_and_may_differ_in_their_number_of_trials():
    values = np.tile([1.0, 1.0, 4.0], (10, 1))
    assert pool(values, ["protein", "protein", "rec_talk"]).mean == pytest.approx(2.0)
    values = np.array([[1.0, 5.0], [3.0, np.nan], [2.0, 7.0]])
    assert pool(values, ["protein", "rec_talk"]).mean == pytest.approx((2 + 6) / 2)


def test_the_bootstrap_draws_whole_trials():
    values = np.random.default_rng(RNG_SEED).normal(size=(15, 1))
    means = bootstrap_means(np.hstack([values, values + 1]))
    np.testing.assert_allclose(means[:, 1] - means[:, 0], 1)
    assert means[:, 0].std() == pytest.approx(values.std() / np.sqrt(15), rel=0.1)
    assert (bootstrap_means(values, 1) != means[:, :1]).any()


def test_r_squared_is_that_of_a_regression():
    x = np.array([10.0, 25, 50, 100])
    curves = np.array([3 * x + 1, x**2, np.full(4, 7.0)])
    expected = [1.0, stats.linregress(x, x**2).rvalue ** 2, 0.0]
    np.testing.assert_allclose(r_squared(x, curves), expected)
