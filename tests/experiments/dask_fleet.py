"""A dask scheduler and workers as processes of their own, as a user starts them."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Fleet:
    """A scheduler, and workers that share nothing with the test but the network: another folder and home, no data."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.workers: list[subprocess.Popen[bytes]] = []
        self.address = f"tcp://127.0.0.1:{free_port()}"
        self.scheduler = self._start(
            "dask_scheduler",
            "--host",
            "127.0.0.1",
            "--port",
            self.address.rpartition(":")[2],
            "--dashboard-address",
            ":0",
        )

    def add_worker(self, *options: str) -> subprocess.Popen[bytes]:
        worker = self._start("dask_worker", self.address, "--nthreads", "1", "--no-dashboard", "--no-nanny", *options)
        self.workers.append(worker)
        return worker

    def wait(self) -> None:
        """Wait until all workers that were started are connected."""
        wait_until(lambda: len(connected(self.address)) == len(self.workers))

    def _start(self, module: str, *arguments: str) -> subprocess.Popen[bytes]:
        home = self._folder / f"home-{len(self.workers)}"
        home.mkdir(exist_ok=True)
        # what else is set may choose BLAS kernels, and with them the bits
        environment = os.environ | {"HOME": str(home), "TMPDIR": str(home)}
        environment.pop("MVCC_DATA", None)
        command = [sys.executable, "-W", "ignore", "-m", f"distributed.cli.{module}", *arguments]
        with (home / f"{module}.log").open("wb") as log:
            return subprocess.Popen(command, cwd=home, env=environment, stdout=log, stderr=log)


@contextmanager
def fleet(folder: Path, n_workers: int) -> Iterator[Fleet]:
    started = Fleet(folder)
    try:
        wait_until(lambda: answers(started.address))
        for _ in range(n_workers):
            started.add_worker()
        started.wait()
        yield started
    finally:
        for process in (*started.workers, started.scheduler):
            process.kill()
            process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(address: str) -> bool:
    host, _, port = address.removeprefix("tcp://").partition(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) == 0


def connected(address: str) -> set[str]:
    """Return the addresses of the workers that a scheduler knows."""
    import distributed

    with distributed.Client(address, set_as_default=False) as client:
        return set(client.nthreads())


def wait_until(holds, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.1)
