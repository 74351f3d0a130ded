"""Files, there as a whole or not at all, their checksums, the lock and the ledger of a folder."""

from __future__ import annotations

import contextlib
import csv
import errno
import hashlib
import json
import os
import platform
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

from mvcc._utils.environment import command_line, now
from mvcc._utils.messages import clipped
from mvcc._utils.reading import content_of, parse_json
from mvcc.exceptions import StoreError

LOCK, LEDGER, JOURNAL = ".mvcc-lock", ".mvcc-files", ".mvcc-exchange"
BOOKKEEPING = {LOCK, LEDGER, JOURNAL}  # of a folder, beside what commands write there
PART = "part"  # in place of a checksum: what goes after a kill
_MOST_LINKS = 40  # as many as Linux follows
_LONGEST = 255 - len("..4194304.part")  # bytes of a name beside which a part's fits
_HOLDER = ("pid", "host", "started", "command")
_HANDLE = re.compile(r"(?:/dev|/proc/[0-9]+(?:/task/[0-9]+)?)/fd/[0-9]+")
_NAME = r"(?:trials/)?\w[\w.]*"


def write_whole(path: Path, content: bytes) -> None:
    """Write a file as a whole or not at all: a synced part takes its place, unless that fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = part_of(path)
    try:
        part.write_bytes(content)
        sync(part)
        move(part, path)
    finally:
        part.unlink(missing_ok=True)


def part_of(path: Path) -> Path:
    """Return where this process writes a file before it takes its place."""
    return path.with_name(f".{stem_of(path.name)}.{os.getpid()}.part")


def stem_of(name: str) -> str:
    """Return what the name of a part has of a file's name: all, or as much as fits, and a hash."""
    encoded = os.fsencode(name)
    return name if len(encoded) <= _LONGEST else f"{name[:50]}-{sha256_of(encoded)[:16]}"


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
            break
        path = path.parent / os.readlink(path)
    return None


def send(path: Path, content: bytes) -> None:
    """Write into a stream, or at the end of another process's file; refuse an unread pipe."""
    opened = _handle_of(path)
    # in /dev, or in /proc/PID of this process
    if opened is not None and (opened.parts[1] == "dev" or opened.parts[2] == str(os.getpid())):
        handle = os.dup(int(opened.name))
    else:
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK)
        os.set_blocking(handle, True)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)


def move(source: Path, target: Path) -> None:
    """Move a synced file into the place of another, in a folder that is made if needed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    allow_as(target, source)
    os.replace(source, target)
    sync(target.parent)


def allow_as(former: Path, new: Path) -> None:
    """Let those read and write a new file, or a folder's, who might do so with a former one."""
    with contextlib.suppress(OSError):
        if new.is_dir():
            for inside in new.iterdir():
                allow_as(former / inside.name, inside)
        shutil.copymode(former, new)


@contextlib.contextmanager
def locked(folder: Path, on_note: Callable[[str], None] = lambda note: None) -> Iterator[None]:
    """Hold a folder for this process alone, or raise a StoreError that names the other."""
    # the system drops the lock of a process that ends, however it ends
    path = folder / LOCK
    refuse_link(path, "a lock")
    with _held(path) as file:
        if content := file.read():
            if not (former := _holder(content)):
                raise not_of_mvcc(path, "a lock")
            on_note(f"{folder}: {former} ended without a word. Going on from what it stored.")
            file.seek(0)
            file.truncate()
        holder = (os.getpid(), platform.node(), now(), command_line())
        try:
            json.dump(dict(zip(_HOLDER, holder, strict=True)), file)
            file.flush()
            yield
        finally:
            # it goes while it is still held; where that is impossible, a file that nobody holds
            # keeps nobody out
            with contextlib.suppress(OSError):
                path.unlink()


def refuse_link(path: Path, noun: str) -> None:
    """Refuse a link, pipe or folder in the place of a file that only mvcc writes."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise not_of_mvcc(path, noun)


def not_of_mvcc(path: Path, noun: str) -> StoreError:
    """Return the error for a file of somebody else that is called like one of mvcc's own."""
    return StoreError(f"{path} is not {noun} of mvcc. Move it away, or choose another folder.")


@contextlib.contextmanager
def _held(path: Path) -> Iterator[IO[str]]:
    import fcntl  # which not every system has

    while True:
        with open(path, "a+", encoding="utf-8", errors="replace") as file:
            file.seek(0)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = _holder(file.read()) or "another run"
                raise StoreError(
                    f"{path.parent} is in use: {holder} writes to it. Wait until that has ended, or"
                    " choose another folder."
                ) from None
            except OSError as error:
                path.unlink(missing_ok=True)
                raise StoreError(
                    f"{path.parent} is on a disk without locks ({error.strerror}), such as a"
                    " network disk. Choose a folder on another disk."
                ) from error
            if _is(path, file):
                yield file
                return


def _is(path: Path, file: IO[str]) -> bool:
    """Tell whether the open file is the one that has the path: a run that ends removes its own."""
    try:
        return os.path.samefile(path, file.fileno())
    except FileNotFoundError:
        return False


