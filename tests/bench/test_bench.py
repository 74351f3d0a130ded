"""The benchmark runs on the smallest sizes; the page has the figures of the stored one."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mvcc import Constraints, propagate_constraints
from scripts.bench import __main__ as bench
from scripts.bench import beyond, commands, e_step, fits, growth, large, shapes, table
from scripts.bench.page import PAGE, block
from scripts.tables import RESULTS

PERFORMANCE = PAGE.read_text("utf-8")
MEASURED = pd.read_csv(RESULTS / "benchmarks.csv")


def _once(function, seconds):
    function()
    return 1.0


@pytest.fixture
def untimed(monkeypatch):
    for module in (fits, large, bench.runs):
        monkeypatch.setattr(module, "best_of", _once)


@pytest.mark.reliability
@pytest.mark.compiled
def test_every_comparison_gives_a_row_and_an_aim_reached_or_not(untimed, monkeypatch, tmp_path):
    monkeypatch.setattr(fits, "find_spec", lambda name: None)
    monkeypatch.delenv("MVCC_REFERENCE", raising=False)
    measured = table.as_table(bench.measure(quick=True))
    kinds = [task.split(",")[0] for task in measured["task"]]
    assert [kind for kind in kinds if kind.startswith("E-step")] == [
        "E-step",
        "E-step",
        "E-step on two threads",
        "E-step in a process of its own",
    ]
    assert {"k-means", "PCK-Means", "MPCK-Means", "mvcc --help"} <= set(kinds)
    judged = measured[measured["aim"] != ""]
    assert judged["reached"].isin(["yes", "no"]).all()
    assert (measured.loc[measured["aim"] == "", "reached"] == "").all()
    assert (measured["peak_mb"].dropna() > 0).all()
    assert bench.shown(measured).count("\n") >= len(measured)
    e_step.draw(measured, tmp_path / "e_step.png")
    assert (tmp_path / "e_step.png").stat().st_size > 10_000


def test_every_command_is_measured_in_turn_and_init_in_a_new_folder(monkeypatch, capsys):
    def seconds_of(checkout, arguments):
        if arguments[0] == "init":
            Path(arguments[1], "pictures").mkdir(parents=True)
        return 1.0

    monkeypatch.setattr(commands, "seconds_of", seconds_of)
    monkeypatch.setattr(commands, "seconds_until_table", lambda *_: 0.5)
    monkeypatch.setattr(commands, "_run", lambda *_: None)
    monkeypatch.setattr(sys, "argv", ["commands", "/other/checkout"])
    commands.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [f"| command | checkout | {commands.ROOT.name} |", "|---|--:|--:|"]
    assert "| `init` | 1.00 | 1.00 |" in lines


def test_an_aim_is_judged_by_what_was_measured():
    fast, slow = (
        table.row("task", ms, ("ratio", "≥", 50), ("ms", "≤", 3), other="peer", other_ms=100)
        for ms in (2, 4)
    )
    assert (fast["ratio"], fast["aim"], fast["reached"]) == (50, "ratio ≥ 50, ms ≤ 3", "yes")
    assert slow["reached"] == "no"
    assert table.row("task", 2, ("ratio", "≥", 50))["reached"] == ""
    assert table.row("task", 2)["aim"] == ""


def test_hits_are_the_products_that_are_not_too_light():
    X, y, constraints = large.scene(300, 20)
    found = propagate_constraints(
        X, y, Constraints(constraints.pairs[:1], constraints.must_link[:1]), 0.8
    )
    alone = Constraints(constraints.pairs[:1], constraints.must_link[:1])
    near, hits = large.count_hits(X, y, alone, 0.8)
    assert len(found) <= hits <= 2 * len(found) + 300
    assert 2 <= near <= 2 * len(X)
    wide, narrow = (
        np.array(large.count_hits(X, y, constraints, threshold)) for threshold in (0.8, 0.95)
    )
    assert (wide > narrow).all()
    assert (narrow >= 20).all()


def test_the_stages_on_the_page_are_those_that_were_measured():
    stages = pd.read_csv(RESULTS / "stages.csv").dropna(subset=["share"])
    for stage, rows in stages.groupby("stage"):
        by_name = rows.set_index("dataset").loc[
            ["four_quadrants", "protein", "letters_digits", "rec_talk"]
        ]
        cells = [f"{row.ms_per_trial:.0f} ({row.share:.0%})" for row in by_name.itertuples()]
        assert f"| {stage} | {' | '.join(cells)} |" in PERFORMANCE


def test_the_fits_on_the_page_are_those_that_were_measured():
    beside = MEASURED["other"].fillna("").str.startswith("active-semi")
    measured = MEASURED[beside].set_index("task")
    assert len(measured) == 24
    for task, pck in measured[measured.index.str.startswith("PCK-Means")].iterrows():
        _, view, number = task.split(", ")
        mpck = measured.loc["M" + task]
        cells = [
            f"{fit.ms:.2f} | {fit.ratio:,.0f} | {fit.f:.3f} ({fit.other_f:.3f})"
            for fit in (pck, mpck)
        ]
        assert (
            f"| {view.replace(' x ', ' × ')} | {number.split()[0]} | {cells[0]} | {cells[1]} |"
            in PERFORMANCE
        )


def test_the_larger_e_steps_on_the_page_are_those_that_were_measured():
    larger = e_step.held_out(MEASURED)
    assert len(larger) >= 3
    assert larger["ratio"].between(0.3, 3).all()
    for row in larger.itertuples():
        found = (
            f"| {row.n:,.0f} | {row.constraints:,.0f} | {row.threshold:g} | {row.near:,.0f} |"
            f" {row.hits:,.0f} "
        )
        assert f"{found}| {row.ms:,.0f} | {row.model_ms:,.0f} | {row.ratio:.2f} |" in PERFORMANCE


def test_the_growth_on_the_page_is_what_was_measured():
    stored = growth.stored(RESULTS / "growth.csv")
    assert block("growth") == growth.tables(stored)
    again = growth.with_ratios(stored[growth.MEASURED].to_dict("records"))
    # six digits are stored
    pd.testing.assert_frame_equal(stored, again.reset_index(drop=True), rtol=1e-5, atol=1e-5)


def test_the_rows_beyond_one_machine_come_from_what_was_measured():
    assert block("beyond") == beyond.table(beyond.stored())


def test_the_tables_of_other_shapes_on_the_page_are_those_that_were_measured():
    assert MEASURED["task"].str.startswith(shapes.NAME).sum() >= 6
    assert block("shapes") == shapes.table(MEASURED)
