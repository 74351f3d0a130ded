"""How much views agree, and edges that other views contradict, against sums over single edges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from mvcc.embedding import _view_agreement as module
from mvcc.embedding import joint_graph, unit_rows
from tests.strategies import seeds


def problem(seed, n=60, sizes=(50, 40, 30), k=3):
    """Make views of some of n objects: symmetric graphs of their rows, places of the objects."""
    rng = np.random.default_rng(seed)
    objects = [rng.permutation(n)[:size] for size in sizes]
    graphs, places = [], []
    for own in objects:
        dense = rng.random((len(own), len(own))) * (rng.random((len(own), len(own))) < 0.3)
        graphs.append(csr_array(np.triu(dense, 1) + np.triu(dense, 1).T))
        place = np.zeros((n, k))
        place[own] = unit_rows(rng.normal(size=(len(own), k)) + 2 * np.eye(k)[0])
        places.append(place)
    return graphs, objects, places


def edges(graph, own):
    listed = graph.tocoo()
    ends = own[listed.row].tolist(), own[listed.col].tolist()
    return sorted(zip(*ends, listed.data.tolist(), strict=True))


@given(seeds)
def test_agreement_is_the_mean_cosine_of_edges_beyond_that_of_random_pairs(seed):
    graphs, objects, places = problem(seed)
    shares = np.eye(3)
    for u in range(3):
        for v in {0, 1, 2} - {u}:
            both = sorted(set(objects[u].tolist()) & set(objects[v].tolist()))
            inside = [edge for edge in edges(graphs[u], objects[u]) if {*edge[:2]} <= {*both}]
            if min(len(both), len(inside)) < 20:
                shares[u, v] = np.nan
                continue
            total = sum(w for *_, w in inside)
            found = sum(w * (places[v][i] @ places[v][j]) for i, j, w in inside) / total
            chance = np.mean([places[v][i] @ places[v][j] for i in both for j in both if i != j])
            shares[u, v] = max(0, (found - chance) / (1 - chance))
    found = module.view_agreement(graphs, objects, places)
    np.testing.assert_allclose(found, np.sqrt(shares * shares.T), atol=1e-12)


@given(seeds, st.sampled_from([(1.0, 1.0, 1.0), (1.0, 0.5, 0.25)]))
def test_edges_are_multiplied_by_what_the_other_views_say(seed, weights):
    graphs, objects, places = problem(seed)
    trust = np.random.default_rng(seed).random((3, 3))
    trust[0, 1] = 0
    found = module.agreed(graphs, objects, places, trust, np.array(weights))
    for u, (graph, own) in enumerate(zip(graphs, objects, strict=True)):
        both = zip(edges(graph, own), edges(found[u], own), strict=True)
        for (i, j, before), (_, _, after) in both:
            said = total = 0
            for v in range(3):
                if v != u and {i, j} <= set(objects[v].tolist()):
                    total += weights[v]
                    cosine = max(places[v][i] @ places[v][j], 0.05)
                    said += weights[v] * trust[u, v] * np.log(cosine)
            mean = said / total if total else 0
            assert after == pytest.approx(before * np.exp(2 * mean))


def test_views_that_are_not_trusted_change_no_bit():
    graphs, objects, places = problem(0)
    found = module.agreed(graphs, objects, places, np.zeros((3, 3)), np.ones(3))
    assert all((one != other).nnz == 0 for one, other in zip(found, graphs, strict=True))


def test_an_edge_is_weaker_where_another_view_puts_its_ends_apart():
    """Groups 2 and 3 are one in the first view; the second tells them apart."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 4
    first = 3 * np.eye(4)[np.minimum(y, 2)] + rng.normal(size=(200, 4))
    second = 9 * np.eye(4)[y] + rng.normal(size=(200, 4))
    rows = np.column_stack((np.arange(200), np.arange(200)))
    graph = joint_graph([first, second], {(0, 1): rows}, 10, 4, np.random.default_rng(0))
    assert 0.3 < graph.agreement[0, 1] == graph.agreement[1, 0] < 1
    across = np.ix_(y == 2, y == 3)
    before = sum(own.graph.toarray() for own in graph.views)
    after = graph.affinities.toarray()
    assert 0 < after[across].sum() < 0.5 * before[across].sum()
    inside = np.ix_(y == 1, y == 1)
    assert after[inside].sum() > 0.9 * before[inside].sum()


def test_noise_agrees_with_nothing():
    rng = np.random.default_rng(0)
    blobs = [9 * np.eye(4)[np.arange(200) % 4] + rng.normal(size=(200, 4)) for _ in range(2)]
    rows = np.column_stack((np.arange(200), np.arange(200)))
    views = [*blobs, rng.normal(size=(200, 4))]
    matches = {(0, 1): rows, (1, 2): rows}
    found = joint_graph(views, matches, 10, 4, np.random.default_rng(0)).agreement
    assert found[0, 1] > 0.9
    assert found[0, 2] < 0.2 > found[1, 2]
    few = joint_graph(blobs, {(0, 1): rows[:19]}, 10, 4, np.random.default_rng(0)).agreement
    assert np.isnan(few[0, 1])
