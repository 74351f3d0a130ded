"""JointGraphClustering: what it finds, what must not change it, and what it refuses."""

import pickle
import re
import warnings
from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest
import skops.io
from hypothesis import given
from hypothesis import strategies as st
from numpydoc.docscrape import ClassDoc
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from threadpoolctl import threadpool_limits

from mvcc import (
    ConstrainedViews,
    Constraints,
    JointGraphClustering,
    NeighborhoodKFold,
    drop_conflicts,
    pairwise_f_measure,
)
from mvcc.cluster import search_pck
from mvcc.embedding import find_objects
from mvcc.exceptions import ConstraintConflictError, InvalidInputError
from mvcc.multiview.joint import _joint_set
from mvcc.multiview.joint._connected_sets import ConnectedSets
from mvcc.multiview.joint._new_rows import NearestRows
from tests.strategies import seeds


def blobs(seed=0, sizes=(60, 50), n_matches=20, k=3):
    """Make views whose kinds lie far apart; the first rows of each and the next are matched."""
    rng = np.random.default_rng(seed)
    y = [rng.integers(k, size=n) for n in sizes]
    for one, other in pairwise(y):
        other[:n_matches] = one[:n_matches]
    for labels in y:
        labels[:k] = np.arange(k)
    same = np.column_stack((np.arange(n_matches), np.arange(n_matches)))
    views = [12 * rng.permutation(np.eye(k, 4))[own] + rng.normal(size=(len(own), 4)) for own in y]
    return views, y, {(v, v + 1): same for v in range(len(sizes) - 1)}


def digits(seed, n_pairs=0):
    """Left and right halves of images, three in ten matched, and constraints of left ones."""
    data = load_digits()
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(data.target))
    left, right = order[:1000], order[700:1700]
    matches = {(0, 1): np.column_stack((np.arange(700, 1000), np.arange(300)))}
    halves = data.images[left][:, :, :4], data.images[right][:, :, 4:]
    views = [half.reshape(1000, -1) for half in halves]
    y = [data.target[left], data.target[right]]
    judged = Constraints.from_labels(y[0], n_pairs, seed) if n_pairs else None
    return views, y, matches, [judged, None]


@cache
def model_of_digits(seed, n_pairs=0):
    """Return a model of such halves, which tests only look at, and the digits."""
    views, y, matches, constraints = digits(seed, n_pairs)
    return fit(views, matches, constraints, k=10), y


def mean_f_measure(y, labels):
    return np.mean([pairwise_f_measure(*pair) for pair in zip(y, labels, strict=True)])


def fit(views, matches=None, constraints=None, k=3, **options):
    model = JointGraphClustering(k, random_state=0, **options)
    return model.fit(views, constraints=constraints, mappings=matches)


def score(y, labels):
    return adjusted_rand_score(np.concatenate(y), np.concatenate(labels))


# ---- what it finds


@pytest.mark.parametrize("sizes", [(60,), (60, 50), (60, 50, 40)])
@pytest.mark.parametrize("judged", [False, True])
def test_kinds_that_lie_far_apart_are_found_with_one_numbering(sizes, judged):
    views, y, matches = blobs(sizes=sizes)
    constraints = [Constraints.from_labels(y[0], 12, 0), *[None] * (len(sizes) - 1)]
    model = fit(views, matches, constraints if judged else None)
    assert score(y, model.labels_) == 1
    assert model.objective_ > 0


