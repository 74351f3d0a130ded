"""Measure everything beside others; print the table, and store it with a picture.

python -m scripts.bench        takes twelve minutes, and writes results/benchmarks.csv and .png
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pandas as pd
from threadpoolctl import threadpool_limits

from scripts.bench import e_step, fits, large, runs
from scripts.bench.page import replace_block
from scripts.bench.shapes import shapes
from scripts.bench.shapes import table as table_of_shapes
from scripts.bench.table import as_table
from scripts.command import no_options
from scripts.tables import RESULTS, store

# points, constraints, threshold; those of more than 100,000 points say how far the model of the
# others can be trusted
E_STEPS = [(n, 1_000, 0.9) for n in (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)]
E_STEPS += [(100_000, m, 0.9) for m in (10, 100, 10_000)]
E_STEPS += [(100_000, 1_000, t) for t in (0.99, 0.95, 0.85, 0.8, 0.7)]
E_STEPS += [(1_000_000, 10_000, 0.9), (1_000_000, 1_000, 0.8)]
# why an aim is missed, by how the task begins
MISSED = {
    "MPCK-Means, protein": (
        "With 67 points the peer is quick as well, and the checks, the closure and the start of a "
        "fit weigh as much as its iterations."
    ),
    "PCK-Means, letters 227 x 16": (
        "Nearly all of the time is compiled iterations already, of 8 to 20 µs. The stored "
        "times are those of another machine."
    ),
}


def measure(*, quick: bool = False) -> Iterator[dict[str, Any]]:
    """Measure everything; ``quick`` with the smallest sizes that still run every comparison."""
    with threadpool_limits(1):
        if fits.peer_is_here():
            yield from fits.beside_the_peer(1, (10,)) if quick else fits.beside_the_peer(10)
        yield from fits.beside_wekaut(1 if quick else 20)
        yield from large.beside_brute_force(*((100, 40) if quick else (2_000, 1_000)))
    yield from fits.k_means(1_000, 2) if quick else fits.k_means(1_000_000, 10)
    n, m, threshold, n_mpck, trials, e_steps = 1_000_000, 1_000, 0.8, 100_000, 100, E_STEPS
    if quick:
        n, m, threshold, n_mpck, trials, e_steps = 9_000, 40, 0.9, 1_000, 2, [(6_000, 40, 0.9)]
    yield from large.e_steps(e_steps)
    yield from large.on_threads(n, m, threshold)
    yield from large.e_step_alone(n, m)
    yield from large.neighborhoods(n, n_mpck)
    yield from runs.workers(trials)
    with threadpool_limits(1):
        yield from shapes(quick=quick)
    yield from runs.answer()


def main() -> None:
    """Print and store the table and the picture of the E-steps."""
    no_options(__doc__)
    began = time.perf_counter()
    table = as_table(measure())
    print(shown(table))
    store(table, RESULTS / "benchmarks.csv")
    e_step.draw(table, RESULTS / "benchmarks.png")
    replace_block("shapes", table_of_shapes(table))
    print("\nE-steps larger than those that the model is made from:\n")
    print(e_step.held_out(table).to_string(index=False, float_format="{:.3g}".format))
    print(
        f"\nWritten to {RESULTS / 'benchmarks.csv'} and .png, after"
        f" {(time.perf_counter() - began) / 60:.1f} minutes."
    )


def shown(table: pd.DataFrame) -> str:
    """Return the table for the terminal, and below it why the aims that were missed are missed."""
    text = table.to_string(index=False, float_format=lambda x: f"{x:.3g}", na_rep="-")
    missed = table.loc[table["reached"] == "no", "task"]
    lines = [text, "", f"Aims missed: {len(missed)} of {(table['reached'] != '').sum()}."]
    for start, why in MISSED.items():
        if missed.str.startswith(start).any():
            lines.append(f"  {start}: {why}")
    others = missed[~missed.str.startswith(tuple(MISSED))]
    return "\n".join([*lines, *(f"  {task}: not explained." for task in others)])


if __name__ == "__main__":
    main()
