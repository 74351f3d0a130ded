"""Which matches seem to be wrong, and that joint clustering leaves them out."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from mvcc import JointGraphClustering, pairwise_f_measure, suspicious_matches
from mvcc.embedding._across_views import share_beyond_chance
from mvcc.exceptions import InvalidInputError
from mvcc.multiview.matches import _suspicious as module
from mvcc.multiview.matches._suspicious import contradicted_matches
from tests.reference import joint as slow
from tests.strategies import seeds


def blobs(n=120, wrong=0, k=3):
    """Two views of the same things in two orders, whose first matches are mixed up."""
    rng = np.random.default_rng(0)
    y, order = np.arange(n) % k, rng.permutation(n)
    views = [8 * np.eye(k)[own] + rng.normal(size=(n, k)) for own in (y, y[order])]
    matches = np.column_stack((np.arange(n), np.argsort(order)))
    matches[:wrong, 1] = np.roll(matches[:wrong, 1], 1)  # of another kind each
    return views, matches, [y, y[order]], np.arange(n) < wrong


def halves_of_digits(wrong, seed=0):
    data, rng = load_digits(), np.random.default_rng(seed)
    rows = rng.permutation(1797)[:600]
    images, y = data.images[rows], data.target[rows]
    matches = np.column_stack((np.arange(600), np.arange(600)))
    bad = rng.choice(600, round(wrong * 600), replace=False)
    matches[bad, 1] = matches[np.roll(bad, 1), 1]
    return [images[:, :, :4].reshape(600, -1), images[:, :, 4:].reshape(600, -1)], matches, y


def clustered(views, matches, k=10):
    return JointGraphClustering(k, random_state=0).fit(views, mappings={(0, 1): matches})


def test_wrong_matches_are_suspicious_and_right_ones_are_not():
    views, matches, labels, wrong = blobs(wrong=12)
    found = suspicious_matches(views, {(0, 1): matches}, labels)[0, 1]
    assert np.array_equal(found > 0.4, wrong)
    assert found.mean() == pytest.approx(wrong.mean(), abs=0.03)
    views, matches, labels, _ = blobs()
    assert suspicious_matches(views, {(0, 1): matches}, labels)[0, 1].mean() < 0.02


def test_names_orientation_and_numbering_do_not_matter():
    views, matches, labels, _ = blobs(wrong=12)
    expected = suspicious_matches(views, {(0, 1): matches}, labels)[0, 1]
    named = dict(zip("ab", views, strict=True))
    letters = [np.array(list("zyx"))[own] for own in labels]
    for own in (letters, {"b": letters[1], "a": letters[0]}):
        again = suspicious_matches(named, {("b", "a"): matches[:, ::-1]}, own)
        assert np.array_equal(again[0, 1], expected)


def test_few_matches_are_not_suspicious():
    views, matches, labels, _ = blobs(wrong=12)
    assert not suspicious_matches(views, {(0, 1): matches[:19]}, labels)[0, 1].any()
    assert suspicious_matches(views, {}, labels) == {}


NO_LIST, OTHER_ROWS = "labels must be a list with one entry for each", "labels must hold one label"


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (None, NO_LIST),
        (5, NO_LIST),
        ([np.zeros(120)], OTHER_ROWS),
        ([np.zeros(120), np.zeros(119)], OTHER_ROWS),
        ([np.array([*range(7), None, *range(112)]), np.zeros(120)], r"no label \(NaN\) in row 7"),
        ([["a"] * 119 + [np.nan], ["a"] * 120], r"no label \(NaN\) in row 119"),
    ],
)
def test_labels_that_cannot_be_are_refused(labels, message):
    views, matches, _, _ = blobs()
    with pytest.raises(InvalidInputError, match=message):
        suspicious_matches(views, {(0, 1): matches}, labels)


def test_many_matches_are_compared_with_some(monkeypatch):
    views, matches, labels, _ = blobs(n=600, wrong=60, k=6)
    everything = suspicious_matches(views, {(0, 1): matches}, labels)[0, 1]
    monkeypatch.setattr(module, "MOST_COMPARED", 400)
    monkeypatch.setattr(module, "DRAWN", 200)
    some, again = (suspicious_matches(views, {(0, 1): matches}, labels)[0, 1] for _ in range(2))
    assert np.array_equal(some, again)
    assert ((some > 0.4) == (everything > 0.4)).mean() > 0.97
    assert np.corrcoef(some, everything)[0, 1] > 0.9
    assert not np.array_equal(some, everything)


@given(seeds)
def test_left_out_rows_are_predicted_by_a_fit_without_them(seed):
    rng = np.random.default_rng(seed)
    here, there = rng.normal(size=(15, 3)), rng.normal(size=(15, 2))
    there[:, 0] += here[:, 0]
    found = module._left_out(here - here.mean(axis=0), there - there.mean(axis=0))
    np.testing.assert_allclose(found, slow.left_out(here, there) - there.mean(axis=0), atol=1e-10)


@given(seeds, st.integers(3, 12))
def test_tail_shares_are_those_of_all_pairs(seed, m):
    rng = np.random.default_rng(seed)
    kinds = [tuple(np.round(rng.normal(size=(2, m, 2)))) for _ in range(2)]
    expected = slow.tail_shares([left @ right.T for left, right in kinds])
    np.testing.assert_allclose(module._tail_shares(kinds, m, 1), expected)


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=30))
def test_the_density_decreases(thousandths):
    p = np.array(thousandths) / 1000
    density = module._decreasing_density(p)
    assert (np.diff(density[np.argsort(p, kind="stable")]) <= 1e-9).all()
    assert (density >= 0).all()
    at_two = module._decreasing_density(np.array([0.2, 0.2, 0.2, 0.7]))
    np.testing.assert_allclose(at_two, [3.75] * 3 + [0.5])


@pytest.mark.parametrize("wrong", [0.1, 0.25])
def test_clustering_leaves_wrong_matches_out(wrong, monkeypatch):
    draws = [halves_of_digits(wrong, seed) for seed in (0, 1, 3)]

    def models():
        return [clustered(views, matches) for views, matches, _ in draws]

    def score(found):
        pairs = zip(found, draws, strict=True)
        scores = [pairwise_f_measure(y, own) for model, (*_, y) in pairs for own in model.labels_]
        return np.mean(scores)

    guarded = models()
    for model, (*_, y) in zip(guarded, draws, strict=True):
        dropped = model.dropped_matches_[0, 1]
        assert (y[dropped[:, 0]] != y[dropped[:, 1]]).mean() > 0.6
        assert len(model.suspicions_[0, 1]) == 600
    to_drop = "mvcc.multiview.joint._connected_sets.to_drop"
    monkeypatch.setattr(to_drop, lambda s, agreement: np.zeros(len(s), np.bool_))
    bare = models()
    assert not any(len(model.dropped_matches_[0, 1]) for model in bare)
    assert score(guarded) > score(bare) + 0.02


def test_right_matches_are_kept_and_so_are_few_ones_and_those_of_which_most_seem_wrong():
    views, matches, _ = halves_of_digits(0)
    model = clustered(views, matches)
    assert len(model.dropped_matches_[0, 1]) == 0
    half = np.repeat([0.0, 1.0], [90, 10])
    assert module.to_drop(half, 0.7).sum() == 10
    assert module.to_drop(half, np.nan).sum() == 10
    # so many right ones may seem wrong where views agree so little
    assert not module.to_drop(half, 0.25).any()
    assert not module.to_drop(half[:99] * 0.3, 1.0).any()
    assert not module.to_drop(half[1:], 1.0).any()
    assert not module.to_drop(np.full(100, np.nan), 1.0).any()


def test_no_match_seems_to_be_wrong_where_more_than_half_would():
    assert module.seem_wrong(np.repeat([0.0, 0.45], [50, 50])).sum() == 50
    assert not module.seem_wrong(np.repeat([0.0, 0.45], [49, 51])).any()
    assert not module.seem_wrong(np.repeat([0.0, 0.9], [24, 26])).any()


def test_wrong_matches_are_told_where_views_agree_and_most_matches_are_right():
    for wrong, agreement in [(0, 0.4), (0.25, 0.3), (0.5, 0.4), (0, np.nan)]:
        assert module._can_be_told(wrong, agreement)
    for wrong, agreement in [(0, 0.3), (0.6, 0.9)]:
        assert not module._can_be_told(wrong, agreement)


def test_matches_of_views_that_hardly_agree_are_not_suspicious():
    rng = np.random.default_rng(0)
    views, matches = rng.normal(size=(2, 300, 4)), np.column_stack((np.arange(300), np.arange(300)))
    model = clustered(list(views), matches, 4)
    assert np.isnan(model.suspicions_[0, 1]).all()
    assert module.hardly_agree(model.suspicions_[0, 1])
    assert len(model.dropped_matches_[0, 1]) == 0
    agreeing = clustered([views[0], views[0]], matches, 4)
    assert not module.hardly_agree(agreeing.suspicions_[0, 1])


def test_views_that_are_clustered_apart_have_no_suspicions():
    views, matches, _, _ = blobs()
    model = clustered(views, matches[5:7], 3)
    assert model.suspicions_[0, 1].tolist() == [0, 0]


def test_a_view_whose_matched_rows_are_all_alike_agrees_with_nothing():
    assert share_beyond_chance(1.0, np.ones((30, 2))) == 0


# ---- matches of three views and more that contradict each other


def all_matched(n_views, n, wrong=0.0, seed=0):
    """Match i with i in all pairs of views; turn some matches to the partner of the next."""
    rng = np.random.default_rng(seed)
    relations, turned = {}, {}
    for key in combinations(range(n_views), 2):
        partners = np.arange(n)
        some = np.flatnonzero(rng.random(n) < wrong)
        partners[some] = np.roll(partners[some], 1)
        relations[key] = np.column_stack((np.arange(n), partners))
        turned[key] = partners != np.arange(n)
    return relations, turned


def test_the_wrong_matches_of_many_views_are_found_by_the_right_ones():
    relations, turned = all_matched(5, 200, wrong=0.1)
    found = contradicted_matches([200] * 5, relations)
    wrong, said = (np.concatenate([of[key] for key in relations]) for of in (turned, found))
    assert wrong.sum() > 100
    assert said[wrong].mean() > 0.95
    assert said[~wrong].mean() < 0.03


AGREEING, _ = all_matched(4, 50)
del AGREEING[0, 3]  # known by way of others
TWO_VIEWS = {(0, 1): [[0, 0], [0, 1], [1, 1]]}  # which cannot contradict each other
SEVERAL_PARTNERS = {(0, 1): [[0, 0], [0, 1]], (0, 2): [[0, 0]], (1, 2): [[0, 0]]}


@pytest.mark.parametrize(
    ("sizes", "relations"),
    [([50] * 4, AGREEING), ([2, 2], TWO_VIEWS), ([1, 2, 1], SEVERAL_PARTNERS)],
    ids=["agreeing", "two views", "several partners"],
)
def test_matches_that_agree_are_all_kept(sizes, relations):
    relations = {key: np.array(rows) for key, rows in relations.items()}
    assert not any(part.any() for part in contradicted_matches(sizes, relations).values())


def test_all_matches_of_two_views_may_contradict_the_others():
    same = np.column_stack((np.arange(20), np.arange(20)))
    relations = {(0, 1): same, (1, 2): same, (0, 2): np.array([[3, 4]])}
    found = contradicted_matches([20] * 3, relations)
    assert found[0, 2].tolist() == [True]
    # the right ones of its two triangles look as wrong
    assert np.flatnonzero(found[0, 1]).tolist() == np.flatnonzero(found[1, 2]).tolist() == [3, 4]


def test_a_few_wrong_matches_do_not_chain_all_objects_into_one():
    rng = np.random.default_rng(1)
    y = np.arange(300) % 4
    views = [4 * np.eye(4)[y] + rng.normal(size=(300, 4)) for _ in range(5)]
    relations, turned = all_matched(5, 300, wrong=0.1)
    model = JointGraphClustering(4, random_state=0).fit(views, mappings=relations)
    assert np.mean([pairwise_f_measure(y, own) for own in model.labels_]) > 0.95
    for key, rows in relations.items():
        left_out = set(map(tuple, model.dropped_matches_[key].tolist()))
        wrong = rows[turned[key] & (model.suspicions_[key] == 1)]
        assert left_out >= set(map(tuple, wrong.tolist()))
        assert len(model.suspicions_[key]) == len(rows)
    assert model.n_objects_ < 600
