"""Files: there as a whole or not at all, their checksums, tables as CSV."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import json
import os
import platform
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

from mvcc._utils.environment import command_line, now
from mvcc._utils.messages import clipped
from mvcc._utils.reading import parse_json
from mvcc.exceptions import StoreError

LOCK = ".mvcc-lock"
_MOST_LINKS = 40  # as many as Linux follows
_HOLDER = ("pid", "host", "started", "command")
_HANDLE = re.compile(r"(?:/dev|/proc/[0-9]+(?:/task/[0-9]+)?)/fd/[0-9]+")
_NAME = r"(?:trials/)?\w[\w.]*"


@contextlib.contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Give a temporary path whose synced file takes the place of ``path``, unless it fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = part_of(path)
    try:
        yield part
        sync(part)
        os.replace(part, path)
        sync(path.parent)
    finally:
        part.unlink(missing_ok=True)


def part_of(path: Path) -> Path:
    """Return where this process writes a file before it takes its place."""
    return path.with_name(f".{path.name}.{os.getpid()}.part")


def is_stream(path: Path) -> bool:
    """Tell whether a path leads to a pipe or a device, such as /dev/stdout."""
    if _handle_of(path) is not None:
        return True
    return path.parent == Path("/dev") or path.is_fifo() or path.is_char_device()


def _handle_of(path: Path) -> Path | None:
    """Return the open file that a path such as /dev/stdout names: opened anew, it would be cut."""
    for _ in range(_MOST_LINKS):
        # only the folders are resolved: the last link of /proc/self/fd/1 leads to the file itself
        path = Path(os.path.realpath(path.parent), path.name)
        if _HANDLE.fullmatch(str(path)):
            return path
        if not path.is_symlink():
            return None
        path = path.parent / os.readlink(path)
    return None


def _is_of_this_process(handle: Path) -> bool:
    return handle.parts[1] == "dev" or handle.parts[2] == str(os.getpid())


def send(path: Path, content: bytes) -> None:
    """Write into a stream, or at the end of another process's file; refuse an unread pipe."""
    opened = _handle_of(path)
    if opened is not None and _is_of_this_process(opened):
        handle = os.dup(int(opened.name))
    else:
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK)
        os.set_blocking(handle, True)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file as a whole or not at all, as ``atomic_path`` does."""
    with atomic_path(path) as part:
        part.write_bytes(content)


def move(source: Path, target: Path) -> None:
    """Move a synced file into the place of another, in a folder that is made if needed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    os.replace(source, target)
    sync(target.parent)


@contextlib.contextmanager
def locked(folder: Path, on_note: Callable[[str], None] = lambda note: None) -> Iterator[None]:
    """Hold a folder for this process alone, or raise a StoreError that names the other.

    The system drops the lock of a process that ends, however it ends. The file that is left keeps
    nobody out; it says when a killed process began.
    """
    path = folder / LOCK
    refuse_link(path, "a lock")
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(_held(path))
        if left := file.read():
            if not _is_holder(left):
                raise not_of_mvcc(path, "a lock")
            on_note(
                f"{folder}: {_described(left)} ended without a word. Going on from what it stored."
            )
            file.seek(0)
            file.truncate()
        holder = dict(
            zip(_HOLDER, (os.getpid(), platform.node(), now(), command_line()), strict=True)
        )
        # it goes while it is still held; where that is impossible, a file that nobody holds keeps
        # nobody out
        stack.callback(_unlink, path)
        json.dump(holder, file)
        file.flush()
        yield


def refuse_link(path: Path, what: str) -> None:
    """Refuse a link, pipe or folder in the place of a file that only mvcc writes."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise not_of_mvcc(path, what)


def not_of_mvcc(path: Path, what: str) -> StoreError:
    """Return the error for a file of somebody else that is called like one of mvcc's own."""
    return StoreError(f"{path} is not {what} of mvcc. Move it away, or choose another folder.")


@contextlib.contextmanager
def _held(path: Path) -> Iterator[IO[str]]:
    import fcntl  # which not every system has

    while True:
        with open(path, "a+", encoding="utf-8", errors="replace") as file:
            file.seek(0)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise StoreError(
                    f"{path.parent} is in use: {_described(file.read())} writes to it. Wait until"
                    " that has ended, or choose another folder."
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
    if not _is_holder(content):
        return "another run"
    holder = json.loads(content)
    pid, host, started, command = (clipped(str(holder[key]), 300) for key in _HOLDER)
    return f"a run of process {pid} on {host}, begun {started} ({command}),"


def _is_holder(content: str) -> bool:
    try:
        return set(_HOLDER) <= set(parse_json(content))
    except (ValueError, TypeError):
        return False


def _unlink(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def sha256_of(content: bytes) -> str:
    """Return the sha256 of a file's content in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def sha256_of_file(path: Path) -> str:
    """Return the sha256 of a file, read in pieces."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def append_line(path: Path, line: str) -> None:
    """Add a line to a journal, synced; its line break comes first, after what was cut off."""
    with open(path, "a", encoding="utf-8") as journal:
        journal.write(f"\n{line}")
        journal.flush()
        os.fsync(journal.fileno())


def is_inside(name: str) -> bool:
    """Tell whether a name is that of a file of the results, and leads nowhere else."""
    return re.fullmatch(_NAME, name) is not None


def is_sha256(text: str) -> bool:
    """Tell whether a text is a checksum."""
    return re.fullmatch(r"[0-9a-f]{64}", text) is not None


def damage_of(content: bytes, known: Sequence[str]) -> str:
    """Say what is wrong with the content of a file that should have one of some checksums."""
    if not known:
        return "its checksum was never noted, so that no run has written it here"
    if (found := sha256_of(content)) in known:
        return ""
    return (
        f"it was changed since it was written: its sha256 begins with {found[:12]}, not with"
        f" {known[-1][:12]}"
    )


def sync(path: Path) -> None:
    """Wait until a file or folder is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def csv_bytes(rows: Iterable[Iterable[object]], delimiter: str = ",") -> bytes:
    """Write rows, names of columns first, as UTF-8 with a line feed after each."""
    lines = _Lines()
    # with this end of lines, csv quotes both of its characters inside values
    csv.writer(lines, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return "".join([f"{line[:-2]}\n" for line in lines]).encode()


class _Lines(list[str]):
    """The lines that a writer of the csv module writes."""

    write = list.append
