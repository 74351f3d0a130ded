"""One random state gives one data set; what cannot be loaded names the wrong argument."""

import hashlib

import numpy as np
import pytest

from mvcc import load_dataset
from mvcc.datasets import registry
from mvcc.exceptions import InvalidInputError

NO_FILES = ["four_quadrants", "half_moons", "rings", "digits_halves", "wine", "breast_cancer"]
OF_PAPER = ["protein", "letters_digits", "rec_talk"]
OF_FIELD = [name for name, info in registry().items() if info.loader.endswith(":field")]


def each(without, with_files):
    return [*without, *(pytest.param(name, marks=pytest.mark.data) for name in with_files)]


def _values(data):
    return np.concatenate([*(view.ravel() for view in data.views), data.relations[0, 1].ravel()])


@pytest.mark.parametrize("name", each(NO_FILES, OF_PAPER + OF_FIELD))
def test_the_registry_tells_the_truth(name):
    info, data = registry()[name], load_dataset(name, random_state=0)
    assert data.names == tuple(view.name for view in info.views)
    assert repr(data).startswith(f"<Dataset: {info.clusters} classes in views {data.names[0]} (")
    assert [X.shape for X in data.views] == [(v.instances, v.features) for v in info.views]
    assert all(np.isfinite(X).all() for X in data.views)
    assert len(data.relations[0, 1]) == info.relations
    assert all(np.unique(labels).tolist() == list(range(info.clusters)) for labels in data.labels)
    for (u, v), rows in data.relations.items():
        assert (data.labels[u][rows[:, 0]] == data.labels[v][rows[:, 1]]).all()


@pytest.mark.parametrize("name", each(NO_FILES, OF_PAPER))
def test_equal_random_states_give_the_same_and_others_something_else(name):
    generator = np.random.default_rng(7)
    states = [7, generator, generator, 1, None, None]
    drawn = [_values(load_dataset(name, random_state=state)).tobytes() for state in states]
    assert drawn[0] == drawn[1]
    assert len(set(drawn)) == len(drawn) - 1


def test_random_states_may_be_of_any_kind():
    seed = np.random.SeedSequence(7)
    states = [7, np.int64(7), seed, seed, np.random.default_rng(7)]
    drawn = {_values(load_dataset("rings", random_state=state)).tobytes() for state in states}
    assert len(drawn) == 1


@pytest.mark.parametrize("state", ["seed", -1, 1.5, object()])
def test_a_random_state_that_is_none_is_refused(state):
    message = "random_state must be a non-negative integer, a seed sequence"
    with pytest.raises(InvalidInputError, match=message):
        load_dataset("four_quadrants", random_state=state)


def test_unknown_options_name_the_allowed_ones():
    message = r"'four_quadrants': n, size; its options are: instances_per_view"
    with pytest.raises(InvalidInputError, match=message):
        load_dataset("four_quadrants", size=3, n=1)
    with pytest.raises(InvalidInputError, match=r"'protein': rng; its options are: n_views"):
        load_dataset("protein", rng=1)
    with pytest.raises(InvalidInputError, match=r"'letters_digits': n_views; it has no options"):
        load_dataset("letters_digits", n_views=3)


@pytest.mark.parametrize(
    ("name", "digest"),
    [
        ("four_quadrants", "b9644025169a7f20"),
        pytest.param("protein", "c3073a70ed33e5d1", marks=pytest.mark.data),
        pytest.param("letters_digits", "57ca68e1e21df69c", marks=pytest.mark.data),
        pytest.param("rec_talk", "bca0c7a97668d4a5", marks=pytest.mark.data),
    ],
)
def test_two_views_are_drawn_as_for_the_committed_results(name, digest):
    relations = load_dataset(name, random_state=1).relations
    assert list(relations) == [(0, 1)]
    assert hashlib.sha256(relations[0, 1].astype("<i8").tobytes()).hexdigest().startswith(digest)
