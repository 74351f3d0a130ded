"""Scores are over objects and of every table; lines are added one by one, none measured again."""

import time

import numpy as np
import pytest

from mvcc import Dataset, load_dataset
from scripts.field import __main__ as study
from scripts.field import protocols, store
from scripts.field.methods import OF_TABLES, OURS, PAIRS, PLAIN
from scripts.field.protocols import Cell, Task
from scripts.field.scores import COLUMNS, of_objects, score, score_each

CELL = Cell("msrc_v5", "mask A", 0.5)


@pytest.fixture(autouse=True)
def data(monkeypatch):
    """Two tables of two blobs in the place of the benchmarks."""
    y = np.arange(20) % 2
    views = [np.random.default_rng(v).normal(size=(20, 2)) + 9 * y[:, None] for v in (0, 1)]
    same = np.column_stack((np.arange(20), np.arange(20)))
    found = Dataset(views, [y, y], {(0, 1): same}, ("a", "b"))
    monkeypatch.setattr(protocols, "load_dataset", lambda name: found)


@pytest.fixture
def methods():
    """Return a method that is right and notes its seeds, and one that fails."""
    seeds = []

    def right(task, seed):
        seeds.append(seed)
        return [task.y[objects] for objects in task.objects]

    def wrong(task, seed):
        raise ValueError("not\n  today")

    return seeds, {"right": right, "wrong": wrong}


def test_a_line_has_scores_or_a_problem(tmp_path, methods):
    path = tmp_path / "new" / "scores.csv"
    study.measure(CELL, 0, methods[1], path, 60)
    right, wrong = store.read(path).to_dict("records")
    assert [right[name] for name in store.KEY] == ["msrc_v5", "mask A", 0.5, 0, "right"]
    assert [right[name] for name in COLUMNS] == [1.0] * len(COLUMNS)
    assert right["problem"] == ""
    assert wrong["problem"] == "ValueError: not today"
    assert all(np.isnan(wrong[name]) for name in COLUMNS)


def test_nothing_is_measured_twice_and_what_failed_is_not_tried_again(tmp_path, methods):
    seeds, of_name = methods
    path = tmp_path / "scores.csv"
    for number in (0, 1, 0, 1):
        study.measure(CELL, number, of_name, path, 60)
    assert seeds == [0, 1]
    assert store.read(path)["method"].tolist() == ["right", "wrong", "right"]
    study.measure(Cell("msrc_v5", "mask A", 0.3), 1, of_name, path, 60)
    assert seeds == [0, 1, 1]


def test_a_method_that_takes_too_long_is_ended_and_gets_no_further_draw(tmp_path):
    started = []

    def slow(task, seed):
        started.append(seed)
        time.sleep(60)

    path = tmp_path / "scores.csv"
    for number in (0, 1):
        study.measure(CELL, number, {"slow": slow}, path, 0.05)
    assert started == [0]
    assert store.read(path)["problem"].tolist() == ["TimeoutError: took more than 0 seconds"]


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.exact_bits
@pytest.mark.parametrize(
    ("cell", "methods", "name"),
    [
        (Cell("three_sources_gaps", "gaps", 1.0), {**OURS, **PLAIN}, "scores.csv"),
        (Cell("three_sources", "half", 0.3), {**OURS, **PLAIN, **OF_TABLES}, "scores.csv"),
        (Cell("three_sources", "half", 0.3), PAIRS, "pairs.csv"),
    ],
)
def test_a_stored_line_can_be_measured_again(cell, methods, name, tmp_path, monkeypatch):
    monkeypatch.setattr(protocols, "load_dataset", load_dataset)
    study.measure(cell, 0, methods, tmp_path / name, 600)
    both = store.read(tmp_path / name).merge(store.read(store.FOLDER / name), on=store.KEY)
    assert len(both) == len(methods)
    for name in COLUMNS:
        assert both[f"{name}_x"].tolist() == pytest.approx(both[f"{name}_y"].tolist(), abs=2e-6)


@pytest.fixture
def task():
    """Four objects of two classes; the first two are in both tables."""
    return Task(
        [np.zeros((3, 1)), np.zeros((3, 1))],
        [np.array([1, 0, 2]), np.array([3, 1, 0])],
        np.array([0, 0, 1, 1]),
    )


def test_the_first_table_that_has_an_object_gives_its_label(task):
    assert of_objects([np.array([5, 6, 7]), np.array([8, 9, 9])], task).tolist() == [6, 5, 7, 8]


def test_scores_of_objects_and_of_tables_by_hand(task):
    # the classes are right in both tables, but not across them
    labels = [np.array([0, 0, 1]), np.array([2, 0, 0])]
    found = score(labels, task)
    assert found["ACC"] == 0.75
    assert found["purity"] == 1.0
    assert found["F"] == pytest.approx(2 / 3)  # one pair of two is found, and no other
    # the mean of the entropies
    assert found["NMI"] == pytest.approx(2 * np.log(2) / (np.log(2) + 1.5 * np.log(2)))
    assert found["F_views"] == 1.0
    assert score_each(labels, task) == dict.fromkeys(COLUMNS, 1.0)
