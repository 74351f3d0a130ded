"""Figures 7 and 10 show the weighted precision of must-links and cannot-links, on an axis that hides nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mvcc.reporting.figures._figures_06_10 import draw_precision
from mvcc.reporting.figures._style import BASE_STYLES
from tests.reporting.drawn import assert_nothing_is_cut_or_covered, is_dashed, keys, lines, points, titles, words

KINDS = {"Must-links": "precision_must_link", "Cannot-links": "precision_cannot_link"}


def of_panel(table, base, mapped=None):
    rows = table[(table["base"] == base) & (table["method"] == "constraint-propagation")]
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
    assert keys(figure) == {"Base algorithm": ["PCK-Means", "MPCK-Means"], "Propagated": ["Must-links", "Cannot-links"]}


@pytest.mark.parametrize(("lowest", "bottom"), [(0.999, 0.95), (0.953, 0.9), (0.62, 0.6)])
def test_the_axis_starts_below_the_lowest_point_and_is_the_same_in_all_panels(curves, lowest, bottom):
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
        draw_precision(curves().assign(precision_must_link=np.nan, precision_cannot_link=np.nan), "multi-view") is None
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


def test_nothing_is_cut_and_no_text_covers_another_part(curves):
    assert_nothing_is_cut_or_covered(draw_precision(pd.concat([curves(), curves("protein")]), "multi-view"))
    assert_nothing_is_cut_or_covered(draw_precision(curves(views=("letters", "digits")), "single-view"))
