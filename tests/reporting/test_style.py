"""Methods differ by colour, grey and marker, and mapped fractions by line and filling."""

from itertools import pairwise

import matplotlib
import pytest
from matplotlib.colors import to_rgb

from mvcc.reporting.figures._style import METHODS, house_style, line_styles, percent, tint
from tests.reporting.drawn import lab


def lightness(color):
    return lab(color)[0]


def test_methods_differ_in_grey_and_in_marker():
    shades = sorted(lightness(style.color) for style in METHODS.values())
    assert min(after - before for before, after in pairwise(shades)) > 14
    assert shades[-1] < 75  # still stands out from white paper
    assert len({style.marker for style in METHODS.values()}) == len(METHODS)


def test_the_papers_fractions_have_the_papers_lines():
    lines = line_styles([0.2, 1.0, 0.4])
    assert list(lines) == [1.0, 0.4, 0.2]
    assert lines[1.0] == "solid"
    _, dashes = lines[0.4]
    _, dots = lines[0.2]
    assert dashes[0] > 2 * dots[0]


@pytest.mark.parametrize("fractions", [(0.1, 0.3, 0.6, 0.8), (0.05, 0.2, 0.4, 0.5, 0.6, 1.0)])
def test_other_fractions_have_lines_of_their_own_and_leave_the_papers(fractions):
    lines = line_styles(fractions)
    assert len(set(lines.values())) == len(fractions)
    assert lines.get(0.4, line_styles([0.4])[0.4]) == line_styles([0.2, 0.4, 1.0])[0.4]


def test_percentages_keep_their_digits():
    written = [percent(fraction) for fraction in (1.0, 0.2, 0.07, 0.125)]
    assert written == ["100%", "20%", "7%", "12.5%"]


def test_a_marker_is_filled_as_far_as_the_mapping_is_known():
    assert tint("#00558f", 1.0) == pytest.approx(to_rgb("#00558f"))
    assert tint("#00558f", 0.0) == pytest.approx((1, 1, 1))
    assert lightness(tint("#00558f", 0.2)) > lightness(tint("#00558f", 0.4)) > lightness("#00558f")


def test_the_house_style_replaces_the_users_settings_and_gives_them_back():
    with matplotlib.rc_context({"font.size": 31, "axes.facecolor": "pink"}):
        with house_style():
            assert matplotlib.rcParams["font.size"] == 8
            assert matplotlib.rcParams["axes.facecolor"] == "white"
        assert matplotlib.rcParams["font.size"] == 31
