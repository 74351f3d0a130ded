"""Trials on many workers: each comes back as soon as it is finished, and none takes the others with it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import Any

import joblib
from joblib.parallel import LokyBackend, MultiprocessingBackend, SequentialBackend, ThreadingBackend, get_active_backend

from mvcc.exceptions import WorkerError
from mvcc.experiments._config import Config
from mvcc.experiments._dask import attempt_on_dask
from mvcc.experiments._errand import Attempt, attempt_away, attempt_here, pack_errand

_HERE = (LokyBackend, MultiprocessingBackend, SequentialBackend, ThreadingBackend)  # ray's is a child of one of them


def attempt_trials(
    config: Config,
    trials: list[int],
    n_jobs: int,
    data_dir: str | os.PathLike[str] | None,
    on_note: Callable[[str], None],
) -> Generator[Attempt]:
    """Yield trials as they finish, whatever their order.

    Workers on other machines (dask, ray, Spark) need no files: the data are verified here and sent along.

    When the system kills a worker, most often since memory ran out, new ones take over the trials that are not
    finished. When that happens again, at least one must have been finished in between.

    Raises
    ------
    WorkerError
        When workers are killed again and again, do not fit, or cannot be reached any more.
    DataError
        When data that are to be sent along are missing or damaged.
    """
    backend, _ = get_active_backend()
    if type(backend).__name__ == "DaskDistributedBackend":  # told by its name: dask may not be installed
        yield from attempt_on_dask(backend.client, pack_errand(config, data_dir), trials, n_jobs, on_note)
        return
    if type(backend) in _HERE:
        run = partial(attempt_here, config, data_dir)
    else:
        run = partial(attempt_away, pack_errand(config, data_dir))
    left = dict.fromkeys(trials)
    killed = False
    while left:
        before = len(left)
        try:
            for attempt in _finished(backend, [joblib.delayed(run)(trial) for trial in left], n_jobs):
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


def _finished(backend: Any, calls: list[Any], n_jobs: int) -> Iterator[Attempt]:
    """Run calls, and give what they return as they finish."""
    if backend.supports_return_generator:
        # one trial at a time: none waits in a worker for others, to be lost with them
        options: dict[str, Any] = {"return_as": "generator_unordered", "batch_size": 1, **_options(backend)}
        yield from joblib.Parallel(n_jobs=n_jobs, **options)(calls)
    else:  # ray's and Spark's give all at the end: a few at a time, so that what is finished can be stored
        with joblib.Parallel(n_jobs=n_jobs, batch_size=1) as parallel:  # begins now: ray counts jobs only when it runs
            size = max(1, joblib.effective_n_jobs(n_jobs))
            for start in range(0, len(calls), size):
                yield from parallel(calls[start : start + size])


def _options(backend: Any) -> dict[str, Any]:
    """Return what joblib's own processes are told besides: they are the ones that this process starts."""
    return {"initializer": _belong_to, "initargs": (os.getpid(),)} if type(backend) is LokyBackend else {}


def _belong_to(parent: int) -> None:
    """Let a worker leave Ctrl-C to the process that started it, and end when that was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal interrupts workers, too, wherever they are

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
