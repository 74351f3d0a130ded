"""Methods differ by colour, grey and marker.

Mapped fractions by line and filling; the user's settings do not count.
"""

from __future__ import annotations

from itertools import pairwise

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from mvcc.reporting.figures._style import (
    METHODS,
    house_style,
    line_styles,
    percent,
    tint,
)


def lightness(color: str) -> float:
    """L* of CIELAB, 0 to 100."""
    rgb = np.array(to_rgb(color))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    return 116 * luminance ** (1 / 3) - 16 if luminance > 0.008856 else 903.3 * luminance


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
def test_other_fractions_have_lines_of_their_own(fractions):
    lines = line_styles(fractions)
    assert len(set(lines.values())) == len(fractions)


def test_the_lines_of_the_paper_do_not_depend_on_other_fractions():
    assert line_styles([0.4, 0.9])[0.4] == line_styles([0.4])[0.4]


def test_percentages_keep_their_digits():
    assert [percent(fraction) for fraction in (1.0, 0.2, 0.07, 0.125)] == [
        "100%",
        "20%",
        "7%",
        "12.5%",
    ]


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
