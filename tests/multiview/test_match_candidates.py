"""Likely counterparts are those of their definition, one to one, with their probabilities."""

from functools import partial

import numpy as np
import pytest
import scipy.linalg

from mvcc import candidate_hits, match_candidates
from mvcc.embedding import raw_columns
from mvcc.exceptions import InvalidInputError
from mvcc.multiview import match_proposals
from mvcc.multiview.matches import _candidates as module
from mvcc.multiview.matches import _proposals as proposals


def two_views(n=90, noise=0.1, n_matches=60, seed=0):
    """Two views of the same things in two orders, and the matches of the first rows."""
    rng = np.random.default_rng(seed)
    things, order = rng.normal(size=(n, 2)), rng.permutation(n)
    views = [things @ rng.normal(size=(2, 4)), things[order] @ rng.normal(size=(2, 3))]
    views = [X + noise * rng.normal(size=X.shape) for X in views]
    return views, np.column_stack((np.arange(n), np.argsort(order)))[:n_matches], np.argsort(order)


def slow_scores(views, matches):
    """Score all rows without a match by a generalized eigenproblem and loops."""
    kernels, own = [], []
    for X, matched in zip(map(raw_columns, views), matches.T, strict=True):
        landmarks = X[matched]
        gaps = ((X[:, None] - landmarks[None]) ** 2).sum(axis=2)
        unit = np.median(gaps[matched][np.triu_indices(len(matched), 1)])
        kernels.append(np.exp(-module.WIDTH * gaps / unit))
        kernels[-1] -= kernels[-1][matched].mean(axis=0)
        own.append(np.setdiff1d(np.arange(len(X)), matched))
    a, b = (K[matched] for K, matched in zip(kernels, matches.T, strict=True))
    m = len(matches)
    within = [C + module.RIDGE * np.trace(C) / m * np.eye(m) for C in (a.T @ a / m, b.T @ b / m)]
    between, zero = a.T @ b / m, np.zeros((m, m))
    across = np.block([[zero, between], [between.T, zero]])
    values, vectors = scipy.linalg.eigh(across, scipy.linalg.block_diag(*within))
    parts = np.split(vectors[:, m:] * values[m:], 2)
    x, y = (K[rows] @ part for K, rows, part in zip(kernels, own, parts, strict=True))
    cosines = (x / np.linalg.norm(x, axis=1)[:, None]) @ (y / np.linalg.norm(y, axis=1)[:, None]).T
    to_right = [np.sort(row)[-10:].mean() for row in cosines]
    to_left = [np.sort(column)[-10:].mean() for column in cosines.T]
    return 2 * cosines - np.array(to_right)[:, None] - np.array(to_left), own


@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_the_definition(seed):
    views, matches, _ = two_views(noise=0.5, seed=seed)
    # have no counterpart
    views[1] = np.vstack((views[1], np.random.default_rng(seed).normal(size=(4, 3))))
    scores, (rows, others) = slow_scores(views, matches)
    found = match_candidates(views, {(0, 1): matches}, n_candidates=3)[0, 1]
    order = np.argsort(-scores.max(axis=1))
    assert found.rows.tolist() == rows[order].tolist()
    best = np.argsort(-scores, axis=1)[:, :3]
    assert np.array_equal(found.candidates, others[best][order])
    expected = np.take_along_axis(scores, best, axis=1)[order]
    np.testing.assert_allclose(found.scores, expected, atol=1e-6)
    firsts = (order, best[order, 0], found.mutual, found.margins)
    for row, other, mutual, margin in zip(*firsts, strict=True):
        assert mutual == (scores[:, other].argmax() == row)
        rivals = np.concatenate((np.delete(scores[row], other), np.delete(scores[:, other], row)))
        assert margin == pytest.approx(scores[row, other] - rivals.max(), abs=1e-6)


