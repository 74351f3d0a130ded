"""The automatic scaling: which rule a table gets, what outliers do, and new rows."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils.estimator_checks import parametrize_with_checks

from mvcc import AutoFeatures, AutoScaler, PairMetric, SpectralFeatures
from mvcc.exceptions import InvalidInputError

TRANSFORMERS = [
    *(AutoFeatures(rule) for rule in ("auto", "counts", "histograms")),
    *(AutoScaler(), SpectralFeatures(), SpectralFeatures(1, sigma=0.5)),
    *(PairMetric(), PairMetric(unit_rows=True)),
]


@parametrize_with_checks(TRANSFORMERS)
def test_scikit_learn_takes_all_of_our_transformers_for_ones(estimator, check, monkeypatch):
    """None is expected to fail."""
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # without it one of them is skipped
    check(estimator)


@pytest.mark.parametrize("make", [AutoScaler, AutoFeatures, SpectralFeatures, PairMetric])
def test_a_refused_fit_leaves_the_former_one_as_it_is(make, rng):
    X = pd.DataFrame(rng.random((30, 3)), columns=list("abc"))
    model = make().fit(X)
    before = model.transform(X)
    for bad in (X * np.nan, pd.DataFrame({"d": [1, np.inf]})):
        with pytest.raises(InvalidInputError, match="X: "):
            model.fit(bad)
        with pytest.raises(InvalidInputError, match="X: "):
            model.transform(bad)
        assert_array_equal(model.transform(X), before)


def test_rows_of_length_one_stay(rng):
    X = rng.random((50, 6))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    X[3] = 0  # an empty document
    scaler = AutoScaler()
    assert_array_equal(scaler.fit_transform(X), X)
    assert scaler.rule_ == "unit length"


def test_columns_of_one_unit_stay_and_others_become_zero_to_one(rng):
    X = rng.random((200, 3)) * [1, 2, 9]
    scaler = AutoScaler()
    assert_array_equal(scaler.fit_transform(X), X)
    assert scaler.rule_ == "one unit"
    wider = X * [1, 1, 10]
    scaled = scaler.fit_transform(wider)
    assert scaler.rule_ == "each to [0, 1]"
    assert_allclose(scaled, (wider - wider.min(axis=0)) / np.ptp(wider, axis=0), atol=1e-12)


@pytest.mark.parametrize(("code", "nearest"), [(-99, 1), (99, 5)])
def test_a_number_that_stands_for_none_in_many_rows_is_cut(rng, code, nearest):
    answers = rng.integers(1, 6, (200, 2)).astype(float)
    coded = answers.copy()
    coded[::10, 0] = code
    answers[::10, 0] = nearest
    scaler = AutoScaler()
    assert_array_equal(scaler.fit_transform(coded), answers)
    assert scaler.rule_ == "one unit"


@pytest.mark.parametrize(
    "column",
    [
        [*[0] * 60, *range(100, 140)],  # most rows
        [*[9] * 20, *[1, 2] * 40],  # beside two values
        [*[9] * 20, *[1, 2, 3, 4, 5] * 16],  # no farther than all others are apart
        [*range(50, 60), *[1, 2, 3, 4, 5] * 18],  # several
    ],
)
def test_other_values_far_away_are_believed(column):
    X = np.array(column, dtype=float)[:, None]
    assert_array_equal(AutoScaler().fit_transform(X), X)


def test_a_column_of_two_values_is_no_wider_than_the_others(rng):
    often, rarely = np.arange(200) % 2 == 0, np.arange(200) % 50 == 0
    X = np.column_stack([rng.normal(size=(200, 3)) * [1, 50, 1000], 5 - 3 * often, rarely])
    scaler = AutoScaler()
    scaled = scaler.fit_transform(X)
    assert scaler.rule_ == "each to [0, 1]"
    assert_array_equal(scaled[:, :3], AutoScaler().fit_transform(X[:, :3]))
    assert_allclose(scaled[:, 3].std(), np.median(scaled[:, :3].std(axis=0)))
    assert_array_equal(scaled[:, 4], rarely)
    assert_array_equal(scaler.transform(X[:1]), scaled[:1])


def test_columns_of_mostly_one_value_do_not_narrow_those_of_two(rng):
    rare = rng.exponential(size=(200, 4)) * (np.arange(200) < 6)[:, None]
    numbers = np.column_stack([rng.normal(size=(200, 2)) * [1, 50], np.arange(200) % 2])
    scaled = AutoScaler().fit_transform(np.hstack([rare, numbers]))
    assert_array_equal(scaled[:, 4:], AutoScaler().fit_transform(numbers))


@pytest.mark.filterwarnings("error")
def test_a_data_frame_with_yes_and_no_is_fitted_without_a_warning(rng):
    frame = pd.DataFrame({"age": rng.normal(40, 9, 50), "member": np.arange(50) % 2})
    assert AutoScaler().set_output(transform="pandas").fit(frame).rule_ == "each to [0, 1]"


def test_columns_of_two_values_alone_stay_as_wide_as_each_other():
    X = np.column_stack([np.arange(20) % 2, 50 * (np.arange(20) % 3 == 0)])
    assert_array_equal(AutoScaler().fit_transform(X).max(axis=0), [1, 1])


def test_a_typing_error_moves_no_other_row(rng):
    X = rng.random((200, 3)) * [1, 50, 1000]
    wrong = X.copy()
    wrong[7, 1] *= 1e6
    others = np.arange(200) != 7
    clean, scaled = AutoScaler().fit_transform(X), AutoScaler().fit_transform(wrong)
    assert_allclose(scaled[others][:, [0, 2]], clean[others][:, [0, 2]])
    spread = np.ptp(scaled[others][:, 1])
    assert spread > 0.45  # the fence is one spread away, so the others keep about half of the range
    assert scaled[7, 1] == 1


def test_a_column_without_spread_between_its_quantiles_keeps_its_range():
    X = np.zeros((100, 2))
    X[0, 0], X[:, 1] = 5.0, np.arange(100)
    scaled = AutoScaler().fit_transform(X)
    assert scaled[0, 0] == 1
    assert scaled[1:, 0].max() == 0


def test_new_rows_are_cut_and_scaled_as_those_of_the_fit(rng):
    X = rng.random((100, 2)) * [1, 100]
    scaler = AutoScaler().fit(X)
    assert_allclose(scaler.transform([[2, 50], [-3, 1e9]])[:, 0], [1, 0])
    assert scaler.transform([[0.5, 1e9]])[0, 1] == 1


@pytest.mark.parametrize("scale", [1e300, 1e308, 1e-300])
def test_the_range_of_floats_is_no_limit(scale, rng):
    X = np.column_stack((rng.random(30), (rng.random(30) - 0.5) * scale))
    with np.errstate(all="raise", under="ignore"):
        scaled = AutoScaler().fit_transform(X)
    assert np.isfinite(scaled).all()
    assert np.ptp(scaled, axis=0).max() <= 1


def test_constant_columns_and_single_rows():
    assert_array_equal(AutoScaler().fit_transform([[3.0, 4.0]]), [[3.0, 4.0]])
    X = np.column_stack((np.full(20, 7.0), np.arange(20) * 1000.0, np.arange(20) / 10))
    assert_array_equal(AutoScaler().fit_transform(X)[:, 0], np.zeros(20))
