"""The graph by anchors is what its dense matrices say: B K Bᵀ, eigenvectors, walks and paths."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra

from mvcc._utils.kernels import add_gram
from mvcc.embedding import membership, object_columns, raw_columns
from mvcc.embedding._any_graph import anchor_graph

K = 3


@pytest.fixture(scope="module", params=["two views", "three views", "many to many", "few matches"])
def problem(request):
    rng = np.random.default_rng(0)
    y = np.arange(90) % K
    n_views = 3 if request.param == "three views" else 2
    views = [5 * rng.normal(size=(K, 4))[y] + rng.normal(size=(90, 4)) for _ in range(n_views)]
    rows = np.column_stack((np.arange(30), np.arange(30)))
    if request.param == "many to many":
        rows = np.vstack((rows, [[0, 3], [0, 6], [5, 8]]))
    if request.param == "few matches":
        rows = rows[:4]
    relations = {(u, v): rows for u in range(n_views) for v in range(u + 1, n_views)}
    return views, relations


@pytest.fixture(scope="module")
def graph(problem):
    """Give their graph, which tests only look at."""
    return made(problem)


def made(problem, weights=None):
    views, relations = problem
    weights = np.ones(len(views)) if weights is None else weights
    return anchor_graph(views, relations, K, np.random.default_rng(1), weights)


def with_matched(problem, graph):
    views, _ = problem
    columns = [raw_columns(X) for X in views]
    members = [membership(own, graph.n_objects) for own in graph.objects]
    return graph.with_matched_objects(
        lambda some: object_columns(columns, [rows_of[some] for rows_of in members])
    )


def affinities(graph):
    B = graph.ties.toarray().astype(float)
    return B @ np.diag(graph.diagonal) @ B.T


def edges_by(ties):
    Z = ties.toarray().astype(float)
    return Z @ np.diag(1 / np.maximum(Z.sum(axis=0), 1e-12)) @ Z.T


def same(n):
    return {(0, 1): np.column_stack((np.arange(n), np.arange(n)))}


def normalized(A):
    roots = np.sqrt(A.sum(axis=1))
    return A / roots / roots[:, None]


def test_the_gram_matrix_of_sparse_rows_is_that_of_dense_ones():
    rng = np.random.default_rng(0)
    B = sp.csr_array(np.where(rng.random((30, 7)) < 0.4, rng.random((30, 7)), 0).astype(np.float32))
    weights, gram = rng.random(30), np.ones((7, 7))
    add_gram(B.indptr.astype(np.int64), B.indices.astype(np.int32), B.data, weights, gram)
    dense = B.toarray().astype(float)
    np.testing.assert_allclose(gram, 1 + dense.T @ np.diag(weights) @ dense, rtol=1e-6)


def test_the_degree_of_an_object_is_the_number_of_its_rows(problem, graph):
    rows = sum(np.bincount(own, minlength=graph.n_objects) for own in graph.objects)
    np.testing.assert_allclose(graph.degrees, rows, rtol=1e-5)
    np.testing.assert_allclose(affinities(graph).sum(axis=1), rows, rtol=1e-5)


def test_eigenpairs_are_those_of_the_dense_graph_with_landmarks(graph):
    B = graph.ties.toarray().astype(float)
    S = normalized(B @ graph.kernel.astype(float) @ B.T)
    found = graph.components(5)
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(S)[::-1][:5], atol=1e-4)
    rows = found.vectors[:]
    np.testing.assert_allclose(S @ rows, rows * found.values, atol=2e-3)
    np.testing.assert_allclose(rows.T @ rows, np.eye(5), atol=2e-3)
    np.testing.assert_allclose(found.vectors[np.array([7, 3])], rows[[7, 3]], atol=1e-6)
    assert found.residual < 1e-3


@pytest.mark.parametrize("helped", [False, True])
def test_landmarks_add_a_fixed_share_to_degrees(problem, graph, helped):
    if helped:  # by clusters of each view, where they are few
        before = graph
        graph = graph.with_clusters_of_views(K, np.ones(len(graph.views)))
        in_all = set.intersection(*map(set, graph.objects))
        assert (graph is before) == (len(in_all) >= 10 * K)
    B = graph.ties.toarray().astype(float)
    both = (B @ graph.kernel.astype(float) @ B.T).sum(axis=1)
    seen = B @ graph.landmark_degrees
    np.testing.assert_allclose(both, graph.degrees + seen, rtol=1e-4)


@pytest.mark.parametrize("matched", [False, True])
def test_what_is_spread_is_the_sum_of_all_walks(problem, graph, matched):
    graph = with_matched(problem, graph) if matched else graph
    S, share = normalized(affinities(graph)), 0.9
    some, step = np.array([0, 4, 50]), np.random.default_rng(2).random((3, 2))
    whole = np.zeros((graph.n_objects, 2))
    whole[some] = step
    walks = np.linalg.inv(np.eye(len(S)) - share * S) @ whole - whole
    at_anchors = graph.diffused_to_anchors(step, some, share)
    everywhere = np.arange(graph.n_objects)
    found = graph.from_anchors(at_anchors, everywhere)
    np.testing.assert_allclose(found, walks, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(graph.sums_of(at_anchors), walks.sum(axis=0), rtol=1e-3)


def test_the_nearest_source_is_that_of_the_shortest_path(problem, graph):
    share, sources = 0.9, np.array([2, 40, 71])
    roots = np.sqrt(graph.diagonal)
    ties = np.sqrt(share / graph.degrees)[:, None] * graph.ties.toarray() * roots
    between = ties.T @ ties  # from anchor to anchor by all objects at once
    n, p = ties.shape
    reach = np.zeros((n + p, n + p))
    reach[n:, n:] = between
    reach[sources, n:] = ties[sources]
    lengths = np.where(reach > 0, -np.log(np.maximum(reach, 1e-300)), 0)
    to_anchors = dijkstra(lengths, indices=sources)[:, n:]
    best = (np.log(np.maximum(ties, 1e-300))[:, None] - to_anchors).max(axis=2)
    # some are in other pieces
    expected = np.where(best.max(axis=1) > -600, sources[best.argmax(axis=1)], -1)
    lengths = graph.path_lengths(share)
    found = graph.nearest_sources(lengths, sources, share, np.arange(graph.n_objects))
    clear = np.diff(np.sort(best, axis=1))[:, -1] > 1e-6
    clear[sources] = False
    np.testing.assert_array_equal(found[clear], expected[clear])
    np.testing.assert_array_equal(found[sources], sources)


def test_the_agreement_of_views_is_the_mean_cosine_over_all_edges_but_loops():
    rng = np.random.default_rng(3)
    y = np.arange(80) % K
    views = [5 * rng.normal(size=(K, 4))[y] + rng.normal(size=(80, 4)) for _ in range(2)]
    graph = anchor_graph(views, same(80), K, np.random.default_rng(1), np.ones(2))
    shares = []
    for u, v in ((0, 1), (1, 0)):
        places = graph.views[v].spectrum(np.arange(80), K)
        edges = edges_by(graph.views[u].ties)
        np.fill_diagonal(edges, 0)
        cosines = places @ places.T
        chance = (cosines.sum() - 80) / (80 * 79)
        shares.append(((edges * cosines).sum() / edges.sum() - chance) / (1 - chance))
    np.testing.assert_allclose(graph.agreement[0, 1], np.sqrt(np.prod(shares)), rtol=1e-4)
    assert graph.agreement[0, 1] > 0.8
    np.testing.assert_array_equal(np.diag(graph.agreement), 1)


def test_noise_agrees_with_nothing_and_its_ties_stay():
    rng = np.random.default_rng(4)
    y = np.arange(300) % K
    good = 5 * rng.normal(size=(K, 4))[y] + rng.normal(size=(300, 4))
    noise = rng.normal(size=(300, 4))
    graph = anchor_graph([good, noise], same(300), K, np.random.default_rng(1), np.ones(2))
    assert graph.agreement[0, 1] < 0.1
    own = graph.ties[:, : graph.n_anchors[0]]
    np.testing.assert_allclose(own.toarray(), graph.views[0].ties.toarray(), atol=0.05)


def test_ties_that_views_of_weight_contradict_are_weaker():
    rng = np.random.default_rng(5)
    y = np.arange(300) % 4
    # the first and third view cannot tell classes 2 and 3 apart, the second can
    centers, blind = 6 * np.eye(4), np.minimum(y, 2)
    views = [centers[seen] + rng.normal(size=(300, 4)) for seen in (blind, y, blind)]

    def mixed(ties):
        """Return the weight of edges between both classes, relative to that within them."""
        edges = edges_by(ties)
        return edges[np.ix_(y == 2, y == 3)].sum() / edges[np.ix_(y == 2, y == 2)].sum()

    matches, changes = same(300), []
    matches[0, 2] = matches[0, 1]
    for weights in ([1, 1, 0.01], [1, 0.01, 1]):
        graph = anchor_graph(views, matches, 4, np.random.default_rng(1), np.array(weights))
        before, after = graph.views[0].ties, graph.ties[:, : graph.n_anchors[0]]
        np.testing.assert_allclose(after.sum(axis=1), before.sum(axis=1), rtol=1e-5)
        changes.append(mixed(after) / mixed(before))
    assert changes[0] < 0.85
    assert changes[1] > 0.95


def test_a_view_counts_as_its_weight_says(problem, graph):
    weights = np.ones(len(problem[0]))
    weights[1] = 0.25
    weighted = made(problem, weights)
    own = [np.bincount(rows, minlength=graph.n_objects) for rows in graph.objects]
    np.testing.assert_allclose(weighted.degrees, weights @ own, rtol=1e-4)
    of_anchors = np.repeat(weights, graph.n_anchors)
    np.testing.assert_allclose(weighted.landmark_degrees, of_anchors * graph.landmark_degrees)


def test_what_is_around_rows_is_the_product_with_the_graph_of_their_view(graph):
    labels = np.random.default_rng(6).integers(2, size=90)
    edges = edges_by(graph.views[1].ties)
    np.fill_diagonal(edges, 0)
    found = graph.views[1].around(labels, 2)[np.arange(90)]
    np.testing.assert_allclose(found, edges @ np.eye(2)[labels], rtol=1e-4, atol=1e-6)