def test_what_was_refused_comes_last_and_the_next_ones_are_proposed(monkeypatch):
    views, matches, _ = two_views(noise=0.5)
    scores, (rows, others) = slow_scores(views, matches)
    known, refused = {(0, 1): matches}, [(rows[0], other) for other in others[:-2]]
    refused += [tuple(pair) for pair in match_proposals(views, known)[0, 1].pairs[:5].tolist()]
    apart = np.zeros(scores.shape, np.bool_)
    for i, j in refused:
        apart[rows == i, others == j] = True
    scores[apart] = module.LEAST
    given = {(1, 0): [(j, i) for i, j in [*refused, tuple(matches[0])]]}  # matched rows as well
    monkeypatch.setattr(module, "_BLOCK_ENTRIES", 200)
    columns, pairs = map(raw_columns, views), np.array(given[1, 0])[:, ::-1]
    found = module.likeliest(*columns, matches, 3, pairs)
    order = np.argsort(-scores.max(axis=1))
    assert found.rows.tolist() == rows[order].tolist()
    best = -np.sort(-scores, axis=1)[:, :3]
    np.testing.assert_allclose(found.scores, best[order], atol=1e-6)
    proposed = match_proposals(views, known, refused=given)[0, 1]
    scores[scores < -np.sort(-scores, axis=1)[:, 9:10]] = module.LEAST  # ten are considered
    expected = set()
    while scores.max() > module.LEAST:
        i, j = np.unravel_index(scores.argmax(), scores.shape)
        expected.add((rows[i], others[j]))
        scores[i], scores[:, j] = module.LEAST, module.LEAST
    assert {*map(tuple, proposed.pairs.tolist())} == expected
    assert np.isfinite(proposed.probabilities).all()
    all_refused = {(0, 1): [(i, j) for i in rows for j in others]}
    assert not len(match_proposals(views, known, refused=all_refused)[0, 1].pairs)


def test_counterparts_are_found_where_views_tell_them_and_not_where_they_do_not():
    views, matches, partner = two_views()
    found = match_candidates(views, {(0, 1): matches})[0, 1]
    assert found.candidates.shape == (30, 5)
    assert (found.candidates[:, 0] == partner[found.rows]).mean() > 0.6
    assert (found.candidates == partner[found.rows][:, None]).any(axis=1).mean() > 0.9
    hits = candidate_hits(views, {(0, 1): matches})[0, 1]
    assert hits[0] > 0.4
    assert (np.diff(hits) >= 0).all()
    views[1] = np.random.default_rng(1).permutation(views[1])
    assert candidate_hits(views, {(0, 1): matches})[0, 1][-1] < 0.4  # by chance 5 of 42


def test_names_and_the_order_of_views_do_not_matter():
    views, matches, _ = two_views()
    expected = match_candidates(views, {(0, 1): matches})[0, 1]
    named = match_candidates({"a": views[0], "b": views[1]}, {("b", "a"): matches[:, ::-1]})
    assert np.array_equal(named[0, 1].candidates, expected.candidates)


@pytest.mark.parametrize(
    ("name", "value", "same"), [("_BLOCK_ENTRIES", 50, True), ("MOST_LANDMARKS", 30, False)]
)
def test_many_rows_are_compared_in_blocks_and_by_some_landmarks(monkeypatch, name, value, same):
    views, matches, partner = two_views()
    expected = match_candidates(views, {(0, 1): matches})[0, 1]
    monkeypatch.setattr(module, name, value)
    found = match_candidates(views, {(0, 1): matches})[0, 1]
    assert np.allclose(found.scores, expected.scores) is same
    assert (found.candidates == partner[found.rows][:, None]).any(axis=1).mean() > 0.9


@pytest.mark.parametrize(
    ("n", "left", "shape"), [(60, 60, (0, 0)), (61, 61, (1, 1)), (90, 60, (0, 0))]
)
def test_few_rows_may_be_left(n, left, shape):
    views, matches, _ = two_views(n=n, n_matches=60)
    views[1] = np.vstack((views[1][matches[:, 1]], views[1][: left - 60]))
    matches[:, 1] = np.arange(60)
    found = match_candidates(views, {(0, 1): matches})[0, 1]
    assert found.candidates.shape == found.scores.shape == shape
    assert len(found.rows) == len(found.mutual) == len(found.margins) == shape[0]
    assert np.isfinite(found.margins).all()


@pytest.mark.parametrize("spoil", [lambda X: X * 0, lambda X: np.round(X / 9), lambda X: X * 1e140])
def test_constant_repeated_and_huge_rows_give_finite_scores(spoil):
    views, matches, _ = two_views()
    views[0] = spoil(views[0])
    found = match_candidates(views, {(0, 1): matches})[0, 1]
    assert np.isfinite(found.scores).all()


