"""The benchmark runs on a fresh checkout: every comparison, on the smallest sizes. Nothing here asserts seconds."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "bench.py"


def _once(function, seconds):
    function()
    return 1.0


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location("bench", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_comparison_gives_a_row_with_its_ratio_and_aim(bench, monkeypatch):
    monkeypatch.setattr(bench, "best_of", _once)
    monkeypatch.setattr(bench, "find_spec", lambda name: None)
    table = bench.measure(quick=True)
    assert [task.split(",")[0] for task in table["task"]] == ["E-step", "E-step", "k-means", "k-means"]
    judged = table.dropna(subset=["aim"])
    assert judged["reached"].isin(["yes", "no"]).all()
    assert (judged["ratio"] > 0).all()
    assert (table.loc[table["aim"].isna(), "reached"] == "").all()


@pytest.mark.data
def test_fits_beside_a_peer_are_scored_and_its_failures_counted(bench, monkeypatch):
    def peer(X, k, problems):
        fit = {"draw": 0, "algorithm": "PCK-Means", "seconds": 0.5, "labels": [0] * len(X)}
        return [fit, {"draw": 0, "algorithm": "MPCK-Means", "error": "LinAlgError()"}]

    monkeypatch.setattr(bench, "_peer", peer)
    monkeypatch.setattr(bench, "best_of", _once)
    rows = list(bench.fits_beside_the_peer(1, (10,)))
    assert [row["other"].split(" (")[1] for row in rows] == ["1 of 1 fits)", "0 of 1 fits)"] * 3
    assert all(0 < row["f"] <= 1 for row in rows)
    assert all("other_f" in row for row in rows[::2])
    assert not any("other_f" in row for row in rows[1::2])
