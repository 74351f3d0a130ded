"""Joint clustering by anchors has all that the exact graph has."""

import pickle
from functools import cache

import numba
import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from mvcc import (
    Constraints,
    JointGraphClustering,
    JointSpectralFeatures,
    Questions,
    suspicious_matches,
)
from mvcc.exceptions import InvalidInputError
from mvcc.multiview import NearestAnchors
from tests.multiview.test_joint_graph_clustering import score

K = 4


def problem(n=600, *, n_views=2, noise=1.0, matched=0.3, seed=0):
    """Return views of rows in four groups, the groups, and matches of a share of the rows."""
    rng = np.random.default_rng(seed)
    n_matched = int(matched * n)
    y = rng.integers(K, size=n + (n_views - 1) * (n - n_matched))
    own = [np.arange(n)]
    for view in range(1, n_views):
        first = n + (view - 1) * (n - n_matched)
        own.append(np.concatenate((np.arange(n_matched), np.arange(first, first + n - n_matched))))
    views = [4 * rng.normal(size=(K, 5))[y[rows]] + noise * rng.normal(size=(n, 5)) for rows in own]
    rows = np.column_stack((np.arange(n_matched), np.arange(n_matched)))
    matches = {(u, v): rows for u in range(n_views) for v in range(u + 1, n_views)}
    return views, [y[rows] for rows in own], matches


def fit(views, matches, *, k=K, constraints=None, **settings):
    model = JointGraphClustering(k, graph="anchors", random_state=0, **settings)
    return model.fit(views, mappings=matches, constraints=constraints)


def judged(y, n_pairs=60):
    if not n_pairs:
        return None
    return [Constraints.from_labels(y[0], n_pairs, 0), *(None for _ in y[1:])]


@cache
def fitted(n_pairs, noise=1.0):
    """Return a model of two views, which tests only look at, and the problem."""
    views, y, matches = problem(noise=noise)
    return fit(views, matches, constraints=judged(y, n_pairs)), views, y


@pytest.mark.parametrize("n_pairs", [0, 60])
@pytest.mark.parametrize("n_views", [1, 2, 3])
def test_groups_are_found_in_all_views_alike(n_views, n_pairs):
    views, y, matches = problem(n_views=n_views)
    model = fit(views, matches, constraints=judged(y, n_pairs))
    assert score(y, model.labels_) > 0.95
    assert model.n_anchors_ == [150] * n_views
    assert model.n_objects_ == len(np.concatenate(y)) - (n_views - 1) * 180
    assert model.eigen_residual_ < 1e-3
    if n_views > 1:
        assert (model.view_agreement_ > 0.8).all()


def test_the_kind_of_graph_is_that_of_the_number_of_objects(monkeypatch):
    views, _, matches = problem(200)
    model = JointGraphClustering(K, random_state=0).fit(views, mappings=matches)
    assert model.n_anchors_ == [0, 0]
    monkeypatch.setattr("mvcc.embedding._any_graph.ANCHORS_FROM", 340)  # objects
    by_anchors = JointGraphClustering(K, random_state=0).fit(views, mappings=matches)
    assert by_anchors.n_anchors_ == [50, 50]
    exact = JointGraphClustering(K, random_state=0, graph="exact").fit(views, mappings=matches)
    np.testing.assert_array_equal(np.concatenate(exact.labels_), np.concatenate(model.labels_))
    message = "graph must be 'auto', 'exact' or 'anchors', got 'anchor'"
    with pytest.raises(InvalidInputError, match=message):
        JointGraphClustering(K, graph="anchor").fit(views)


def test_more_components_than_anchors_are_refused(monkeypatch):
    monkeypatch.setattr("mvcc.embedding._any_graph.ANCHORS_FROM", 340)
    (X, _), _, _ = problem()
    assert fit([X], {}, n_components=150).embedding_[0].shape == (600, 150)
    assert JointSpectralFeatures(150).fit_transform([X])[0].shape == (600, 150)
    message = "n_components=151 needs as many anchors, but the 600 objects are tied to 150; ask for"
    with pytest.raises(InvalidInputError, match=f"{message} fewer."):
        JointSpectralFeatures(151).fit_transform([X])
    with pytest.raises(InvalidInputError, match=f'{message} fewer, or take graph="exact"'):
        fit([X], {}, n_components=151)
    same = np.ones((600, 2))  # has one anchor, whatever the default number is
    assert JointSpectralFeatures().fit_transform([same])[0].shape == (600, 1)


