"""Small results folders, made up: `curves.csv` and `scores.csv.gz` beside a `manifest.json`."""

import json

import numpy as np
import pandas as pd
import pytest

METHODS = ("constraint-propagation", "direct-mapping", "cluster-membership", "single-view")
ADDED = ["folder", "study", "features"]


@pytest.fixture
def curves():
    """Make curves as `Results.curves`, all different."""

    def make(
        dataset="letters_digits",
        bases=("pck-means", "mpck-means"),
        methods=METHODS,
        fractions=(0.2, 0.4, 1.0),
        schedule=(20, 40, 80),
        trials=12,
        views=(),
    ):
        rows = [
            (base, method, mapped, view, n)
            for base in bases
            for method in methods
            for mapped in ((None,) if views or method == "single-view" else fractions)
            for view in views or (np.nan,)
            for n in schedule
        ]
        table = pd.DataFrame(rows, columns=["base", "method", "mapped", "view", "n_constraints"])
        table["mapped"] = table["mapped"].astype(float)
        table["threshold"] = table["method"].map({"constraint-propagation": "0.5"})
        table = table.assign(closure="full")
        table["rewired"] = table["mapped"].where(table["mapped"].isna(), 0.0)
        rising = np.arange(len(rows)) / len(rows)
        table["mean"] = 0.5 + 0.4 * rising
        table["standard_error"] = 0.01 if trials > 1 else float("nan")
        for kind, precision in (("must_link", 0.97), ("cannot_link", 0.98)):
            for name in ("propagated_{}s", "weight_{}s", "inferred_{}s", "inferred_weight_{}s"):
                table[name.format(kind)] = table["n_constraints"] * (1 + rising)
            table[f"precision_{kind}"] = table[f"inferred_precision_{kind}"] = (
                precision + 0.02 * rising
            )
        table = table.assign(
            iterations=3.0, converged=1.0, chosen_threshold=np.nan, disagreement=0.1, divergence=2.0
        )
        experiment = "single-view" if views else "multi-view"
        table = table.assign(experiment=experiment, dataset=dataset, trials=trials)
        return table.assign(folder=dataset, study="main", features="spectral")

    return make


@pytest.fixture
def scores():
    """Make scores whose means are the curves', rising with the trial."""

    def make(curves):
        trials = pd.DataFrame({"trial": range(int(curves["trials"].max()))})
        every = trials.merge(curves, how="cross")[[*curves, "trial"]]
        table = every[every["trial"] < every["trials"]].reset_index(drop=True)
        f_measure = table["mean"] + 0.001 * (table["trial"] - (table["trials"] - 1) / 2)
        return table.drop(columns=["mean", "standard_error", "trials"]).assign(f_measure=f_measure)

    return make


@pytest.fixture
def finish(scores):

    def write(folder, table):
        folder.mkdir(parents=True, exist_ok=True)
        table.drop(columns=ADDED).to_csv(folder / "curves.csv", index=False)
        if {"mean", "trials"} <= set(table) and len(table):
            means = pd.to_numeric(table["mean"], errors="coerce")
            of_trials = table.assign(mean=means)
            scores(of_trials).drop(columns=ADDED).to_csv(folder / "scores.csv.gz", index=False)
        (study,), (features,) = set(table["study"]) or {"main"}, set(table["features"]) or {"none"}
        config = {"study": study, "features": {"method": features}}
        (folder / "manifest.json").write_text(json.dumps({"config": config}))
        return folder

    return write


@pytest.fixture
def example():
    """Make up a cluster of four points around (1, 2) with variances 4 and 1."""
    ends = [([3.0, 2.0], 0.6), ([1.0, 3.0], 0.6), ([1.0, 2.0], 1.0), ([5.0, 2.0], 0.14)]
    ends = [{"point": point, "membership": G} for point, G in ends]
    constraints = [{"kind": "must-link", "ends": pair} for pair in (ends[:2], ends[2:])]
    return {
        "dataset": "four_quadrants",
        "base": "pck-means",
        "trial": 0,
        "cluster": 0,
        "threshold": 0.75,
        "points": [[-1.0, 2.0], [3.0, 2.0], [1.0, 1.0], [1.0, 3.0]],
        "mean": [1.0, 2.0],
        "covariance": [[4.0, 0.0], [0.0, 1.0]],
        "constraints": constraints,
        "folder": "four_quadrants",
        "study": "main",
        "features": "none",
    }
