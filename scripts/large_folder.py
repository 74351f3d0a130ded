"""Measure how a folder that is larger than memory is clustered: time, memory, F, and that no row
is lost.

    python -m scripts.large_folder 1e8 --folder large
        one view, in large/view0 and large/results
    python -m scripts.large_folder 1e7 --views 2 --kill
        two views; a worker is killed in the middle

Rows have 16 columns of single precision, and belong to 8 bent clusters that touch. There are 100
constraints, and of two views one row in ten is matched. The same number gives the same rows. A
folder of 10^8 rows takes about 8 GB. F is that of all rows, against the clusters that they were
generated from.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from mvcc.metrics import scores_of_table
from scripts.command import parser
from scripts.memory import memory

K, COLUMNS, ROWS_OF_A_FILE = 8, 16, 10**6
JUDGED, MATCHED = 100, 0.1
RADIUS, SPREAD, NOISE = 3.0, 1.2, 1.0


def truth_of(file: int, n_rows: int) -> np.ndarray:
    """Return the clusters of the rows of a file, which are the same in all views."""
    return np.random.default_rng([0, file]).integers(K, size=n_rows)


def rows_of(view: int, file: int, truth: np.ndarray) -> np.ndarray:
    """Return the rows of a file: clusters are arcs in planes of their own, and noise around."""
    shape = np.random.default_rng([1, view])
    centers, planes = SPREAD * shape.normal(size=(K, COLUMNS)), shape.normal(size=(K, COLUMNS, 2))
    planes = np.linalg.qr(planes)[0] * RADIUS
    rng = np.random.default_rng([2, view, file])
    angles = rng.uniform(0, np.pi, len(truth))
    arcs = np.column_stack((np.cos(angles), np.sin(angles)))
    rows = rng.normal(scale=NOISE, size=(len(truth), COLUMNS)) + centers[truth]
    for cluster in range(K):
        in_cluster = truth == cluster
        rows[in_cluster] += arcs[in_cluster] @ planes[cluster].T
    return rows.astype(np.float32)


def sizes_of(n_rows: int) -> list[int]:
    """Return the number of rows of each file."""
    return [min(ROWS_OF_A_FILE, n_rows - first) for first in range(0, n_rows, ROWS_OF_A_FILE)]


def generate(folder: Path, n_rows: int, n_views: int) -> None:
    """Write all views, with true labels, and matches and constraints as CSV."""
    for view in range(n_views):
        (folder / f"view{view}").mkdir(parents=True, exist_ok=True)
        for file, size in enumerate(sizes_of(n_rows)):
            truth = truth_of(file, size)
            columns = {f"x{n}": column for n, column in enumerate(rows_of(view, file, truth).T)}
            first = file * ROWS_OF_A_FILE
            table = pa.table(
                {"id": np.arange(first, first + size), **columns, "truth": truth.astype(np.int8)}
            )
            pq.write_table(table, folder / f"view{view}" / f"{file:05}.parquet", compression="none")
    rng, truth = np.random.default_rng(3), truth_of(0, sizes_of(n_rows)[0])
    i, j = rng.choice(len(truth), (2, JUDGED), replace=False)
    kinds = np.where(truth[i] == truth[j], "must-link", "cannot-link")
    pd.DataFrame({"i": i, "j": j, "kind": kinds}).to_csv(folder / "pairs.csv", index=False)
    matched = np.arange(0, n_rows, round(1 / MATCHED))
    pd.DataFrame({"view0": matched, "view1": matched}).to_csv(folder / "matches.csv", index=False)


@dataclass
class Watch:
    """What is seen of a process and its workers while they run.

    Attributes
    ----------
    peaks : dict {int: float}
        The largest memory of each process, in bytes.
    killed : list of int
    """

    command: psutil.Process
    results: Path
    n_files: int
    kill: bool
    peaks: dict[int, float] = field(default_factory=dict)
    killed: list[int] = field(default_factory=list)

    def watch(self) -> None:
        """Look every half second, until the process has ended."""
        while self.command.is_running() and self.command.status() != psutil.STATUS_ZOMBIE:
            for process in (self.command, *self._workers()):
                peak = memory("VmHWM", f"{process.pid}/status")
                self.peaks[process.pid] = max(self.peaks.get(process.pid, 0.0), peak)
            written = len(list(self.results.glob(".new/*/labels/*.parquet")))
            wanted = self.kill and not self.killed and written >= 0.3 * self.n_files
            for worker in self._workers()[: int(wanted)]:
                worker.send_signal(signal.SIGKILL)
                self.killed.append(worker.pid)
                when = f"when {written} of {self.n_files} files were there"
                print(f"killed the worker {worker.pid} {when}")
            time.sleep(0.5)

    def _workers(self) -> list[psutil.Process]:
        try:
            children = self.command.children()
            return [child for child in children if "spawn_main" in " ".join(child.cmdline())]
        except psutil.NoSuchProcess:
            return []


def cluster(folder: Path, n_rows: int, n_views: int, options: list[str], *, kill: bool) -> None:
    """Run `mvcc cluster`, and print its time and the memory of its processes."""
    words = [sys.executable, "-m", "mvcc", "cluster", "-k", str(K), "--fresh"]
    words += ["--out", str(folder / "results")]
    for view in range(n_views):
        words += ["--view", f"view{view}={folder}/view{view}"]
        words += ["--labels-column", f"view{view}=truth"]
    words += ["--constraints", f"view0={folder}/pairs.csv"]
    words += ["--match", f"view0:view1={folder}/matches.csv"] if n_views == 2 else []
    began = time.monotonic()
    n_files = n_views * len(sizes_of(n_rows))
    with subprocess.Popen([*words, *options]) as process:
        watch = Watch(psutil.Process(process.pid), folder / "results", n_files, kill)
        thread = threading.Thread(target=watch.watch)
        thread.start()
        process.wait()
        seconds = time.monotonic() - began
    thread.join()
    if process.returncode:
        sys.exit(f"mvcc cluster ended with {process.returncode}")
    if kill and not watch.killed:
        sys.exit("no worker was killed: the job was over too soon")
    n = n_views * n_rows
    print(f"{seconds:.0f} s for {n:,} rows: {n / seconds:,.0f} rows a second")
    main, *workers = [f"{peak / 1e9:.2f}" for peak in watch.peaks.values()]
    print(f"peak memory: {main} GB; of the workers {', '.join(workers)} GB")


def labels_of(folder: Path) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Give ids and clusters of a folder of labels, some at a time."""
    for path in sorted(folder.glob("*.parquet")):
        table = pq.read_table(path, columns=["id", "cluster"])
        yield table["id"].to_numpy().astype(np.int64), table["cluster"].to_numpy()


