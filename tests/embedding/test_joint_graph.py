"""The joint graph, its landmarks and its embedding against the dense reference."""

from functools import partial

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.sparse import csr_array, issparse

from mvcc.embedding import _across_views as module
from mvcc.embedding import (
    _components,
    clear_components,
    connected_views,
    embedded,
    find_objects,
    joint_graph,
    membership,
    neighbors_for,
    object_columns,
)
from mvcc.embedding._components import k_means
from mvcc.exceptions import InvalidInputError
from tests.reference import joint as slow
from tests.strategies import seeds


def problem(seed, sizes=(24, 20), dims=(3, 7), n_matches=9):
    rng = np.random.default_rng(seed)
    views = [
        rng.normal(size=(n, d)) + rng.integers(3, size=(n, 1))
        for n, d in zip(sizes, dims, strict=True)
    ]
    pairs = {
        (v, v + 1): np.unique(rng.integers((sizes[v], sizes[v + 1]), size=(n_matches, 2)), axis=0)
        for v in range(len(sizes) - 1)
    }
    return views, pairs


def squares(E):
    return E @ E.T


def has_gap(matrix, number):
    values = slow.leading(matrix, number + 1)[0]
    return values[-2] - values[-1] > 1e-4


@given(seeds, st.sampled_from([(24, 20), (15, 30, 12)]), st.integers(3, 14))
@example(1200, (24, 20), 3)  # all matches share a row, the only landmark of its view
def test_graph_and_embedding_are_those_of_the_reference(seed, sizes, n_matches):
    views, matches = problem(seed, sizes, (3, 7, 2)[: len(sizes)], n_matches)
    graph = joint_graph(views, matches, 5, 3, np.random.default_rng(0))
    A, S = slow.joint_graph(views, matches, 5, 3)
    np.testing.assert_allclose(graph.affinities.toarray(), A, atol=1e-10)
    # else which eigenvectors are first is rounding, and so is which of equal rows is nearest
    assume(all(has_gap(slow.view_graph(X, 5), number) for X in views for number in (1, 3)))
    landmarks = (graph.factor @ graph.factor.T).toarray()
    np.testing.assert_allclose(landmarks, 2 * (S - A), atol=1e-7)
    assume(has_gap(slow.normalized(S), 4))
    found, expected = embedded(*graph.components(4)[:2], 4), slow.embedding(S, 4)
    np.testing.assert_allclose(squares(found), squares(expected), atol=1e-6)


def test_rows_among_copies_of_themselves_are_near_other_rows_as_well():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    X[:11] += 100
    X[:8] = X[0]  # as many as the neighbor that gives the scale, and the row itself
    graph = joint_graph([X], {}, 10, 0, rng).views[0].graph
    np.testing.assert_allclose(graph.toarray(), slow.view_graph(X, 10), atol=1e-12)
    assert (graph[:8, 8:11].toarray() > 0.01).all()


@given(seeds, st.integers(0, 12))
def test_objects_are_the_connected_components_of_matches(seed, n_matches):
    rng = np.random.default_rng(seed)
    matches = {key: rng.integers(5, size=(n_matches, 2)) for key in ((0, 1), (1, 2), (0, 2))}
    n, objects = find_objects([5, 6, 5], matches)
    expected = np.concatenate(slow.objects_of([5, 6, 5], matches))
    found = np.concatenate(objects)
    assert n == len(set(found)) == len(set(expected)) == len(set(zip(found, expected, strict=True)))


def test_views_that_less_than_three_matches_connect_are_apart():
    rows = np.column_stack((np.arange(3), np.arange(3)))
    assert connected_views(4, {(0, 1): rows[:2], (0, 3): rows}) == [
        ([0, 3], {(0, 1): pytest.approx(rows)}),
        ([1], {}),
        ([2], {}),
    ]


def test_nothing_is_as_large_as_the_square_of_the_rows():
    views, matches = problem(0, (3000, 2500), (3, 7), 600)
    graph = joint_graph(views, matches, 10, 5, np.random.default_rng(0))
    assert issparse(graph.affinities)
    assert issparse(graph.factor)
    assert graph.affinities.nnz < 40 * graph.n_objects
    assert graph.factor.nnz < 45 * graph.n_objects


def test_sparse_and_dense_eigenvectors_agree(monkeypatch):
    views, matches = problem(1, (300, 280), (3, 7), 120)
    graph = joint_graph(views, matches, 10, 3, np.random.default_rng(0))
    dense = graph.components(6)
    monkeypatch.setattr(_components, "_DENSE_OBJECTS", 100)
    sparse = graph.components(6)
    np.testing.assert_allclose(dense[0], sparse[0], atol=1e-6)
    np.testing.assert_allclose(np.abs((dense[1] * sparse[1]).sum(axis=0)), 1, atol=1e-3)
    assert (dense[1] * sparse[1]).sum(axis=0) == pytest.approx(1, abs=1e-3)  # also the signs
    assert dense.residual < 1e-12 < sparse.residual < 1e-4
    monkeypatch.setattr(_components, "eigsh", partial(_components.eigsh, maxiter=1))
    with pytest.raises(InvalidInputError, match="The 6 leading eigenvectors of the graph of"):
        graph.components(6)


