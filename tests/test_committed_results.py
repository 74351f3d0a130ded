"""The results in the repository are those of its configs, its code and its pages."""

import csv
import json
import re
import sys
from pathlib import Path

import pandas as pd
import pytest

from mvcc.experiments import load_config
from mvcc.experiments._trial import run_trial
from mvcc.reporting.claims import evaluate_claims, to_markdown
from mvcc.reporting.figures import FIGURES, plot
from mvcc.results import Results, find_experiments
from mvcc.results._format import CELL
from scripts import calibration, compare_with_reference
from scripts.field import pairs
from scripts.field.figures import Figures
from scripts.field.methods import EACH, NO_PAIRS, OF_TABLES

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results"
PEERS = "beyond_peers"  # of scripts/peers.py
FOLDERS = sorted(path.stem for path in (ROOT / "configs").glob("*.yaml"))


@pytest.mark.slow
def test_every_config_has_its_full_run():
    assert [folder.name for folder in find_experiments(RESULTS)] == sorted([*FOLDERS, PEERS])
    trials = {
        name: rows["trial"].nunique() for name, rows in Results(RESULTS).scores.groupby("folder")
    }
    assert trials == dict.fromkeys(FOLDERS, 100) | {PEERS: 20}


@pytest.mark.parametrize("name", FOLDERS)
def test_the_manifest_names_the_config_the_commit_and_a_run_without_failures(name):
    manifest = json.loads((RESULTS / name / "manifest.json").read_text("utf-8"))
    assert manifest["config"] == load_config(ROOT / "configs" / f"{name}.yaml").resolved()
    for run in manifest["runs"]:
        assert len(run["commit"]) == 40, "results of code that is not committed cannot be repeated"
        assert run["failed"] == []


CELLS = {
    "four_quadrants": {"mapped": 0.4, "constraints": 50, "bases": "pck-means", "alone": 10},
    "protein": {"mapped": 1.0, "constraints": 25, "alone": 100},
    "rec_talk": {"mapped": 0.2, "constraints": 100, "alone": 50},
}
COMPARED = ["f_measure", "propagated_must_links", "inferred_weight_cannot_links", "iterations"]


@pytest.mark.parametrize(
    "name",
    ["four_quadrants", *(pytest.param(name, marks=pytest.mark.data) for name in list(CELLS)[1:])],
)
def test_cells_computed_again_give_the_same_numbers(name):
    cells = dict(CELLS[name])
    narrowed = [f"single_view.constraints=[{cells.pop('alone')}]"]
    narrowed += [f"multi_view.{key}=[{value}]" for key, value in cells.items()]
    config = load_config(ROOT / "configs" / f"{name}.yaml", narrowed)
    stored = Results(RESULTS / name).scores
    for trial in (0, 99):
        again = run_trial(config, trial)
        both = again.merge(
            stored, on=["trial", *CELL], suffixes=("", "_stored"), validate="one_to_one"
        )
        assert len(both) == len(again)
        # the last bits may depend on the processor
        pd.testing.assert_frame_equal(
            both[COMPARED],
            both[[f"{name}_stored" for name in COMPARED]].set_axis(COMPARED, axis=1),
            check_dtype=False,
            rtol=1e-9,
        )


@pytest.mark.slow
def test_the_scorecard_is_that_of_the_results():
    scorecard = evaluate_claims(Results(RESULTS))
    assert to_markdown(scorecard) == (RESULTS / "claims.md").read_text("utf-8")
    assert to_markdown(scorecard.beyond) == (RESULTS / "beyond.md").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.exact_bits
def test_the_figures_are_drawn_from_the_results_to_the_last_byte(tmp_path):
    files = [path for paths in plot(RESULTS, out=tmp_path).values() for path in paths]
    assert {one.name for one in files} == {one.name for one in (RESULTS / "figures").glob("[!.]*")}
    assert len(files) == 2 * len(FIGURES)
    stored = [RESULTS / "figures" / path.name for path in files]
    changed = [
        a.name for a, b in zip(files, stored, strict=True) if a.read_bytes() != b.read_bytes()
    ]
    assert changed == []


