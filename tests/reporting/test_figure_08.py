"""Figure 8 shows single views with and without Constraint Propagation, with standard errors in black."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.colors import same_color

from mvcc.reporting.figures._figures_06_10 import draw_single_view
from mvcc.reporting.figures._style import BASE_STYLES
from tests.reporting.drawn import (
    assert_nothing_is_cut_or_covered,
    half_bars,
    is_dashed,
    keys,
    lines,
    points,
    titles,
    words,
)

BOTH = ("constraint-propagation", "single-view")


def test_means_and_standard_errors_are_those_of_the_table(curves):
    table = curves(methods=BOTH, views=("letters", "digits"))
    table["standard_error"] = np.linspace(0.001, 0.02, len(table))
    figure = draw_single_view(table.sample(frac=1, random_state=4))
    assert titles(figure) == ["Letters", "Digits"]
    for axes, view in zip(figure.axes, ("letters", "digits"), strict=True):
        drawn, bars = points(axes), half_bars(axes)
        assert len(drawn) == 4
        for base, style in BASE_STYLES.items():
            for method, word in zip(BOTH, ("With", "Without"), strict=True):
                curve = table[(table["view"] == view) & (table["base"] == base) & (table["method"] == method)]
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
    assert "A single trial." in words(draw_single_view(curves(methods=BOTH, views=("letters",), trials=1)))


def test_nothing_is_cut_and_no_text_covers_another_part(curves):
    assert_nothing_is_cut_or_covered(draw_single_view(curves(methods=BOTH, views=("letters", "digits"))))