@pytest.mark.parametrize("n_pairs", [0, 60])
def test_the_same_bits_each_time_and_on_any_number_of_threads(n_pairs, monkeypatch):
    monkeypatch.setattr("mvcc._utils.kernels._WORTH_SHARING", 100)
    monkeypatch.setattr("mvcc.embedding._anchors.BLOCK_ROWS", 64)
    views, y, matches = problem()
    found, threads = [], numba.get_num_threads()
    for number in (1, min(2, threads)):
        numba.set_num_threads(number)
        try:
            with threadpool_limits(number):
                model = fit(views, matches, constraints=judged(y, n_pairs))
                new = model.predict(views[1], view=1)
                found.append((*model.labels_, *model.embedding_, model.objective_, new))
        finally:
            numba.set_num_threads(threads)
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_judged_pairs_join_what_belongs_together():
    rng = np.random.default_rng(0)
    y = rng.integers(4, size=800)
    X = 6 * np.array([[0, 0], [0, 1], [1, 0], [1, 1]])[y] + rng.normal(size=(800, 2))
    sides = y // 2
    free = fit([X], {}, k=2).labels_[0]
    judged_pairs = [Constraints.from_labels(sides, 40, 0)]
    model = fit([X], {}, k=2, constraints=judged_pairs)
    assert adjusted_rand_score(sides, model.labels_[0]) > max(0.9, adjusted_rand_score(sides, free))
    assert len(model.violated_[0]) <= 2
    again = model.labels_by(judged_pairs, random_state=1)[0]
    assert adjusted_rand_score(again, model.labels_[0]) > 0.95
    without = model.labels_by(None, random_state=0)[0]
    assert adjusted_rand_score(without, model.labels_[0]) < 1


@pytest.mark.parametrize("n_pairs", [0, 60])
def test_new_rows_get_the_clusters_of_the_rows_around_them(n_pairs):
    model, views, _ = fitted(n_pairs)
    for view, X in enumerate(views):
        assert adjusted_rand_score(model.labels_[view], model.predict(X + 0.01, view=view)) > 0.95
        alone = [model.predict(row[None], view=view)[0] for row in X[:20]]
        np.testing.assert_array_equal(model.predict(X, view=view)[:20], alone)
    assert isinstance(model._predictors[0], NearestAnchors)
    with pytest.raises(InvalidInputError, match="X has 4 features, but view 0 was fitted with 5"):
        model.predict(views[0][:, :4])
    with pytest.raises(InvalidInputError, match="X has 4 features, but 5 were fitted"):
        model._predictors[0].predict(views[0][:, :4])


def test_fitted_rows_without_a_match_keep_their_cluster_unless_anchors_were_made_of_them():
    X = np.random.default_rng(0).normal(size=(30_000, 8))
    model = fit([X], {}, k=20)
    (of_rows,) = model.probabilities_
    alike = np.isclose(model.predict_proba(X), of_rows, rtol=1e-6).all(axis=1)
    assert alike.mean() >= 2 / 3  # 10,000 rows are drawn
    same = model.predict(X) == model.labels_[0]
    assert same[alike].all()
    assert same.mean() > 0.95


@pytest.mark.parametrize("n_pairs", [0, 60])
def test_probabilities_are_largest_for_the_label(n_pairs):
    model, views, y = fitted(n_pairs, noise=2.0)
    for view, of_rows in enumerate(model.probabilities_):
        np.testing.assert_allclose(of_rows.sum(axis=1), 1)
        np.testing.assert_array_equal(of_rows.argmax(axis=1), model.labels_[view])
        new = model.predict_proba(views[view] + 0.01, view=view)
        labels = model.predict(views[view] + 0.01, view=view)
        np.testing.assert_array_equal(new.argmax(axis=1), labels)
        assert np.abs(new - of_rows).mean() < 0.1
    sure = np.concatenate([of_rows.max(axis=1) for of_rows in model.probabilities_])
    labels, kinds = np.concatenate(model.labels_), np.concatenate(y)
    of_cluster = np.array([np.bincount(kinds[labels == cluster]).argmax() for cluster in range(K)])
    is_right = of_cluster[labels] == kinds
    assert not is_right.all()
    assert sure[is_right].mean() > sure[~is_right].mean() + 0.05


def test_the_nearest_judged_row_is_of_the_same_cluster():
    model, _, y = fitted(60)
    pairs = judged(y)
    ends = set(np.unique(pairs[0].pairs).tolist())
    for view, nearest in enumerate(model.nearest_constrained(pairs)):
        reached = nearest[:, 0] >= 0
        assert reached.mean() > 0.9
        assert set(nearest[reached, 1].tolist()) <= ends
        of_nearest = model.labels_[0][nearest[reached, 1]]
        np.testing.assert_array_equal(of_nearest, model.labels_[view][reached])
        assert (nearest[~reached, 2] == 0).all()