@pytest.mark.parametrize(
    ("page", "scorecard"),
    [("README.md", "claims.md"), ("README.md", "beyond.md"), ("docs/reproduction.md", "claims.md")],
)
def test_pages_have_the_counts_of_the_scorecards(page, scorecard):
    counts = (RESULTS / scorecard).read_text("utf-8").splitlines()[2].partition(" They rest")[0]
    assert counts[0].isdigit()
    assert counts in " ".join((ROOT / page).read_text("utf-8").split())


def test_the_page_on_reliability_says_how_often_each_promise_was_tried():
    page = (ROOT / "docs" / "reliability.md").read_text("utf-8")
    with open(RESULTS / "reliability.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) >= 10
    for row in rows:
        assert f"| {row['tried']} | {int(row['times']):,} |" in page
    kills = sum(int(row["times"]) for row in rows if "killed" in row["tried"])
    readme = (ROOT / "README.md").read_text("utf-8")
    assert f"Commands were killed [over {kills // 100 * 100:,} times]" in readme


def test_pages_say_how_questions_beside_other_strategies_and_long_fits_turned_out():
    rows = pd.read_csv(RESULTS / "questions.csv").query("strategy != 'second_looks'")
    F = rows.pivot_table(
        index=["data", "wrong", "questions", "task"], columns="strategy", values="F"
    )
    lead = F.drop(columns="ours").rsub(F["ours"], axis=0).drop(index=0, level="questions")
    lead = lead.groupby(level=["data", "wrong", "questions"])
    errors = (lead.mean() / lead.sem()).stack()
    ahead, behind = (errors > 2).sum(), (errors < -2).sum()
    page = " ".join((ROOT / "docs" / "how-well.md").read_text("utf-8").split())
    assert f"Among {len(errors)} paired comparisons" in page
    assert f"in {ahead} and level in {len(errors) - ahead - behind}. It is behind in one:" in page
    assert [place[0] for place in errors[errors < -2].index] == ["wine"]
    digits = F.loc["digits_halves", 0.0]["ours"].groupby("questions").mean()[[20, 40, 160]]
    assert "F is {:.3f}, {:.3f} and {:.3f} after".format(*digits).replace("0.", ".") in page
    right = pd.read_csv(RESULTS / "questions.csv").query("wrong == 0")
    means = right.pivot_table(index=["data", "questions"], columns="strategy", values="F")
    cost = (means["ours"] - means["second_looks"]).max()
    assert f"if all answers are right, they cost at most {cost:.3f}".replace("0.", ".") in page
    times = pd.read_csv(RESULTS / "growth.csv").query("method == 'joint'").set_index("n")
    seconds, ratio = times.loc[1_000, "seconds"], times.loc[100_000, "times_kmeans"]
    readme = (ROOT / "README.md").read_text("utf-8")
    assert f"2 × 1,000 rows take {seconds:.1f} s" in readme
    assert f"2 × 100,000 [{ratio:.1f} times as long as k-means]" in readme


def test_pages_have_the_curves_and_the_errors_of_how_sure_rows_are():
    bands = pd.read_csv(RESULTS / "calibration.csv")
    curves = calibration.curves(bands).query("band >= 3")
    shown = (curves[["sure", "right"]].map("{:.2f}".format)).agg(", ".join, axis=1).unstack("band")
    columns = [("exact", 0), ("exact", 20), ("exact", 160), ("anchors", 0), ("anchors", 160)]
    page = (ROOT / "docs" / "how-well.md").read_text("utf-8")
    for _, cells in shown.loc[columns].items():
        assert f"| {' | '.join(cells)} |\n".replace("0.", ".") in page
    method = (ROOT / "docs" / "method.md").read_text("utf-8")
    means = calibration.scores_of_fits(bands).groupby(["sets", "constraints", "graph"])
    for _, rows in means.agg(["mean", "sem"]).groupby(level=["sets", "constraints"], sort=False):
        cells = " | ".join(
            f"{own['right', 'mean']:.3f} | {own['error', 'mean']:.3f} ± {own['error', 'sem']:.3f}"
            f" | {own['brier', 'mean']:.3f}"
            for _, own in rows.sort_index(level="graph", ascending=False).iterrows()
        )
        assert f"| {cells} |\n".replace("0.", ".") in method


def test_pages_have_the_means_of_messy_tables_and_of_matches_that_are_found():
    rows = pd.read_csv(RESULTS / "messy.csv").query("method != 'classes left in'")
    means = rows.groupby(["pair", "method"])[["f", "ari"]].mean()
    shown = means.map("{:.2f}".format).agg(" / ".join, axis=1).unstack("method")
    page = (ROOT / "docs" / "methods-compared.md").read_text("utf-8")
    for pair, cells in shown.iterrows():
        line = next(line for line in page.splitlines() if line.startswith(f"| `{pair}` |"))
        assert line.endswith(f"| {' | '.join(cells)} |".replace("0.", "."))
    rows = pd.read_csv(RESULTS / "matches.csv").query("what == 'candidates'")
    found = rows.groupby(["data", "mapped"])[["first", "in_five", "first_of_100"]]
    shown = found.mean().map("{:.3f}".format) + " ± " + found.sem().map("{:.3f}".format)
    page = (ROOT / "docs" / "how-well.md").read_text("utf-8")
    for cells in shown.agg(" | ".join, axis=1):
        assert f"| {cells} |\n".replace("0.", ".") in page


def test_the_readme_has_the_lead_over_k_means_of_each_table_however_it_is_prepared():
    figures = Figures()
    own, *others = (
        pairs.mean_of_eight(figures, pairs.LEVEL, name, "F_views")
        for name in [NO_PAIRS, *(name for name in OF_TABLES if name.startswith(EACH))]
    )
    said = f"F is {own:.2f}, not {max(others):.2f}, on".replace("0.", ".")
    assert said in (ROOT / "README.md").read_text("utf-8")


def test_the_comparison_with_other_packages_has_the_figures_of_the_scorecard():
    scorecard = (RESULTS / "beyond.md").read_text("utf-8")
    counts = {
        int(number): [int(count) for count in cells.split(" / ")]
        for number, cells in re.findall(r"\| (\d+) \|.* \| (\d+ / \d+ / \d+) \|", scorecard)
    }
    of_paper = [sum(both) for both in zip(counts[3], counts[4], strict=True)]
    page = (ROOT / "docs" / "compared.md").read_text("utf-8")
    for cells in (counts[1], of_paper, counts[6]):
        assert "| {} | {} | {} | {} |\n".format(sum(cells), *cells) in page
    table = scorecard.partition("### 30% of")[2].partition("### 100% of")[0]
    leads = []
    for line in re.findall(r"\| (?:Digits Halves|Letters/Digits) \| (?!400).*", table):
        *others, joint = [float(mean) for mean in re.findall(r"(\d\.\d{3})\*{0,2} ±", line)]
        leads.append(joint - max(others))
    found = re.search(r"best alternative by (\.\d\d) to (\.\d\d) F", page)
    assert [min(leads), max(leads)] == pytest.approx(list(map(float, found.groups())), abs=0.006)


@pytest.mark.slow
@pytest.mark.reference
def test_every_data_set_and_reading_is_compared_with_another_implementation(monkeypatch, capsys):
    monkeypatch.setattr(compare_with_reference, "SPLITS", 5)
    monkeypatch.setattr(sys, "argv", ["compare_with_reference.py", str(RESULTS)])
    compare_with_reference.main()
    heads = [line for line in capsys.readouterr().out.splitlines() if "closure" in line]
    assert len(heads) == 3 * 3
    assert all(": 120 cells, mean difference " in head for head in heads)
    # far from agreeing, a mean over 120 cells would be off by more than the 0.02 that one cell is
    # uncertain by
    assert all(abs(float(head.split("mean difference ")[1].split(";")[0])) < 0.02 for head in heads)
