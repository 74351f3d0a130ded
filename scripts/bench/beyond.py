"""Forecast what does not fit one machine, by a model that is held against what was measured on one.

python -m scripts.bench.beyond       # reads results/benchmarks.csv, prints both tables

The constants of the model come from sizes up to 100,000 points; the larger ones say how far it can be trusted. Beyond
one machine it adds what has to travel: the constrained endpoints and the output of an E-step, the sums of the clusters
in every iteration of a fit.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd

from scripts.bench.growth import fit_model, predicted
from scripts.bench.table import BYTES

RESULTS = Path(__file__).parents[2] / "results"
NETWORK = 1.25e9  # bytes per second into each machine: 10 Gbit/s
ROUND = 1e-3  # seconds until all machines have heard of each other
NEAR, HITS = 2_000, 1_138  # of each constraint


def held_out(table: pd.DataFrame) -> pd.DataFrame:
    """Fit the model of the E-step on sizes up to 100,000 and compare what it expects with what the larger ones took."""
    steps = table.dropna(subset=["hits"])
    known = steps["n"] <= 100_000
    model = fit_model(steps[known])
    beyond = steps[~known][["n", "constraints", "threshold", "near", "hits", "ms"]]
    return beyond.assign(model_ms=predicted(beyond, model), ratio=lambda rows: rows["ms"] / rows["model_ms"])


def forecast(table: pd.DataFrame, d: int = 16, k: int = 10) -> pd.DataFrame:
    """Return seconds of an E-step and of an iteration of k-means, over points and machines.

    There is one constraint for a thousand points, and each reaches as many pairs as among a million points at
    t = 0.9: the denser the data, the higher the threshold.
    """
    steps = table.dropna(subset=["hits"])
    model = fit_model(steps)
    fit = table[table["task"].str.startswith("k-means") & table["task"].str.endswith("1 thread")].iloc[0]
    n_fit, iterations = (int(number) for number in re.findall(r"(\d+) (?:x|iterations)", fit["task"]))
    point = fit["ms"] / 1e3 / (n_fit * iterations)  # seconds of a point in an iteration
    rows = []
    for n in (10**7, 10**8, 10**9):
        for machines in (1, 16, 256):
            constraints, hits = n / 1000, HITS * n / 1000
            # every machine is asked for every endpoint, and finds its share of the hits
            found = {"near": [NEAR * constraints / machines], "hits": [hits / machines]}
            work = pd.DataFrame({"n": [n / machines], "constraints": [constraints]} | found)
            e_step, iteration = predicted(work, model)[0] / 1e3, point * n / machines
            if machines > 1:
                e_step += ROUND + (2 * 8 * d * constraints + BYTES * hits / machines) / NETWORK
                iteration += ROUND + 2 * 8 * k * d * np.log2(machines) / NETWORK
            rows.append((n, machines, 8e-9 * d * n / machines, e_step, iteration))
    return pd.DataFrame(rows, columns=["n", "machines", "gb_of_data_each", "e_step_s", "iteration_s"])


def main() -> None:
    """Print both tables."""
    table = pd.read_csv(RESULTS / "benchmarks.csv")
    print("E-steps larger than those that the model was made from:\n")
    print(held_out(table).to_string(index=False, float_format="{:.3g}".format))
    print("\nForecast, on one thread for each machine:\n")
    print(forecast(table).to_string(index=False, float_format="{:.3g}".format))


if __name__ == "__main__":
    main()
