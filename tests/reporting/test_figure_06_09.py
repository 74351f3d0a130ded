"""Figures 6 and 9 show how many constraints were propagated, must-links and cannot-links together."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import same_color

from mvcc.reporting.figures._figures_06_10 import draw_numbers
from mvcc.reporting.figures._style import BASE_STYLES
from tests.reporting.drawn import (
    assert_nothing_is_cut_or_covered,
    is_dashed,
    keys,
    lines,
    points,
    titles,
    words,
)

CP = "constraint-propagation"


def propagated(table):
    return (table["propagated_must_links"] + table["propagated_cannot_links"]).to_numpy()


def test_points_are_the_sums_of_both_kinds(curves):
    table = curves()
    (axes,) = draw_numbers(table.sample(frac=1, random_state=2), "multi-view").axes
    drawn = points(axes)
    assert len(drawn) == 6
    for base, style in BASE_STYLES.items():
        for mapped, label in ((0.2, "20%"), (0.4, "40%"), (1.0, "100%")):
            curve = table[(table["base"] == base) & (table["method"] == CP) & (table["mapped"] == mapped)]
            expected = np.column_stack([curve["n_constraints"], propagated(curve)])
            np.testing.assert_allclose(drawn[f"{style.title}, {label}"], expected)


def test_colour_is_the_base_and_line_type_the_mapped_fraction(curves):
    figure = draw_numbers(curves(), "multi-view")
    drawn = lines(figure.axes[0])
    for label, line in drawn.items():
        title, _, mapped = label.partition(", ")
        style = next(style for style in BASE_STYLES.values() if style.title == title)
        assert same_color(line.get_color(), style.color)
        assert line.get_marker() == style.marker
        assert is_dashed(line) == (mapped != "100%")
    assert keys(figure) == {
        "Base algorithm": ["PCK-Means", "MPCK-Means"],
        "Instances mapped": ["100%", "40%", "20%"],
        "Guide": ["proportional"],
    }


def test_the_guides_grow_in_proportion_on_the_axes_drawn(curves):
    (axes,) = draw_numbers(curves(), "multi-view").axes
    assert axes.get_xscale() == axes.get_yscale() == "log"
    guides = [line for line in axes.get_lines() if hasattr(line, "get_xy2")]
    for guide in guides:
        (x1, y1), (x2, y2) = guide.get_xy1(), guide.get_xy2()
        assert y2 / y1 == pytest.approx(x2 / x1)
    (low, high), (left, right) = axes.get_ylim(), axes.get_xlim()
    crossing = [
        guide
        for guide in guides
        if (slope := guide.get_xy1()[1] / guide.get_xy1()[0]) and slope * right > low and slope * left < high
    ]
    assert crossing


def test_the_axis_holds_all_points_and_little_more(curves):
    (axes,) = draw_numbers(curves(), "multi-view").axes
    drawn = np.concatenate([xy[:, 1] for xy in points(axes).values()])
    low, high = axes.get_ylim()
    assert low < drawn.min() < 2 * low
    assert high / 2 < drawn.max() < high


def test_axes_say_what_is_counted(curves):
    (axes,) = draw_numbers(curves(), "multi-view").axes
    assert axes.get_xlabel() == "Constraints per view"
    assert axes.get_ylabel() == "Propagated constraints, all views"
    (axes,) = draw_numbers(curves(views=("letters",)), "single-view").axes
    assert axes.get_xlabel() == "Constraints"
    assert axes.get_ylabel() == "Propagated constraints"


def test_where_nothing_was_propagated_there_is_no_point(curves):
    table = curves(bases=("pck-means",), fractions=(1.0,))
    first = table["n_constraints"] == 20
    table.loc[first, ["propagated_must_links", "propagated_cannot_links"]] = 0.0
    (axes,) = draw_numbers(table, "multi-view").axes
    assert points(axes)["PCK-Means, 100%"][:, 0].tolist() == [40, 80]
    table[["propagated_must_links", "propagated_cannot_links"]] = 0.0
    assert draw_numbers(table, "multi-view") is None


def test_single_views_have_a_panel_each_and_one_curve_per_base(curves):
    table = pd.concat([curves(views=("letters", "digits")), curves("protein", views=("all",)), curves("rec_talk")])
    figure = draw_numbers(table, "single-view")
    assert titles(figure) == ["Protein", "Letters", "Digits"]
    letters = points(figure.axes[1])
    assert len(letters) == 2
    of_view = table[(table["view"] == "letters") & (table["method"] == CP) & (table["base"] == "mpck-means")]
    np.testing.assert_allclose(letters["MPCK-Means, 100%"][:, 1], propagated(of_view))
    assert "Instances mapped" not in keys(figure)


def test_multi_view_alone_gives_no_figure_9_and_single_view_no_figure_6(curves):
    assert draw_numbers(curves(), "single-view") is None
    assert draw_numbers(curves(views=("letters",)), "multi-view") is None


def test_the_note_tells_the_scale_and_the_trials(curves):
    assert "Both axes are logarithmic" in words(draw_numbers(curves(), "multi-view"))
    assert "Mean over 12 trials." in words(draw_numbers(curves(), "multi-view"))


def test_nothing_is_cut_and_no_text_covers_another_part(curves):
    assert_nothing_is_cut_or_covered(
        draw_numbers(pd.concat([curves(), curves("protein"), curves("rec_talk")]), "multi-view")
    )
    assert_nothing_is_cut_or_covered(draw_numbers(curves(views=("letters", "digits")), "single-view"))
