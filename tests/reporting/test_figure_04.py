"""Figure 4 shows the means of the curves as they are, with line types, colours and words from which
it can be read.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import same_color

from mvcc.reporting.figures._figures_03_05 import draw_figure_04
from mvcc.reporting.figures._style import METHODS, SINGLE_VIEW_LINE, house_style, line_styles
from tests.reporting.drawn import (
    assert_nothing_is_cut_or_covered,
    entries,
    extent,
    lines,
    titles,
    words,
)


def test_one_panel_per_dataset_and_base_in_the_papers_order(curves):
    figure = draw_figure_04(
        pd.concat([curves("my_own"), curves("letters_digits"), curves("four_quadrants")])
    )
    assert titles(figure) == [
        f"{dataset}, {base}"
        for dataset in ("Four Quadrants", "Letters/Digits", "my_own")
        for base in ("PCK-Means", "MPCK-Means")
    ]


def test_a_panel_without_results_stays_out(curves):
    figure = draw_figure_04(
        pd.concat([curves("four_quadrants"), curves("letters_digits", bases=("mpck-means",))])
    )
    assert titles(figure) == [
        "Four Quadrants, PCK-Means",
        "Four Quadrants, MPCK-Means",
        "Letters/Digits, MPCK-Means",
    ]
    assert figure.axes[2].get_position().x0 == figure.axes[1].get_position().x0


def test_means_and_error_bars_are_those_of_the_table(curves):
    table = curves().sample(frac=1, random_state=0)  # the order of rows does not matter
    table["standard_error"] = np.linspace(0.001, 0.02, len(table))
    figure = draw_figure_04(table)
    for axes, base in zip(figure.axes, ("pck-means", "mpck-means"), strict=True):
        of_base = table[table["base"] == base].sort_values("n_constraints")
        assert len(axes.containers) == of_base.groupby(["method", "mapped"], dropna=False).ngroups
        for (method, mapped), curve in of_base.groupby(["method", "mapped"], dropna=False):
            name = METHODS[method].title
            label = name if method == "single-view" else f"{name}, {100 * mapped:g}%"
            (container,) = (
                container for container in axes.containers if container.get_label() == label
            )
            line, _, (bars,) = container.lines
            np.testing.assert_array_equal(line.get_xydata(), curve[["n_constraints", "mean"]])
            half = [(top - bottom) / 2 for (_, bottom), (_, top) in bars.get_segments()]
            np.testing.assert_allclose(half, curve["standard_error"])


def test_line_type_is_the_mapped_fraction_and_colour_and_marker_the_method(curves):
    figure = draw_figure_04(curves())
    types = line_styles([0.2, 0.4, 1.0])
    # a line scales its dashes when it takes them, so the legend's own lines are what to compare
    # with
    key = dict(zip(entries(figure.legends[1]), figure.legends[1].get_lines(), strict=True))
    assert list(key) == ["100%", "40%", "20%"]
    for label, line in lines(figure.axes[0]).items():
        method, _, mapped = label.partition(", ")
        style = next(style for style in METHODS.values() if style.title == method)
        assert same_color(line.get_color(), style.color)
        assert line.get_marker() == style.marker
        if mapped:
            assert line._unscaled_dash_pattern == key[mapped]._unscaled_dash_pattern
        else:
            assert line._unscaled_dash_pattern == SINGLE_VIEW_LINE
    assert key["100%"].get_linestyle() == "-"
    assert key["40%"]._unscaled_dash_pattern == types[0.4]


def test_markers_at_one_place_lie_beside_each_other_and_nearer_to_it_than_to_the_next(curves):
    figure = draw_figure_04(curves(schedule=(20, 25, 80)))
    axes, _ = figure.axes
    drawn = np.array(
        [line.get_transform().transform(line.get_xydata())[:, 0] for line in lines(axes).values()]
    )
    places = axes.transData.transform([(n, 1) for n in (20, 25, 80)])[:, 0]
    shifts = drawn - places
    assert len(np.unique(shifts[:, 0].round(6))) == len(drawn)
    np.testing.assert_allclose(shifts, shifts[:, :1].repeat(3, axis=1), atol=1e-6)
    assert np.abs(shifts).max() < (places[1] - places[0]) / 2
    assert axes.bbox.x0 < drawn.min()
    assert drawn.max() < axes.bbox.x1


def test_axes_and_ticks_tell_the_unit_and_the_schedule(curves):
    figure = draw_figure_04(curves(schedule=(10, 25, 200)))
    for axes in figure.axes:
        assert axes.get_xlabel() == "Constraints per view"
        assert axes.get_ylabel() == "Pairwise F-measure"
        assert list(axes.get_xticks()) == [10, 25, 200]
        assert [label.get_text() for label in axes.get_xticklabels()] == ["10", "25", "200"]


def test_small_numbers_have_as_much_room_as_large_ones_and_zero_has_a_place(curves):
    axes = draw_figure_04(curves(schedule=(0, 10, 20, 40))).axes[0]
    zero, *places = axes.transData.transform([(n, 1) for n in (0, 10, 20, 40)])[:, 0]
    assert np.ptp(np.diff(places)) == pytest.approx(0, abs=1e-6)
    assert axes.bbox.x0 < zero < places[0]


def test_numbers_of_a_dense_schedule_do_not_run_into_each_other(curves):
    schedule = tuple(range(100, 2100, 50))
    with house_style():
        axes = draw_figure_04(curves(schedule=schedule, fractions=(1.0,))).axes[0]
        boxes = [extent(label, axes.figure) for label in axes.get_xticklabels() if label.get_text()]
    assert tuple(axes.get_xticks()) == schedule
    assert len(boxes) > 5
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))


def test_legends_name_what_is_drawn(curves):
    figure = draw_figure_04(
        curves(methods=("constraint-propagation", "single-view"), fractions=(0.3,))
    )
    methods, fractions = figure.legends
    assert methods.get_title().get_text() == "Transfer method"
    assert entries(methods) == ["Constraint Propagation", "Single View"]
    assert fractions.get_title().get_text() == "Instances mapped"
    assert entries(fractions) == ["30%"]


def test_single_view_alone_needs_no_legend_of_fractions(curves):
    figure = draw_figure_04(curves(methods=("single-view",)))
    assert [entries(legend) for legend in figure.legends] == [["Single View"]]


@pytest.mark.parametrize("bases", [("pck-means",), ("pck-means", "mpck-means")])
@pytest.mark.parametrize("fractions", [(0.4,), (0.1, 0.2, 0.4, 0.6, 1.0)])
def test_nothing_is_cut_and_no_text_covers_data_or_text(curves, bases, fractions):
    table = pd.concat(
        [curves("four_quadrants", bases, fractions=fractions), curves("protein", bases, trials=9)]
    )
    figure = draw_figure_04(table)
    assert_nothing_is_cut_or_covered(figure)


def test_the_note_tells_how_many_trials_were_averaged(curves):
    assert "Mean over 12 trials. The bars are ± 1 standard error." in words(
        draw_figure_04(curves())
    )


def test_different_numbers_of_trials_stand_at_each_panel(curves):
    figure = draw_figure_04(
        pd.concat([curves("protein", trials=7), curves("letters_digits", trials=50)])
    )
    assert "Mean over 7 to 50 trials" in words(figure)
    assert [axes.texts[0].get_text() for axes in figure.axes] == [
        "7 trials",
        "7 trials",
        "50 trials",
        "50 trials",
    ]


def test_a_single_trial_has_no_error_bars(curves):
    assert "no error bars" in words(draw_figure_04(curves(trials=1)))


def test_two_experiments_on_one_dataset_are_told_apart_by_their_folders(curves):
    figure = draw_figure_04(
        pd.concat([curves().assign(folder="full"), curves().assign(folder="demo/small")])
    )
    assert [axes.texts[0].get_text() for axes in figure.axes] == [
        "demo/small",
        "demo/small",
        "full",
        "full",
    ]


def test_a_single_number_of_constraints_is_drawn(curves):
    for axes in draw_figure_04(curves(schedule=(50,))).axes:
        assert list(axes.get_xticks()) == [50]
        low, high = axes.get_xlim()
        assert low < 50 < high


def test_other_experiments_and_studies_are_left_out(curves):
    others = [
        curves("protein", views=("all",)),
        curves("rec_talk").assign(study="closure", closure="view"),
    ]
    assert draw_figure_04(pd.concat(others)) is None
    assert titles(draw_figure_04(pd.concat([*others, curves()]))) == [
        "Letters/Digits, PCK-Means",
        "Letters/Digits, MPCK-Means",
    ]
