"""PCKMeans and MPCKMeans are estimators of scikit-learn whose fit depends on the numbers alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from mvcc import Constraints, MPCKMeans, PCKMeans
from mvcc.exceptions import InvalidInputError

ESTIMATORS = {
    "pck": PCKMeans(3, random_state=0),
    "mpck": MPCKMeans(3, random_state=0),
    "mpck-shared": MPCKMeans(3, shared_metric=True, random_state=0),
    "mpck-full": MPCKMeans(3, metric="full", random_state=0),
    "mpck-shared-full": MPCKMeans(3, metric="full", shared_metric=True, random_state=0),
}
every = pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS)
both = pytest.mark.parametrize("Estimator", [PCKMeans, MPCKMeans])


@pytest.fixture
def X():
    return np.round(np.random.default_rng(0).normal(size=(60, 3)), 2)


@pytest.fixture
def constraints():
    return Constraints.from_labels(
        np.random.default_rng(1).integers(3, size=60), 20, random_state=0
    )


def fitted(estimator):
    """Give all that fit has learned, by name."""
    return {name: value for name, value in vars(estimator).items() if name.endswith("_")}


def assert_same_fit(one, other):
    assert fitted(one).keys() - {"feature_names_in_"} == fitted(other).keys()
    for name, value in fitted(other).items():
        assert_array_equal(fitted(one)[name], value, name)


# ---- scikit-learn


@parametrize_with_checks(
    [clone(ESTIMATORS[name]).set_params(random_state=None) for name in ("pck", "mpck-shared-full")]
)
def test_scikit_learns_estimator_checks(estimator, check, monkeypatch):
    """None is expected to fail."""
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # without it one of them is skipped
    check(estimator)


@every
def test_fit_returns_the_estimator_and_learns_what_is_documented(estimator, X, constraints):
    model = clone(estimator)
    assert model.fit(X, constraints=constraints) is model
    assert model.cluster_centers_.shape == (3, 3)
    assert isinstance(model.objective_, float)
    assert isinstance(model.n_iter_, int)
    assert isinstance(model.converged_, bool)
    assert hasattr(model, "metrics_") == isinstance(model, MPCKMeans)
    again = clone(estimator).fit_predict(X, np.arange(60), constraints=constraints)
    assert_array_equal(again, model.labels_)
    with pytest.raises(TypeError):
        model.fit(X, None, constraints)


# ---- the numbers alone matter


FORMS = {
    "fortran": np.asfortranarray,
    "list": lambda X: X.tolist(),
    "every-other-row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "every-other-column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "reversed-view": lambda X: X[::-1][::-1],
    "big-endian": lambda X: X.astype(">f8"),
    "object": lambda X: X.astype(object),
    "float32": lambda X: X.astype(np.float32),
    "int8": lambda X: X.astype(np.int8),
    "data-frame": lambda X: pd.DataFrame(X, columns=["a", "b", "c"]),
}


@pytest.mark.parametrize("name", ["pck", "mpck-full"])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_the_form_and_the_type_of_the_input_do_not_matter(name, X, constraints, form):
    X = np.rint(X * 4)
    expected = clone(ESTIMATORS[name]).fit(X, constraints=constraints)
    found = clone(ESTIMATORS[name]).fit(form(X), constraints=constraints)
    assert_same_fit(found, expected)
    assert_array_equal(found.predict(form(X)), expected.predict(X))


def test_truth_values_are_the_numbers_0_and_1(X, constraints):
    expected = clone(ESTIMATORS["pck"]).fit((X > 0) * 1.0, constraints=constraints)
    assert_same_fit(clone(ESTIMATORS["pck"]).fit(X > 0, constraints=constraints), expected)


@every
def test_refitting_leaves_no_trace_of_the_former_fit(estimator, X, constraints):
    reused = clone(estimator).fit(pd.DataFrame(X, columns=["a", "b", "c"]), constraints=constraints)
    reused.fit(X[:30, :2])
    assert not hasattr(reused, "feature_names_in_")
    assert_same_fit(reused, clone(estimator).fit(X[:30, :2]))


@every
def test_results_of_one_fit_are_not_touched_by_the_next(estimator, X, constraints):
    model = clone(estimator).fit(X, constraints=constraints)
    before = {name: np.copy(value) for name, value in fitted(model).items()}
    assert not np.shares_memory(model.cluster_centers_, X)
    kept = fitted(model)
    model.fit(X[::-1] * 2)
    model.predict(X)
    for name, value in before.items():
        assert_array_equal(kept[name], value, name)


@both
def test_predict_gives_a_row_between_two_centers_to_the_lower_cluster(Estimator):
    model = Estimator(3, init=[[4.0], [0.0], [2.0]]).fit([[0.0], [2.0], [4.0]])
    assert_array_equal(model.predict([[1.0], [3.0], [2.5]]), [1, 0, 2])


# ---- errors


@both
def test_opposite_infinities_do_not_cancel(Estimator, X):
    X[3, 0], X[4, 1] = np.inf, -np.inf
    # scikit-learn's check adds them up
    with np.errstate(invalid="ignore"), pytest.raises(InvalidInputError, match="infinity"):
        Estimator(3).fit(X)


@pytest.mark.compiled
@both
def test_large_numbers_are_fitted_up_to_where_their_squares_leave_the_range_of_floats(Estimator):
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    assert_array_equal(Estimator(2, init=1e147 * X[[0, 3]]).fit(1e147 * X).labels_, [0, 0, 1, 1])
    for scale in (1e150, 1e200, 1e307):
        for refuse in (Estimator(2).fit, Estimator(2, random_state=0).fit(X).predict):
            with pytest.raises(InvalidInputError, match=r"X: values of up to .* are too large"):
                refuse(scale * X)
    apart = [(0, 1), (1, 2), (0, 2)]  # of two clusters each violates one
    message = r"The objective is not finite: .* Scale them"
    with np.errstate(invalid="ignore"), pytest.raises(InvalidInputError, match=message):
        Estimator(2).fit(
            np.vstack((X, X)),
            constraints=Constraints([*apart, *np.add(apart, 4)], [False] * 6, [1e308] * 6),
        )


@both
def test_rows_whose_squared_distances_are_lost_are_refused_but_not_equal_ones(Estimator):
    X = np.array([[1.0, 0.0], [1.0, 1e-160], [1.0, 2e-160]])
    with pytest.raises(InvalidInputError, match="squared distances are lost; scale the data"):
        Estimator(2).fit(X)
    Estimator(2).fit(np.ones((3, 2)))


def test_a_missing_value_is_named_also_if_scikit_learn_takes_all_as_finite_or_pandas_has_it():
    X = np.array([[0.0, 1.0], [np.nan, 2.0]])
    with config_context(assume_finite=True), pytest.raises(InvalidInputError, match="is in row 1"):
        PCKMeans(2).fit(X)
    nullable = pd.DataFrame(X, columns=["a", "b"]).astype("Float64")
    with pytest.raises(InvalidInputError, match="The first one is in row 1, column 'a'"):
        PCKMeans(2).fit(nullable)


@both
def test_constraints_in_the_place_of_y_are_refused(Estimator, X, constraints):
    by_number = pd.DataFrame({"i": [0], "j": [1], "kind": ["must-link"]})
    for fit in (Estimator(3).fit, Estimator(3).fit_predict):
        for given in (constraints, by_number):
            with pytest.raises(InvalidInputError, match="y is ignored; give the constraints by"):
                fit(X, given)


IMPOSSIBLE = {
    ("n_clusters", "integer of at least 1"): [0, -3, 2.0, "3", True, None, [3]],
    ("max_iter", "integer of at least 1"): [0, 10.5, None],
    ("n_init", "integer of at least 1"): [0, -1, 2.5, True, "ten", None],
    ("tol", r"\[0, inf\)"): [-1e-9, np.nan, np.inf, "small", None],
    ("random_state", "non-negative integer"): [-1, "seed", 1.5],
    ("metric", "'diagonal' or 'full'"): ["cosine", "Diagonal", None, 2, ["full"]],
    ("shared_metric", "True or False"): ["no", None, 1],
}


@pytest.mark.parametrize(("name", "allowed"), IMPOSSIBLE)
def test_impossible_parameters_are_refused_by_fit_with_name_value_and_limits(X, name, allowed):
    for value in IMPOSSIBLE[name, allowed]:
        model = MPCKMeans(**{"n_clusters": 3, name: value})  # the constructor only stores them
        with pytest.raises(InvalidInputError, match=f"{name} must be .*{allowed}") as error:
            model.fit(X)
        assert repr(value) in str(error.value)


def test_numpy_integers_are_integers(X):
    for scalar in (np.int64, np.uint8):
        limits = {"max_iter": scalar(9), "tol": np.float32(0.5)}
        assert PCKMeans(scalar(3), random_state=0, **limits).fit(X).n_iter_ <= 9


@both
def test_a_refused_fit_keeps_the_former_one(Estimator, X):
    model = Estimator(3, random_state=0).fit(X)
    before = model.predict(X)
    for refused in ({"constraints": [(0, 1)]}, {"constraints": Constraints([(0, 99)], [True])}):
        for other in (X, X[:, :2], pd.DataFrame(X, columns=["a", "b", "c"])):
            with pytest.raises(InvalidInputError):
                model.fit(other, **refused)
            assert_array_equal(model.predict(X), before)
