"""The page of the field's scorecard is what its store says, and claims fail where figures do."""

from pathlib import Path

import pytest

from mvcc.datasets import registry
from scripts.field import figures, pairs, store
from scripts.field.figures import Claim, Comparison, Figures
from scripts.field.methods import GROUPS
from scripts.field.page import page
from scripts.field.protocols import Cell, cells
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


@pytest.mark.parametrize(
    ("differences", "margin", "error", "verdict"),
    [
        ([0.0, 0.1], 0, 0, "holds"),
        ([-0.0004, 0.1, 0.1], 0, 0, "holds in part"),
        ([-0.1, 0.1], 0, 0, "does not hold"),
        ([-0.01, 0.1], 0.01, 0, "holds"),
        ([-0.0101, 0.1, 0.2], 0.01, 0, "holds in part"),
        ([-0.03], 0.01, 0.02, "holds"),
        ([-0.05], 0.01, 0.02, "does not hold"),
    ],
)
def test_a_claim_fails_where_a_figure_is_behind(differences, margin, error, verdict):
    compared = [Comparison(CELL, "other", 0.9 + one, 0.9, error) for one in differences]
    assert Claim("", "", compared, margin, beyond_chance=error > 0).verdict == verdict
    behind = [round(one, 4) for one in differences if round(one, 4) < -margin]
    assert [round(one.ahead, 4) for one in Claim("", "", compared, margin).behind] == behind


def test_pairs_are_compared_draw_by_draw_and_differences_rounded_once(tmp_path):
    for data, draws in (("wine", [0.6, 0.8]), ("digits_halves", [0.5])):
        for draw, score in enumerate(draws):
            add(tmp_path, "pairs", Cell(data, "half", 0.3), draw, "no pairs", score)
    for draw, score in enumerate((0.5, 0.8)):
        add(tmp_path, "pairs", Cell("wine", "half", 0.3), draw, "20 pairs", score)
    add(tmp_path, "pairs", Cell("digits_halves", "half", 0.3), 0, "20 pairs", 0.50146)
    said = "\n".join(pairs.section(Figures(tmp_path)))
    assert "| Wine | 2 | 0.700 | 0.650, −0.050 ± 0.050 |" in said
    assert "0.501, +0.001 ± 0.000" in said
