"""Figure 5 shows the improvement in percent, averaged over the curve, and its peak."""

from __future__ import annotations

from itertools import pairwise

import pandas as pd
import pytest
from matplotlib.colors import same_color

from mvcc.reporting.figures._figures_03_05 import draw_figure_05, improvements
from mvcc.reporting.figures._style import tint
from tests.reporting.drawn import assert_nothing_is_cut_or_covered, keys, words


def table(curves, gains, direct=0.5, dataset="protein", base="pck-means"):
    """Make curves on which Constraint Propagation gains so many percent at each number of
    constraints.
    """
    made = curves(dataset, (base,), ("constraint-propagation", "direct-mapping"), tuple(gains))
    for mapped, per_n in gains.items():
        for n, gain in zip((20, 40, 80), per_n, strict=True):
            here = (made["mapped"] == mapped) & (made["n_constraints"] == n)
            made.loc[here & (made["method"] == "direct-mapping"), "mean"] = direct
            made.loc[here & (made["method"] != "direct-mapping"), "mean"] = direct * (
                1 + gain / 100
            )
    return made


def labels(axes):
    return [label.get_text() for label in axes.get_xticklabels()]


def test_improvements_are_relative_to_direct_mapping():
    rows = [("constraint-propagation", 10, 0.6), ("constraint-propagation", 20, 0.9)]
    rows += [("direct-mapping", 10, 0.5), ("direct-mapping", 20, 0.8)]
    made = pd.DataFrame(rows, columns=["method", "n_constraints", "mean"]).assign(mapped=0.4)
    gains = improvements(made)
    assert gains.loc[0.4, "average"] == pytest.approx((20 + 12.5) / 2)
    assert gains.loc[0.4, "peak"] == pytest.approx(20)


def test_bars_are_averages_and_diamonds_the_peaks(curves):
    gains = {0.2: (1, 2, 9), 1.0: (-4, -2, 3)}
    (axes,) = draw_figure_05(table(curves, gains)).axes
    assert [bar.get_height() for bar in axes.patches] == pytest.approx([4, -1])
    diamonds = [line for line in axes.get_lines() if line.get_marker() == "D"]
    assert [line.get_ydata().item() for line in diamonds] == pytest.approx([9, 3])
    places = [bar.get_center()[0] for bar in axes.patches]
    assert [line.get_xdata().item() for line in diamonds] == pytest.approx(places)
    low, high = axes.get_ylim()
    assert low < -1
    assert high > 9


def test_fractions_stand_beside_each_other_and_have_their_tints(curves):
    figure = draw_figure_05(table(curves, {0.2: (1, 1, 1), 0.4: (1, 1, 1), 1.0: (1, 1, 1)}))
    bars = figure.axes[0].patches
    assert all(left.get_x() + left.get_width() < right.get_x() for left, right in pairwise(bars))
    for bar, mapped in zip(bars, (0.2, 0.4, 1.0), strict=True):
        assert same_color(bar.get_facecolor(), tint("#00558f", mapped))
    assert keys(figure)["Instances mapped"] == ["20%", "40%", "100%"]


def test_groups_are_named_in_the_papers_order(curves):
    gains = {1.0: (1, 2, 3)}
    tables = [
        table(curves, gains, dataset=d, base=b)
        for d in ("rec_talk", "protein")
        for b in ("mpck-means", "pck-means")
    ]
    (axes,) = draw_figure_05(pd.concat(tables)).axes
    assert labels(axes) == [
        "Protein\nPCK-Means",
        "Protein\nMPCK-Means",
        "Rec/Talk\nPCK-Means",
        "Rec/Talk\nMPCK-Means",
    ]


def test_what_dwarfs_the_others_has_an_axis_of_its_own(curves):
    large = table(curves, {1.0: (30, 40, 50)}, dataset="four_quadrants")
    small = table(curves, {1.0: (1, 2, 3)})
    figure = draw_figure_05(pd.concat([small, large]))
    apart, rest = figure.axes
    assert labels(apart) == ["Four Quadrants\nPCK-Means"]
    assert labels(rest) == ["Protein\nPCK-Means"]
    assert rest.get_ylim()[1] < 5
    assert "footnote 2" in words(figure)
    assert "footnote 2" not in words(draw_figure_05(small))
    assert len(draw_figure_05(large).axes) == 1


def test_a_number_of_constraints_that_only_one_method_has_does_not_count(curves):
    made = table(curves, {1.0: (1, 2, 99)})
    made = made[(made["method"] != "direct-mapping") | (made["n_constraints"] < 80)]
    (axes,) = draw_figure_05(made).axes
    assert [bar.get_height() for bar in axes.patches] == pytest.approx([1.5])


def test_without_both_methods_there_is_nothing_to_draw(curves):
    assert draw_figure_05(curves(methods=("constraint-propagation", "single-view"))) is None
    assert draw_figure_05(curves(views=("letters",))) is None


def test_nothing_is_cut_and_no_text_covers_another_part(curves):
    datasets = ("four_quadrants", "protein", "letters_digits", "rec_talk")
    assert_nothing_is_cut_or_covered(
        draw_figure_05(pd.concat([curves(dataset) for dataset in datasets]))
    )
    assert_nothing_is_cut_or_covered(draw_figure_05(curves(bases=("pck-means",))))
