"""Probabilities of clusters: what they add up to, how true they are; they change nothing."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import confusion_matrix

from mvcc import Constraints, JointGraphClustering
from mvcc.exceptions import InvalidInputError
from mvcc.multiview.joint._connected_sets import chosen_sharpness
from mvcc.multiview.joint._new_rows import with_labels
from tests.multiview.test_joint_graph_clustering import blobs, fit, model_of_digits


def are_probabilities_of(shares, labels):
    shares = shares.toarray() if sp.issparse(shares) else shares
    assert shares.min() >= 0
    assert np.allclose(shares.sum(axis=1), 1, atol=1e-8)
    assert np.array_equal(shares.argmax(axis=1), labels)


@pytest.mark.parametrize("n_pairs", [0, 10, 40])
@pytest.mark.parametrize("features", ["auto", "none"])
def test_the_likeliest_cluster_is_that_of_the_label_for_fitted_and_new_rows(n_pairs, features):
    views, y, matches = blobs()
    judged = [Constraints.from_labels(y[0], n_pairs, 0), None] if n_pairs else None
    model = fit(views, matches, judged, features=features)
    rng = np.random.default_rng(0)
    for view, (X, labels) in enumerate(zip(views, model.labels_, strict=True)):
        assert model.probabilities_[view].shape == (len(X), 3)
        are_probabilities_of(model.probabilities_[view], labels)
        assert np.allclose(model.predict_proba(X, view), model.probabilities_[view])
        between = X[rng.permutation(len(X))] * 0.5 + X * 0.5
        are_probabilities_of(model.predict_proba(between, view), model.predict(between, view))


def test_of_many_clusters_the_largest_probabilities_are_kept():
    rng = np.random.default_rng(0)
    X = np.repeat(3 * rng.normal(size=(60, 5)), 8, axis=0) + rng.normal(size=(480, 5))
    matches = {(0, 1): np.column_stack((np.arange(200), np.arange(200)))}
    model = fit([X, X[::-1].copy()], {(0, 1): matches[0, 1] * [1, -1] + [0, 479]}, k=60)
    for view, (rows, labels) in enumerate(zip((X, X[::-1]), model.labels_, strict=True)):
        shares = model.probabilities_[view]
        assert sp.issparse(shares)
        assert shares.shape == (480, 60)
        assert np.diff(shares.indptr).tolist() == [10] * 480
        are_probabilities_of(shares, labels)
        new = model.predict_proba(rows + 0.3, view)
        assert sp.issparse(new)
        are_probabilities_of(new, model.predict(rows + 0.3, view))


@pytest.mark.parametrize("n_pairs", [0, 40, 160])
def test_of_rows_that_are_sure_by_so_much_as_many_are_right(n_pairs):
    # the pairs that choose the sharpness are few, so that a single draw may be far off
    draws = [sure_and_right(n, n_pairs) for n in range(3)]
    sure, right = map(np.concatenate, zip(*draws, strict=True))
    tenths = np.minimum((10 * sure).astype(int), 9)
    gaps = [abs(np.sum(sure[tenths == t] - right[tenths == t])) for t in range(10)]
    assert np.sum(gaps) / len(right) < 0.1
    assert right[sure > np.median(sure)].mean() > right[sure < np.median(sure)].mean() + 0.1


def sure_and_right(seed, n_pairs):
    model, y = model_of_digits(seed, n_pairs)
    labels, kinds = np.concatenate(model.labels_), np.concatenate(y)
    clusters, kinds_of_clusters = linear_sum_assignment(-confusion_matrix(labels, kinds))
    right = kinds_of_clusters[np.argsort(clusters)][labels] == kinds
    return np.concatenate(model.probabilities_).max(axis=1), right


def test_probabilities_change_neither_labels_nor_draws():
    views, y, matches = blobs()
    judged = [Constraints.from_labels(y[0], 40, 0), None]
    rng = np.random.default_rng(3)
    model = JointGraphClustering(3, random_state=rng).fit(
        views, constraints=judged, mappings=matches
    )
    draws, labels = rng.bit_generator.state, [found.copy() for found in model.labels_]
    before = model.labels_by(judged, random_state=1)
    assert len(model.probabilities_) == 2
    assert rng.bit_generator.state == draws
    assert all(map(np.array_equal, model.labels_, labels))
    assert all(map(np.array_equal, model.labels_by(judged, random_state=1), before))


def test_a_new_fit_has_new_probabilities():
    views, _, matches = blobs()
    model = fit(views, matches)
    assert model.probabilities_[0].shape == (60, 3)
    model.fit([X[:40] for X in views], mappings={key: rows[:10] for key, rows in matches.items()})
    assert model.probabilities_[0].shape == (40, 3)


def test_wrong_judgments_make_less_sure():
    model, _ = model_of_digits(0, 160)
    views = next(iter(model._sets))
    judged = model._counted_in_fit[0]
    nothing = Constraints(judged.pairs, np.random.default_rng(0).permutation(judged.must_link))
    right, wrong = (
        chosen_sharpness(views, views.on_objects([one, Constraints.empty()]))
        for one in (judged, nothing)
    )
    assert wrong < right / 2
    few = views.on_objects([judged.select(np.arange(19)), Constraints.empty()])
    assert chosen_sharpness(views, few) == views.sharpness


def test_views_that_no_match_connects_have_probabilities_of_their_own():
    views, y, _ = blobs()
    model = fit(views, None, [Constraints.from_labels(y[0], 40, 0), None])
    for shares, labels in zip(model.probabilities_, model.labels_, strict=True):
        are_probabilities_of(shares, labels)


def test_a_stored_model_has_the_probabilities_that_were_looked_at():
    views, _, matches = blobs()
    model = fit(views, matches)
    assert model._repr_html_()  # to show a model is not to look at its probabilities
    stored = pickle.loads(pickle.dumps(model))
    assert hasattr(JointGraphClustering(), "predict_proba")
    assert hasattr(model, "predict_proba")
    assert not hasattr(stored, "predict_proba")
    with pytest.raises(InvalidInputError, match="Look at probabilities_ before"):
        _ = stored.probabilities_
    with pytest.raises(AttributeError, match="no attribute 'predict_proba'") as raised:
        stored.predict_proba(views[0])
    assert "Look at probabilities_ before" in str(raised.value.__cause__)
    expected = model.predict_proba(views[0] + 0.5)
    again = pickle.loads(pickle.dumps(model))
    assert hasattr(again, "predict_proba")
    assert np.array_equal(again.predict_proba(views[0] + 0.5), expected)


def test_a_tie_goes_to_the_label_and_a_larger_share_changes_places_with_it():
    shares = with_labels(np.array([[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]), np.array([1, 1, 1]))
    assert shares.argmax(axis=1).tolist() == [1, 1, 1]
    assert np.allclose(shares, [[0.5, 0.5], [0.25, 0.75], [0.25, 0.75]])
