"""The protocols of the field keep what they promise: who loses what, and what still matches."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from mvcc import Dataset
from scripts.field import protocols
from scripts.field.protocols import (
    CUT,
    Cell,
    Task,
    aligned,
    called,
    cells,
    cut,
    draw,
    half,
    mask_a,
    mask_b,
    whole,
)

N, V = 60, 4
CLASSES = {"three_sources_gaps": 6, "msrc_v5": 7, "ngs": 5}


@pytest.fixture
def task():
    """Tables whose only column has the number of the object."""
    tables = [np.arange(N, dtype=float)[:, None] for _ in range(V)]
    return Task(tables, [np.arange(N)] * V, np.arange(N) % 3)


def times(task):
    return np.bincount(np.concatenate(task.objects), minlength=len(task.y))


def check_rows(task):
    for X, objects in zip(task.views, task.objects, strict=True):
        assert (task.y[objects] == X[:, 0] % 3).all()
        assert len(np.unique(objects)) == len(objects) == len(X)
    for (u, v), rows in task.matches.items():
        assert (task.views[u][rows[:, 0]] == task.views[v][rows[:, 1]]).all()


@pytest.mark.parametrize("level", [0.1, 0.5, 1.0])
def test_mask_a_takes_views_from_a_share_of_the_objects(task, level):
    masked = mask_a(task, level, np.random.default_rng(0))
    check_rows(masked)
    assert (times(masked) < V).sum() == round(level * N)
    assert times(masked).min() >= 1
    assert level < 1 or set(times(masked)) == {1, 2, 3}
    assert not masked.is_complete


@pytest.mark.parametrize("level", [0.1, 0.2, 0.9])
def test_mask_b_takes_rows_from_every_view_and_leaves_one_to_each_object(task, level):
    masked = mask_b(task, level, np.random.default_rng(0))
    check_rows(masked)
    left = N - round(level * N)
    assert all(len(X) >= left for X in masked.views)
    given_back = sum(len(X) - left for X in masked.views)
    assert (given_back > 0) == (level == 0.9)
    assert times(masked).min() >= 1


@pytest.mark.parametrize("level", [0.1, 0.5, 1.0])
def test_aligned_tables_are_whole_and_shuffled_and_some_matches_are_known(task, level):
    found = aligned(task, level, np.random.default_rng(0))
    check_rows(found)
    known = round(level * N)
    assert [len(X) for X in found.views] == [N, N]
    assert found.matches[0, 1].shape == (known, 2)
    assert len(found.y) == 2 * N - known
    assert np.bincount(times(found)).tolist()[1:] == [2 * (N - known), known][: 1 + (known > 0)]
    assert any((X[:, 0] != np.arange(N)).any() for X in found.views)


@pytest.mark.parametrize("level", [0.1, 0.3, 1.0])
def test_half_matched_objects_are_in_both_tables_or_in_one_of_them(task, level):
    found = half(task, level, np.random.default_rng(0))
    check_rows(found)
    both = round(level * N)
    assert [len(X) for X in found.views] == [both + (N - both) // 2] * 2
    assert found.matches[0, 1].shape == (both, 2)
    assert times(found).min() >= 1


@pytest.mark.parametrize("data", CUT)
def test_tables_of_scikit_learn_are_cut_in_two(data):
    shapes = {"wine": (178, 6), "breast_cancer": (569, 20), "digits_halves": (1797, 32)}
    first, second = cut(data).views
    assert first.shape == shapes[data]
    if data == "digits_halves":
        images = load_digits().images
        assert (images[7, :, :4] == first[7].reshape(4, 8).T).all()
        assert (images[7, :, 4:] == second[7].reshape(4, 8).T).all()
    classes = {"wine": 3, "breast_cancer": 2, "digits_halves": 10}
    assert draw(Cell(data, "half", 0.3), 0).k == classes[data]


def test_matches_of_a_data_set_make_objects_across_all_tables():
    views = [np.array(rows)[:, None] for rows in ([0.0, 1.0, 2.0], [1.0, 3.0], [3.0, 2.0, 1.0])]
    labels = [np.array([5, 6, 7]), np.array([6, 8]), np.array([8, 7, 6])]
    matches = {(0, 1): [[1, 0]], (0, 2): [[1, 2], [2, 1]], (1, 2): [[0, 2], [1, 0]]}
    relations = {key: np.array(rows) for key, rows in matches.items()}
    task = whole(Dataset(views, labels, relations, ("a", "b", "c")))
    assert task.y.tolist() == [5, 6, 7, 8]
    assert [rows.tolist() for rows in task.objects] == [[0, 1, 2], [1, 3], [3, 2, 1]]
    assert {key: sorted(rows.tolist()) for key, rows in task.matches.items()} == matches


def test_a_draw_is_that_of_its_number(task, monkeypatch):
    data = Dataset(task.views, [task.y] * V, task.matches, tuple("abcd"))
    monkeypatch.setattr(protocols, "load_dataset", lambda name: data)
    first, again, second = (draw(Cell("msrc_v5", "mask A", 0.5), number) for number in (0, 0, 1))
    assert [rows.tolist() for rows in first.objects] == [rows.tolist() for rows in again.objects]
    assert [rows.tolist() for rows in first.objects] != [rows.tolist() for rows in second.objects]
    # of which not all tables are taken
    assert len(draw(Cell("acm", "complete", 1.0), 0).views) == 2
    # HOG and GIST, after the colors
    edges = draw(Cell("msrc_v5_edges", "half", 1.0), 0)
    assert [(X[:, 0] == task.views[1][:, 0]).all() for X in edges.views] == [True, True]
    assert called("msrc_v5_edges") == "MSRC-v5 (HOG and GIST)"


def test_every_cell_is_there_once():
    assert len(set(cells())) == len(cells())


@pytest.mark.data
@pytest.mark.parametrize(
    "cell",
    [cell for cell in cells() if cell.data in ("three_sources_gaps", "msrc_v5", "ngs")],
    ids=str,
)
def test_benchmarks_become_tasks(cell):
    task = draw(cell, 0)
    assert task.is_complete == (
        cell.protocol == "complete" or (cell.protocol, cell.level) == ("half", 1.0)
    )
    assert task.k == CLASSES[cell.data]
    assert [len(rows) for rows in task.objects] == [len(X) for X in task.views]
    assert len(np.unique(np.concatenate(task.objects))) == len(task.y)
