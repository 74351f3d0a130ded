"""Running an experiment: the missing trials in parallel, each stored as soon as it is finished."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import pandas as pd

from mvcc.exceptions import StoreError
from mvcc.experiments._config import Config
from mvcc.experiments._draw import draw_trial
from mvcc.experiments._example import example_cluster
from mvcc.experiments._plan import list_cells
from mvcc.experiments._provenance import describe_run, differences, now
from mvcc.experiments._store import ResultsStore
from mvcc.experiments._trial import run_trial, warm_up


@dataclass(frozen=True)
class RunReport:
    """What a run did.

    Attributes
    ----------
    folder : Path
    computed, kept : int
        Trials finished by this run, and before it.
    failed : dict {trial: Path}
        Where the traceback of each failed trial lies.
    seconds : float
        Wall time.
    """

    folder: Path
    computed: int
    kept: int
    failed: dict[int, Path]
    seconds: float


@dataclass(frozen=True)
class Plan:
    """What a run would do: the trials that are missing, and the number of cells of each."""

    folder: Path
    missing: list[int]
    kept: int
    n_cells: int


def plan_run(
    config: Config,
    folder: str | os.PathLike[str],
    *,
    data_dir: str | os.PathLike[str] | None = None,
    fresh: bool = False,
) -> Plan:
    """Look which trials of an experiment are missing in a folder, without changing anything.

    Raises
    ------
    StoreError
        When the folder holds results of another config, other data or another version, unless ``fresh``.
    DataError
        When a data file is missing or damaged.
    """
    return _plan(config, ResultsStore(folder), data_dir, fresh)[0]


def run_experiment(
    config: Config,
    folder: str | os.PathLike[str],
    *,
    n_jobs: int = -1,
    data_dir: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    on_start: Callable[[Plan], None] = lambda plan: None,
    on_trial: Callable[[int, bool], None] = lambda trial, ok: None,
) -> RunReport:
    """Compute the missing trials of an experiment and its curves.

    Parameters
    ----------
    config : Config
    folder : path
        Where results are kept; a run goes on where a former one stopped.
    n_jobs : int, default=-1
        Number of worker processes; −1 for one per core. The results do not depend on it.
    data_dir : path, optional
        Where to look for data files first.
    fresh : bool, default=False
        Remove what the folder holds of a former run.
    on_start, on_trial : callable
        Told the plan, and after each trial its number and whether it succeeded.

    Returns
    -------
    RunReport

    Raises
    ------
    StoreError
        When the folder holds results of another config, other data or another version, or cannot be written.
    MvccError
        When the data cannot be loaded or do not allow what the config asks for.
    """
    began = time.perf_counter()
    store = ResultsStore(folder)
    plan, manifest = _plan(config, store, data_dir, fresh)
    if plan.missing:
        draw_trial(config, plan.missing[0], data_dir)  # an impossible config fails here, before anything is written
    if fresh:
        store.clear()
    on_start(plan)
    if plan.missing:
        store.write_manifest(manifest)
        warm_up(config)  # compiled once, here, instead of by all workers at the same time
    failed: dict[int, Path] = {}
    for trial, rows, report in _computed(config, plan.missing, n_jobs, data_dir):
        if rows is not None:
            store.write_trial(trial, rows)
        else:
            failed[trial] = store.write_failure(trial, report)
        on_trial(trial, rows is not None)
    computed = len(plan.missing) - len(failed)
    if computed + plan.kept:
        store.summarize(config.trials)
        store.write_example(example_cluster(config, data_dir))
    seconds = time.perf_counter() - began
    if plan.missing:
        manifest["runs"][-1] |= {
            "finished": now(),
            "seconds": round(seconds, 1),
            "computed": computed,
            "failed": sorted(failed),
        }
        store.write_manifest(manifest)
    return RunReport(store.folder, computed, plan.kept, failed, seconds)


def _plan(
    config: Config, store: ResultsStore, data_dir: str | os.PathLike[str] | None, fresh: bool
) -> tuple[Plan, dict[str, Any]]:
    manifest = describe_run(config, data_dir)
    stored = None if fresh else store.manifest()
    if stored is not None and (changed := differences(stored, manifest)):
        raise StoreError(
            f"{store.folder} holds results of another run:\n  "
            + "\n  ".join(changed)
            + "\nChoose another folder by --out, or remove these results by --fresh."
        )
    if stored is not None and store.holds_only_summary() and stored["config"]["trials"] > config.trials:
        raise StoreError(
            f"{store.folder} holds the curves of {stored['config']['trials']} trials, but not the trials themselves; "
            f"a run of {config.trials} would replace them. Choose another folder by --out, or remove them by --fresh."
        )
    done = set() if fresh else {trial for trial in store.finished() if trial < config.trials}
    if done and stored is None:
        raise StoreError(
            f"{store.trials} holds trials without a manifest that says whose they are. Choose another folder by "
            f"--out, or remove them by --fresh."
        )
    missing = [trial for trial in range(config.trials) if trial not in done]
    if done and stored is not None:
        manifest["runs"] = stored["runs"] + manifest["runs"]
    return Plan(store.folder, missing, len(done), len(list_cells(config))), manifest


def _computed(
    config: Config, trials: list[int], n_jobs: int, data_dir: str | os.PathLike[str] | None
) -> Iterator[tuple[int, pd.DataFrame | None, str]]:
    """Yield trials as they finish, whatever their order."""
    if not trials:
        return
    parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    yield from parallel(joblib.delayed(_attempt)(config, trial, data_dir) for trial in trials)


def _attempt(
    config: Config, trial: int, data_dir: str | os.PathLike[str] | None
) -> tuple[int, pd.DataFrame | None, str]:
    """Run a trial; one that fails must not take the others with it."""
    try:
        return trial, run_trial(config, trial, data_dir), ""
    except Exception:
        return trial, None, traceback.format_exc()
