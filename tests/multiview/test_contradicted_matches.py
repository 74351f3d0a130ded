"""Matches of three views and more that contradict each other."""

from itertools import combinations

import numpy as np

from mvcc import JointGraphClustering, pairwise_f_measure
from mvcc.multiview.matches._suspicious import contradicted_matches


def all_matched(n_views, n, wrong=0.0, seed=0):
    """Match i with i in all pairs of views; turn some matches to the partner of the next."""
    rng = np.random.default_rng(seed)
    relations, turned = {}, {}
    for key in combinations(range(n_views), 2):
        partners = np.arange(n)
        some = np.flatnonzero(rng.random(n) < wrong)
        partners[some] = np.roll(partners[some], 1)
        relations[key], turned[key] = (
            np.column_stack((np.arange(n), partners)),
            partners != np.arange(n),
        )
    return relations, turned


def test_the_wrong_matches_of_many_views_are_found_by_the_right_ones():
    relations, turned = all_matched(5, 200, wrong=0.1)
    found = contradicted_matches([200] * 5, relations)
    wrong, said = (np.concatenate([of[key] for key in relations]) for of in (turned, found))
    assert wrong.sum() > 100
    assert said[wrong].mean() > 0.95
    assert said[~wrong].mean() < 0.03


def test_matches_that_agree_are_all_kept():
    relations, _ = all_matched(4, 50)
    del relations[0, 3]  # known by way of others
    assert not any(part.any() for part in contradicted_matches([50] * 4, relations).values())


def test_two_views_cannot_contradict_each_other():
    relations = {(0, 1): np.array([[0, 0], [0, 1], [1, 1]])}
    assert contradicted_matches([2, 2], relations)[0, 1].tolist() == [False] * 3


def test_rows_may_have_several_partners():
    relations = {
        (0, 1): np.array([[0, 0], [0, 1]]),
        (0, 2): np.array([[0, 0]]),
        (1, 2): np.array([[0, 0]]),
    }
    assert not any(part.any() for part in contradicted_matches([1, 2, 1], relations).values())


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
