"""Trials on the workers of a dask scheduler, which may come and go: ``joblib.parallel_config(backend="dask")``.

Not through joblib, which waits forever for a trial that the scheduler has given up, and for a scheduler that has died.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, cast

from mvcc._utils.messages import clipped
from mvcc._utils.scheduler import Client, connected_to, errors_of_a_lost_scheduler
from mvcc._version import __version__
from mvcc.exceptions import WorkerError
from mvcc.experiments._config import Config
from mvcc.experiments._provenance import this_run
from mvcc.experiments._trial import Attempt, attempt
from mvcc.results import Run, environment_differences


@contextmanager
def connect_to_dask(address: str) -> Iterator[Client]:
    """Connect to a dask scheduler that has workers, for ``joblib.parallel_config(backend="dask", client=client)``."""
    with connected_to(address) as client:
        _environments(client)
        yield client


def attempt_on_dask(
    client: Client,
    config: Config,
    trials: Iterable[int],
    n_jobs: int,
    data_dir: str | os.PathLike[str] | None,
    on_note: Callable[[str], None],
) -> Generator[Attempt]:
    """Yield trials as they finish, whatever their order."""
    from distributed import KilledWorker, as_completed

    here, others = this_run(config.transfers()), _environments(client, config.transfers())
    kinds = {tuple(environment_differences(here, there)): address for address, there in others.items()}
    for lines in kinds.keys() - {()}:
        on_note("\n  ".join([f"Other than here is on worker {kinds[lines]}, so that bits may differ:", *lines]))
    folder = None if data_dir is None else os.path.abspath(data_dir)
    lost: tuple[type[BaseException], ...] = (*errors_of_a_lost_scheduler(), OSError)
    waiting, running = iter(trials), dict[Any, int]()

    def submit(trial: int) -> Any:
        future = client.submit(_attempt_away, __version__, config, folder, trial, pure=False, retries=2)
        running[future] = trial
        return future

    try:
        at_once = islice(waiting, n_jobs if n_jobs > 0 else None)
        for future in (ended := cast(Any, as_completed)(list(map(submit, at_once)), loop=client.loop)):
            trial = running.pop(future)
            try:
                ended.update(list(map(submit, islice(waiting, 1))))
                yield future.result()
            except KilledWorker as error:
                why = "Its workers were killed again and again, most often a sign that memory has run out."
                yield Attempt(trial, None, f"{why} {error}")
            except lost as error:
                gone = "The scheduler is gone, or has dropped the trials; what is finished is stored."
                raise WorkerError(f"{gone} Start it and its workers again; the same command goes on.") from error
            except Exception as error:
                raise WorkerError(f"A worker cannot run trials: {error!r}. Each needs mvcc {__version__}.") from error
    finally:
        if client.status == "running":
            client.cancel(list(running))


def _attempt_away(version: str, config: Config, data_dir: str | None, trial: int) -> Attempt:
    if version != __version__:
        raise WorkerError(f"it has mvcc {__version__}, the run {version}")
    return attempt(config, data_dir, trial)


def _environments(client: Client, transfers: Iterable[str] = ()) -> dict[str, Run]:
    """Ask the workers for their versions and machines; raise WorkerError where one cannot run trials."""
    answers = client.run(this_run, list(transfers), on_error="return").items()
    found: dict[str, Run] = {address: answer for address, answer in answers if not isinstance(answer, OSError)}  # gone
    for address, answer in found.items():
        if isinstance(answer, Exception) or answer.versions["mvcc"] != __version__:
            there = repr(answer) if isinstance(answer, Exception) else f"it has mvcc {answer.versions['mvcc']}"
            raise WorkerError(
                f"The worker {address} cannot run trials: {clipped(there, 200)}. Install mvcc {__version__} and all "
                f"that the run needs on its machine, and start it again."
            )
    return found
