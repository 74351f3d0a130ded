"""The page of the field's scorecard is what its store says, and claims fail where figures do."""

from itertools import product
from pathlib import Path

import pytest

from mvcc.datasets import registry
from scripts.field import figures, pairs, store
from scripts.field.figures import Claim, Comparison, Figures, claims
from scripts.field.methods import GROUPS, JOINT
from scripts.field.page import _failures, page
from scripts.field.protocols import OF_AIMS, Cell, cells
from scripts.field.scores import COLUMNS

ROOT = Path(__file__).parents[2]
CELL = Cell("ngs", "mask A", 0.1)


def add(folder, name, cell, draw, method, score):
    """Add a line whose scores are all the same."""
    scores = dict.fromkeys(COLUMNS, score)
    store.append(folder / store.FILES[name], (*cell, draw, method), scores, 1.0)


@pytest.mark.slow
def test_the_page_is_that_of_the_stored_scores():
    assert page(Figures()) == (ROOT / "results" / "field.md").read_text("utf-8")


def test_every_stored_line_is_of_a_known_cell_and_method():
    known = {*cells(), *pairs.cells()}
    for group, name in store.FILES.items():
        lines = store.read(store.FOLDER / name)
        assert set(lines[figures.CELL].itertuples(index=False, name=None)) <= known
        same_file = [other for other in store.FILES if store.FILES[other] == store.FILES[group]]
        assert set(lines["method"]) <= {method for other in same_file for method in GROUPS[other]}
        assert not lines.duplicated(store.KEY).any()
        scores = lines.loc[lines["problem"] == "", COLUMNS]
        assert ((scores >= -0.5) & (scores <= 1)).all(axis=None)


def test_every_published_figure_is_of_a_cell_of_the_study_and_names_its_source():
    for entry in figures._entries():
        assert figures._cell_of(entry) in cells()
        assert entry["data"] in registry()
        assert entry["method"]
        measures = set(entry) - {"data", "protocol", "level", "method", "source", "note"}
        assert measures <= {"ACC", "NMI", "F"}
        assert all(0 < entry[measure] < 1 for measure in measures)


def compared(*differences, error=0.0):
    return [Comparison(CELL, "other", 0.9 + difference, 0.9, error) for difference in differences]


@pytest.mark.parametrize(
    ("differences", "margin", "verdict"),
    [
        ([0.0, 0.1], 0, "holds"),
        ([-0.0004, 0.1, 0.1], 0, "holds in part"),
        ([-0.1, 0.1], 0, "does not hold"),
        ([-0.01, 0.1], 0.01, "holds"),
        ([-0.0101, 0.1, 0.2], 0.01, "holds in part"),
    ],
)
def test_a_claim_fails_where_a_figure_is_behind(differences, margin, verdict):
    claim = Claim("", "", compared(*differences), margin)
    assert claim.verdict == verdict
    assert len(claim.behind) == sum(round(one, 4) < -margin for one in differences)


@pytest.mark.parametrize(
    ("difference", "error", "holds"), [(-0.03, 0.02, True), (-0.05, 0.02, False)]
)
def test_some_claims_fail_only_beyond_two_standard_errors(difference, error, holds):
    assert Claim("", "", compared(difference, error=error), 0.01).behind != []
    claim = Claim("", "", compared(difference, error=error), 0.01, beyond_chance=True)
    assert (claim.verdict == "holds") == holds


def test_pairs_are_compared_draw_by_draw(tmp_path):
    cell = Cell("wine", "half", 0.3)
    scores = {"no pairs": 0.6, "20 pairs": 0.5, "160 pairs": 0.9, "160 pairs, 5 % wrong": 0.8}
    for method, score in scores.items():
        add(tmp_path, "pairs", cell, 0, method, score)
        add(tmp_path, "pairs", cell, 1, method, 0.8)
    found = Figures(tmp_path)
    made = {claim.title: claim for claim in pairs.claims(found)}
    assert [len(claim.comparisons) for claim in made.values()] == [1, 1, 1]
    few, many, wrong = made.values()
    ahead = [round(one.comparisons[0].ahead, 4) for one in (few, many, wrong)]
    assert ahead == [-0.05, 0.2, -0.05]
    assert few.comparisons[0].error == pytest.approx(0.05)
    assert [claim.verdict for claim in (few, many, wrong)] == ["holds", "holds", "does not hold"]
    said = "\n".join(pairs.section(found))
    assert (
        "| Wine | 2 | 0.700 | 0.650, −0.050 ± 0.050 | 0.850, +0.200 ± 0.200 | 0.800, −0.050 ± 0.050"
        " | – |" in said
    )