def test_the_largest_eigenvalues_are_found_where_negative_ones_are_of_larger_magnitude(monkeypatch):
    A = np.kron(np.eye(60), [[0.5, 0], [0, -1]]) + 1e-3 * squares(
        np.random.default_rng(0).normal(size=(120, 4))
    )
    monkeypatch.setattr(_components, "_DENSE_OBJECTS", 50)
    values, _ = _components.leading_eigenvectors(9, csr_array(A))
    np.testing.assert_allclose(values, slow.leading(A, 9)[0], rtol=1e-4)


@pytest.mark.parametrize(
    ("eigenvalues", "number"),
    [
        ([1, 0.9, 0.8, 0.4, 0.35, 0.3, 0.2], 3),  # of steps .4, .05, .05 and .1
        ([1, 0.9, 0.8, 0.7, 0.65, 0.3, 0.2], 5),
        ([1, 0.9, 0.8, 0.75, 0.7, 0.65, 0.1], 6),  # all are before the largest step
        ([1, 0.9, 0.8, 0.6, 0.5, 0.4, 0.3], 6),  # none is larger than the others together
        ([1, 0.9, 0.8, 0.4, -0.5, -0.6, -0.7], 6),  # 0 and less is one
        ([1, 0.9, 0.8, 0.8, 0.8, 0.8, 0.8], 6),
        ([1, 0.9, 0.8], 6),  # all that there are
    ],
)
def test_components_before_the_eigengap_are_clear(eigenvalues, number):
    assert clear_components(np.array(eigenvalues), 3, 6) == number


@given(seeds, st.integers(0, 1))
def test_the_residual_is_the_largest_length_of_what_an_eigenvector_misses(seed, n_factors):
    rng = np.random.default_rng(seed)
    graph, factor = (np.maximum(rng.normal(size=shape), 0) for shape in ((30, 30), (30, 4)))
    graph = graph + graph.T
    S = graph + n_factors * factor @ factor.T
    values, vectors = rng.normal(size=3), rng.normal(size=(30, 3))
    missed = np.linalg.norm(S @ vectors - vectors * values, axis=0)
    sparse = csr_array(graph), csr_array(factor) if n_factors else None
    found = _components.residual(values, vectors, *sparse)
    assert found == pytest.approx(missed.max())


