"""Measure where the CPU time of a trial goes, stage by stage.

python -m scripts.bench.stages       # prints the table and writes results/stages.csv

The functions of a stage are wrapped in timers. A stage is charged with what happens in them and not
in those of another stage that they call, so that the stages add up to the whole trial. Its total is
measured without timers, too: the difference is what they cost, and noise. As in ``timeit`` there is
no garbage collection, which would be charged to whatever stage it falls in.
"""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from pkgutil import resolve_name
from time import process_time_ns
from typing import Any
from unittest.mock import patch

import pandas as pd
from threadpoolctl import threadpool_limits

from mvcc.experiments import Config, _store, _trial, load_config
from scripts.bench.table import missing_files, threads
from scripts.command import no_options
from scripts.tables import RESULTS, ROOT, store

NAMES = ("four_quadrants", "protein", "letters_digits", "rec_talk")
CONFIGS = tuple(ROOT / "configs" / f"{name}.yaml" for name in NAMES)
TRIALS = 3

# a function is named where it is looked up when it is called, which is not where it is defined
STAGES: dict[str, list[str]] = {
    "compiled fits (PCK-Means)": ["mvcc.cluster._estimators.pck_fit"],
    "compiled fits (MPCK-Means)": ["mvcc.cluster._estimators.mpck_fit"],
    "start and links": [
        "mvcc.cluster._base.neighborhood_start",
        "mvcc.cluster._descent.build_links",
    ],
    "Python around fits": ["mvcc.cluster._base.ConstrainedKMeans._learn"],
    "compiled propagation": [
        "mvcc.propagation._e_step.build_links",
        "mvcc.propagation._e_step.endpoint_reach",
        "mvcc.propagation._e_step.max_product",
        "mvcc.propagation._e_step.memberships",
    ],
    "Python around propagation (Gaussians, tree)": [
        "mvcc.multiview.co_em._transfer.propagate_constraints"
    ],
    "closure": ["mvcc.experiments._trial.augment", "mvcc.multiview.co_em._loop.augment"],
    "mapping and uniting constraints": [
        "mvcc.multiview.co_em._loop.ConstraintMap",
        "mvcc.multiview.co_em._loop._ViewLoop._transferred",
        "mvcc.multiview.co_em._loop.unify",
    ],
    "diagnostics": ["mvcc.multiview.co_em._algorithm_2.diagnose"],
    "co-EM and estimator (rest)": ["mvcc.multiview._estimator.MultiViewEstimator.fit"],
    "scoring (F, precision and counts)": [
        "mvcc.experiments._trial.pairwise_f_measure",
        "mvcc.experiments._trial._measures",
    ],
    "drawing and embedding": ["mvcc.experiments._trial.draw_trial"],
    "storing (csv bytes of one shard)": ["mvcc.experiments._store._csv_bytes"],
    "rest of the trial": ["mvcc.experiments._trial.run_trial"],
}
TOTALS = ("total with timers", "total without timers")


class Stopwatch:
    """CPU time of the process by stage.

    It runs for the stage whose function was called last and has not returned.

    Attributes
    ----------
    spent : Counter
        Nanoseconds of every stage.
    """

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()
        self._stages: list[str] = []
        self._since = 0

    def timed(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function with a timer around it."""

        def call(*args: Any, **kwargs: Any) -> Any:
            self._charge()
            self._stages.append(stage)
            try:
                return function(*args, **kwargs)
            finally:
                self._charge()
                self._stages.pop()

        return call

    def _charge(self) -> None:
        """Charge the stage that is running with the time since the last charge."""
        now = process_time_ns()
        if self._stages:
            self.spent[self._stages[-1]] += now - self._since
        self._since = now


@contextmanager
def timers() -> Iterator[Counter[str]]:
    """Give the nanoseconds of each stage, whose functions have timers around them meanwhile."""
    watch = Stopwatch()
    with ExitStack() as wrapped:
        for stage, names in STAGES.items():
            for name in names:
                wrapped.enter_context(patch(name, watch.timed(stage, resolve_name(name))))
        yield watch.spent


def measure(trials: int = TRIALS, configs: Sequence[Config | Path] = CONFIGS) -> pd.DataFrame:
    """Return the mean CPU time of every stage over a few trials, after one that warms up.

    Returns
    -------
    DataFrame
        One row per data set and stage: ``dataset``, ``stage``, ``ms_per_trial`` and its ``share``
        of the trial; then one for either total, which has no share.
    """
    loaded = [config if isinstance(config, Config) else load_config(config) for config in configs]
    with _undisturbed():
        rows = [row for config in loaded if _is_here(config) for row in _rows(config, trials)]
    return pd.DataFrame(rows, columns=["dataset", "stage", "ms_per_trial", "share"])


def _rows(config: Config, trials: int) -> Iterator[tuple[str, str, float, float]]:
    _run(config, 0)
    spent: Counter[str] = Counter()
    for trial in range(trials):
        began = process_time_ns()
        _run(config, trial)
        spent[TOTALS[1]] += process_time_ns() - began
        with timers() as spent_on_trial:
            _run(config, trial)
        spent.update(spent_on_trial)
        spent[TOTALS[0]] += spent_on_trial.total()
    for stage in STAGES:
        yield config.dataset, stage, spent[stage] / trials / 1e6, spent[stage] / spent[TOTALS[0]]
    for total in TOTALS:
        yield config.dataset, total, spent[total] / trials / 1e6, float("nan")


def _run(config: Config, trial: int) -> None:
    """Do what a worker does: compute a trial and make what is stored of it."""
    _store._csv_bytes(_trial.run_trial(config, trial), compress=True)


def _is_here(config: Config) -> bool:
    """Tell whether a data set can be loaded, or say what is missing."""
    if missing := missing_files(config.dataset):
        why = f"is left out; missing: {', '.join(missing)}. Set MVCC_DATA."
        print(config.dataset, why, file=sys.stderr)
    return not missing


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Keep to one thread and collect no garbage meanwhile."""
    collects = gc.isenabled()
    gc.disable()
    try:
        with threads(1), threadpool_limits(1):
            yield
    finally:
        if collects:
            gc.enable()


def shown(table: pd.DataFrame) -> str:
    """Return the table for the terminal: a line per stage, ms and share of each data set."""
    shares = table["share"].map("({:.1%})".format).where(table["share"].notna(), "")
    cells = table.assign(cell=table["ms_per_trial"].map("{:.1f} ".format) + shares.str.rjust(7))
    lines = cells.pivot(index="stage", columns="dataset", values="cell")
    lines = lines.loc[table["stage"].unique(), table["dataset"].unique()]
    return lines.rename_axis(None).to_string()


def main() -> None:
    """Print and store the table."""
    no_options(__doc__)
    table = measure()
    print(f"CPU time of a trial in ms, mean of {TRIALS}:\n\n{shown(table)}")
    path = RESULTS / "stages.csv"
    store(table, path)
    print(f"\nWritten to {path}")


if __name__ == "__main__":
    main()
