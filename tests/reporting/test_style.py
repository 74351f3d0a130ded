"""Methods differ in looks, also other ones than the paper's; fractions by line and filling."""

from itertools import combinations, pairwise, product

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from mvcc.exceptions import StoreError
from mvcc.reporting.figures import plot
from mvcc.reporting.figures._panels import draw_curves
from mvcc.reporting.figures._style import (
    _OTHER_COLORS,
    _OTHER_MARKERS,
    METHODS,
    by_fraction,
    house_style,
    method_styles,
    percent,
)
from mvcc.results import JOINT, K_MEANS, Results
from tests.experiments.conftest import edit_manifest
from tests.reporting.drawn import ALL_CONES, lab

# severe protanopia, deuteranopia and tritanopia in linear RGB, after Machado, Oliveira and
# Fernandes (2009)
VISIONS = {
    "all cones": ALL_CONES,
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


@pytest.mark.parametrize("vision", VISIONS)
def test_other_colors_can_be_told_from_all_others_whatever_cones_one_has(vision):
    of_paper = [style.color for style in METHODS.values()]
    for one, other in [*product(of_paper, _OTHER_COLORS), *combinations(_OTHER_COLORS, 2)]:
        away = lab(one, VISIONS[vision]) - lab(other, VISIONS[vision])
        assert np.linalg.norm(away) > 30, (one, other)


def test_other_methods_come_after_the_papers_with_titles_and_looks_of_their_own():
    styles = method_styles(["zebra", "exhaustive-propagation", "direct-mapping", "e2cp_kNN"])
    assert {name: style.title for name, style in styles.items()} == {
        "direct-mapping": "Direct Mapping",
        "e2cp_kNN": "E2cp KNN",
        "exhaustive-propagation": "Exhaustive Propagation",
        "zebra": "Zebra",
    }
    of_paper = {style.marker for style in METHODS.values()}
    assert not of_paper & {marker for marker, _ in _OTHER_MARKERS}
    many = method_styles([*METHODS, "zebra", "-", "_", "a--b"])
    assert {name: many[name] for name in METHODS} == METHODS
    assert all(style.title for style in many.values())


@pytest.mark.parametrize("others", [["zebra"], ["ape", "zebra"], ["ape", "gnu", "zebra"]])
def test_methods_of_other_packages_have_no_color_of_those_beside_them(others):
    names = [*METHODS, JOINT, K_MEANS, *others]
    assert len({style.color for style in method_styles(names).values()}) == len(names)


@pytest.mark.parametrize("beside", [[], [JOINT], [JOINT, K_MEANS]])
def test_many_methods_of_other_packages_have_looks_of_their_own(beside):
    styles = method_styles([*METHODS, *beside, *(f"m{number}" for number in range(15))]).values()
    looks = {(style.color, style.marker) for style in styles}
    assert len(looks) == len(METHODS) + len(beside) + 15


def test_intervals_of_a_score_end_at_0_and_1():
    figure, axes = plt.subplots()
    points = pd.DataFrame({"method": JOINT, "n_constraints": [1, 2], "trials": 3})
    series = [*method_styles([JOINT]).values()]
    points = points.assign(mean=[0.1, 0.95], half_width=0.2)
    draw_curves(axes, points, series, [1, 2], highest=1)
    (bars,) = axes.containers[0].lines[2]
    assert np.allclose([bar[:, 1] for bar in bars.get_segments()], [[0, 0.3], [0.75, 1]])
    plt.close(figure)


def name_methods(folder, methods):
    plan = {"transfers": methods}
    edit_manifest(folder, lambda manifest: manifest["config"].update(multi_view=plan))


@pytest.mark.slow
def test_figures_of_two_named_methods_stay_the_same_bytes(curves, finish, tmp_path):
    few = {"bases": ("pck-means",), "fractions": (0.4, 1.0)}
    for name, methods in (("plain", ()), ("more", ("zebra",))):
        table = curves(methods=(*METHODS, *methods), **few)
        if methods:  # the made-up numbers hang on the place among the rows
            table = pd.concat([curves(**few), table[table["method"] == "zebra"]], ignore_index=True)
        finish(tmp_path / name / "letters_digits", table)
        name_methods(tmp_path / name / "letters_digits", methods)
        plot(tmp_path / name, out=tmp_path / f"{name}_figures")
    drawn = {path.name for path in (tmp_path / "plain_figures").glob("[!.]*")}
    assert {"figure_05.png", "figure_06.png", "figure_07.png", "difference.png"} < drawn
    for file in sorted(drawn):
        plain, more = (tmp_path / f"{name}_figures" / file for name in ("plain", "more"))
        same = plain.read_bytes() == more.read_bytes()
        assert same == (not file.startswith("figure_04")), file


def test_results_hold_the_methods_that_their_config_names(tmp_path, curves, finish):
    few = {"bases": ("pck-means",), "fractions": (0.4,)}
    finish(tmp_path, curves(methods=("direct-mapping", "zebra"), **few))
    with pytest.raises(StoreError, match="method is zebra, none of constraint-propagation"):
        Results(tmp_path).curves
    name_methods(tmp_path, ["direct-mapping", "zebra"])
    assert set(Results(tmp_path).curves["method"]) == {"direct-mapping", "zebra"}
    assert plot(tmp_path, ["4"], tmp_path / "figures")


@pytest.mark.parametrize(
    "named",
    [None, 7, "zebra", {"zebra": 1}, [7, ["zebra"], {}, None, "ze`bra"]],
    ids=["empty", "number", "text", "section", "others"],
)
def test_a_manifest_that_names_no_methods_adds_none(tmp_path, curves, finish, named):
    finish(tmp_path, curves(methods=("direct-mapping", "zebra")))
    name_methods(tmp_path, named)
    with pytest.raises(StoreError, match="method is zebra, none of"):
        Results(tmp_path).curves


def test_methods_differ_in_grey_and_in_marker():
    shades = sorted(lab(style.color)[0] for style in METHODS.values())
    assert min(after - before for before, after in pairwise(shades)) > 14
    assert shades[-1] < 75  # still stands out from white paper
    assert len({style.marker for style in METHODS.values()}) == len(METHODS)


@pytest.mark.parametrize("fractions", [(0.1, 0.3, 0.6, 0.8), (0.05, 0.2, 0.4, 0.5, 0.6, 1.0)])
def test_other_fractions_have_lines_of_their_own_and_leave_the_papers(fractions):
    lines = {one.value: one.line for one in by_fraction(fractions, METHODS["direct-mapping"])}
    assert len(set(lines.values())) == len(fractions)
    (papers,) = by_fraction([0.4], METHODS["direct-mapping"])
    assert lines.get(0.4, papers.line) == papers.line


def test_percentages_keep_their_digits():
    written = [percent(fraction) for fraction in (1.0, 0.2, 0.07, 0.125)]
    assert written == ["100%", "20%", "7%", "12.5%"]


def test_the_house_style_replaces_the_users_settings_and_gives_them_back():
    with matplotlib.rc_context({"font.size": 31, "axes.facecolor": "pink"}):
        with house_style():
            assert matplotlib.rcParams["font.size"] == 8
            assert matplotlib.rcParams["axes.facecolor"] == "white"
        assert matplotlib.rcParams["font.size"] == 31
