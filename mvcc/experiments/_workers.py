"""Trials on many workers, of joblib or of dask: each comes back as soon as it is finished."""

from __future__ import annotations

import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, cast

import joblib
import pandas as pd
from joblib.parallel import LokyBackend, get_active_backend

from mvcc._utils.messages import clipped
from mvcc._utils.reading import StrPath
from mvcc._utils.scheduler import Client, connected_to, errors_of_a_lost_scheduler
from mvcc._version import __version__
from mvcc.exceptions import WorkerError
from mvcc.experiments._config import Config
from mvcc.experiments._plan import this_run
from mvcc.experiments._trial import run_trial
from mvcc.results import Run, environment_differences


@dataclass(frozen=True)
class Attempt:
    """The end of a trial, to be sent between processes: its rows, or a traceback."""

    trial: int
    rows: pd.DataFrame | None
    failure: str = ""


def attempt(config: Config, data_dir: StrPath | None, trial: int) -> Attempt:
    """Run a trial; one that fails must not take the others with it."""
    try:
        return Attempt(trial, run_trial(config, trial, data_dir))
    except Exception:
        return Attempt(trial, None, traceback.format_exc())


@contextmanager
def connect_to_dask(address: str) -> Iterator[Client]:
    """Connect to a dask scheduler that has workers, for ``joblib.parallel_config``."""
    with connected_to(address) as client:
        _environments(client)
        yield client


def _note_other_environments(
    client: Client, config: Config, on_note: Callable[[str], None]
) -> None:
    """Tell what differs on workers from here, once for all workers that are alike."""
    ours, others = this_run(config.transfers()), _environments(client, config.transfers())
    kinds = {
        tuple(environment_differences(ours, theirs)): address for address, theirs in others.items()
    }
    for lines in kinds.keys() - {()}:
        title = f"Other than here is on worker {kinds[lines]}, so that bits may differ:"
        on_note("\n  ".join([title, *lines]))


def attempt_on_dask(
    client: Client,
    config: Config,
    trials: Iterable[int],
    n_jobs: int,
    data_dir: StrPath | None,
    on_note: Callable[[str], None],
) -> Generator[Attempt]:
    """Yield trials as they finish, whatever their order."""
    from distributed import KilledWorker, as_completed

    _note_other_environments(client, config, on_note)
    folder = None if data_dir is None else os.path.abspath(data_dir)
    lost: tuple[type[BaseException], ...] = (*errors_of_a_lost_scheduler(), OSError)
    waiting, running = iter(trials), dict[Any, int]()

    def submit(trial: int) -> Any:
        future = client.submit(
            _attempt_away, __version__, config, folder, trial, pure=False, retries=2
        )
        running[future] = trial
        return future

    try:
        at_once = islice(waiting, n_jobs if n_jobs > 0 else None)
        ended = cast(Any, as_completed)(list(map(submit, at_once)), loop=client.loop)
        for future in ended:
            trial = running.pop(future)
            try:
                ended.update(list(map(submit, islice(waiting, 1))))
                yield future.result()
            except KilledWorker as error:
                yield Attempt(
                    trial,
                    None,
                    "Its workers were killed again and again, most often a sign that memory has "
                    f"run out. {error}",
                )
            except lost as error:
                raise WorkerError(
                    "The scheduler is gone, or has dropped the trials; what is finished is stored. "
                    "Start it and its workers again; the same command resumes (without --fresh)."
                ) from error
            except Exception as error:
                raise WorkerError(
                    f"A worker cannot run trials: {error!r}. Each needs mvcc {__version__}."
                ) from error
    finally:
        if client.status == "running":
            client.cancel(list(running))


def _attempt_away(version: str, config: Config, data_dir: str | None, trial: int) -> Attempt:
    if version != __version__:
        raise WorkerError(f"it has mvcc {__version__}, the run {version}")
    return attempt(config, data_dir, trial)


def _environments(client: Client, transfers: Iterable[str] = ()) -> dict[str, Run]:
    """Ask the workers for versions and machines; a WorkerError if one cannot run trials."""
    answers = client.run(this_run, list(transfers), on_error="return").items()
    # gone
    runs: dict[str, Run] = {
        address: answer for address, answer in answers if not isinstance(answer, OSError)
    }
    for address, answer in runs.items():
        state = repr(answer)
        if not isinstance(answer, Exception):
            state = f"it has mvcc {answer.versions['mvcc']}"
        if state != f"it has mvcc {__version__}":
            raise WorkerError(
                f"The worker {address} cannot run trials: {clipped(state, 200)}. Install mvcc "
                f"{__version__} and all that the run needs on its machine, and start it again."
            )
    return runs


def attempt_trials(
    config: Config,
    trials: list[int],
    n_jobs: int,
    data_dir: StrPath | None,
    on_note: Callable[[str], None],
) -> Generator[Attempt]:
    """Yield trials as they finish; new workers take over from one that the system kills."""
    # a second kill without a finished trial in between ends the run
    backend, _ = get_active_backend()
    # told by its name: dask may not be installed
    if type(backend).__name__ == "DaskDistributedBackend":
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
                    "The system killed worker processes again and again, most often a sign that "
                    f"memory has run out. {len(left)} trials are left; what is finished is stored. "
                    f"Run again with fewer workers (-j), or with smaller data."
                ) from error
            killed = True
            on_note(
                "The system killed a worker process, most often since memory ran out. Going on "
                f"with {len(left)} trials; fewer workers (-j) need less memory."
            )


def _belong_to(parent: int) -> None:
    """Let a worker leave Ctrl-C to the process that started it, and end when that was killed."""
    # a terminal interrupts workers, too, wherever they are
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
