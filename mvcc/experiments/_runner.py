"""Running an experiment: the missing trials in parallel, each stored at once; one trial again."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from pydantic import ValidationError

from mvcc._utils.contexts import quiet_fit
from mvcc._utils.environment import now
from mvcc._utils.messages import first_problem, typed
from mvcc._utils.reading import StrPath
from mvcc.exceptions import InvalidInputError, StoreError
from mvcc.experiments._config import Config
from mvcc.experiments._plan import Plan, describe_run, plan_for
from mvcc.experiments._store import ResultsStore
from mvcc.experiments._trial import draw_trial, example_cluster, run_trial, warm_up
from mvcc.experiments._workers import attempt_trials
from mvcc.results import Manifest, differences, environment_differences

_logger = logging.getLogger("mvcc.experiments")


@dataclass(frozen=True)
class RunReport:
    """What a run did."""

    folder: Path
    computed: int  # trials finished by this run
    kept: int  # before it
    failed: dict[int, Path]  # where the traceback of each failed trial lies
    seconds: float


def run_experiment(
    config: Config,
    folder: StrPath,
    *,
    n_jobs: int = -1,
    data_dir: StrPath | None = None,
    fresh: bool = False,
    on_start: Callable[[Plan], None] = lambda plan: None,
    on_trial: Callable[[int, bool], None] = lambda trial, ok: None,
    on_note: Callable[[str], None] = lambda note: None,
) -> RunReport:
    """Compute the missing trials of an experiment and its curves.

    joblib decides where trials run: ``with joblib.parallel_config(backend=...)`` chooses. The
    results depend on neither that nor ``n_jobs``.

    Parameters
    ----------
    config : Config
    folder : path
        The results folder; a run resumes where a former one stopped. Only one run at a time
        writes to it.
    n_jobs : int, default=-1
        Number of workers; −1 for one per core.
    data_dir : path, default=None
        Where to look for data files first.
    fresh : bool, default=False
        Remove what the folder holds of a former run.
    on_start, on_trial, on_note : callable
        Told the plan; after each trial its number and whether it succeeded; what happened that was
        not planned.

    Returns
    -------
    RunReport

    Raises
    ------
    StoreError
        When the folder holds results of another config, other data or another version, is in use by
        another run, or cannot be written.
    WorkerError
        When the system kills workers again and again.
    MvccError
        When the data cannot be loaded or do not allow what the config asks for.

    See Also
    --------
    experiments.load_config : Reads a config.
    """
    began = time.perf_counter()
    store, manifest = ResultsStore(folder), describe_run(config, data_dir)
    plan = plan_for(store, manifest, config, fresh)
    if plan.missing:
        # an impossible config fails here, before anything is written
        draw_trial(config, plan.missing[0], data_dir)
    if plan.finished:
        on_start(plan)
        return RunReport(store.folder, 0, plan.kept, {}, time.perf_counter() - began)
    failed: dict[int, Path] = {}
    with store.held(on_note):
        # once more: nobody else writes from now on
        plan = plan_for(store, manifest, config, fresh)
        _prepare(store, plan, manifest, fresh, on_note)
        on_start(plan)
        if plan.missing:
            warm_up(config)  # compiled once, here, instead of by all workers at the same time
            _logger.info("kernels ready after %.1f s", time.perf_counter() - began)
        # closed at once when something goes wrong here, so that no worker computes for nothing
        with closing(attempt_trials(config, plan.missing, n_jobs, data_dir, on_note)) as attempts:
            for attempt in attempts:
                if attempt.rows is not None:
                    store.write_trial(attempt.trial, attempt.rows)
                else:
                    command = replay_command(folder, attempt.trial, data_dir)
                    report = f"To run it again, alone:\n  {command}\n\n{attempt.failure}"
                    failed[attempt.trial] = store.write_failure(attempt.trial, report)
                on_trial(attempt.trial, attempt.rows is not None)
        if finished := [trial for trial in store.finished(()) if trial < config.trials]:
            store.summarize(finished)
            _logger.info("%s: curves of %d trials written", store.folder, len(finished))
            with quiet_fit():
                store.write_example(example_cluster(config, data_dir))
        run, seconds = manifest.runs[-1], time.perf_counter() - began
        run.finished, run.seconds = now(), round(seconds, 1)
        run.computed, run.failed = len(plan.missing) - len(failed), sorted(failed)
        store.seal(manifest)
    return RunReport(store.folder, run.computed, plan.kept, failed, seconds)


def replay_command(folder: StrPath, trial: int, data_dir: StrPath | None = None) -> str:
    """Return the command that computes one trial of a results folder again."""
    command = f"mvcc replay {typed(folder)} {trial}"
    if data_dir is not None:
        command += f" --data-dir {typed(data_dir)}"
    return command


def _prepare(
    store: ResultsStore, plan: Plan, manifest: Manifest, fresh: bool, on_note: Callable[[str], None]
) -> None:
    """Clear the folder or set aside what is damaged in it, and store whose results it holds."""
    if fresh:
        for path in store.clear():
            on_note(f"No run wrote what is now {path}, or somebody changed it; it was set aside.")
    for name, why in plan.damaged.items():
        on_note(
            f"{store.folder / name} is damaged: {why}. It was set aside as {store.set_aside(name)}."
        )
    if (stored := store.manifest()) is not None:
        manifest.checksums = stored.checksums
        if plan.kept:
            manifest.runs = stored.runs + manifest.runs
    if aside := store.write_manifest(manifest):
        on_note(f"Somebody changed {store.folder / 'manifest.json'}; a copy is now {aside}.")


@dataclass(frozen=True)
class Replay:
    """A trial that was computed again."""

    rows: pd.DataFrame
    compared: bool  # whether it is stored
    differing: int  # rows that differ from the stored ones, in any bit
    first: str  # the first difference
    # in what program, libraries, processor or data differ from those of the latest stored run
    causes: list[str]


def replay_trial(folder: StrPath, trial: int, *, data_dir: StrPath | None = None) -> Replay:
    """Compute one trial again in this process and compare it; what it raises is raised."""
    store = ResultsStore(folder)
    manifest = store.manifest()
    if manifest is None:
        raise StoreError(
            f"{store.folder} holds no results: there is no manifest.json. Give the folder of one "
            "run."
        )
    its_config = f"{store.folder / 'manifest.json'}: its config"
    try:
        config = Config.model_validate(manifest.config)
    except ValidationError as error:
        raise StoreError(
            f"{its_config} is not one of this version of mvcc and the packages here: "
            f"{first_problem(error).rstrip('.')}."
        ) from error
    stored = store.read_trial(trial)  # a damaged file is refused before anything is computed
    try:
        draw_trial(config, trial, data_dir)
    except InvalidInputError as error:  # as for a run: the config is wrong, not the trial
        raise StoreError(f"{its_config} cannot be run: {error}") from error
    rows = run_trial(config, trial, data_dir)
    current = describe_run(config, data_dir)
    causes = differences(manifest, current)
    named = {cause.split(":")[0] for cause in causes}  # packages, whose versions differ
    of_environment = environment_differences(manifest.runs[-1], current.runs[0])
    causes += [cause for cause in of_environment if cause.split(":")[0] not in named]
    return Replay(rows, not stored.empty, *_compare(stored, rows), causes)


def _compare(stored: pd.DataFrame, rows: pd.DataFrame) -> tuple[int, str]:
    if stored.empty:
        return 0, ""
    if list(stored.columns) != list(rows.columns) or len(stored) != len(rows):
        difference = f"{len(stored)} rows stored, {len(rows)} now, or other columns"
        return max(len(stored), len(rows)), difference
    is_same = (stored == rows) | (stored.isna() & rows.isna())
    if is_same.all(axis=None):
        return 0, ""
    row, column = divmod(int((~is_same).to_numpy().argmax()), len(rows.columns))
    name = rows.columns[column]
    before, after = (table[name].tolist()[row] for table in (stored, rows))
    first = f"row {row + 1}, {name}: {before!r} stored, {after!r} now"
    return int((~is_same).any(axis=1).sum()), first
