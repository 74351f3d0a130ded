"""Measure how time and memory of clustering two views grow with their rows, beside scikit-learn.

python -m scripts.bench.growth
    # 1,000 to 30,000 rows in each view; prints the tables
python -m scripts.bench.growth --all --store
    # to 1,000,000; also writes results/growth.csv, .png and the page

Every measurement has a process and a thread of its own. A method that exceeds the time bound or
the free memory is left out for more rows. With --store, every measurement is kept at once, and
an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mvcc.multiview import compile_all_kernels
from mvcc.reporting.figures._style import SOFT, house_style, method_styles
from mvcc.results import JOINT, K_MEANS
from scripts.bench.one_fit import COLUMNS, FITS
from scripts.bench.page import replace_block
from scripts.command import parser
from scripts.memory import memory
from scripts.tables import RESULTS, markdown, store

# rows in each view; seconds of processor time
SHORT, SHORT_BOUND = (1_000, 3_000, 10_000, 30_000), 300
ALL, ALL_BOUND = (*SHORT, 100_000, 300_000, 1_000_000), 1_200
NAMES = {
    K_MEANS: "KMeans",
    JOINT: "joint clustering",
    "constraint-propagation": "the paper's method",
    "spectral-clustering": "SpectralClustering",
}
MEASURED = ["n", "method", "seconds", "elapsed", "peak_mb", "f", "stopped"]
# processor time is that of a quiet machine only where no thread waits for another by turning in
# circles
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


def measure(
    sizes: Sequence[int], bound: int, known: Sequence[dict[str, Any]] = ()
) -> Iterator[dict[str, Any]]:
    """Yield rows that are not known yet; a stopped method gets no more rows than it had."""
    done = {(row["n"], row["method"]) for row in known}
    stopped = {row["method"]: row["n"] for row in known if row["stopped"]}
    for n, method in product(sizes, FITS):
        if (n, method) not in done and n < stopped.get(method, np.inf):
            row = {"n": n, "method": method, "stopped": ""} | measured_alone(method, n, bound)
            if row["stopped"]:
                stopped[method] = n
            yield row


def measured_alone(method: str, n: int, bound: int) -> dict[str, Any]:
    """Return what ``one_fit`` measures in a process of its own, or why it was stopped."""
    command = [sys.executable, "-W", "ignore", "-m", "scripts.bench.one_fit"]
    words = [method, str(n), str(bound), *_free_memory()]
    environment = os.environ | ONE_THREAD
    done = subprocess.run([*command, *words], capture_output=True, text=True, env=environment)
    if done.returncode == 0:
        return dict(json.loads(done.stdout))
    return {"stopped": _why(done.returncode, done.stderr.strip(), bound)}


def _why(code: int, said: str, bound: int) -> str:
    if code == -signal.SIGXCPU:
        return f"> {bound:,} s"
    if code == -signal.SIGKILL or "memory" in said.lower() or "bad_alloc" in said:
        return "out of memory"
    if code < 0:
        return signal.Signals(-code).name
    # the name of the exception
    return said.rpartition("\n")[2].partition(":")[0].rpartition(".")[2]


def _free_memory() -> list[str]:
    """Return the bytes that a process can have without taking them from others, if known."""
    free = memory("MemAvailable", "meminfo")
    return [f"{free:.0f}"] if free > 0 else []


def with_ratios(rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Return a table with the ratio to KMeans at the same n, the exponent of the time since the n
    before, and more.

    The memory is compared with the data, since KMeans takes next to none.
    """
    table = pd.DataFrame(list(rows), columns=MEASURED).sort_values("n", kind="stable")
    k_means = table[table["method"] == K_MEANS].set_index("n")["seconds"]
    steps = np.log(table[["n", "seconds"]]).groupby(table["method"]).diff()
    return table.assign(
        times_kmeans=table["seconds"] / table["n"].map(k_means),
        exponent=steps["seconds"] / steps["n"],
        times_data=table["peak_mb"] / (2 * 8e-6 * COLUMNS * table["n"]),
    )


