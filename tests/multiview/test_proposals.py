"""Proposed matches are one to one, and their probabilities are those of known matches."""

import numpy as np
import pytest

from mvcc import candidate_hits
from mvcc.exceptions import InvalidInputError
from mvcc.multiview import match_proposals


def problem(noise, n=600, n_known=200, seed=0):
    """Return two views of the same things, row by row, the first of which are known to match."""
    rng = np.random.default_rng(seed)
    things = rng.normal(size=(n, 4))
    views = [
        things @ rng.normal(size=(4, width)) + noise * rng.normal(size=(n, width))
        for width in (8, 6)
    ]
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


def test_hits_are_those_of_the_candidates():
    views, known = problem(0.7)
    found = match_proposals(views, known)[0, 1]
    assert np.allclose(found.hits, candidate_hits(views, known)[0, 1])


def test_without_folds_nothing_is_measured():
    found = match_proposals(*problem(0.3, n=80, n_known=30), n_folds=1)[0, 1]
    assert len(found.pairs)
    assert np.isnan(found.probabilities).all()
    assert np.isnan(found.hits).all()


def test_tables_without_an_unmatched_row_get_no_proposal():
    views, _ = problem(0.3, n=40)
    every = np.column_stack((np.arange(40), np.arange(40)))
    assert match_proposals(views, {(0, 1): every})[0, 1].pairs.shape == (0, 2)


def test_one_unmatched_row_is_proposed():
    views, _ = problem(0.3, n=41)
    known = np.column_stack((np.arange(40), np.arange(40)))
    found = match_proposals(views, {(0, 1): known})[0, 1]
    assert found.pairs.tolist() == [[40, 40]]
    assert 0 < found.probabilities[0] < 1


def test_matches_that_are_all_found_do_not_make_a_proposal_certain():
    found = match_proposals(*problem(0.001, n=60, n_known=40))[0, 1]
    assert found.probabilities.max() < 1


def test_too_few_matches_are_refused():
    with pytest.raises(InvalidInputError, match="20 matches or more"):
        match_proposals(*problem(0.3, n=60, n_known=22))


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


def test_too_few_matches_for_the_folds_are_counted_as_they_were_given():
    views, known = problem(0.3, n=60, n_known=24)
    with pytest.raises(InvalidInputError, match="of 5 folds; 24 leave 19"):
        candidate_hits(views, known)
    with pytest.raises(InvalidInputError, match="n_folds must be an integer of at least 2"):
        candidate_hits(views, known, n_folds=1)
