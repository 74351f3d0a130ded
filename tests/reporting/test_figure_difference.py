"""The figure of differences pairs trials, and its band is the t interval of their mean."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from mvcc.reporting.figures._figures_03_05 import differences, draw_difference
from tests.reporting.drawn import assert_nothing_is_cut_or_covered, keys, points, titles

BOTH = ("constraint-propagation", "direct-mapping")


@pytest.fixture
def paired(curves, scores):
    """Make trials whose luck is shared by both methods, and larger than what they differ by."""

    def make(**options):
        table = scores(curves(methods=BOTH, **options))
        rng = np.random.default_rng(0)
        luck = rng.normal(0, 0.1, int(table["trial"].max()) + 1)[table["trial"]]
        return table.assign(f_measure=table["f_measure"] + luck + rng.normal(0, 0.01, len(table)))

    return make


def test_mean_and_interval_are_those_of_a_paired_t_test(paired):
    table = paired().sample(frac=1, random_state=5)
    found = differences(table)
    assert len(found) == 2 * 3 * 3
    for row in found.itertuples():
        cell = table[
            (table["base"] == row.base)
            & (table["mapped"] == row.mapped)
            & (table["n_constraints"] == row.n_constraints)
        ]
        cp, dm = (
            cell[cell["method"] == method].sort_values("trial")["f_measure"].to_numpy()
            for method in BOTH
        )
        test = ttest_rel(cp, dm)
        low, high = test.confidence_interval(0.95)
        assert row.mean == pytest.approx(np.mean(cp - dm))
        assert (row.mean - row.half_width, row.mean + row.half_width) == pytest.approx((low, high))
        assert row.trials == 12


def test_only_trials_with_both_methods_count(paired):
    table = paired(fractions=(1.0,))
    lost = (table["method"] == "direct-mapping") & (table["trial"] >= 7)
    assert set(differences(table[~lost])["trials"]) == {7}
    assert draw_difference(table[table["method"] == "direct-mapping"]) is None


def test_lines_bands_and_zero_are_drawn(paired):
    table = paired(bases=("pck-means",), fractions=(0.4,))
    figure = draw_difference(table)
    (axes,) = figure.axes
    found = differences(table)
    np.testing.assert_allclose(points(axes)["40%"], found[["n_constraints", "mean"]])
    band = axes.collections[0].get_paths()[0].vertices
    for row in found.itertuples():
        heights = band[band[:, 0] == row.n_constraints, 1]
        assert heights.min() == pytest.approx(row.mean - row.half_width)
        assert heights.max() == pytest.approx(row.mean + row.half_width)
    assert any(set(line.get_ydata()) == {0} for line in axes.get_lines())
    assert keys(figure) == {"Instances mapped": ["40%"]}


def test_a_single_trial_has_no_band(paired):
    table = paired(trials=1)
    assert differences(table)["half_width"].isna().all()
    assert draw_difference(table) is not None


def test_panels_are_the_papers_own_experiments(paired):
    others = [paired(dataset="protein").assign(study="closure"), paired(dataset="rec_talk")]
    assert titles(draw_difference(pd.concat(others))) == [
        "Rec/Talk, PCK-Means",
        "Rec/Talk, MPCK-Means",
    ]


def test_nothing_is_cut_and_no_text_covers_another_part(paired):
    assert_nothing_is_cut_or_covered(
        draw_difference(pd.concat([paired(), paired(dataset="protein")]))
    )