def tables(table: pd.DataFrame) -> str:
    """Return the tables of the page."""
    ran = table[table["stopped"] == ""]
    time = _grid(table, "Time", lambda row: row.stopped or _time(row))
    said = "{} MB, {} ×".format
    memory = _grid(ran, "Memory", lambda row: said(_short(row.peak_mb), _short(row.times_data)))
    f = _grid(ran, "Mean F", lambda row: f"{row.f:.3f}")
    return "\n\n".join((time, memory, f))


def _time(row: Any) -> str:
    ratio = "" if row.method == K_MEANS else f", {row.times_kmeans:,.0f} ×"
    exponent = "" if np.isnan(row.exponent) else f", n^{row.exponent:.2f}"
    return f"{_short(row.seconds)} s{ratio}{exponent}"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 99.5 else f"{value:.2g}"


def _grid(table: pd.DataFrame, title: str, cell: Callable[[Any], str]) -> str:
    lines = []
    for n, rows in table.groupby("n"):
        cells = {row.method: cell(row) for row in rows.itertuples()}
        lines.append([f"{n:,}", *(cells.get(method, "–") for method in NAMES)])
    titles = [f"{title}: rows in each view", *NAMES.values()]
    return markdown(titles, lines, "r" * len(titles))


def draw(table: pd.DataFrame, path: Path) -> None:
    """Draw time and memory over the rows, and write the picture."""
    from matplotlib.figure import Figure

    panels = {
        "seconds": "processor time of a fit (s)",
        "peak_mb": "memory of a fit beside the data (MB)",
    }
    styles = method_styles(NAMES)  # two of which have one color, as they share no other panel
    styles["spectral-clustering"] = replace(styles["spectral-clustering"], color="#c06fb0")
    with house_style():
        figure = Figure(figsize=(9, 4), layout="constrained")
        for axes, (column, label) in zip(figure.subplots(1, 2), panels.items(), strict=True):
            for method, name in NAMES.items():
                rows = table[table["method"] == method]
                looks = {"color": styles[method].color, "marker": styles[method].marker}
                axes.plot(rows["n"], rows[column], **looks, label=name)
            sizes = np.array([table["n"].min(), table["n"].max()])
            joint = table[table["method"] == JOINT].iloc[0]
            straight = joint[column] * sizes / joint["n"]
            axes.plot(sizes, straight, ":", color=SOFT, label="in proportion to n")
            axes.set(xlabel="rows in each view, n", ylabel=label, xscale="log", yscale="log")
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_formatter("{x:,.7g}")
        handles = figure.axes[0].get_legend_handles_labels()
        figure.legend(*handles, loc="outside lower center", ncols=5)
        figure.savefig(path, dpi=150, metadata={"Software": None})


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print the tables, and store them where that is asked for."""
    options = parser(__doc__)
    options.add_argument("--all", action="store_true", help="up to a million rows in each view")
    options.add_argument(
        "--store", action="store_true", help="write results/growth.csv, growth.png and the page"
    )
    asked = options.parse_args(arguments)
    sizes, bound = (ALL, ALL_BOUND) if asked.all else (SHORT, SHORT_BOUND)
    unfinished = RESULTS / "growth.csv.part"
    known = _rows(unfinished) if asked.store and unfinished.exists() else []
    compile_all_kernels()
    rows = list(known)
    for row in measure(sizes, bound, known):
        print(json.dumps(row), file=sys.stderr, flush=True)
        rows.append(row)
        if asked.store:
            store(pd.DataFrame(rows, columns=MEASURED), unfinished)
    table = with_ratios(rows)
    print(tables(table))
    if asked.store:
        store(table, unfinished)
        table = stored(unfinished)  # what is on the page is what is in the file
        draw(table, RESULTS / "growth.png")
        replace_block("growth", tables(table))
        unfinished.replace(RESULTS / "growth.csv")


def stored(path: Path) -> pd.DataFrame:
    """Return the table in a file."""
    return pd.read_csv(path, dtype={"stopped": str}).fillna({"stopped": ""})


def _rows(path: Path) -> list[dict[str, Any]]:
    return [dict(row) for row in stored(path)[MEASURED].to_dict("records")]


if __name__ == "__main__":
    main()
