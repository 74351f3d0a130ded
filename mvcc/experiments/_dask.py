"""Trials on the workers of a dask scheduler, which may come and go.

``joblib.parallel_config(backend="dask")`` chooses them. The trials are handed out here and not by joblib's own loop,
which waits forever for a trial that the scheduler has given up, and for a scheduler that has died.
"""

from __future__ import annotations

import logging
import queue
import re
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any, TypeAlias, cast

from mvcc._messages import clipped, shown
from mvcc._version import __version__
from mvcc.exceptions import ConfigError, WorkerError
from mvcc.experiments._errand import Attempt, Errand, attempt_away
from mvcc.experiments._manifest import Run
from mvcc.experiments._provenance import environment_differences, this_run

Client: TypeAlias = Any  # dask's: it may not be installed
Future: TypeAlias = Any

_PATIENCE = 5  # seconds for a scheduler to answer
_FIRST_WORKER = 10  # seconds; it may have been started just now
_LOOK_EVERY = 1  # seconds
_FETCH = 10  # seconds for the numbers of a finished trial, unless their worker has died
_ADDRESS = re.compile(r"(?:(?:tcp|tls|wss?)://)?(?:[\w.-]+|\[[0-9a-f:]+\]):[0-9]{1,5}", re.IGNORECASE)
_LOGGERS = ("distributed", "distributed.client", "distributed.core", "tornado", "tornado.application")


@contextmanager
def connect_to_dask(address: str) -> Iterator[Client]:
    """Connect to a dask scheduler that has workers.

    Parameters
    ----------
    address : str
        Such as ``tcp://host:8786``.

    Yields
    ------
    Client
        For ``joblib.parallel_config(backend="dask", client=client)``.

    Raises
    ------
    ConfigError
        When dask is not installed, the address is none, or it needs TLS that dask is not set up for.
    WorkerError
        When nobody answers at the address, or no worker is connected to the scheduler, or one has no mvcc of this
        version.
    """
    if not _ADDRESS.fullmatch(address):
        raise ConfigError(f"{shown(address)} is no address of a dask scheduler, such as tcp://host:8786.")
    try:
        from distributed import Client as connect
    except ImportError as error:
        raise ConfigError(f"dask is not installed ({error}). Install it: pip install dask distributed") from error
    _check_tls(address)
    with _said_here():
        try:
            client: Client = cast(Any, connect)(address, timeout=_PATIENCE, set_as_default=False)
        except OSError as error:
            raise WorkerError(
                f"No dask scheduler answers at {clipped(address)} within {_PATIENCE} s. Start one: "
                f"`dask scheduler`; it prints its address, which begins with tls:// if it wants certificates."
            ) from error
        with client:
            try:
                client.wait_for_workers(1, timeout=_FIRST_WORKER)
            except TimeoutError as error:
                raise WorkerError(
                    f"No worker is connected to the scheduler at {address}. Start some, on any machine with mvcc: "
                    f"`dask worker {address} --nthreads 1 --nworkers -1`."
                ) from error
            _environments(client, client.nthreads())
            yield client


def _check_tls(address: str) -> None:
    """See that dask can do what the address asks for: it ends with a traceback, and keeps the process waiting."""
    from distributed.security import Security

    security: Any = cast(Any, Security)()
    encrypted = address.lower().startswith(("tls:", "wss:"))
    if security.require_encryption and not encrypted:
        raise ConfigError(
            f"dask's configuration requires encryption, which {clipped(address)} has none of; use tls://."
        )
    try:
        if encrypted and security.get_connection_args("client")["ssl_context"] is None:
            raise ConfigError(
                f"{clipped(address)} needs certificates, and dask's configuration names none: set ca-file, client.cert "
                f"and client.key under distributed.comm.tls."
            )
    except OSError as error:
        files = security.tls_ca_file, security.tls_client_cert, security.tls_client_key
        raise ConfigError(
            f"dask cannot use the certificates that its configuration names, {', '.join(map(str, files))}: {error}."
        ) from error


def attempt_on_dask(
    client: Client, errand: Errand, trials: Iterable[int], n_jobs: int, on_note: Callable[[str], None]
) -> Generator[Attempt]:
    """Yield trials as they finish, whatever their order.

    The trials of a worker that is gone go to the others. While there is none, the run waits for new ones.

    Raises
    ------
    WorkerError
        When the scheduler is gone, or a worker has no mvcc of this version.
    """
    fleet = _Fleet(client, errand.config.transfers(), on_note)
    waiting, running = deque(trials), dict[str, tuple[Future, int]]()
    ended: queue.SimpleQueue[Future] = queue.SimpleQueue()
    try:
        while waiting or running:
            fleet.look(len(waiting) + len(running))
            # two for each thread, so that none waits for the network
            while waiting and len(running) < (n_jobs if n_jobs > 0 else 2 * fleet.n_threads):
                trial = waiting.popleft()
                future = client.submit(attempt_away, errand, trial, pure=False)
                running[future.key] = future, trial
                future.add_done_callback(ended.put)
            try:
                future = ended.get(timeout=_LOOK_EVERY)
            except queue.Empty:
                continue
            outcome = _outcome(future, running[future.key][1], len(waiting) + len(running))
            if outcome is None:
                future.add_done_callback(ended.put)
            else:
                del running[future.key]
                yield outcome
    finally:
        if running and client.status == "running":
            client.cancel([future for future, _ in running.values()])


