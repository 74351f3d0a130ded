"""Scores are over objects, which have one label each, and of every table."""

import numpy as np
import pytest

from scripts.field.protocols import Task
from scripts.field.scores import COLUMNS, of_objects, score, score_each


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


def test_a_clustering_like_the_classes_has_all_scores_1(task):
    labels = [np.array([4, 4, 2]), np.array([2, 4, 4])]
    assert score(labels, task) == dict.fromkeys(COLUMNS, 1.0)


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


def test_tables_by_themselves_need_no_common_clusters(task):
    labels = [np.array([0, 0, 1]), np.array([0, 1, 1])]
    assert score(labels, task)["ACC"] < 1
    assert score_each(labels, task) == dict.fromkeys(COLUMNS, 1.0)
