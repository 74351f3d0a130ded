"""Rewired relations relate what is not the same, and nothing else about them changes (§6.3)."""

import numpy as np
import pytest

from mvcc.constraints import rewire_relations

ONE_TO_ONE = np.column_stack((np.arange(20), np.arange(20)[::-1] + 100))


def rewired(share, seed=0, relations=ONE_TO_ONE):
    return rewire_relations(relations, share, np.random.default_rng(seed))


@pytest.mark.parametrize(("share", "number"), [(0.0, 0), (0.1, 2), (0.34, 7), (0.5, 10), (1.0, 20)])
def test_just_the_share_gets_another_partner(share, number):
    for seed in range(10):
        found = rewired(share, seed)
        assert (found[:, 0] == ONE_TO_ONE[:, 0]).all()
        assert (found[:, 1] != ONE_TO_ONE[:, 1]).sum() == number


def test_every_row_keeps_its_number_of_relations():
    many = np.array([[0, 5], [0, 6], [1, 5], [2, 7], [2, 5], [3, 8]])
    before = many.copy()
    for seed in range(10):
        found = rewired(0.7, seed, many)
        assert sorted(found[:, 1]) == sorted(many[:, 1])
        assert (found[:, 0] == many[:, 0]).all()
    assert (many == before).all()


def test_a_larger_share_rewires_the_relations_of_the_smaller_too():
    for seed in range(10):
        fewer, more = (rewired(share, seed)[:, 1] != ONE_TO_ONE[:, 1] for share in (0.3, 0.6))
        assert more[fewer].all()


def test_which_relations_are_rewired_depends_on_the_generator():
    assert not np.array_equal(rewired(0.5, 0), rewired(0.5, 1))
    assert np.array_equal(rewired(0.5, 3), rewired(0.5, 3))
