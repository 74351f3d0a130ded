"""Files: there as a whole or not at all, their checksums, their text, tables as CSV."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from mvcc._utils.environment import command_line, now
from mvcc._utils.messages import clipped
from mvcc._utils.reading import content_of, parse_json
from mvcc.exceptions import MvccError, StoreError


def decoded(content: bytes, place: str, error: type[MvccError], lines_before: int = 0) -> str:
    """Return the text of a file in UTF-8, with or without a byte-order mark; ``error`` is raised for what is none."""
    before, binary, _ = content.partition(b"\0")
    what = "this is a binary file (or UTF-16), no text; save it as UTF-8"
    if not binary:
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as bad:
            before, what = bad.object[: bad.start], "this is not UTF-8 text; save the file as UTF-8"
    line = lines_before + before.count(b"\n") + 1
    raise error(f"{place}:{line}: {what}.")


JOURNAL = "checksums.txt"
LOCK = ".mvcc-lock"
_STANDARD = {Path("/dev/stdout"): 1, Path("/dev/stderr"): 2}
_HOLDER = ("pid", "host", "started", "command")
_PART = re.compile(r"\.(.+)\.[0-9]+\.part", re.DOTALL)
_NAME = r"(?:trials/)?\w[\w.]*"
_ENTRY = re.compile(rf"([0-9a-f]{{64}})  ({_NAME})")

Checksums = dict[str, list[str]]  # the latest last


@contextlib.contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Give a temporary path beside ``path``, whose file takes its place, synced, unless something goes wrong.

    The folder is made where it does not exist.
    """
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
    return path.parent == Path("/dev") or path.is_fifo() or path.is_char_device()


def send(path: Path, content: bytes) -> None:
    """Write into a stream; standard output, a file that the shell has opened, goes on where it is.

    A pipe that nobody reads is an error: it would keep the process for ever.
    """
    if path in _STANDARD:
        handle = os.dup(_STANDARD[path])
    else:
        handle = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        os.set_blocking(handle, True)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file as a whole or not at all, as ``atomic_path`` does."""
    with atomic_path(path) as part:
        part.write_bytes(content)


def move(source: Path, target: Path) -> None:
    """Move a file that is synced into the place of another, in a folder that is made where it does not exist."""
    target.parent.mkdir(parents=True, exist_ok=True)
    os.replace(source, target)
    sync(target.parent)


def remove_parts(folder: Path, is_ours: Callable[[str], object]) -> None:
    """Remove what killed processes have left of files and folders whose names are ours; all others stay.

    The names of folders end with a slash. The folder must be locked: no other process writes there.
    """
    for path in parts_in(folder, is_ours):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def parts_in(folder: Path, is_ours: Callable[[str], object]) -> list[Path]:
    """Return the unfinished files and folders whose names are ours, without links."""
    found = []
    for path in folder.glob(".*.part"):
        part = _PART.fullmatch(path.name)
        if part and not path.is_symlink() and is_ours(part[1] + "/" * path.is_dir()):
            found.append(path)
    return found


@contextlib.contextmanager
def locked(folder: Path, on_note: Callable[[str], None] = lambda note: None) -> Iterator[None]:
    """Hold a folder for this process alone; another one is told who writes to it.

    The system drops the lock of a process that ends, however it ends. A file that is left does
    not keep anybody out, but it says when a killed process began.

    Raises StoreError: if another process holds the folder, or the file is of another program.
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
        # it goes while it is still held; where that is impossible, a file that nobody holds keeps nobody out
        stack.callback(_unlink, path)
        json.dump(holder, file)
        file.flush()
        yield


def refuse_link(path: Path, what: str) -> None:
    """Refuse a link, pipe or folder in the place of a file that only mvcc writes: it would write elsewhere."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise not_of_mvcc(path, what)


def not_of_mvcc(path: Path, what: str) -> StoreError:
    """Return the error for a file of somebody else that is called like one of mvcc's own."""
    return StoreError(
        f"{path} is not {what} of mvcc. Move it away, or choose another folder by --out."
    )


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


def note_checksum(folder: Path, name: str, checksum: str) -> None:
    """Add the checksum of a file that is about to be written to the journal of its folder.

    It is there before the file is, so that no file is ever there without one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    append_line(folder / JOURNAL, f"{checksum}  {name}")


def append_line(path: Path, line: str) -> None:
    """Add a line to a journal, on the disk when this returns.

    It begins with its line break: a line that was cut off by a full disk or a killed process does not spoil the next.
    """
    with open(path, "a", encoding="utf-8") as journal:
        journal.write(f"\n{line}")
        journal.flush()
        os.fsync(journal.fileno())


def known_checksums(folder: Path, listed: Mapping[str, str]) -> Checksums:
    """Return the checksums that each file of a folder may have: the one listed in its manifest, those in its journal.

    A process that is killed between journal and file leaves the former file in place, which is as good as the new one.
    """
    known: Checksums = {name: [checksum] for name, checksum in listed.items()}
    try:
        journal = content_of(folder / JOURNAL).decode(errors="replace")
    except FileNotFoundError:
        return known
    for line in journal.split("\n"):
        if entry := _ENTRY.fullmatch(line):
            known.setdefault(entry[2], []).append(entry[1])
    return known


def is_journal(path: Path) -> bool:
    """Tell whether a file is a journal of checksums, or none is there; the last line may be cut off."""
    try:
        first = content_of(path).lstrip(b"\n").split(b"\n")[0].decode(errors="replace")
    except FileNotFoundError:
        return True
    return re.fullmatch(r"[0-9a-f]{0,64}|[0-9a-f]{64} .*", first) is not None


def is_inside(name: str) -> bool:
    """Tell whether a name is that of a file of the results, and leads nowhere else."""
    return re.fullmatch(_NAME, name) is not None


def damage_of(content: bytes, known: Sequence[str]) -> str:
    """Say what is wrong with the content of a file that should have one of some checksums, or nothing if it has."""
    if not known:
        return "its checksum was never noted, so that no run has written it here"
    if (found := sha256_of(content)) in known:
        return ""
    return f"it was changed since it was written: its sha256 begins with {found[:12]}, not with {known[-1][:12]}"


def sync(path: Path) -> None:
    """Wait until a file or folder is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def csv_bytes(rows: Iterable[Iterable[object]], delimiter: str = ",") -> bytes:
    """Write rows, the first of them the names of the columns, as UTF-8 with a line feed after each."""
    return "".join(
        f"{delimiter.join(_quoted(str(value), delimiter) for value in row)}\n" for row in rows
    ).encode()


def _quoted(value: str, delimiter: str) -> str:
    """Quote a value where CSV asks for it, also one with a bare carriage return, which the csv module forgets."""
    return (
        '"' + value.replace('"', '""') + '"'
        if any(mark in value for mark in f'{delimiter}"\r\n')
        else value
    )
