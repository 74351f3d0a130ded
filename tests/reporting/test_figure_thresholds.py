"""The heat map shows the difference to Direct Mapping and the best fixed threshold."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.patches import Rectangle

from mvcc.reporting.figures._studies import draw_thresholds, heat_map
from tests.reporting.drawn import assert_nothing_is_cut_or_covered, grid

SWEEP = ("0.05", "0.5", "1", "cv")


@pytest.fixture
def sweep(curves):
    def make(dataset="protein", thresholds=SWEEP, **how):
        how = {"bases": ("pck-means",), "fractions": (0.4,)} | how
        cp = curves(dataset, methods=("constraint-propagation",), **how)
        tables = [cp.assign(threshold=threshold) for threshold in thresholds]
        tables.append(curves(dataset, methods=("direct-mapping",), **how))
        table = pd.concat(tables, ignore_index=True)
        means = np.random.default_rng(1).uniform(0.5, 1, len(table))
        return table.assign(mean=means, study="thresholds", folder=f"thresholds_{dataset}")

    return make


def cells(axes):
    """Read the numbers of a map by rows, from the top."""
    written = [text for text in axes.texts if text.get_text().startswith(("+", "−", "0.", "1."))]
    rows = sorted({text.get_position()[1] for text in written})
    return [[text.get_text() for text in written if text.get_position()[1] == row] for row in rows]


def frames(axes):
    rows = list(axes.get_yticks())
    found = []
    for patch in axes.patches:
        if isinstance(patch, Rectangle) and not patch.get_fill():
            x, y = patch.get_center()
            found.append((int(np.argmin(np.abs(np.subtract(rows, y)))), round(x)))
    return sorted(found)


def labels(axes):
    return [label.get_text() for label in axes.get_yticklabels()]


def test_every_difference_stands_in_its_row_and_column_above_direct_mapping(sweep):
    table = sweep()
    axes, _ = draw_thresholds(table.sample(frac=1, random_state=6)).figure.axes
    assert labels(axes) == ["1", "0.5", "0.05", "cv", "DM"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["20", "40", "80"]
    means = table.assign(row=table["threshold"].fillna("DM")).pivot(
        index="row", columns="n_constraints", values="mean"
    )
    *rows, base = means.loc[["1", "0.5", "0.05", "cv", "DM"]].to_numpy()
    expected = [[f"{value:+.3f}".replace("-", "−") for value in row - base] for row in rows]
    assert cells(axes) == [*expected, [f"{value:.3f}" for value in base]]


def test_thresholds_are_ordered_as_numbers_and_cv_may_be_missing(sweep):
    rows = heat_map(sweep(thresholds=("0.9", "1e-3", "0.10", "cv"))).index
    assert list(rows)[:3] == ["0.9", "0.10", "1e-3"]
    axes, _ = draw_thresholds(sweep(thresholds=("0.5", "1"))).figure.axes
    assert labels(axes) == ["1", "0.5", "DM"]


def test_the_best_fixed_threshold_of_each_column_is_framed_whatever_cv_and_dm_reach(sweep):
    table = sweep()
    means = {"1": (0.6, 0.7, 0.8), "0.5": (0.7, 0.6, 0.8)}
    means |= {"0.05": (0.5, 0.5, 0.5), "cv": (0.9, 0.9, 0.9)}
    for threshold, row in means.items():
        table.loc[table["threshold"] == threshold, "mean"] = row
    table.loc[table["method"] == "direct-mapping", "mean"] = 0.95
    axes, _ = draw_thresholds(table).figure.axes
    assert frames(axes) == [(0, 1), (0, 2), (1, 0), (1, 2)]


def test_many_columns_have_no_room_for_numbers(sweep):
    axes, _ = draw_thresholds(sweep(schedule=tuple(range(10, 130, 10)))).figure.axes
    assert cells(axes) == []


def test_mapped_fractions_have_rows_of_their_own(sweep):
    figure = draw_thresholds(sweep(fractions=(0.2, 0.4))).figure
    rows = [f"Protein\n{mapped} % mapped" for mapped in (20, 40)]
    assert list(grid(figure)) == [(row, "PCK-Means") for row in rows]


def test_without_a_sweep_there_is_nothing_to_draw(curves, sweep):
    assert draw_thresholds(curves()) is None
    for method in ("direct-mapping", "constraint-propagation"):
        alone = sweep("rec_talk")[lambda table, method=method: table["method"] == method]
        assert draw_thresholds(alone) is None
        figure = draw_thresholds(pd.concat([sweep(), alone])).figure
        assert list(grid(figure)) == [("Protein\n40 % mapped", "PCK-Means")]


def test_nothing_is_cut_and_no_text_covers_another_part(sweep):
    both = sweep("protein", bases=("pck-means", "mpck-means"))
    picture = draw_thresholds(pd.concat([both, sweep("rec_talk")]))
    assert "Direct Mapping" in picture.caption
    assert_nothing_is_cut_or_covered(picture.figure)