def _holder(content: str) -> str | None:
    """Say which run wrote a lock, None if none did."""
    try:
        holder = parse_json(content)
        pid, host, started, command = (clipped(str(holder[key]), 300) for key in _HOLDER)
    except (ValueError, TypeError, KeyError):
        return None
    return f"a run of process {pid} on {host}, begun {started} ({command}),"


def sha256_of(content: bytes) -> str:
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
    return re.fullmatch(r"[0-9a-f]{64}", text) is not None


def damage_of(content: bytes, known: Sequence[str]) -> str:
    """Say what is wrong with the content of a file that should have one of some checksums."""
    if not known:
        return "its checksum was never noted, so that no run has written it here"
    if (checksum := sha256_of(content)) in known:
        return ""
    return (
        f"it was changed since it was written: its sha256 begins with {checksum[:12]}, not with"
        f" {known[-1][:12]}"
    )


def sync(path: Path) -> None:
    """Wait until a file or folder is on the disk; some network disks refuse that for folders."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno != errno.EINVAL or not path.is_dir():
            raise
    finally:
        os.close(handle)


class Ledger:
    """The files that mvcc wrote into a folder, as far as its ``.mvcc-files`` names them."""

    def __init__(self, folder: Path, entries: Iterable[tuple[str, str, str]] = ()) -> None:
        self._folder = folder
        self.entries = set(entries)  # checksum, kind, name

    def note(self, name: str, checksum: str, kind: str) -> None:
        """Add a file before it takes its place: no file of ours is ever unknown."""
        entry = (checksum, kind, name)
        if entry not in self.entries:
            append_line(self._folder / LEDGER, json.dumps(entry))
            self.entries.add(entry)

    def names(self, kind: str) -> list[str]:
        """Return the files of a kind that are as mvcc wrote them."""
        listed = sorted({name for _, of_kind, name in self.entries if of_kind == kind})
        return [name for name in listed if not self.why_not_ours(name, kind)]

    def why_not_ours(self, name: str, kind: str) -> str:
        """Say why a file is not one that this kind of command wrote, or nothing if it is."""
        path = self._folder / name
        known = [(checksum, of_kind) for checksum, of_kind, entry in self.entries if entry == name]
        if not known or path.is_symlink() or link_before(self._folder, name) or not path.is_file():
            return "mvcc did not write it"
        checksum = sha256_of_file(path)
        if (checksum, kind) in known:
            return ""
        kinds = {of_kind for noted, of_kind in known if noted == checksum}
        return f"it belongs to {kinds.pop()}" if kinds else "it was changed since mvcc wrote it"

    def forget(self, kind: str) -> None:
        """Drop the entries of a kind, whose list of its own is complete."""
        remaining = sorted(entry for entry in self.entries if entry[1] != kind)
        path = self._folder / LEDGER
        if remaining:
            self.note(part_of(path).name, PART, LEDGER)
            write_whole(path, "\n".join(map(json.dumps, remaining)).encode())
        else:
            path.unlink(missing_ok=True)
        self.entries = set(remaining)

    def remove_empty(self) -> None:
        """Remove a ledger of files that do not exist, unless a journal of moves needs it."""
        names = [JOURNAL, *(name for _, _, name in self.entries)]
        if not any((self._folder / name).is_file() for name in names):
            (self._folder / LEDGER).unlink(missing_ok=True)


def link_before(root: Path, name: str) -> Path | None:
    """Return the first folder in the name of a file that is a link, if one is; mvcc makes none."""
    folders = [root / folder for folder in Path(name).parents][-2::-1]  # the last one is the root
    return next((folder for folder in folders if folder.is_symlink()), None)


def entries_in(ledger: Path) -> Iterator[tuple[str, str, str]]:
    """Read a ledger, without lines that were cut off; refuse a file that is none."""
    refuse_link(ledger, "the list of files")
    if not ledger.exists():
        return
    lines = content_of(ledger).decode("utf-8", errors="replace").lstrip("\n").split("\n")
    if lines[0] and not lines[0].startswith("["):
        raise not_of_mvcc(ledger, "the list of files")
    for line in lines:
        with contextlib.suppress(ValueError, TypeError):
            checksum, kind, name = parse_json(line)
            is_text = all(isinstance(field, str) for field in (checksum, kind, name))
            # somebody may have edited the ledger, so that a name leads elsewhere
            if is_text and name and not os.path.isabs(name) and ".." not in Path(name).parts:
                yield checksum, kind, name


def csv_bytes(rows: Iterable[Iterable[object]], delimiter: str = ",") -> bytes:
    """Write rows, names of columns first, as UTF-8 with a line feed after each."""
    lines = _Lines()
    # with this end of lines, csv quotes both of its characters inside values
    csv.writer(lines, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return "".join([f"{line[:-2]}\n" for line in lines]).encode()


class _Lines(list[str]):
    """The lines that a writer of the csv module writes."""

    write = list.append