def check(folder: Path, n_rows: int, n_views: int) -> None:
    """Print F of all rows against their true labels; end where one is missing or there twice."""
    facts = json.loads((folder / "results" / "clustering.json").read_bytes())
    truths = [truth_of(file, size) for file, size in enumerate(sizes_of(n_rows))]
    truth = np.concatenate(truths, dtype=np.int8, casting="unsafe")
    for view in range(n_views):
        seen = np.zeros(n_rows, np.int8)
        table = np.zeros((K, K), np.int64)
        for ids, clusters in labels_of(folder / "results" / f"view{view}" / "labels"):
            np.add.at(seen, ids, 1)
            np.add.at(table, (clusters, truth[ids]), 1)
        if not (seen == 1).all():
            lost, twice = (seen == 0).sum(), (seen > 1).sum()
            sys.exit(f"view{view}: {lost} rows are missing, {twice} are there more than once")
        f, ari = scores_of_table(table)
        stored = facts["views"][view]
        if (stored["all_f"], stored["all_ari"], stored["n_all_rows"]) != (f, ari, n_rows):
            scores = f"{stored['all_f']}, {stored['all_ari']}"
            sys.exit(f"view{view}: clustering.json says otherwise: {scores}")
        scores = f"F {f:.4f}, adjusted Rand index {ari:.4f}"
        print(f"view{view}: each of {n_rows:,} rows is there once; {scores}")


def main() -> None:
    """Generate, cluster and check."""
    asked = parser(__doc__)
    asked.add_argument("rows", type=float, help="of all views together")
    asked.add_argument("--folder", type=Path, default=Path("large"))
    asked.add_argument("--views", type=int, choices=(1, 2), default=1)
    asked.add_argument(
        "--kill", action="store_true", help="kill a worker when three in ten files are written"
    )
    # others, such as --sample, are those of mvcc cluster
    given, options = asked.parse_known_args()
    n_rows = int(given.rows) // given.views
    began = time.monotonic()
    if not (given.folder / "view0" / f"{len(sizes_of(n_rows)) - 1:05}.parquet").exists():
        generate(given.folder, n_rows, given.views)
        print(f"generated in {time.monotonic() - began:.0f} s", flush=True)
    cluster(given.folder, n_rows, given.views, options, kill=given.kill)
    check(given.folder, n_rows, given.views)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
