"""One run at a time in a results folder, and a word on who it is."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import platform
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from mvcc._utils.environment import command_line, now
from mvcc._utils.messages import clipped
from mvcc.exceptions import StoreError

NAME = ".lock"


@contextlib.contextmanager
def only_run(folder: Path, on_note: Callable[[str], None]) -> Iterator[None]:
    """Hold a folder for this process alone; made where it does not exist.

    The system drops the lock of a process that ends, however it ends. Its file alone is no lock, but it says of a run
    that was killed when it began.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder / NAME) as file:
        if left := file.read():
            on_note(f"{folder}: {_described(left)} ended without a word. Going on from what it stored.")
            file.seek(0)
            file.truncate()
        json.dump({"pid": os.getpid(), "host": platform.node(), "started": now(), "command": command_line()}, file)
        file.flush()
        try:
            yield
        finally:
            # while it is still held; where that is impossible, a file that nobody holds keeps nobody out
            with contextlib.suppress(OSError):
                (folder / NAME).unlink()


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[IO[str]]:
    while True:
        with open(path, "a+", encoding="utf-8") as file:
            file.seek(0)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise StoreError(
                    f"{path.parent} is in use: {_described(file.read())} writes to it. Wait until that has ended, or "
                    f"choose another folder by --out."
                ) from None
            if _is(path, file):
                yield file
                return


def _is(path: Path, file: IO[str]) -> bool:
    """Tell whether the open file is the one that has the path: a run that ends removes its own."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def _described(content: str) -> str:
    try:
        holder = json.loads(content)
        pid, host, started, command = (clipped(str(holder[key]), 300) for key in ("pid", "host", "started", "command"))
    except (ValueError, TypeError, KeyError):
        return "another run"
    return f"a run of process {pid} on {host}, begun {started} ({command}),"
