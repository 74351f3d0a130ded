"""JointSpectralFeatures: one space for all views, new rows in it, the forms that views come in."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from threadpoolctl import threadpool_limits

from mvcc import ConstrainedViews, Constraints, JointSpectralFeatures
from mvcc.exceptions import InvalidInputError
from tests.embedding.test_joint_graph import problem
from tests.reference import joint as slow

VIEWS, MATCHES = problem(5, (60, 50), (3, 7), 25)
FITTED = JointSpectralFeatures(6, n_view_components=3, random_state=0)
FEATURES = FITTED.fit_transform(VIEWS, mappings=MATCHES)


def test_features_are_those_of_the_reference():
    _, S = slow.joint_graph(VIEWS, MATCHES, 8, 3)
    objects = slow.objects_of([60, 50], MATCHES)
    expected = slow.embedding(S, 6)
    found = np.vstack(FEATURES)
    rows = np.vstack([expected[own] for own in objects])
    np.testing.assert_allclose(found @ found.T, rows @ rows.T, atol=1e-6)


def test_twice_the_view_components_are_the_default_and_a_third_of_the_objects_the_most():
    default = JointSpectralFeatures(n_view_components=3)
    made = default.fit_transform(VIEWS, mappings=MATCHES)
    assert [rows.shape for rows in made] == [(60, 6), (50, 6)]
    assert default.fit_transform([VIEWS[0][:12]])[0].shape == (12, 4)
    message = "n_components=13 needs as many objects, but view 0 has 12"
    with pytest.raises(InvalidInputError, match=message):
        JointSpectralFeatures(13).fit([VIEWS[0][:12]])


def test_fitted_rows_get_their_own_features_and_others_a_place_beside_them():
    found = FITTED.transform(VIEWS)
    for rows, features in zip(found, FEATURES, strict=True):
        assert np.array_equal(rows, features)
    near = FITTED.transform(VIEWS[1] + 1e-6, view=1)
    np.testing.assert_allclose(np.linalg.norm(near, axis=1), 1)
    assert ((near * FEATURES[1]).sum(axis=1) > 0.5).mean() > 0.9


def test_views_come_back_in_the_form_they_were_given_in():
    tables = {
        "a": pd.DataFrame(VIEWS[0], index=[f"r{i}" for i in range(60)], columns=list("xyz")),
        "b": VIEWS[1],
    }
    data = ConstrainedViews(
        tables, {"a": Constraints([(0, 1)], [True])}, {("a", "b"): MATCHES[0, 1]}
    )
    joint = clone(FITTED)
    found = joint.fit_transform(data)
    assert isinstance(found, ConstrainedViews)
    assert found.constraints == data.constraints
    assert list(found.views["a"].index) == list(tables["a"].index)
    np.testing.assert_array_equal(found.views["a"].to_numpy(), FEATURES[0])
    np.testing.assert_array_equal(found.views["b"], FEATURES[1])
    again = joint.transform(data)
    pd.testing.assert_frame_equal(again.views["a"], found.views["a"])
    np.testing.assert_array_equal(joint.transform({"b": VIEWS[1][:3]})["b"], FEATURES[1][:3])
    np.testing.assert_array_equal(
        joint.transform(tables["a"][["z", "x", "y"]], view="a"), FEATURES[0]
    )
    assert joint.view_names_ == ["a", "b"]


def test_what_is_returned_is_not_what_is_kept():
    joint = clone(FITTED)
    joint.fit_transform(VIEWS, mappings=MATCHES)[0][:] = 0
    assert np.array_equal(pickle.loads(pickle.dumps(joint)).transform(VIEWS)[0], FEATURES[0])


def test_output_and_names_are_as_scikit_learn_users_expect():
    names = [[f"jointspectralfeatures{number}" for number in range(X.shape[1])] for X in FEATURES]
    assert [list(one) for one in FITTED.get_feature_names_out()] == names
    assert FITTED._repr_html_()
    frames = clone(clone(FITTED).set_output(transform="pandas"))  # which a clone keeps
    for made, rows, one in zip(
        frames.fit_transform(VIEWS, mappings=MATCHES), FEATURES, names, strict=True
    ):
        assert list(made) == one
        assert np.array_equal(made, rows)
    ids = [f"row {number}" for number in range(5)]
    some = pd.DataFrame(VIEWS[0][:5], index=ids)
    assert list(pickle.loads(pickle.dumps(frames)).transform({0: some})[0].index) == ids
    assert isinstance(frames.set_output().transform(VIEWS)[0], pd.DataFrame)
    assert isinstance(frames.set_output(transform="default").transform(VIEWS)[0], np.ndarray)
    with pytest.raises(InvalidInputError, match="transform must be 'default', 'pandas' or"):
        frames.set_output(transform="numpy")


def test_what_does_not_fit_is_refused():
    data = ConstrainedViews(VIEWS, None, MATCHES)
    with pytest.raises(NotFittedError):
        clone(FITTED).transform(VIEWS)
    for arguments, message in [
        ((VIEWS, MATCHES), "mappings="),
        ((VIEWS[0],), "views must be a list"),
    ]:
        with pytest.raises(InvalidInputError, match=message):
            clone(FITTED).fit(*arguments)
    with pytest.raises(InvalidInputError, match="mappings of their own"):
        clone(FITTED).fit(data, mappings=MATCHES)


def test_metadata_of_fit_are_the_mappings_alone():
    with config_context(enable_metadata_routing=True):
        joint = clone(FITTED).set_fit_request(mappings=True)
        with pytest.raises(TypeError, match="views"):
            joint.set_fit_request(views=True)


def test_one_thread_and_two_give_the_same_bits():
    views, matches = problem(1, (400, 380), (3, 7), 120)
    found = []
    for number in (1, 2):
        with threadpool_limits(number):
            found.append(clone(FITTED).fit_transform(views, mappings=matches))
    assert all(map(np.array_equal, *found))