def test_wrong_matches_are_found_and_left_out():
    views, y, matches = problem(1500, matched=0.5)
    rows = matches[0, 1].copy()
    wrong = np.arange(0, len(rows), 5)
    rows[wrong, 1] = np.roll(rows[wrong, 1], 1)
    truly = y[0][rows[:, 0]] != y[1][rows[:, 1]]
    model = fit(views, {(0, 1): rows})
    dropped = {tuple(row) for row in model.dropped_matches_[0, 1].tolist()}
    found = np.array([tuple(row) in dropped for row in rows.tolist()])
    assert found[truly].mean() > 0.6
    assert found[~truly].mean() < 0.1
    assert len(fit(views, matches).dropped_matches_[0, 1]) == 0
    suspicions = suspicious_matches(views, {(0, 1): rows}, model.labels_)[0, 1]
    assert suspicions[truly[np.lexsort(rows.T[::-1])]].mean() > suspicions.mean()


def test_of_many_matches_a_share_tells_whether_to_look_at_all(monkeypatch):
    views, _, matches = problem(1500, matched=0.5)
    whole = fit(views, matches).suspicions_[0, 1]
    for limit in ("GLANCED", "MOST_AT_ONCE"):
        monkeypatch.setattr(f"mvcc.multiview.matches._suspicious.{limit}", 200)
    part = fit(views, matches).suspicions_[0, 1]
    values, counts = np.unique(part, return_counts=True)
    assert counts.max() >= 500, "those that were not looked at have the mean of the others"
    assert abs(values[counts.argmax()] - whole.mean()) < 0.03
    rows = matches[0, 1].copy()
    rows[::4, 1] = np.roll(rows[::4, 1], 1)
    wrong = fit(views, {(0, 1): rows}).suspicions_[0, 1]
    assert len(np.unique(wrong)) > 20, "all were looked at"


def test_views_that_no_match_connects_are_clustered_by_themselves():
    views, y, matches = problem(400)
    # in few columns, four rows for each anchor leave small pieces that hardly anything is tied to
    other = np.random.default_rng(5).normal(size=(300, 10)) + 9 * (np.arange(300) % K)[:, None]
    model = fit([views[0], other, views[1]], {(0, 2): matches[0, 1]})
    assert model.connected_views_ == [[0, 2], [1]]
    assert score(y, model.labels_[::2]) > 0.95
    assert adjusted_rand_score(np.arange(300) % K, model.labels_[1]) > 0.95
    assert np.isnan(model.view_agreement_[0, 1])
    assert adjusted_rand_score(model.labels_[1], model.predict(other, view=1)) > 0.95


def test_a_stored_model_predicts_and_says_that_it_has_no_graph():
    model, views, _ = fitted(60)
    stored = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(stored.predict(views[0]), model.predict(views[0]))
    asked = [
        lambda: stored.embedding_,
        lambda: stored.labels_by(None),
        lambda: stored.nearest_constrained(None),
    ]
    for ask in asked:
        with pytest.raises(InvalidInputError, match="has no graph; fit it again"):
            ask()
    parts = vars(stored._predictors[0].anchors).values()
    held = sum(part.size for part in parts if isinstance(part, np.ndarray))
    assert held < views[0].size / 2, "the rows are not in the model"


def test_many_to_many_matches_and_weights_of_views():
    views, y, _ = problem(300)
    rows = np.array([(i, j) for i in range(90) for j in (i, (i + 4) % 90) if y[0][i] == y[1][j]])
    assert score(y, fit(views, {(0, 1): rows}).labels_) > 0.9
    noisy = [views[0], np.random.default_rng(0).normal(size=(300, 5))]
    rows = np.column_stack((np.arange(90), np.arange(90)))
    model = fit(noisy, {(0, 1): rows}, view_weights=[1, 0])
    assert adjusted_rand_score(y[0], model.labels_[0]) > 0.9


def test_features_and_questions_of_very_many_objects(monkeypatch):
    monkeypatch.setattr("mvcc.embedding._any_graph.ANCHORS_FROM", 500)
    monkeypatch.setattr("mvcc.multiview.questions._coverage.MOST_DENSE_OBJECTS", 500)
    monkeypatch.setattr("mvcc.multiview.questions._coverage.N_CANDIDATES", 60)
    views, y, matches = problem()
    features = JointSpectralFeatures(2 * K, random_state=0).fit_transform(views, mappings=matches)
    assert [rows.shape for rows in features] == [(600, 2 * K)] * 2
    np.testing.assert_allclose(np.linalg.norm(np.vstack(features), axis=1), 1, rtol=1e-5)
    questions = Questions(views, matches)
    kinds = set()
    for _ in range(12):
        (question,) = questions.next()
        view = next(number for number, rows in enumerate(question.rows) if rows)
        kind = int(y[view][question.rows[view][0]])
        questions.answer(question, f"kind {kind}" if kind in kinds else f"new:kind {kind}")
        kinds.add(kind)
    assert kinds == set(range(K))
