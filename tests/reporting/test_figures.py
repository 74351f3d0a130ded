"""Figures show the means of the results as they are, with intervals and words to read them."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import same_color
from scipy.stats import t, ttest_rel

from mvcc.reporting.figures._curves import (
    differences,
    draw_difference,
    draw_f_measure,
    draw_figure_05,
    draw_numbers,
    draw_precision,
    improvements,
)
from mvcc.reporting.figures._panels import main_experiment
from mvcc.reporting.figures._studies import draw_beyond
from mvcc.reporting.figures._style import METHODS, WIDTH, house_style, method_styles
from mvcc.results import BASES, BEYOND_PEERS
from tests.reporting.drawn import (
    assert_nothing_is_cut_or_covered,
    ends_of_bars,
    extent,
    grid,
    key,
    lines,
    points,
)

CP, DM = PAIR = ("constraint-propagation", "direct-mapping")
BOTH = (CP, "single-view")
DATASETS = {"four_quadrants": "Four Quadrants", "letters_digits": "Letters/Digits"}
QUANTILE = t.ppf(0.975, 11)  # of twelve trials


def drawings(curves, scores):
    table = pd.concat([curves(), curves("protein")])
    of_views = curves(methods=BOTH, views=("letters", "digits"))
    rising = table["mean"] + 0.05 * (table["method"] == CP)
    return {
        "4": draw_f_measure(table, "multi-view"),
        "5": draw_figure_05(scores(table.assign(mean=rising))),
        "6": draw_numbers(scores(table), "multi-view"),
        "7": draw_precision(scores(table), "multi-view"),
        "8": draw_f_measure(of_views, "single-view"),
        "9": draw_numbers(scores(of_views), "single-view"),
        "10": draw_precision(scores(of_views), "single-view"),
        "difference": draw_difference(scores(table)),
    }


@pytest.mark.slow
def test_figures_are_as_wide_as_a_page_nothing_is_cut_and_captions_name_trials(curves, scores):
    with house_style():
        for name, picture in drawings(curves, scores).items():
            assert picture.figure.get_figwidth() == WIDTH
            assert_nothing_is_cut_or_covered(picture.figure)
            assert "Mean over 12 trials." in picture.caption
            assert name == "difference" or picture.title.startswith(f"Figure {name}. ")


def test_other_experiments_and_studies_are_left_out(curves, scores):
    other = curves("rec_talk").assign(study="closure", closure="view")
    of_views = curves("protein", methods=BOTH, views=("all",)).assign(study="shapes")
    table = pd.concat([other, of_views])
    for experiment in ("multi-view", "single-view"):
        assert draw_f_measure(table, experiment) is None
        assert draw_numbers(scores(table), experiment) is None
        assert draw_precision(scores(table), experiment) is None
    assert draw_figure_05(scores(table)) is draw_difference(scores(table)) is None


# Figure 4


def test_rows_are_data_sets_in_the_papers_order_and_columns_bases_and_mapped_fractions(curves):
    tables = [curves(name, fractions=(0.2, 1.0)) for name in ("my_own", *reversed(DATASETS))]
    picture = draw_f_measure(pd.concat(tables), "multi-view")
    assert list(grid(picture.figure)) == [
        (dataset, f"{base}\n{mapped} % mapped")
        for dataset in (*DATASETS.values(), "my_own")
        for base in ("PCK-Means", "MPCK-Means")
        for mapped in (20, 100)
    ]


def test_a_panel_without_results_stays_empty(curves):
    few = curves("letters_digits", bases=("mpck-means",), fractions=(1.0,))
    more = curves("four_quadrants", fractions=(0.2, 1.0))
    panels = grid(draw_f_measure(pd.concat([more, few]), "multi-view").figure)
    assert ("Letters/Digits", "PCK-Means\n20 % mapped") not in panels
    assert ("Letters/Digits", "MPCK-Means\n100 % mapped") in panels
    lowest = panels["Four Quadrants", "PCK-Means\n20 % mapped"]
    assert [label.get_visible() for label in lowest.get_xticklabels()] == [True] * 3


def test_means_and_intervals_are_those_of_the_table(curves):
    table = curves().sample(frac=1, random_state=0)  # the order of rows does not matter
    table["standard_error"] = np.linspace(0.001, 0.02, len(table))
    for (_, column), axes in grid(draw_f_measure(table, "multi-view").figure).items():
        title, mapped = column.split("\n")
        base = next(name for name, known in BASES.items() if known == title)
        drawn, bars = points(axes), ends_of_bars(axes)
        assert list(drawn) == [style.title for style in METHODS.values()]
        for name, style in METHODS.items():
            of_method = table[(table["base"] == base) & (table["method"] == name)]
            shown = of_method["mapped"].isna() | (of_method["mapped"] == float(mapped[:3]) / 100)
            curve = of_method[shown].sort_values("n_constraints")
            np.testing.assert_array_equal(drawn[style.title], curve[["n_constraints", "mean"]])
            half = QUANTILE * curve["standard_error"]
            top = np.minimum(curve["mean"] + half, 1)
            ends = np.column_stack([curve["mean"] - half, top])
            np.testing.assert_allclose(bars[style.title], ends)
            line = lines(axes)[style.title]
            assert same_color(line.get_color(), style.color)
            assert line.get_marker() == style.marker


def test_axes_tell_the_unit_and_the_schedule_and_small_numbers_have_as_much_room(curves):
    figure = draw_f_measure(curves(schedule=(0, 10, 20, 40), fractions=(1.0,)), "multi-view").figure
    titles = (figure.get_supxlabel(), figure.get_supylabel())
    assert titles == ("Constraints per view", "Pairwise F-measure")
    axes = figure.axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0", "10", "20", "40"]
    _, *places = axes.transData.transform([(n, 1) for n in (0, 10, 20, 40)])[:, 0]
    assert np.ptp(np.diff(places)) == pytest.approx(0, abs=1e-6)
    (mark,) = (line for line in axes.get_lines() if line.get_label() == "_break")
    assert 0 < mark.get_xdata()[0] < 10


def test_numbers_of_a_dense_schedule_do_not_run_into_each_other(curves):
    schedule = tuple(range(100, 2100, 50))
    with house_style():
        figure = draw_f_measure(curves(schedule=schedule, fractions=(1.0,)), "multi-view").figure
        axes = figure.axes[0]
        figure.draw_without_rendering()
        boxes = [extent(label, figure) for label in axes.get_xticklabels() if label.get_text()]
    assert tuple(axes.get_xticks()) == schedule
    assert len(boxes) > 4
    boxes.sort(key=lambda box: box.x0)
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
    assert axes.get_xticklabels()[-1].get_text() == "2050"


def test_other_methods_have_looks_of_their_own_and_stand_in_the_legend(curves):
    methods = (CP, "single-view", "exhaustive-propagation")
    picture = draw_f_measure(curves(methods=methods, fractions=(0.2, 1.0)), "multi-view")
    titles = ["Constraint Propagation", "Single View", "Exhaustive Propagation"]
    assert key(picture.figure) == titles
    style = method_styles(methods)["exhaustive-propagation"]
    for axes in grid(picture.figure).values():
        assert same_color(lines(axes)[titles[2]].get_color(), style.color)


def test_what_differs_among_rows_of_a_data_set_is_named(curves):
    few = {"bases": ("pck-means",), "fractions": (1.0,)}
    tables = [
        curves("protein", **few).assign(folder="first"),
        curves("protein", **few).assign(folder="second", closure="none"),
        curves("rec_talk", trials=3, **few),
    ]
    picture = draw_f_measure(pd.concat(tables), "multi-view")
    assert list(dict.fromkeys(row for row, _ in grid(picture.figure))) == [
        "Protein\nfirst\n12 trials",
        "Protein\nsecond\nclosure none\n12 trials",
        "Rec/Talk\n3 trials",
    ]
    assert "Mean over 3 to 12 trials." in picture.caption


def test_two_runs_of_the_joint_clustering_have_rows_of_their_own_beside_what_is_elsewhere(curves):
    few = {"bases": ("pck-means",), "fractions": (0.4,)}
    both = curves("wine", methods=("joint", "direct-mapping"), **few)
    peers = curves("wine", methods=("mvlearn",), **few).assign(folder="peers", study=BEYOND_PEERS)
    runs = [both.assign(mean=mean, folder=f"run {mean}", study="beyond") for mean in (0.6, 0.7)]
    figure = draw_beyond(pd.concat([*runs, peers])).figure
    assert list(dict.fromkeys(row for row, _ in grid(figure))) == ["Wine\nrun 0.6", "Wine\nrun 0.7"]
    for axes, mean in zip(figure.axes, [0.6] * 3 + [0.7] * 3, strict=True):
        for label, curve in points(axes).items():
            expected = peers["mean"] if "mvlearn" in label else [mean] * 3
            assert curve[:, 1] == pytest.approx(expected), label


def test_beyond_the_paper_each_point_has_its_best_threshold_and_the_caption_says_so(curves):
    few = {"bases": ("pck-means",), "fractions": (0.4,)}
    low, high = (
        curves("wine", methods=("joint", CP), **few).assign(mean=mean, threshold=str(mean))
        for mean in (0.2, 0.7)
    )
    tables = [low[low["method"] == CP], high]
    picture = draw_beyond(pd.concat(tables).assign(folder="one", study="beyond"))
    drawn = points(picture.figure.axes[1])
    assert all(curve[:, 1] == pytest.approx([0.7] * 3) for curve in drawn.values())
    assert "the threshold where there are several, that was best there in hindsight" in (
        picture.caption
    )


def test_each_column_beyond_the_paper_has_its_own_key_also_if_the_first_row_lacks_it(curves):
    first = curves("protein", methods=("joint", "k-means")).assign(study="beyond")
    second = curves("wine", methods=("joint", "single-view", "k-means")).assign(study="beyond")
    alone = curves("rings", methods=("mvlearn",)).assign(study=BEYOND_PEERS)
    figure = draw_beyond(pd.concat([first, second, alone])).figure
    legends = [axes.get_legend() for axes in figure.axes]
    titles = [legend and legend.get_title().get_text() for legend in legends]
    expected = ["Joint Graph", None, "Other packages", None, "Methods of the paper", None]
    assert titles == expected, "two data sets, three columns"


@pytest.mark.parametrize("options", [{"trials": 1}, {"schedule": (50,)}])
def test_a_single_trial_and_a_single_number_of_constraints_are_drawn(curves, options):
    picture = draw_f_measure(curves(**options), "multi-view")
    low, high = picture.figure.axes[0].get_xlim()
    assert low < 50 < high
    assert ("A single trial." in picture.caption) == ("trials" in options)


# Trial by trial


@pytest.fixture
def paired(curves, scores):
    """Make trials whose luck is shared by both methods, and larger than what they differ by."""

    def make(**options):
        table = scores(curves(methods=PAIR, **options))
        rng = np.random.default_rng(0)
        luck = rng.normal(0, 0.1, int(table["trial"].max()) + 1)[table["trial"]]
        return table.assign(f_measure=table["f_measure"] + luck + rng.normal(0, 0.01, len(table)))

    return make


def test_mean_and_interval_of_a_difference_are_those_of_a_paired_t_test(paired):
    table = paired().sample(frac=1, random_state=5)
    found = differences(table)
    assert len(found) == 2 * 3 * 3
    for row in found.itertuples():
        cell = table.query("base == @row.base and mapped == @row.mapped")
        cell = cell[cell["n_constraints"] == row.n_constraints]
        by_trial = cell.pivot(index="trial", columns="method", values="f_measure")
        low, high = ttest_rel(by_trial[CP], by_trial[DM]).confidence_interval(0.95)
        assert row.mean == pytest.approx((by_trial[CP] - by_trial[DM]).mean())
        assert (row.mean - row.half_width, row.mean + row.half_width) == pytest.approx((low, high))
        assert row.trials == 12


def test_only_trials_with_both_methods_count(paired):
    table = paired(fractions=(1.0,))
    lost = (table["method"] == DM) & (table["trial"] >= 7)
    assert set(differences(table[~lost])["trials"]) == {7}
    assert draw_difference(table[table["method"] == DM]) is None
    assert draw_figure_05(table[table["method"] == DM]) is None


# Figure 5


def test_improvements_are_in_percent_of_mean_f_with_intervals_that_cover_it(paired):
    table = paired()
    found = improvements(table)
    assert len(found) == 2 * 3
    for row in found.itertuples():
        cell = table[(table["base"] == row.base) & (table["mapped"] == row.mapped)]
        means = cell.groupby(["method", "n_constraints"])["f_measure"].mean()
        gain = 100 * (means[CP] / means[DM] - 1)
        assert (row.average, row.peak) == pytest.approx((gain.mean(), gain.max()))
        assert row.low < row.average < row.high
    assert improvements(paired(trials=1))["low"].isna().all()


# Figures 6, 7, 9 and 10, from trials


def test_where_nothing_was_propagated_there_is_no_point(curves, scores):
    table = curves(bases=("pck-means",), fractions=(1.0,))
    counts = ["propagated_must_links", "propagated_cannot_links"]
    table.loc[table["n_constraints"] == 20, [*counts, "precision_cannot_link"]] = 0.0, 0.0, np.nan
    (axes,) = draw_numbers(scores(table), "multi-view").figure.axes
    assert points(axes)["100 % mapped"][:, 0].tolist() == [40, 80]
    drawn = points(draw_precision(scores(table), "multi-view").figure.axes[0])
    assert drawn["Must-links"][:, 0].tolist() == [20, 40, 80]
    assert drawn["Cannot-links"][:, 0].tolist() == [40, 80]
    assert draw_numbers(scores(table.assign(**dict.fromkeys(counts, 0.0))), "multi-view") is None


def test_precision_is_drawn_with_all_instances_mapped_and_intervals_end_at_1(curves, scores):
    trials = scores(curves())
    trials["precision_must_link"] += 0.001 * (trials["trial"] - trials["trial"].mean())
    panels = grid(draw_precision(trials, "multi-view").figure)
    assert [column for _, column in panels] == ["PCK-Means", "MPCK-Means"]
    chosen = trials[(trials["method"] == CP) & (trials["mapped"] == 1.0)]
    for (_, column), axes in panels.items():
        base = next(name for name, known in BASES.items() if known == column)
        of_base = chosen[chosen["base"] == base]
        means = of_base.groupby("n_constraints").mean(numeric_only=True)
        for label, kind in (("Must-links", "must_link"), ("Cannot-links", "cannot_link")):
            np.testing.assert_allclose(points(axes)[label][:, 1], means[f"precision_{kind}"])
            assert ends_of_bars(axes)[label].max() <= 1
    assert draw_precision(scores(curves(fractions=(0.2, 0.4))), "multi-view") is None


@pytest.mark.parametrize(("lowest", "bottom"), [(0.999, 0.95), (0.953, 0.9), (0.62, 0.6)])
def test_the_axis_of_precision_starts_below_the_lowest_point_of_all(curves, scores, lowest, bottom):
    table = curves("protein")
    table[["precision_must_link", "precision_cannot_link"]] = 1.0
    other = table.assign(dataset="rec_talk", folder="rec_talk", precision_must_link=lowest)
    figure = draw_precision(scores(pd.concat([table, other])), "multi-view").figure
    for axes in figure.axes:
        low, high = axes.get_ylim()
        assert low == pytest.approx(bottom)
        assert 1 < high < 1.03


def test_single_views_have_a_row_each_named_after_the_view_unless_it_is_alone(curves, scores):
    how = {"methods": BOTH, "bases": ("mpck-means",)}
    tables = [
        curves(views=("digits", "letters"), **how),
        curves("four_quadrants", views=("A",), **how),
        curves("my_own", views=("left", "right"), **how),
    ]
    table = pd.concat(tables)
    rows = ["Four Quadrants", "Letters", "Digits", "Left", "Right"]
    pictures = [draw_f_measure(table, "single-view")]
    pictures += [draw(scores(table), "single-view") for draw in (draw_numbers, draw_precision)]
    for picture in pictures:
        assert list(dict.fromkeys(row for row, _ in grid(picture.figure))) == rows
        assert picture.figure.get_supxlabel() == "Constraints"
    axes = grid(pictures[0].figure)["Digits", "MPCK-Means"]
    of_view = table[table["view"] == "digits"]
    for label, name in zip(("With Constraint Propagation", "Without"), BOTH, strict=True):
        curve = of_view[of_view["method"] == name]
        np.testing.assert_array_equal(points(axes)[label], curve[["n_constraints", "mean"]])
    only = draw_f_measure(table[table["method"] == "single-view"], "single-view")
    assert key(only.figure) == ["Without"]


# One reading of each experiment


def test_of_several_readings_the_papers_is_shown_and_named(curves):
    view = curves().assign(closure="view")
    rewired = curves().assign(rewired=0.4).dropna(subset="mapped")
    rows = main_experiment(pd.concat([curves(), view, rewired]), "multi-view")
    assert len(rows) == len(curves())
    assert set(rows["reading"]) == {"closure full · rewired 0.0"}
    alone = main_experiment(view, "multi-view")
    assert (len(alone), set(alone["reading"])) == (len(curves()), {"closure view"})
    assert set(main_experiment(curves(), "multi-view")["reading"]) == {""}


def test_of_several_thresholds_one_is_shown_beside_the_methods_that_have_none(curves):
    other = curves(methods=(CP,)).assign(threshold="0.75")
    rows = main_experiment(pd.concat([curves(), other]), "multi-view")
    assert len(rows) == len(curves())
    assert set(rows["reading"]) == {"threshold 0.5"}
