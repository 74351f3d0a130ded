"""Trials on many workers: each comes back as soon as it is finished, and none takes the others with it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import Any

import joblib
from joblib.parallel import LokyBackend, get_active_backend

from mvcc.exceptions import WorkerError
from mvcc.experiments._config import Config
from mvcc.experiments._dask import attempt_on_dask
from mvcc.experiments._trial import Attempt, attempt


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
    """
    backend, _ = get_active_backend()
    if type(backend).__name__ == "DaskDistributedBackend":  # told by its name: dask may not be installed
        yield from attempt_on_dask(backend.client, config, trials, n_jobs, data_dir, on_note)
        return
    # one trial at a time: none waits in a worker for others, to be lost with them
    options: dict[str, Any] = {"n_jobs": n_jobs, "batch_size": 1}
    if backend.supports_return_generator:  # ray's and Spark's give all at the end
        options["return_as"] = "generator_unordered"
    if type(backend) is LokyBackend:  # processes that this one starts, and ends
        options |= {"initializer": _belong_to, "initargs": (os.getpid(),)}
    run = joblib.delayed(partial(attempt, config, data_dir))
    left = dict.fromkeys(trials)
    killed = False
    while left:
        before = len(left)
        try:
            for ended in joblib.Parallel(**options)([run(trial) for trial in left]):
                del left[ended.trial]
                yield ended
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


def _belong_to(parent: int) -> None:
    """Let a worker leave Ctrl-C to the process that started it, and end when that was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal interrupts workers, too, wherever they are

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
