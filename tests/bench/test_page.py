"""The page on performance has the figures of the stored benchmarks."""

from pathlib import Path

import pandas as pd

from scripts.bench import beyond, e_step, growth, shapes
from scripts.bench.page import RESULTS, block

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "performance.md").read_text("utf-8")
MEASURED = pd.read_csv(RESULTS / "benchmarks.csv")


def test_the_stages_on_the_page_are_those_that_were_measured():
    stages = pd.read_csv(ROOT / "results" / "stages.csv").dropna(subset=["share"])
    for stage, rows in stages.groupby("stage"):
        by_name = rows.set_index("dataset").loc[
            ["four_quadrants", "protein", "letters_digits", "rec_talk"]
        ]
        cells = [f"{row.ms_per_trial:.0f} ({row.share:.0%})" for row in by_name.itertuples()]
        assert f"| {stage} | {' | '.join(cells)} |" in PAGE


def test_the_fits_on_the_page_are_those_that_were_measured():
    table = MEASURED
    fits = table[table["other"].fillna("").str.startswith("active-semi")].set_index("task")
    assert len(fits) == 24
    for task, pck in fits[fits.index.str.startswith("PCK-Means")].iterrows():
        _, view, number = task.split(", ")
        mpck = fits.loc["M" + task]
        cells = [
            f"{fit.ms:.2f} | {fit.ratio:,.0f} | {fit.f:.3f} ({fit.other_f:.3f})"
            for fit in (pck, mpck)
        ]
        assert (
            f"| {view.replace(' x ', ' × ')} | {number.split()[0]} | {cells[0]} | {cells[1]} |"
            in PAGE
        )


def test_every_aim_of_the_table_is_judged():
    table = pd.read_csv(ROOT / "results" / "benchmarks.csv", keep_default_na=False)
    aims = table[table["aim"] != ""]
    assert len(aims) >= 38
    assert aims["reached"].isin(["yes", "no"]).all()


def test_the_larger_e_steps_on_the_page_are_those_that_were_measured():
    for row in e_step.held_out(MEASURED).itertuples():
        found = (
            f"| {row.n:,.0f} | {row.constraints:,.0f} | {row.threshold:g} | {row.near:,.0f} |"
            f" {row.hits:,.0f} "
        )
        assert f"{found}| {row.ms:,.0f} | {row.model_ms:,.0f} | {row.ratio:.2f} |" in PAGE


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