def _outcome(future: Future, trial: int, left: int) -> Attempt | None:
    """Fetch what became of a trial; None where its worker has died with it, so that it is computed once more."""
    from distributed import KilledWorker

    try:
        if future.status == "error":
            return _failure(future.exception(), trial, left)
        if future.status == "finished":
            attempt: Attempt = future.result(timeout=_FETCH)
            return attempt
    except (OSError, KilledWorker):  # the worker died, or the scheduler, before it was asked for its numbers
        return None
    except CancelledError as error:
        raise _gone(left) from error
    if future.cancelled():
        raise _gone(left)
    return None


def _failure(error: Exception, trial: int, left: int) -> Attempt:
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        return Attempt(
            trial, None, f"Its workers were killed again and again, most often a sign that memory has run out. {error}"
        )
    raise WorkerError(
        f"A worker cannot run trials: {type(error).__name__}: {error}. {left} trials are left; what is finished is "
        f"stored. Every worker needs mvcc {__version__}."
    ) from error


def _gone(left: int) -> WorkerError:
    return WorkerError(
        f"The scheduler is gone, or has dropped the trials. {left} trials are left; what is finished is stored. Start "
        f"it and its workers again; the same command goes on from there."
    )


class _Fleet:
    """The workers of a scheduler: who is there, and what is to be said when that changes."""

    def __init__(self, client: Client, transfers: Sequence[str], on_note: Callable[[str], None]) -> None:
        self._client, self._transfers, self._note = client, transfers, on_note
        self._known: set[str] | None = None
        self._differing: set[tuple[str, ...]] = set()
        self._next_look = 0.0
        self.n_threads = 0

    def look(self, left: int) -> None:
        """See which workers have come and gone, at most once a second."""
        if time.monotonic() < self._next_look:
            return
        self._next_look = time.monotonic() + _LOOK_EVERY
        if self._client.status != "running":
            raise _gone(left)
        try:
            threads: dict[str, int] = self._client.nthreads()
        except OSError as error:
            raise _gone(left) from error
        known = self._known or set()
        gone, new = known - threads.keys(), threads.keys() - known
        if gone:
            left_over = f"{len(threads)} left, to which its trials go" if threads else "none is left"
            self._note(f"Gone: {_listed(gone)}; {left_over}.")
        if gone and not threads:
            self._note("Waiting for workers: the run goes on when one comes. Ctrl-C ends it; nothing finished is lost.")
        if new and self._known is not None:
            self._note(f"New: {_listed(new)}.")
        if new:
            self._compare(new)
        self._known, self.n_threads = set(threads), sum(threads.values())

    def _compare(self, addresses: set[str]) -> None:
        here = this_run(self._transfers)
        alike: dict[tuple[str, ...], set[str]] = {}
        for address, there in _environments(self._client, addresses, self._transfers).items():
            if differences := tuple(environment_differences(here, there)):
                alike.setdefault(differences, set()).add(address)
        for differences in alike.keys() - self._differing:
            self._differing.add(differences)
            lines = "\n".join(f"  {line}" for line in differences)
            self._note(f"Other than here is on {_listed(alike[differences])}, so that bits may differ:\n{lines}")


def _environments(client: Client, addresses: Iterable[str], transfers: Sequence[str] = ()) -> dict[str, Run]:
    """Ask workers for their versions and machines, and for the packages of transfer methods.

    Raises
    ------
    WorkerError
        When one has no mvcc, or another version.
    """
    found: dict[str, Run] = {}
    for address, answer in client.run(this_run, transfers, workers=list(addresses), on_error="return").items():
        if isinstance(answer, OSError):  # it has gone meanwhile
            continue
        if isinstance(answer, Exception):
            raise WorkerError(
                f"The worker {address} cannot run trials: {type(answer).__name__}: {answer}. Install mvcc "
                f"{__version__} and all that the run needs on its machine, and start it again."
            ) from answer
        if answer.versions["mvcc"] != __version__:
            raise WorkerError(
                f"The worker {address} has mvcc {clipped(answer.versions['mvcc'])}, this is {__version__}. Two "
                f"versions do not mix in one result. Install the same, and start it again."
            )
        found[address] = answer
    return found


def _listed(addresses: Iterable[str]) -> str:
    first, *others = sorted(addresses)
    return f"worker {first}" if not others else f"worker {first} and {len(others)} more"


@contextmanager
def _said_here() -> Iterator[None]:
    """Keep dask's own log away from the user: what matters is said in the words of mvcc."""
    levels = {name: logging.getLogger(name).level for name in _LOGGERS}
    try:
        for name in _LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
