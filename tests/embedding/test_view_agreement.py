"""How much views agree, and edges that other views contradict, against sums over single edges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from mvcc.embedding import _across_views as module
from mvcc.embedding import unit_rows
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
    found = module.weakened(graphs, objects, places, trust, np.array(weights))
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
    found = module.weakened(graphs, objects, places, np.zeros((3, 3)), np.ones(3))
    assert all((one != other).nnz == 0 for one, other in zip(found, graphs, strict=True))