@pytest.mark.parametrize("seed", [0, 6])
def test_the_largest_of_clear_groups_is_not_halved(seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(4), (200, 80, 25, 12)))
    sd = np.array([1.5, 3, 1, 2])[y][:, None]
    views = [rng.normal(0, 4, (4, 4))[y] + rng.normal(size=(len(y), 4)) * sd for _ in range(2)]
    matches = {(0, 1): np.repeat(rng.permutation(len(y))[: len(y) // 3], 2).reshape(-1, 2)}
    assert score([y, y], fit(views, matches, k=4).labels_) > 0.95
    assert score([y, y], fit(views, matches, k=4, n_components=8).labels_) < 0.8  # twice as many


def test_the_metric_of_the_same_constraints_is_learned_once(monkeypatch):
    views, y, matches = blobs()
    learned, metric = [], _joint_set.PairMetric
    monkeypatch.setattr(
        _joint_set, "PairMetric", lambda **options: learned.append(options) or metric(**options)
    )
    constraints = [Constraints.from_labels(np.roll(y[0], 1), 30, 0), None]  # which k-means violates
    model = fit(views, matches, constraints)
    again = model.labels_by(constraints, random_state=0)
    assert len(learned) == 1
    model.labels_by([constraints[0].select(np.arange(20)), None])
    assert len(learned) == 2
    assert all(map(np.array_equal, model.labels_by(constraints, random_state=0), again))
    assert len(learned) == 3


@pytest.mark.parametrize(  # without it, k-means violates none of the pairs, or 3
    ("n", "apart", "seed", "numbers"), [(1000, 4, 2, (8, 20)), (300, 2, 8, (20,))], ids=str
)
@pytest.mark.parametrize("graph", ["exact", "anchors"])
def test_a_metric_that_halves_a_cluster_of_nine_tenths_is_left_out(graph, n, apart, seed, numbers):
    rng = np.random.default_rng(seed)
    classes = rng.choice(4, n, p=[0.91, 0.03, 0.03, 0.03])
    views = [apart * rng.normal(size=(4, 6))[classes] + rng.normal(size=(n, 6)) for _ in range(2)]
    matches = {(0, 1): np.repeat(np.arange(n), 2).reshape(-1, 2)}
    free = fit(views, matches, k=4, graph=graph).embedding_[0][:99]
    for n_pairs in numbers:
        judged = [Constraints.from_labels(classes, n_pairs, 0), None]
        model = fit(views, matches, judged, 4, graph=graph)
        assert score([classes, classes], model.labels_) > 0.95  # .85 and less by the metric
        rows = model.embedding_[0][:99]
        np.testing.assert_allclose(rows @ rows.T, free @ free.T, atol=1e-3)


@pytest.mark.parametrize("graph", ["exact", "anchors"])
@pytest.mark.parametrize("n_pairs", [0, 30])
def test_about_one_match_for_each_cluster_does_no_harm(graph, n_pairs):
    rng, k = np.random.default_rng(1), 4
    y = [rng.permutation(np.arange(n) % k) for n in (300, 250)]
    views = []
    for of in y:
        told = rng.normal(0, 3, (k, 4))[of] + rng.normal(size=(len(of), 4))
        views.append(np.hstack((told, rng.normal(size=(len(of), 20)))))
    kinds = rng.integers(k, size=5)
    rows = [[rng.choice(np.flatnonzero(of == kind)) for kind in kinds] for of in y]
    judged = [Constraints.from_labels(y[0], n_pairs, 0) if n_pairs else None, None]
    model = fit(views, {(0, 1): np.transpose(rows)}, judged, k, graph=graph)
    assert score(y, model.labels_) > 0.9


@pytest.mark.parametrize(("n_pairs", "least"), [(0, 0.70), (160, 0.77)])
def test_halves_of_digits(n_pairs, least):
    models = [model_of_digits(seed, n_pairs) for seed in range(3)]
    found = [mean_f_measure(y, model.labels_) for model, y in models]
    assert np.mean(found) >= least, found


def test_a_heavy_pair_holds():
    views, y, matches = blobs()
    i, j = np.flatnonzero(y[0] == 0)[5], np.flatnonzero(y[0] == 1)[5]
    joined = [[Constraints([(i, j)], [True], [weight]), None] for weight in (1e-3, 1e3)]
    light, heavy = (fit(views, matches, pair).labels_[0] for pair in joined)
    assert light[i] != light[j]
    assert heavy[i] == heavy[j]
    near = np.flatnonzero(y[0] == 2)[:2]
    heavy = fit(views, matches, [Constraints([near], [False], [1e3]), None]).labels_[0]
    assert heavy[near[0]] != heavy[near[1]]


def test_the_search_starts_from_the_means_of_groups_whose_members_are_all_told_apart(monkeypatch):
    views, y, matches = blobs()
    told = np.concatenate([np.flatnonzero(y[0] == kind)[:4] for kind in range(3)])
    pairs = np.array(list(combinations(np.sort(told), 2)))
    judged = Constraints(pairs, y[0][pairs[:, 0]] == y[0][pairs[:, 1]])
    given = []

    def noted(rows, k, *links, starts, **options):
        given.append((rows, starts))
        return search_pck(rows, k, *links, starts=starts, **options)

    monkeypatch.setattr(_joint_set, "search_pck", noted)
    model = JointGraphClustering(3, random_state=0)
    model.fit(views, constraints=[judged, None], mappings=matches)
    ((rows, (centers,)),) = given
    objects = find_objects([60, 50], matches)[1][0]
    means = [rows[objects[told[y[0][told] == kind]]].mean(axis=0) for kind in range(3)]
    np.testing.assert_allclose(sorted(centers.tolist()), sorted(np.array(means).tolist()))


def test_a_judged_pair_counts_in_every_view():
    views, y, matches = blobs()
    i, j = 3, int(np.flatnonzero(y[0][:20] != y[0][3])[0])
    in_first = fit(views, matches, [Constraints([(i, j)], [True], [9.0]), None])
    in_second = fit(views, matches, [None, Constraints([(i, j)], [True], [9.0])])
    in_both = fit(views, matches, [Constraints([(i, j)], [True], [9.0])] * 2)
    for model in (in_second, in_both):
        assert all(map(np.array_equal, in_first.labels_, model.labels_))


# ---- what must not change it


def same_partitions(one, other):
    return adjusted_rand_score(np.concatenate(one), np.concatenate(other)) == 1


@given(seeds)
def test_the_order_of_rows_does_not_matter(seed):
    views, y, matches = blobs(seed % 100)
    judged = Constraints.from_labels(y[0], 10, seed % 100)
    order = [np.random.default_rng(seed).permutation(len(X)) for X in views]
    place = [np.argsort(o) for o in order]
    first, second = matches[0, 1].T
    rows = [X[o] for X, o in zip(views, order, strict=True)]
    placed = {(0, 1): np.column_stack((place[0][first], place[1][second]))}
    moved = fit(rows, placed, [Constraints(place[0][judged.pairs], judged.must_link), None])
    expected = fit(views, matches, [judged, None])
    back = [labels[p] for labels, p in zip(moved.labels_, place, strict=True)]
    assert same_partitions(back, expected.labels_)


def test_the_order_of_views_does_not_matter():
    views, y, matches = blobs(sizes=(60, 50, 40))
    judged = Constraints.from_labels(y[1], 10, 0)
    expected = fit(views, matches, [None, judged, None])
    turned = {(1, 2): matches[0, 1], (2, 0): matches[1, 2]}
    moved = fit([views[v] for v in (2, 0, 1)], turned, [None, None, judged])
    assert same_partitions([moved.labels_[v] for v in (1, 2, 0)], expected.labels_)


def test_what_is_given_twice_is_given_once():
    views, y, matches = blobs()
    judged = Constraints.from_labels(y[0], 10, 0)
    expected = fit(views, matches, [judged, None])
    twice = Constraints(np.tile(judged.pairs, (2, 1)), np.tile(judged.must_link, 2))
    again = fit(views, {key: np.tile(rows, (2, 1)) for key, rows in matches.items()}, [twice, None])
    assert again.objective_ == expected.objective_
    assert all(map(np.array_equal, expected.labels_, again.labels_))


@pytest.mark.parametrize("n_pairs", [0, 40])
def test_one_thread_and_two_give_the_same_bits(n_pairs):
    views, _, matches, constraints = digits(0, n_pairs)
    models = []
    for number in (1, 2):
        with threadpool_limits(number):
            models.append(fit(views, matches, constraints, k=10))
    one, two = models
    assert one.objective_ == two.objective_
    assert all(map(np.array_equal, one.labels_, two.labels_))
    assert np.array_equal(one.predict(views[1], 1), two.predict(views[1], 1))


# ---- new rows


def test_new_rows_join_the_clusters_around_them_and_fitted_ones_keep_theirs():
    views, y, matches = blobs()
    model = fit(views, matches)
    for view, X in enumerate(views):
        assert np.array_equal(model.predict(X, view=view), model.labels_[view])
        assert adjusted_rand_score(y[view], model.predict(X + 0.3, view=view)) == 1
    both = model.predict(dict(enumerate(views)))
    assert all(np.array_equal(both[view], model.labels_[view]) for view in (0, 1))


@pytest.mark.parametrize("gap", [0, 0.1])
def test_a_row_nearest_to_equal_ones_joins_the_cluster_that_most_of_these_have(gap):
    kind, turn = np.divmod(np.arange(90), 30)
    X = np.eye(3, 6)[kind]
    predictor = NearestRows().fit(X, (kind + (turn % 15 < 7)) % 3)
    shares = np.eye(3)[predictor.labels_]
    for rows in (slice(None), slice(4), slice(35, 80, 7)):
        assert np.array_equal(predictor.predict(X[rows] + gap), kind[rows])
        new = predictor.probabilities(X[rows] + gap, shares, 1.0)
        assert np.allclose(new.max(axis=1), 16 / 30)


def test_parameters_that_are_set_after_the_fit_change_no_prediction():
    views, _, matches = blobs()
    units = np.logspace(0, 4, views[0].shape[1])
    model = fit([views[0] * units, views[1]], matches)
    new = (views[0] + 0.3) * units
    before = model.predict(new), model.predict_proba(new)
    model.set_params(n_clusters=2, features="none")
    for one, other in zip((model.predict(new), model.predict_proba(new)), before, strict=True):
        assert np.array_equal(one, other)


def test_far_and_few_rows_are_predicted():
    model = JointGraphClustering(2, random_state=0).fit([[[0.0], [0.1], [5.0], [5.1]]])
    near, far = model.predict([[0.05], [1e140]])
    assert near == model.labels_[0][0]
    assert far == model.labels_[0][3]


# ---- degenerate input: a sound result, twice the same, or a clear message


def pairs(*rows):
    return np.array(rows).reshape(-1, 2)


def judged(rows, must_link, *weights):
    return Constraints(rows, np.array(must_link, bool), *weights)


A, B = blobs()[0]
HALF = blobs()[2]
THREE = {(0, 1): HALF[0, 1][:3]}
FOUR = judged([(0, 41), (22, 33), (24, 45), (26, 37)], [1, 0, 1, 0])
GIANT = {(0, 1): [(i, j) for i in range(50) for j in range(40)]}
EACH = {(0, 1): [(i, j) for i in range(60) for j in range(50)]}
TINY_AND_HUGE = judged(FOUR.pairs, FOUR.must_link, [1e-200, 0.0, 1.0, 1e200])
APART = judged([(0, 1), (0, 2), (3, 4), (5, 6)], [0] * 4)
TOGETHER = judged([(20, 21), (20, 22), (23, 24), (25, 26)], [1] * 4)
CHAIN = judged([(i, i + 1) for i in range(59)], [i % 3 for i in range(59)])
TWICE = [np.repeat(X[:4], 30, 0) for X in (A, B)]
SIX = [(i, j) for i in range(6) for j in range(i)]
DEGENERATE = {
    "15 rows": ([A[:15], B[:12]], {(0, 1): HALF[0, 1][:5]}, [FOUR.select(np.arange(0)), None], 3),
    "one row": ([A[:1]], {}, None, 1),
    "as many clusters as rows": ([A[:5]], {}, None, 5),
    "duplicates": (TWICE, HALF, [judged([(0, 40), (5, 90)], [0, 0]), None], 3),
    "rows alike": ([np.ones((60, 2)), np.ones((50, 2))], HALF, [FOUR, None], 3),
    "constant columns": ([np.column_stack((A, np.full(60, 5.0))), B], HALF, [FOUR, None], 3),
    "no matches": ([A, B], {}, [FOUR, None], 3),
    "empty matches": ([A, B], {(0, 1): np.empty((0, 2), int)}, None, 3),
    "one match": ([A, B], {(0, 1): pairs((0, 0))}, [FOUR, None], 3),
    "three matches": ([A, B], {(0, 1): HALF[0, 1][:3]}, [FOUR, None], 3),
    "a view that nobody matches": ([A, B, A[:40]], HALF, [FOUR, None, None], 3),
    "giant object": ([A, B], GIANT, [judged([(0, 55), (51, 52)], [0, 1]), None], 3),
    "everything one object": ([A, B], EACH, None, 1),
    "unequal weights": ([A, B], HALF, [TINY_AND_HUGE, None], 3),
    "only cannot-links": ([A, B], HALF, [APART, None], 3),
    "only must-links": ([A, B], HALF, [TOGETHER, None], 3),
    "more groups than clusters": ([A, B], HALF, [judged(SIX, [0] * 15), None], 3),
    "everything judged": ([A, B], HALF, [CHAIN, None], 3),
    "one column": ([A[:, :1], B[:, :1]], HALF, None, 3),
    "two places": ([np.repeat(A[:2], 30, 0)], {}, None, 2),
    "one column differs": ([np.column_stack((np.arange(60) % 2, np.zeros((60, 3))))], {}, None, 2),
    "one cluster": ([A, B], HALF, [FOUR, None], 1),
    "huge and tiny values": ([A * 1e140, B * 1e-300], HALF, [FOUR, None], 3),
    "far from 0": ([A + 1e9, B - 1e12], HALF, [FOUR, None], 3),
    "a far outlier": ([np.vstack((A, np.full((1, 4), 1e9))), B], HALF, [FOUR, None], 3),
}  # fmt: skip


@pytest.mark.parametrize("graph", ["exact", "anchors"])
@pytest.mark.parametrize("case", DEGENERATE)
def test_degenerate_input_has_a_sound_result(case, graph):
    views, matches, constraints, k = DEGENERATE[case]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one, other = (fit(views, matches, constraints, k=k, graph=graph) for _ in range(2))
        assert one.predict(views[0]).shape == (len(views[0]),)
    assert np.isfinite(one.objective_)
    found = (one.labels_, other.labels_, one.embedding_, views)
    for labels, again, rows, X in zip(*found, strict=True):
        assert labels.shape == (len(X),)
        assert labels.min() >= 0
        assert labels.max() < k
        assert np.array_equal(labels, again)
        assert np.isfinite(rows).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shares = one.probabilities_
    for labels, of_view, again in zip(one.labels_, shares, other.probabilities_, strict=True):
        assert np.array_equal(of_view, again)
        assert np.allclose(of_view.sum(axis=1), 1, atol=1e-8)
        assert np.array_equal(of_view.argmax(axis=1), labels)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"views": [A[:3]], "k": 5}, "n_clusters=5 needs as many objects, but view 0 has 3"),
        ({"views": [A[:3], B[:3]], "matches": THREE, "k": 5}, "views 0 and 1 have 3"),
        ({"views": {"a": A, "b": B[:3]}, "k": 5}, "view 'b' has 3"),
        ({"views": [A], "n_components": 70}, "n_components=70 needs as many objects"),
        ({"views": [A], "k": 0}, "n_clusters must be .*, got 0"),
        ({"views": [A], "n_neighbors": 0}, "n_neighbors must be .*, got 0"),
        ({"views": [A], "n_init": 1.5}, "n_init must be .*, got 1.5"),
        ({"views": [A], "on_conflict": "ignore"}, "must be 'error' or 'drop', got 'ignore'"),
        *(
            ({"views": [A], name: np.array(["auto", "drop"])}, f"{name} must be .*, got array")
            for name in ("on_conflict", "graph", "features")
        ),
        ({"views": [A], "constraint_weight": -1}, "constraint_weight must be .*, got -1"),
        ({"views": A}, "views must be a list"),
        ({"views": [[[np.nan]]]}, "NaN"),
    ],
)
def test_what_cannot_be_clustered_is_refused(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        fit(**arguments)


def test_contradictions_are_named_also_through_matches():
    views, _, matches = blobs()
    named = dict(zip(("left", "right"), views, strict=True))
    given = {"left": judged([(3, 4)], [1]), "right": judged([(3, 4)], [0])}
    message = r"row 3 of view 'left'.*row 4 of view 'right'"
    with pytest.raises(ConstraintConflictError, match=message):
        fit(named, {("left", "right"): matches[0, 1]}, given)
    with pytest.raises(ConstraintConflictError, match="relation"):
        fit(views, {(0, 1): [*matches[0, 1], (3, 4)]}, [judged([(3, 4)], [0]), None])
    kept, _ = drop_conflicts([given["left"], given["right"]], matches)
    assert len(fit(views, matches, kept).labels_) == 2


def test_contradicting_pairs_are_all_taken_and_those_that_the_clusters_violate_are_dropped():
    views, y, matches = blobs()
    one, other = (np.flatnonzero(y[0] == kind)[-3:] for kind in (0, 1))
    true = Constraints.from_pairs(zip(one, one[[1, 2, 0]], strict=True), [(one[0], other[0])])
    wrong = Constraints.from_pairs([(one[0], other[0])], [(one[1], one[2])])
    in_matches = {(0, 1): [*matches[0, 1], (one[0], 49), (one[1], 49)]}
    for same in (matches, in_matches):
        with pytest.raises(ConstraintConflictError):
            fit(views, same, [true.max_union(wrong), None])
        both = [true.max_union(wrong), judged([(3, 4)], [0], [0.0])]
        model = fit(views, same, both, on_conflict="drop")
        assert score([y[0]], [model.labels_[0]]) == 1
        assert model.violated_ == [wrong, Constraints([], [])]


def test_matches_overrule_a_cannot_link_within_an_object():
    views, y, matches = blobs()
    two = np.flatnonzero(y[0] == 0)[-2:]
    apart = Constraints.from_pairs(cannot_link=[two])
    same = {(0, 1): [*matches[0, 1], *((row, 49) for row in two)]}
    model = fit(views, same, [apart, None], on_conflict="drop")
    assert model.violated_[0] == apart
    bare = fit(views, same)
    assert all(map(np.array_equal, model.labels_, bare.labels_))


def test_violated_pairs_of_a_closure_too_large_to_list():
    rows = np.arange(1500)
    chain = np.column_stack((rows[:-1], rows[1:]))
    closed = Constraints(chain, np.ones(1499, bool), np.full(1499, 1e-6)).closure()
    assert closed._parts is not None
    X = np.where(rows < 1000, 0.0, 100.0)[:, None] + np.random.default_rng(0).normal(size=(1500, 1))
    model = fit([X], None, [closed], k=2)
    (labels,), (violated,) = model.labels_, model.violated_
    assert sorted(np.bincount(labels).tolist()) == [500, 1000]
    assert 1 <= len(violated) < 1500
    assert (labels[violated.pairs[:, 0]] != labels[violated.pairs[:, 1]]).all()


# ---- the scikit-learn face


def test_a_fit_learns_what_is_documented_and_a_clone_nothing():
    views, _, matches = blobs()
    model = fit(views, matches, n_components=5)
    documented = {attribute.name for attribute in ClassDoc(JointGraphClustering)["Attributes"]}
    assert {name for name in dir(model) if re.fullmatch("[^_].*_", name)} == documented
    assert [rows.shape for rows in model.embedding_] == [(60, 5), (50, 5)]
    assert not any(hasattr(clone(model), name) for name in documented)
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        clone(model).predict_proba(views)
    with pytest.raises(NotFittedError):
        clone(model).nearest_constrained(None)


def test_the_number_of_clusters_is_found_by_scikit_learns_grid_search():
    views, y, matches = blobs()
    data = ConstrainedViews(views, [Constraints.from_labels(y[0], 24, 0), None], matches)
    model, numbers = JointGraphClustering(random_state=0), {"n_clusters": [2, 3]}
    search = GridSearchCV(model, numbers, cv=NeighborhoodKFold(3))
    assert search.fit(data).best_params_ == {"n_clusters": 3}


def test_a_refused_fit_keeps_the_former_one_and_files_all():
    views, _, matches = blobs()
    model = fit(views, matches)
    before = [labels.tolist() for labels in model.labels_]
    for bad in (
        {"mappings": {(0, 1): [(0, 99)]}},
        {"constraints": [judged([(0, 1)] * 2, [0, 1]), None]},
        {"y": [1]},
    ):
        with pytest.raises(InvalidInputError):
            model.fit(views, **bad)
        assert [labels.tolist() for labels in model.labels_] == before
    content = skops.io.dumps(model)
    of_skops = skops.io.loads(content, trusted=skops.io.get_untrusted_types(data=content))
    for again in (pickle.loads(pickle.dumps(model)), of_skops):
        assert np.array_equal(again.predict(views[0] + 0.1), model.predict(views[0] + 0.1))
        assert np.array_equal(again.suspicions_[0, 1], model.suspicions_[0, 1], equal_nan=True)


@pytest.mark.parametrize("graph", ["exact", "anchors"])
@pytest.mark.parametrize("looked_at", [False, True])
def test_a_stopped_fit_leaves_the_former_one_without_its_graph(graph, looked_at, monkeypatch):
    views, _, matches = blobs()
    model = fit(views, matches, graph=graph)
    labels, new = model.labels_, model.predict(views[0] + 0.1)
    if looked_at:
        shares = model.probabilities_

    def stopped(*_):
        raise MemoryError

    # after the graph was made, and after the clusters were found
    for name in ("suspicions", "clustered"):
        monkeypatch.setattr(ConnectedSets, name, stopped)
        with pytest.raises(MemoryError):
            model.fit([views[1][:30]])
    assert all(map(np.array_equal, model.labels_, labels))
    assert np.array_equal(model.predict(views[0] + 0.1), new)
    with pytest.raises(InvalidInputError, match="was stopped, and has no graph; fit it"):
        model.labels_by(None)
    if looked_at:
        assert all(map(np.array_equal, model.probabilities_, shares))
        assert model.predict_proba(views[0]).shape == (60, 3)
    else:
        assert not hasattr(model, "probabilities_")


@given(st.integers(0, 30), st.integers(1, 12))
def test_any_matches_and_pairs_give_labels(n_matches, n_pairs):
    rng = np.random.default_rng([n_matches, n_pairs])
    rows = rng.integers((60, 50), size=(n_matches, 2))
    ends = np.array([rng.choice(60, 2, replace=False) for _ in range(n_pairs)])
    c = Constraints(ends, rng.random(n_pairs) < 0.5)
    kept, _ = drop_conflicts([c, None], {(0, 1): rows})
    model = fit([A, B], {(0, 1): rows}, kept)
    if n_matches >= 3:
        assert np.array_equal(model.labels_[0][rows[:, 0]], model.labels_[1][rows[:, 1]])