def test_differences_are_rounded_once(tmp_path):
    cell = Cell("wine", "half", 0.3)
    add(tmp_path, "pairs", cell, 0, "no pairs", 0.5)
    add(tmp_path, "pairs", cell, 0, "20 pairs", 0.50146)
    assert "0.501, +0.001 ± 0.000" in "\n".join(pairs.section(Figures(tmp_path)))


def test_aims_are_of_the_mean_of_eight(tmp_path):
    for data in pairs.IN_FIELD:
        figure = 0.6 if data in OF_AIMS else 0.0
        add(tmp_path, "pairs", Cell(data, "half", 0.3), 0, "no pairs", figure)
    claim = pairs.claims(Figures(tmp_path))[0]
    assert {one.against: round(one.ahead, 4) for one in claim.comparisons} == {
        "the aim of F without pairs": -0.06,
        "the aim of ARI without pairs": 0.01,
    }
    assert "mean of eight, half 0.3, against the aim of F without pairs: 0.600" in _failures(claim)


def test_draws_are_written_with_the_aims_and_beside_other_methods(tmp_path):
    lines = [("pairs", "no pairs", draw) for draw in range(3)]
    lines += [("ours", JOINT, draw) for draw in range(2)] + [("peers", "NEMO", 0)]
    for data, (name, method, draw) in product(OF_AIMS, lines):
        add(tmp_path, name, Cell(data, "half", 0.3), draw, method, 0.5)
    found = Figures(tmp_path)
    assert "Means are over 3 draws, with everything matched over –." in (
        pairs.claims(found)[0].sentence
    )
    said = "\n".join(pairs.section(found))
    assert "| **mean of eight** | 1 to 2 | 0.500 |" in said


@pytest.fixture
def small(tmp_path):
    """Write a store with a cell: joint over two draws, and others on the first alone."""
    for name, draw, method, accuracy in (
        ("ours", 0, JOINT, 0.9),
        ("ours", 1, JOINT, 0.98),
        ("plain", 0, "k-means", 0.5),
        ("plain", 0, "sum of graphs", 0.96),
        ("grid", 0, "joint with 5 neighbors", 0.93),
        ("peers", 0, "NEMO", 0.7),
    ):
        add(tmp_path, name, CELL, draw, method, accuracy)
    return Figures(tmp_path)


def test_means_and_bests_are_those_of_the_lines(small):
    assert small.cells() == [CELL]
    assert small.mean(CELL, JOINT, "ACC") == pytest.approx(0.94)
    assert small.best_peer(CELL, "ACC").method == "NEMO"
    assert small.best_setting(CELL, "ACC").value == pytest.approx(0.93)
    # on the draw of the other settings
    assert small.in_grid(CELL, JOINT, "ACC") == pytest.approx(0.9)
    assert small.best_published(CELL, "ACC") == figures.Best("ARSL-IMVC", 0.962)
    assert small.best_published(CELL, "NMI") is None


def test_settings_are_compared_on_the_draws_that_defaults_and_others_have(tmp_path):
    for name, method, accuracies in (
        ("ours", JOINT, {0: 0.9, 1: 0.8}),
        ("grid", "joint with 5 neighbors", {0: 0.93, 2: 0.99}),
    ):
        for draw, accuracy in accuracies.items():
            add(tmp_path, name, CELL, draw, method, accuracy)
    found = Figures(tmp_path)
    assert found.in_grid(CELL, JOINT, "ACC") == pytest.approx(0.9)
    assert found.best_setting(CELL, "ACC").value == pytest.approx(0.93)


def test_claims_compare_what_they_say(small):
    found = {claim.title: claim for claim in claims(small)}
    published = found["ACC at least the best published one"]
    (one,) = published.behind
    assert (one.against, round(one.ahead, 4)) == ("ARSL-IMVC", -0.022)
    each = found["ACC never behind a method that was run here by more than 0.01"]
    assert {one.against: one.ahead for one in each.comparisons} == pytest.approx(
        {"k-means": 0.4, "sum of graphs": -0.06, "NEMO": 0.2}  # on the first draw alone
    )
    assert [one.against for one in each.behind] == ["sum of graphs"]
    assert found["Defaults within 0.02 of the best setting"].verdict == "does not hold"
    assert "NGs, mask A 0.1, against ARSL-IMVC: 0.940 instead of 0.962, −0.022" in page(small)