@pytest.mark.parametrize(
    ("find", "n_matches", "message"),
    [
        (match_candidates, 19, "must have 20 matches or more of two views, got 19"),
        (partial(match_candidates, n_candidates=0), 60, "n_candidates must be"),
        (candidate_hits, 19, "of 5 folds; 19 leave 15"),
        (candidate_hits, 24, "of 5 folds; 24 leave 19"),  # counted as they were given
        (partial(candidate_hits, n_folds=1), 60, "n_folds must be an integer of at least 2"),
        (match_proposals, 22, "20 matches or more"),
    ],
)
def test_too_few_matches_candidates_and_folds_are_refused(find, n_matches, message):
    views, matches, _ = two_views()
    with pytest.raises(InvalidInputError, match=message):
        find(views, {(0, 1): matches[:n_matches]})


def test_matches_of_one_row_cannot_be_cut():
    views, _, _ = two_views()
    with pytest.raises(InvalidInputError, match="of 5 folds; 60 leave 0"):
        candidate_hits(views, {(0, 1): [(row, 0) for row in range(60)]})


@pytest.mark.parametrize("order", [1, -1])
def test_matches_that_hang_together_are_cut_row_by_row(order):
    """Every row of v matches two rows of u in a row, so that all of them are connected."""
    rng = np.random.default_rng(0)
    things = np.cumsum(rng.normal(size=(200, 3)), axis=0)
    views = [things @ rng.normal(size=(3, width)) for width in (6, 5)][::order]
    chain = np.array([(row, row - less) for row in range(150) for less in (0, 1) if row >= less])
    # without the first match, one of the views has a row less
    chain = np.unique(chain[1:, ::order], axis=0)
    cut = [own for own, _ in proposals._folds(chain, 5)]
    assert np.array_equal(np.unique(np.concatenate(cut), axis=0), np.unique(chain, axis=0))
    for own, others in proposals._folds(chain, 5):
        assert not np.isin(others, own).all(axis=1).any()
        assert not np.isin(others[:, 0], own[:, 0]).any()
        assert not np.isin(others[:, 1], own[:, 1]).any()
    hits = candidate_hits(views, {(0, 1): chain})[0, 1]
    assert 0.05 < hits[0] <= hits[-1]
    proposed = match_proposals(views, {(0, 1): chain})[0, 1]
    assert np.allclose(proposed.hits, hits)
    assert np.isfinite(proposed.probabilities).all()
    known = set(map(tuple, chain.tolist()))
    firsts = [
        (row, first)
        for own, found in proposals.without_folds(*map(raw_columns, views), chain, 5, 1)
        for row, first in zip(found.rows.tolist(), found.candidates[:, 0].tolist(), strict=True)
        if row in own[:, 0]
    ]
    assert hits[0] == np.mean([pair in known for pair in firsts])


