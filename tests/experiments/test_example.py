"""The example of Figure 3 is one cluster of a real run that can be drawn."""

import json

import numpy as np
import pytest

from mvcc.experiments._trial import draw_trial, example_cluster
from tests.experiments.test_trial import small_config
from tests.reference import gaussians


def config(mapped=(0.5, 1.0), constraints=(10, 20), **changes):
    return small_config(multi_view={"mapped": mapped, "constraints": constraints}, **changes)


@pytest.fixture(scope="module")
def example():
    return example_cluster(config())


def test_the_example_is_a_cluster_of_the_first_trial_as_its_gaussian(example):
    assert json.loads(json.dumps(example)) == example
    everything = draw_trial(config(), 0).views[0].X.tolist()
    assert all(point in everything for point in example["points"])
    mean, covariance = np.array([example["mean"]]), np.array([example["covariance"]])
    for end in (end for constraint in example["constraints"] for end in constraint["ends"]):
        assert end["point"] in example["points"]
        point = np.array([end["point"]])
        expected = gaussians.membership(point, np.array([0]), mean, covariance)[0]
        assert end["membership"] == pytest.approx(expected)


def test_the_two_constraints_are_must_links_and_the_innermost_comes_first(example):
    assert [one["kind"] for one in example["constraints"]] == ["must-link"] * 2
    ends = [[end["membership"] for end in one["ends"]] for one in example["constraints"]]
    inner, outer = np.prod(ends, axis=1)
    assert inner > outer


SPECTRAL = {"features": {"method": "spectral", "n_components": 2}}
PROTEIN = {"dataset": "protein", "dataset_options": {}}


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"study": "views"}, id="another study"),
        pytest.param(SPECTRAL, id="spectral features"),
        pytest.param(PROTEIN, id="no plane", marks=pytest.mark.data),
        pytest.param({"constraints": (2,)}, id="a single must-link"),
    ],
)
def test_there_is_no_example_but_for_two_must_links_in_a_cluster_of_a_plane(changes):
    assert example_cluster(config(**changes)) is None
