"""Trials on many workers: each comes back as soon as it is finished, and none takes the others with it."""

from __future__ import annotations

import os
import threading
import time
import traceback
from collections.abc import Callable, Generator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

import joblib
import pandas as pd
from joblib.parallel import LokyBackend, get_active_backend

from mvcc.exceptions import WorkerError
from mvcc.experiments._config import Config
from mvcc.experiments._trial import run_trial, undisturbed


@dataclass(frozen=True)
class Attempt:
    """What became of a trial: its rows, or the traceback of its failure."""

    trial: int
    rows: pd.DataFrame | None
    failure: str = ""


def attempt_trials(
    config: Config,
    trials: list[int],
    n_jobs: int,
    data_dir: str | os.PathLike[str] | None,
    on_note: Callable[[str], None],
) -> Generator[Attempt]:
    """Yield trials as they finish, whatever their order.

    When the system kills a worker, most often since memory ran out, new ones take over the trials that are not
    finished. When that happens again, at least one must have been finished in between.

    Raises
    ------
    WorkerError
        When workers are killed again and again.
    """
    left = dict.fromkeys(trials)
    killed = False
    while left:
        before = len(left)
        # one trial at a time: none waits in a worker for others, to be lost with them
        parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1, **_options())
        try:
            with undisturbed():  # for backends of threads, which share what a trial sets for its time
                for attempt in parallel(joblib.delayed(_attempt)(config, trial, data_dir) for trial in tuple(left)):
                    del left[attempt.trial]
                    yield attempt
        except BrokenProcessPool as error:
            if killed and len(left) == before:
                raise WorkerError(
                    f"The system killed worker processes again and again, most often a sign that memory has run out. "
                    f"{len(left)} trials are left; what is finished is stored. Run again with fewer workers (-j), or "
                    f"with smaller data."
                ) from error
            killed = True
            on_note(
                f"The system killed a worker process, most often since memory ran out. Going on with {len(left)} "
                f"trials; fewer workers (-j) need less memory."
            )


def _attempt(config: Config, trial: int, data_dir: str | os.PathLike[str] | None) -> Attempt:
    """Run a trial; one that fails must not take the others with it."""
    try:
        return Attempt(trial, run_trial(config, trial, data_dir))
    except Exception:
        return Attempt(trial, None, traceback.format_exc())


def _options() -> dict[str, Any]:
    """Return what joblib's own processes are told besides: they are the ones that this process starts."""
    backend, _ = get_active_backend()
    return {"initializer": _end_with, "initargs": (os.getpid(),)} if type(backend) is LokyBackend else {}


def _end_with(parent: int) -> None:
    """Let a worker end when the process that started it was killed: nobody would take what it computes."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
