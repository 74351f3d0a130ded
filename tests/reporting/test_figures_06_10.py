"""Figures 6 to 10: numbers and precision of propagated constraints, and single views with and
without propagation.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import same_color

from mvcc.reporting.figures._figures_06_10 import draw_numbers, draw_precision, draw_single_view
from mvcc.reporting.figures._style import BASE_STYLES
from tests.reporting import drawn as read
from tests.reporting.drawn import is_dashed, keys, lines, points, titles, words

CP = "constraint-propagation"
BOTH = (CP, "single-view")
KINDS = {"Must-links": "precision_must_link", "Cannot-links": "precision_cannot_link"}


@pytest.mark.parametrize("draw", [draw_numbers, draw_precision])
def test_nothing_is_cut_and_no_text_covers_another_part(curves, draw):
    of_single_views = curves(methods=BOTH, views=("letters", "digits"))
    for figure in (
        draw(pd.concat([curves(), curves("protein"), curves("rec_talk")]), "multi-view"),
        draw(of_single_views, "single-view"),
        draw_single_view(of_single_views),
    ):
        read.assert_nothing_is_cut_or_covered(figure)


# Figures 6 and 9: must-links and cannot-links together


def propagated(table):
    return (table["propagated_must_links"] + table["propagated_cannot_links"]).to_numpy()


def test_points_are_the_sums_of_both_kinds(curves):
    table = curves()
    (axes,) = draw_numbers(table.sample(frac=1, random_state=2), "multi-view").axes
    drawn = points(axes)
    assert len(drawn) == 6
    for base, style in BASE_STYLES.items():
        for mapped, label in ((0.2, "20%"), (0.4, "40%"), (1.0, "100%")):
            curve = table[
                (table["base"] == base) & (table["method"] == CP) & (table["mapped"] == mapped)
            ]
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
        if (slope := guide.get_xy1()[1] / guide.get_xy1()[0])
        and slope * right > low
        and slope * left < high
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
    table = pd.concat(
        [curves(views=("letters", "digits")), curves("protein", views=("all",)), curves("rec_talk")]
    )
    figure = draw_numbers(table, "single-view")
    assert titles(figure) == ["Protein", "Letters", "Digits"]
    letters = points(figure.axes[1])
    assert len(letters) == 2
    of_view = table[
        (table["view"] == "letters") & (table["method"] == CP) & (table["base"] == "mpck-means")
    ]
    np.testing.assert_allclose(letters["MPCK-Means, 100%"][:, 1], propagated(of_view))
    assert "Instances mapped" not in keys(figure)


def test_multi_view_alone_gives_no_figure_9_and_single_view_no_figure_6(curves):
    assert draw_numbers(curves(), "single-view") is None
    assert draw_numbers(curves(views=("letters",)), "multi-view") is None


def test_the_note_tells_the_scale_and_the_trials(curves):
    assert "Both axes are logarithmic" in words(draw_numbers(curves(), "multi-view"))
    assert "Mean over 12 trials." in words(draw_numbers(curves(), "multi-view"))


# Figures 7 and 10, on an axis that hides nothing


def of_panel(table, base, mapped=None):
    rows = table[(table["base"] == base) & (table["method"] == CP)]
    return rows if mapped is None else rows[rows["mapped"] == mapped]


def test_points_are_the_precisions_with_all_instances_mapped(curves):
    table = curves()
    (axes,) = draw_precision(table.sample(frac=1, random_state=3), "multi-view").axes
    drawn = points(axes)
    assert len(drawn) == 4
    for base, style in BASE_STYLES.items():
        for kind, column in KINDS.items():
            expected = of_panel(table, base, 1.0)[["n_constraints", column]]
            np.testing.assert_allclose(drawn[f"{style.title}, {kind}"], expected)


def test_must_links_are_solid_and_cannot_links_dashed(curves):
    figure = draw_precision(curves(), "multi-view")
    for label, line in lines(figure.axes[0]).items():
        assert is_dashed(line) == label.endswith("Cannot-links")
    assert keys(figure) == {
        "Base algorithm": ["PCK-Means", "MPCK-Means"],
        "Propagated": ["Must-links", "Cannot-links"],
    }


@pytest.mark.parametrize(("lowest", "bottom"), [(0.999, 0.95), (0.953, 0.9), (0.62, 0.6)])
def test_the_axis_starts_below_the_lowest_point_and_is_the_same_in_all_panels(
    curves, lowest, bottom
):
    table = curves("protein")
    table.loc[:, list(KINDS.values())] = 1.0
    other = table.assign(dataset="rec_talk", folder="rec_talk", precision_must_link=lowest)
    figure = draw_precision(pd.concat([table, other]), "multi-view")
    for axes in figure.axes:
        low, high = axes.get_ylim()
        assert low == pytest.approx(bottom)
        assert 1 < high < 1.03
    assert "does not start at 0" in words(figure)


def test_a_point_is_missing_where_nothing_was_propagated(curves):
    table = curves(bases=("pck-means",))
    table.loc[table["n_constraints"] == 20, "precision_cannot_link"] = np.nan
    drawn = points(draw_precision(table, "multi-view").axes[0])
    assert drawn["PCK-Means, Must-links"][:, 0].tolist() == [20, 40, 80]
    assert drawn["PCK-Means, Cannot-links"][:, 0].tolist() == [40, 80]


def test_without_a_complete_mapping_or_precisions_there_is_nothing_to_draw(curves):
    assert draw_precision(curves(fractions=(0.2, 0.4)), "multi-view") is None
    assert (
        draw_precision(
            curves().assign(precision_must_link=np.nan, precision_cannot_link=np.nan), "multi-view"
        )
        is None
    )
    assert draw_precision(curves(), "single-view") is None


def test_single_views_have_a_panel_each(curves):
    table = pd.concat([curves(views=("letters", "digits")), curves("protein")])
    figure = draw_precision(table, "single-view")
    assert titles(figure) == ["Letters", "Digits"]
    expected = of_panel(table[table["view"] == "digits"], "pck-means")["precision_cannot_link"]
    np.testing.assert_allclose(points(figure.axes[1])["PCK-Means, Cannot-links"][:, 1], expected)
    assert figure.axes[1].get_xlabel() == "Constraints"
    assert figure.axes[1].get_ylabel() == "Weighted precision"


# Figure 8, with standard errors in black


def test_means_and_standard_errors_are_those_of_the_table(curves):
    table = curves(methods=BOTH, views=("letters", "digits"))
    table["standard_error"] = np.linspace(0.001, 0.02, len(table))
    figure = draw_single_view(table.sample(frac=1, random_state=4))
    assert titles(figure) == ["Letters", "Digits"]
    for axes, view in zip(figure.axes, ("letters", "digits"), strict=True):
        drawn, bars = points(axes), read.half_bars(axes)
        assert len(drawn) == 4
        for base, style in BASE_STYLES.items():
            for method, word in zip(BOTH, ("With", "Without"), strict=True):
                curve = table[
                    (table["view"] == view) & (table["base"] == base) & (table["method"] == method)
                ]
                label = f"{style.title}, {word}"
                np.testing.assert_array_equal(drawn[label], curve[["n_constraints", "mean"]])
                np.testing.assert_allclose(bars[label], curve["standard_error"])


def test_propagation_is_solid_and_its_absence_dotted_with_black_bars(curves):
    (axes,) = draw_single_view(curves(methods=BOTH, views=("letters",))).axes
    for label, line in lines(axes).items():
        title, _, word = label.partition(", ")
        style = next(style for style in BASE_STYLES.values() if style.title == title)
        assert same_color(line.get_color(), style.color)
        assert is_dashed(line) == (word == "Without")
    for container in axes.containers:
        assert same_color(container.lines[2][0].get_color()[0], "black")


def test_legends_name_what_is_drawn(curves):
    figure = draw_single_view(curves(methods=BOTH, views=("letters",)))
    assert keys(figure) == {
        "Base algorithm": ["PCK-Means", "MPCK-Means"],
        "Constraint Propagation": ["With", "Without"],
    }
    figure = draw_single_view(curves(methods=BOTH[1:], bases=("mpck-means",), views=("letters",)))
    assert keys(figure) == {"Base algorithm": ["MPCK-Means"], "Constraint Propagation": ["Without"]}


def test_only_the_single_view_experiments_of_the_paper_are_drawn(curves):
    other = curves("protein", views=("all",)).assign(study="shapes")
    assert draw_single_view(pd.concat([curves(), other])) is None


def test_a_single_trial_is_named_as_such(curves):
    assert "A single trial." in words(
        draw_single_view(curves(methods=BOTH, views=("letters",), trials=1))
    )