@pytest.mark.parametrize("n_matches", [0, 425])
def test_every_piece_of_a_graph_has_its_eigenvalue_of_1(monkeypatch, n_matches):
    """Arnoldi's method, begun from one vector, finds some; tiny pieces come after large ones."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(8), (90, 80, 70, 60, 50, 40, 20, 15))
    views = [
        rng.normal(size=(len(y), 2)) + 1e3 * np.array([[c, c % 3] for c in range(8)])[y]
        for _ in range(2)
    ]
    same = rng.choice(len(y), n_matches, replace=False)
    matches = {(0, 1): np.column_stack((same, same))} if n_matches else {}
    monkeypatch.setattr(_components, "_DENSE_OBJECTS", 10)
    graph = joint_graph(views if n_matches else views[:1], matches, 5, 6, np.random.default_rng(0))
    values, vectors = graph.components(6)[:2]
    np.testing.assert_allclose(values, 1, atol=1e-6)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(6), atol=1e-5)
    rows = embedded(values, vectors, 6)[graph.objects[0]]
    for c in range(6):  # one point for each piece, at a right angle to the others
        np.testing.assert_allclose(rows[y == c] @ rows[y == c].T, 1, atol=1e-5)
        np.testing.assert_allclose(rows[y == c] @ rows[y != c].T, 0, atol=1e-5)


def test_landmarks_are_drawn_where_they_are_many(monkeypatch):
    views, matches = problem(0, (80, 80), (2, 2), 60)
    most = "mvcc.embedding._joint_graph.MOST_LANDMARKS"
    monkeypatch.setattr(most, 15)  # of 20 objects in both views
    graph = joint_graph(views, matches, 5, 3, np.random.default_rng(0))
    assert graph.factor.shape == (graph.n_objects, 2 * 15)


def test_few_landmarks_are_helped_by_clusters_of_each_view():
    views, matches = problem(0, (24, 20), (3, 7), 9)
    graph = joint_graph(views, matches, 5, 3, np.random.default_rng(0))
    helped = graph.with_clusters_of_views(3, np.ones(2))
    before, after = ((G.factor @ G.factor.T).toarray() for G in (graph, helped))
    orders, agreeing, members = numbered(graph, 3)
    together = sum(rows[:, order] for rows, order in zip(members, orders, strict=True))
    together /= together.sum(axis=1, keepdims=True)
    n_landmarks = len(set(graph.objects[0]) & set(graph.objects[1]))
    share = (1 - n_landmarks / 30) * agreeing
    assert 0.1 < share < 0.9
    expected = (1 - share) * before + share * together / together.sum(axis=0) @ together.T
    np.testing.assert_allclose(after, expected, atol=1e-10)
    assert helped.affinities is graph.affinities


def numbered(graph, k):
    """Cluster the views of a graph as it does, and number them alike; return also who is where."""
    found = []
    for view in graph.views:
        rows = view.embedded(k)
        found.append((rows, *k_means(rows, k)))
    rows_of = [membership(own, graph.n_objects).toarray() for own in graph.objects]
    seen = np.flatnonzero(np.all([P.any(axis=1) for P in rows_of], axis=0))
    near = [P[seen] @ rows @ C.T for P, (rows, _, C) in zip(rows_of, found, strict=True)]
    members = [P @ np.eye(k)[labels] for P, (_, labels, _) in zip(rows_of, found, strict=True)]
    return *module.numbered_alike(near), members


def test_ten_landmarks_for_each_cluster_are_not_few():
    views, _ = problem(0, (60, 50), (2, 2))
    same = np.column_stack((np.arange(30), np.arange(30)))
    graph = joint_graph(views, {(0, 1): same}, 5, 3, np.random.default_rng(0))
    assert graph.with_clusters_of_views(3, np.ones(2)) is graph
    alone = joint_graph(views[:1], {}, 5, 3, np.random.default_rng(0))
    assert alone.with_clusters_of_views(3, np.ones(1)) is alone


def test_clusters_of_a_chain_of_views_get_common_numbers():
    rng = np.random.default_rng(0)
    y, k = np.arange(12) % 4, 4
    near, renumbered = [], [rng.permutation(k) for _ in range(3)]
    for view, number in enumerate(renumbered):  # the last view sees landmarks of the first only
        rows = np.eye(k)[number[y]] + rng.random((12, k)) / 4
        rows[{0: [], 1: range(6), 2: range(6, 12)}[view]] = 0
        near.append(rows)
    orders, agreeing = module.numbered_alike(near)
    for order, number in zip(orders, renumbered, strict=True):
        np.testing.assert_array_equal(number[y], order[orders[0].argsort()[renumbered[0][y]]])
    assert agreeing == 1


def test_landmarks_that_two_views_put_apart_do_not_agree():
    first = np.eye(2)[[0, 0, 0, 0, 1, 1, 1, 1]]
    second = np.eye(2)[[1, 1, 1, 0, 0, 0, 0, 1]]
    orders, agreeing = module.numbered_alike([first, second])
    assert orders[1].tolist() == orders[0][::-1].tolist()
    assert agreeing == pytest.approx((6 / 8 - 1 / 2) / (1 - 1 / 2))  # Cohen's κ
    assert module.numbered_alike([first, 0 * second])[1] == 0
    assert module.numbered_alike([np.eye(2)[[0, 0, 0]], np.eye(2)[[1, 1, 1]]])[1] == 0


def test_matched_objects_get_edges_by_the_columns_of_all_views():
    views, _ = problem(0, (60, 50), (2, 2))
    same = np.column_stack((np.arange(30), np.arange(30)))
    graph = joint_graph(views, {(0, 1): same}, 5, 3, np.random.default_rng(0))
    columns = np.random.default_rng(0).normal(size=(80, 3))
    more = (graph.with_matched_objects(columns.__getitem__).affinities - graph.affinities).toarray()
    expected = 2 * 30 / 80 * slow.view_graph(columns[:30], 5)
    np.testing.assert_allclose(more[:30, :30], expected, atol=1e-12)
    assert not more[30:].any()
    few = joint_graph(views, {(0, 1): same[:19]}, 5, 3, np.random.default_rng(0))
    assert few.with_matched_objects(np.zeros((91, 3)).__getitem__) is few


@pytest.mark.parametrize(
    ("sizes", "k", "q"), [((900, 800), 10, 10), ((116, 200), 10, 6), ((30, 40), 10, 5)]
)
def test_small_views_get_fewer_neighbors(sizes, k, q):
    assert neighbors_for([np.zeros((n, 2)) for n in sizes], k, 10) == q
    assert neighbors_for([np.zeros((n, 2)) for n in sizes], k, 3) == 3


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_columns_of_an_object_are_the_means_of_its_rows_in_every_view(dtype):
    rng = np.random.default_rng(0)
    views = [rng.normal(size=(n, 3)).astype(dtype) for n in (9, 7)]
    objects = [np.array([0, 1, 1, 2, 4, 4, 4, 5, 0]), np.array([0, 1, 2, 3, 3, 3, 1])]
    found = object_columns(views, [membership(own, 6) for own in objects])
    for place, (X, own) in enumerate(zip(views, objects, strict=True)):
        for one in range(6):
            rows = X[own == one].astype(float)
            mean = rows.mean(axis=0) if len(rows) else np.zeros(3)
            np.testing.assert_allclose(found[one, 3 * place : 3 * place + 3], mean, rtol=1e-12)
