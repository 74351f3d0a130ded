"""The scheduler of dask that a user names: whoever works on it connects here."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any, TypeAlias, cast

from mvcc._utils.messages import clipped, shown
from mvcc.exceptions import ConfigError, WorkerError

Client: TypeAlias = Any  # dask's: it may not be installed

_PATIENCE = 5  # seconds for a scheduler to answer
_FIRST_WORKER = 10  # seconds; it may have been started just now
_LOG = logging.getLogger("distributed.client")
_ADDRESS = re.compile(
    r"(?:(?:tcp|tls|wss?)://)?(?:[\w.-]+|\[[0-9a-f:]+\]):[0-9]{1,5}", re.IGNORECASE
)


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
