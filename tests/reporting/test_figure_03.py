"""Figure 3 shows a cluster, its covariance, and smaller ones at the endpoints."""

import numpy as np
import pytest

from mvcc.exceptions import StoreError
from mvcc.reporting.figures._plot import draw_figure_03
from mvcc.reporting.figures._style import house_style
from tests.reporting.drawn import assert_nothing_is_cut_or_covered


def ellipses(axes):
    """Read centers and covariances from ellipses at one standard deviation."""
    found = []
    for patch in axes.patches:
        corners = patch.get_corners()
        half = (corners[1] - corners[0]) / 2, (corners[2] - corners[1]) / 2
        found.append((np.mean(corners, axis=0), sum(np.outer(axis, axis) for axis in half)))
    return found


def test_the_ellipses_are_those_of_the_covariances_at_one_standard_deviation(example):
    covariance = np.array([[4.0, 1.5], [1.5, 1.0]])
    example["covariance"] = covariance.tolist()
    picture = draw_figure_03([example])
    ends = [end for constraint in example["constraints"] for end in constraint["ends"]]
    expected = [([1.0, 2.0], covariance)]
    expected += [(end["point"], end["membership"] * covariance) for end in ends]
    for drawn, wanted in zip(ellipses(picture.figure.axes[0]), expected, strict=True):
        np.testing.assert_allclose(drawn[0], wanted[0], atol=1e-9)
        np.testing.assert_allclose(drawn[1], wanted[1], atol=1e-9)
    assert "1 standard deviation" in picture.caption


def test_nothing_is_cut_and_no_text_covers_another_part(example):
    with house_style():
        assert_nothing_is_cut_or_covered(draw_figure_03([example]).figure)


def test_examples_of_other_studies_are_left_out(example):
    assert draw_figure_03([{**example, "study": "shapes"}]) is None
    assert len(draw_figure_03([{**example, "study": "shapes"}, example]).figure.axes) == 1


@pytest.mark.parametrize(
    ("part", "value"), [("mean", None), ("covariance", [[1.0]]), ("points", [[1.0], [2.0, 3.0]])]
)
def test_a_damaged_example_is_an_error_that_names_its_folder(example, part, value):
    with pytest.raises(StoreError, match=r"example of four_quadrants.*mvcc run"):
        draw_figure_03([{**example, part: value}])
    del example[part]
    with pytest.raises(StoreError, match=part):
        draw_figure_03([example])


def test_a_membership_above_1_is_an_error(example):
    example["constraints"][0]["ends"][0]["membership"] = 1.5
    with pytest.raises(StoreError, match="memberships from 0 to 1 are expected"):
        draw_figure_03([example])
