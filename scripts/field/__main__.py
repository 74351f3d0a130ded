"""Measure methods on the draws of all cells, and store the scores, each once.

    python -m scripts.field                                       joint, k-means and sum of graphs
    python -m scripts.field --methods tables --protocols half
        k-means of each table and sum of graphs, by what is done to the columns
    python -m scripts.field --methods pairs        joint with constraints, right and wrong
    python -m scripts.field --methods grid
        other settings of joint, where papers print figures
    python -m scripts.field --methods peers
        other packages, in an environment of their own

Data are found under ``MVCC_DATA``, or downloaded. A method that refuses, fails, or takes longer
than ``--limit`` seconds has a line that says so, and gets no further draw of the same cell. The end
of ``results/field.md`` has the commands of the study, with those that install the other packages.
"""

from __future__ import annotations

import signal
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import product
from pathlib import Path

from threadpoolctl import threadpool_limits

from scripts.command import parser
from scripts.field import pairs, store
from scripts.field.figures import published
from scripts.field.methods import EACH, GROUPS, PAIRS, Method
from scripts.field.protocols import PROTOCOLS, Cell, cells, draw
from scripts.field.scores import score, score_each


def main() -> None:
    """Measure what is not in the store yet."""
    asked = parser(__doc__)
    asked.add_argument("--methods", nargs="+", default=["ours", "plain"], choices=list(GROUPS))
    asked.add_argument("--only", nargs="+", help="names of methods (default: all of the groups)")
    asked.add_argument("--protocols", nargs="+", default=list(PROTOCOLS), choices=list(PROTOCOLS))
    asked.add_argument("--draws", type=int, default=10, help="(default: %(default)s)")
    asked.add_argument("--limit", type=float, default=600.0, help="(default: %(default)s)")
    asked.add_argument("--out", type=Path, default=store.FOLDER, help="(default: %(default)s)")
    args = asked.parse_args()
    warnings.simplefilter("ignore")  # of other packages; problems that end a fit are stored
    for group in args.methods:
        path = args.out / store.FILES[group]
        wanted = args.only or GROUPS[group]
        methods = {name: method for name, method in GROUPS[group].items() if name in wanted}
        # a stopped command has some draws of each cell
        listed = {"grid": published, "pairs": pairs.cells}.get(group, cells)()
        for seed, cell in product(range(args.draws), listed):
            if cell.protocol in args.protocols:
                measure(cell, seed, methods, path, args.limit)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in the main thread after so many seconds, once compiled code returns."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"took more than {seconds:.0f} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def measure(cell: Cell, seed: int, methods: Mapping[str, Method], path: Path, limit: float) -> None:
    """Measure methods without a line for this draw of a cell, and which no line has ended."""
    lines = store.read(path)
    lines = lines[(lines[[*Cell._fields]] == [*cell]).all(axis=1)]
    skipped = {*lines.loc[(lines["draw"] == seed) | (lines["problem"] != ""), "method"]}
    if not (wanted := {name: method for name, method in methods.items() if name not in skipped}):
        return
    task = draw(cell, seed)
    for name, method in wanted.items():
        scores, problem, start = {}, "", time.perf_counter()
        try:
            with threadpool_limits(1), time_limit(limit):
                labels = method(task, seed)
            scores = (score_each if name.startswith(EACH) or name in PAIRS else score)(labels, task)
        except Exception as error:  # what a package refuses with is a result, too
            problem = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        where = (*cell, seed, name)
        seconds = time.perf_counter() - start
        store.append(path, where, scores, seconds, problem)
        print(*where, f"{seconds:.1f} s", problem, flush=True)


if __name__ == "__main__":
    main()