@pytest.mark.parametrize("order", [1, -1])
def test_all_rows_that_match_one_are_cut_together(order):
    matches = np.array([(row, row // 15) for row in range(375)])[:, ::order]
    assert proposals.fewest_left(matches, 5) == 300
    for cut, others in proposals._folds(matches, 5):
        assert len(cut) + len(others) == 375


@pytest.mark.parametrize("n", [60, 61, 97])
def test_matches_of_different_rows_are_dealt_out_one_by_one(n):
    rng = np.random.default_rng(1)
    matches = np.column_stack((rng.permutation(150)[:n], rng.permutation(150)[:n]))
    fold = np.empty(n, np.int64)
    fold[np.argsort(matches[:, 0])] = np.random.default_rng(0).permutation(n) % 5
    for number, (cut, others) in enumerate(proposals._folds(matches, 5)):
        assert np.array_equal(cut, matches[fold == number])
        assert np.array_equal(others, matches[fold != number])


# ---- proposals: one counterpart at most, and how likely it is


def problem(noise, n=600, n_known=200, seed=0):
    """Return two views of the same things, row by row, the first of which are known to match."""
    rng = np.random.default_rng(seed)
    things = rng.normal(size=(n, 4))
    views = [things @ rng.normal(size=(4, d)) + noise * rng.normal(size=(n, d)) for d in (8, 6)]
    return views, {(0, 1): np.column_stack((np.arange(n_known), np.arange(n_known)))}


@pytest.mark.parametrize("noise", [0.3, 0.7, 1.5])
def test_probabilities_are_the_shares_of_right_proposals(noise):
    probabilities, right = [], []
    for seed in range(4):
        found = match_proposals(*problem(noise, seed=seed))[0, 1]
        assert min(found.pairs.min(axis=0)) >= 200
        assert all(len(np.unique(rows)) == len(rows) for rows in found.pairs.T)
        assert np.all(np.diff(found.probabilities) <= 0)
        probabilities.append(found.probabilities)
        right.append(found.pairs[:, 0] == found.pairs[:, 1])
    p, hit = np.concatenate(probabilities), np.concatenate(right)
    assert abs(p.mean() - hit.mean()) < 0.06
    order = np.argsort(p)
    for part in np.array_split(order, 4):
        assert abs(p[part].mean() - hit[part].mean()) < 0.12


def test_likelier_proposals_are_right_more_often():
    found = match_proposals(*problem(0.3))[0, 1]
    hits = found.pairs[:, 0] == found.pairs[:, 1]
    assert hits[:100].mean() > hits[-100:].mean() + 0.2


def test_without_folds_nothing_is_measured():
    found = match_proposals(*problem(0.3, n=80, n_known=30), n_folds=1)[0, 1]
    assert len(found.pairs)
    assert np.isnan(found.probabilities).all()
    assert np.isnan(found.hits).all()


def test_one_unmatched_row_is_proposed_and_none_where_all_are_matched():
    assert match_proposals(*problem(0.3, n=40, n_known=40))[0, 1].pairs.shape == (0, 2)
    found = match_proposals(*problem(0.3, n=41, n_known=40))[0, 1]
    assert found.pairs.tolist() == [[40, 40]]
    assert 0 < found.probabilities[0] < 1


def test_what_is_equal_in_all_known_proposals_does_not_tell_of_others():
    rng = np.random.default_rng(111)
    n, m = rng.integers(27, 60, 2)
    t = rng.normal(size=(max(n, m), 2))
    sides = (t @ rng.normal(size=(2, 3)))[:n, :1], (t @ rng.normal(size=(2, 2)))[:m, :1]
    views = [np.where(side > 0, 1.0, 0.0) for side in sides]
    known = {(0, 1): np.column_stack((np.arange(25), np.arange(25)))}
    refused = [(i, j) for i in range(25, n) for j in range(25, m) if rng.random() < 0.7]
    found = match_proposals(views, known, refused={(0, 1): refused})[0, 1]
    assert len(found.pairs)
    assert ((found.probabilities > 0) & (found.probabilities < 1)).all()


def test_matches_that_are_all_found_do_not_make_a_proposal_certain():
    found = match_proposals(*problem(0.001, n=60, n_known=40))[0, 1]
    assert found.probabilities.max() < 1


@pytest.mark.parametrize("is_constant", [False, True])
def test_tables_in_the_same_order_do_not_make_equal_rows_likely(is_constant):
    kind = np.random.default_rng(0).integers(4, size=200)
    views = [np.eye(4)[kind] * (not is_constant), np.eye(4)[kind]]
    tail = 120 + np.random.default_rng(1).permutation(80)
    views[1][tail] = views[1][120:].copy()
    known = {(0, 1): np.column_stack((np.arange(120), np.arange(120)))}
    found = match_proposals(views, known)[0, 1]
    assert found.probabilities.mean() < 0.15
    assert found.hits[0] < 0.15
    assert candidate_hits(views, known)[0, 1][0] < 0.15


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("n_each", [3, 6])
def test_rows_with_several_matches_count_as_their_unmatched_rows_do(n_each, order):
    rng = np.random.default_rng(0)
    things, own = rng.normal(size=(200, 3)), np.repeat(np.arange(200), n_each)
    photos = things[own] + 0.02 * rng.normal(size=(200 * n_each, 3))
    photos = photos @ rng.normal(size=(3, 6))
    views = [photos, things @ rng.normal(size=(3, 5))][::order]
    known = {(0, 1): np.column_stack((np.arange(120 * n_each), own[: 120 * n_each]))[:, ::order]}
    found = match_candidates(views, known)[0, 1]
    rows, first = (found.rows, found.candidates[:, 0])[::order]
    hits = candidate_hits(views, known)[0, 1]
    assert hits[0] == pytest.approx((own[rows] == first).mean(), abs=0.1)
    proposed = match_proposals(views, known)[0, 1]
    rows, others = proposed.pairs[:, ::order].T
    assert proposed.probabilities.mean() == pytest.approx((own[rows] == others).mean(), abs=0.1)
    assert np.allclose(proposed.hits, hits)
