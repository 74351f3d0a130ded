"""Methods that the paper does not have are drawn beside its own, in looks of their own."""

import json
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

from mvcc.exceptions import StoreError
from mvcc.reporting import plot
from mvcc.reporting.figures._style import _OTHER_COLORS, _OTHER_MARKERS, METHODS, method_styles
from mvcc.results._reading import Results
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
        assert np.linalg.norm(lab(one, VISIONS[vision]) - lab(other, VISIONS[vision])) > 30, (
            one,
            other,
        )


def test_other_methods_come_after_the_papers_with_titles_and_looks_of_their_own():
    styles = method_styles(["zebra", "exhaustive-propagation", "direct-mapping", "e2cp_kNN"])
    assert {name: style.title for name, style in styles.items()} == {
        "direct-mapping": "Direct Mapping",
        "e2cp_kNN": "E2cp KNN",
        "exhaustive-propagation": "Exhaustive Propagation",
        "zebra": "Zebra",
    }
    many = method_styles([*METHODS, *(f"m{number}" for number in range(15))])
    looks = [(style.color, style.marker) for style in many.values()]
    assert len(set(looks)) == len(METHODS) + 15
    assert not {marker for marker, _ in _OTHER_MARKERS} & {
        style.marker for style in METHODS.values()
    }
    assert {name: many[name] for name in METHODS} == METHODS


@pytest.mark.parametrize("name", ["-", "_", "a--b"])
def test_every_name_has_a_title(name):
    assert method_styles([name])[name].title


@pytest.mark.slow
def test_figures_of_two_named_methods_stay_the_same_bytes(curves, finish, tmp_path):
    few = {"bases": ("pck-means",), "fractions": (0.4, 1.0)}
    for name, methods in (("plain", ()), ("more", ("zebra",))):
        table = curves(methods=(*METHODS, *methods), **few)
        if methods:  # the made-up numbers hang on the place among the rows
            table = pd.concat([curves(**few), table[table["method"] == "zebra"]], ignore_index=True)
        finish(tmp_path / name / "letters_digits", table)
        name_in_manifest(tmp_path / name / "letters_digits", methods)
        plot(tmp_path / name, out=tmp_path / f"{name}_figures")
    drawn = {path.name for path in (tmp_path / "plain_figures").glob("[!.]*")}
    assert {"figure_05.png", "figure_06.png", "figure_07.png", "difference.png"} < drawn
    for file in sorted(drawn):
        same = (tmp_path / "plain_figures" / file).read_bytes() == (
            tmp_path / "more_figures" / file
        ).read_bytes()
        assert same == (not file.startswith("figure_04")), file


def name_in_manifest(folder, methods):
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["config"]["multi_view"] = {"transfers": methods}
    path.write_text(json.dumps(manifest))


def test_results_hold_the_methods_that_their_config_names(tmp_path, curves, finish):
    few = {"bases": ("pck-means",), "fractions": (0.4,)}
    finish(tmp_path, curves(methods=("direct-mapping", "zebra"), **few))
    with pytest.raises(StoreError, match="method is zebra, none of constraint-propagation"):
        Results(tmp_path).curves
    name_in_manifest(tmp_path, ["direct-mapping", "zebra"])
    assert set(Results(tmp_path).curves["method"]) == {"direct-mapping", "zebra"}
    assert plot(tmp_path, ["4"], tmp_path / "figures")


@pytest.mark.parametrize(
    "named",
    [None, 7, "zebra", {"zebra": 1}, [7, ["zebra"], {}, None, "ze`bra"]],
    ids=["empty", "number", "text", "section", "others"],
)
def test_a_manifest_that_names_no_methods_adds_none(tmp_path, curves, finish, named):
    finish(tmp_path, curves(methods=("direct-mapping", "zebra")))
    name_in_manifest(tmp_path, named)
    with pytest.raises(StoreError, match="method is zebra, none of"):
        Results(tmp_path).curves
