"""Contradictory constraints are left out as if they were tried one by one, however the kept ones hang together."""

from __future__ import annotations

import numpy as np
import pytest

from mvcc import Constraints, close_views, drop_conflicts
from tests.reference import closure as slow


def agree(links):
    """Tell whether links (i, j, is must-link, weight) do not contradict each other, by the slow closure."""
    n = 1 + max(max(link[:2]) for link in links)
    chains = slow.strongest_chains(n, [(i, j, w) for i, j, must, w in links if must])
    try:
        slow.strongest_cannot_links(chains, [(i, j, w) for i, j, must, w in links if not must])
    except ValueError:
        return False
    return True


def taken_one_by_one(links):
    """Take every link that does not contradict those taken before."""
    taken = []
    for link in links:
        if agree([*taken, link]):
            taken.append(link)
    return taken


def random_links(rng, n):
    pairs = rng.integers(n, size=(3 * n, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    c = Constraints(pairs, rng.random(len(pairs)) < rng.choice([0.3, 0.5, 0.7]), rng.permutation(len(pairs)) + 1.0)
    return c, [(*pair, must, w) for pair, must, w in zip(c.pairs.tolist(), c.must_link, c.weights, strict=True)]


def listed(constraints):
    rows = zip(constraints.pairs.tolist(), constraints.must_link, constraints.weights, strict=True)
    return sorted((*pair, bool(must), float(w)) for pair, must, w in rows)


@pytest.mark.parametrize("n", [4, 8, 12])
def test_the_constraints_of_one_view_are_taken_from_the_heaviest_to_the_lightest(n):
    n_dropped = 0
    for seed in range(30):
        judged, links = random_links(np.random.default_rng(seed), n)
        expected = taken_one_by_one(sorted(links, key=lambda link: -link[3]))
        kept, dropped = judged.drop_conflicts()
        assert listed(kept) == sorted(expected), seed
        assert listed(dropped) == sorted(set(links) - set(expected)), seed
        n_dropped += len(dropped)
        kept.closure()
    assert n_dropped > 60


def test_relations_of_two_views_are_taken_before_all_constraints():
    n = 8
    for seed in range(30):
        rng = np.random.default_rng(seed)
        (first, links), (second, other) = random_links(rng, n), random_links(rng, n)
        related = rng.integers(n, size=(3, 2))
        joints = [(i, n + j, True, np.inf) for i, j in related.tolist()]
        shifted = [(n + i, n + j, must, w - 0.5) for i, j, must, w in other]
        second = Constraints(second.pairs, second.must_link, second.weights - 0.5)
        ordered = sorted(links + shifted, key=lambda link: -link[3])
        expected = taken_one_by_one(joints + ordered)[len(joints) :]
        kept, _ = drop_conflicts([first, second], {(0, 1): related})
        assert listed(kept[0]) == sorted(link for link in expected if link[0] < n), seed
        there = [(i - n, j - n, must, w) for i, j, must, w in expected if i >= n]
        assert listed(kept[1]) == sorted(there), seed
        close_views(kept, {(0, 1): related})
