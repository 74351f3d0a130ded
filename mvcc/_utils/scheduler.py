"""Workers of dask, on the scheduler that a user names or in processes of this machine.

Messages say what to do if they fail.
"""

from __future__ import annotations

import logging
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from multiprocessing import resource_tracker
from typing import Any, TypeAlias, cast

from mvcc._utils.messages import clipped, shown
from mvcc._version import __version__
from mvcc.exceptions import ConfigError, DataError, MvccError, WorkerError

Client: TypeAlias = Any  # dask's: it may not be installed

_PATIENCE = 5  # seconds for a scheduler to answer
_FIRST_WORKER = 10  # seconds; it may have been started just now
_LOG = logging.getLogger("distributed.client")
_ADDRESS = re.compile(
    r"(?:(?:tcp|tls|wss?)://)?(?:[\w.-]+|\[[0-9a-f:]+\]):[0-9]{1,5}", re.IGNORECASE
)
_FIRST_LOOK, _LOOK = 0.01, 0.2  # seconds between two looks at what is done: twice as long each time


@contextmanager
def connected_to(address: str) -> Iterator[Client]:
    """Connect to a dask scheduler that has workers, or raise a ConfigError or WorkerError."""
    if not _ADDRESS.fullmatch(address):
        raise ConfigError(
            f"{shown(address)} is not the address of a dask scheduler, such as tcp://host:8786."
        )
    try:
        from distributed import Client as connect
        from distributed.security import Security
    except ImportError as error:
        raise ConfigError(
            f"dask is not installed ({error}). Install it: pip install dask distributed"
        ) from error
    try:  # otherwise the client fails on it, and keeps the process waiting
        tls = cast(Any, Security)().get_connection_args("client")
    except OSError as error:
        raise ConfigError(
            f"The certificates in dask's configuration cannot be used: {error}."
        ) from error
    encrypted = address.lower().startswith(("tls:", "wss:"))
    if tls["ssl_context"] is None if encrypted else tls["require_encryption"]:
        wrong = "names no certificates" if encrypted else "requires encryption"
        raise ConfigError(
            f"{address} does not fit dask's configuration, which {wrong} (distributed.comm.tls)."
        )
    try:
        connected = cast(Any, connect)(address, timeout=_PATIENCE, set_as_default=False)
    except OSError as error:
        raise WorkerError(
            f"No dask scheduler answers at {clipped(address)} within {_PATIENCE} s. Start one:"
            " `dask scheduler`; it prints its address, which begins with tls:// if it wants"
            " certificates."
        ) from error
    level = _LOG.level
    try:
        # a scheduler that dies prints tracebacks; our own message says what matters
        _LOG.setLevel(logging.CRITICAL)
        with connected as client:
            try:
                client.wait_for_workers(1, timeout=_FIRST_WORKER)
            except TimeoutError as error:
                start = (
                    f"Start some, on any machine with mvcc: `dask worker {address} --nthreads 1"
                    " --nworkers -1`."
                )
                raise WorkerError(
                    f"No worker is connected to the scheduler at {address}. {start}"
                ) from error
            yield client
    finally:
        _LOG.setLevel(level)


def errors_of_a_lost_scheduler() -> tuple[type[BaseException], ...]:
    """Return what a client raises whose scheduler is gone, or has dropped its tasks."""
    from distributed import CancelledError as Dropped
    from distributed import client
    from distributed.comm.core import CommClosedError

    closed = getattr(client, "ClosedClientError", CommClosedError)  # which old versions do not have
    return CancelledError, Dropped, CommClosedError, closed


@contextmanager
def workers(scheduler: str | None, folder: str) -> Iterator[Client]:
    """Give a client of a scheduler, or of a process for each core; ``folder`` is what needs it."""
    for name in ("dask", "distributed", "pyarrow"):
        if find_spec(name) is None:
            raise DataError(
                f"{folder}: a folder needs the package {name}: pip install 'mvcc[dask,parquet]'"
            )
    if scheduler is not None:
        with connected_to(scheduler) as client:
            _check_versions(client)
            yield client
        return
    stack = ExitStack()
    try:
        with _interruptions_held():
            cluster = stack.enter_context(local_workers())
            client = stack.enter_context(cluster.get_client())
        yield client
    finally:
        with _interruptions_held():
            stack.close()


@contextmanager
def _interruptions_held() -> Iterator[None]:
    """Have Ctrl-C and SIGTERM wait for what dask would leave half done, with many tracebacks.

    Threads and processes that are started meanwhile never see Ctrl-C, which reaches all processes
    of a terminal: this one ends its workers.
    """
    if threading.current_thread() is not threading.main_thread():  # which alone gets signals
        yield
        return
    received: list[int] = []
    handlers = {
        signum: signal.signal(signum, lambda signum, frame: received.append(signum))
        for signum in (signal.SIGINT, signal.SIGTERM)
        if signal.getsignal(signum) is not signal.SIG_IGN  # as in the background
    }
    # which else lets Ctrl-C in when it starts with the first worker
    resource_tracker.ensure_running()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        for signum, handler in handlers.items():
            signal.signal(signum, handler)
    if received:
        raise KeyboardInterrupt


def local_workers() -> Any:
    """Return a cluster of processes, one for each core, which only this machine can reach."""
    from distributed import LocalCluster

    return cast(Any, LocalCluster)(
        threads_per_worker=1,
        processes=True,
        # of the status, which always has one; by default a port that may be taken
        dashboard_address="127.0.0.1:0",
        scheduler_kwargs={"dashboard": False},
        # errors have a traceback there; our own message says what matters
        silence_logs=logging.CRITICAL,
    )


def _check_versions(client: Client) -> None:
    for address, version in client.run(_version, on_error="return").items():
        if version != __version__ and not isinstance(version, OSError):  # which has gone meanwhile
            problem = f"has mvcc {version}"
            if isinstance(version, Exception):
                problem = f"cannot import mvcc ({version})"
            raise WorkerError(
                f"The worker {address} {clipped(problem, 200)}. Install mvcc {__version__} with its"
                " extras dask and parquet on its machine, and start it again."
            )


def _version() -> str:
    return __version__


def computed(
    client: Client, collections: list[Any], on_wait: Callable[[int], None] = lambda n: None
) -> list[Any]:
    """Return the values of collections of dask; ``on_wait`` gets how many are there."""
    from distributed import KilledWorker

    futures: list[Any] = []
    pause = _FIRST_LOOK
    try:
        futures = client.compute(collections)
        while not (all(f.done() for f in futures) or any(f.status == "error" for f in futures)):
            on_wait(sum(future.done() for future in futures))
            time.sleep(pause)
            pause = min(2 * pause, _LOOK)
        return cast(list[Any], client.gather(futures))
    except MvccError:
        raise
    except KilledWorker as error:
        raise WorkerError(
            "Workers were killed again and again, most often a sign that memory has run out. Start"
            " fewer on a machine, or write the Parquet files with smaller row groups."
        ) from error
    except errors_of_a_lost_scheduler() as error:
        raise WorkerError(
            "The scheduler is gone; nothing was written. Start it and its workers again."
        ) from error
    except OSError:
        raise
    except Exception as error:
        raise WorkerError(
            f"A worker failed: {clipped(repr(error), 300)}. Each needs mvcc {__version__} with its"
            " extras dask and parquet."
        ) from error
    finally:
        with suppress(Exception):  # of a scheduler that is gone
            client.cancel(futures)
