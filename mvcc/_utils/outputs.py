"""Files that a command writes: one rule for all commands.

A file that exists is replaced only if the user asks for it (``--fresh``), only by the kind of
command that wrote it, and only if nobody has changed it since. The ledger of a folder names the
files that mvcc wrote there, with kind and checksum. All other files stay, whatever they are called.
One process at a time writes to a folder.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Self

from mvcc._utils import files
from mvcc._utils.exchange import Exchange, remove
from mvcc._utils.files import JOURNAL, LEDGER, PART, Ledger, entries_in, link_before
from mvcc._utils.messages import why_unwritten
from mvcc.exceptions import StoreError


class OutputFolder:
    """A folder that a command writes files of one kind to, such as "labels", locked while open.

    Those that exist are replaced only if `fresh`, which is None where this is never offered, and
    `inputs` never. Messages offer `elsewhere`; `on_note` learns of a process that was killed.
    """

    def __init__(
        self,
        path: Path,
        kind: str,
        *,
        fresh: bool | None = False,
        inputs: Iterable[str | Path] = (),
        elsewhere: str = "choose another --out",
        on_note: Callable[[str], None] = lambda note: None,
    ) -> None:
        self.path, self.kind, self.fresh, self.elsewhere = path, kind, fresh, elsewhere
        self.kept = elsewhere  # what to do about a file that is not replaced
        self.on_note = on_note
        self._inputs = [Path(os.path.realpath(path)) for path in inputs]
        self._ledger = Ledger(path)
        self._exchange = Exchange(path, self._ledger)
        self._made: list[Path] = []
        self._open = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack, self.explained(self.path):
            stack.callback(self._remove_empty)
            self._make(self.path)
            stack.enter_context(files.locked(self.path, self.on_note))
            self._ledger = Ledger(self.path, entries_in(self.path / LEDGER))
            if not self._ledger.entries:
                stack.callback(self._ledger.remove_empty)
            self._exchange = Exchange(self.path, self._ledger)
            self._exchange.repair()
            self._open = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def names(self) -> list[str]:
        """Return the files of this kind that are as mvcc wrote them here."""
        return self._ledger.names(self.kind)

    def was_used(self) -> bool:
        """Tell whether this kind of command has written here before."""
        return any(kind == self.kind for _, kind, _ in self._ledger.entries)

    def adopt(self, contents: Mapping[str, bytes], kinds: Mapping[str, str]) -> None:
        """Take files that have exactly these bytes for mvcc's own, as in a copy without ledger."""
        for name, content in contents.items():
            if self._has(name, content):
                self._note(name, files.sha256_of(content), kinds.get(name))

    def refuse_taken(
        self, names: Iterable[str], kind: str | None = None, *, folders: bool = False
    ) -> None:
        """Refuse names of files, or folders, that may not be written, before that is computed."""
        for name in names:
            self.refuse_inputs([name])
            with self.explained(self.path / name):
                if link := link_before(self.path, name):
                    raise StoreError(
                        f"{link} is a link, and mvcc would write to where it leads."
                        f" {self._instead}."
                    )
                if os.path.lexists(self.path / name):
                    self._refuse_kept(name, kind or self.kind, folders)

    def refuse_inputs(self, names: Iterable[str]) -> None:
        """Refuse names of files that the command reads, and places inside of folders it reads."""
        for name in names:
            target = self.path / name
            real = Path(os.path.realpath(target))
            for path in self._inputs:
                if path == real:
                    why = "is read and would be overwritten"
                elif path.is_relative_to(real):
                    why = f"holds {path.relative_to(real)}, which is read and would be overwritten"
                elif os.path.isdir(path) and real.is_relative_to(path):
                    why = f"lies in {path}, which is read: nothing is written there"
                else:
                    continue
                raise StoreError(f"{target} {why}. {self._instead}.")

    def write(
        self,
        contents: Mapping[str, bytes],
        kinds: Mapping[str, str] = MappingProxyType({}),
        own: Collection[str] = (),
    ) -> None:
        """Write files by name, in this order; a file that has its bytes already stays as it is.

        All are on the disk and in the ledger before the first one takes its place. ``kinds`` names
        files of another kind; ``own`` those that are the command's own, whether the ledger has it.
        """
        contents = {name: new for name, new in contents.items() if not self._has(name, new)}
        for name in contents:
            if name not in own:
                self.refuse_taken([name], kinds.get(name))
        with self.explained(self.path), ExitStack() as stack:
            parts = {}
            for name, new in contents.items():
                with self.explained(self.path / name):
                    parts[name] = stack.enter_context(self._part(name))
                    parts[name].write_bytes(new)
                    files.sync(parts[name])
            for name in parts:
                if name not in own:
                    self._note(name, files.sha256_of(contents[name]), kinds.get(name))
            for name, part in parts.items():
                with self.explained(self.path / name):
                    files.move(part, self.path / name)

    def put(self, name: str, content: bytes, *, noted: bool = True) -> None:
        """Write a file over one that the command knows to be its own, whether the ledger has it."""
        with self.explained(self.path / name), self._part(name) as part:
            part.write_bytes(content)
            files.sync(part)
            if noted:
                self._note(name, files.sha256_of(content))
            files.move(part, self.path / name)

    def forget(self) -> None:
        """Drop the entries of this kind of command, whose list of its own is complete."""
        self._ledger.forget(self.kind)

    @contextmanager
    def writing(self, *names: str) -> Iterator[list[Path]]:
        """Give paths of files, or folders, that take the places of names once all are whole."""
        with self.explained(self.path / os.path.commonpath(names)), ExitStack() as stack:
            parts = {name: stack.enter_context(self._part(name)) for name in names}
            yield [*parts.values()]
            new = dict[str, str]()
            for name, part in parts.items():
                self.refuse_taken([name], folders=part.is_dir())
                files.sync(part)
                for file in _files_at(part):
                    files.sync(file)
                    inside = Path(name, file.relative_to(part)).as_posix()
                    new[inside] = files.sha256_of_file(file)
                    self._note(inside, new[inside])
            if len(parts) == 1 and not part.is_dir():  # it takes the place of another one at once
                files.move(part, self.path / name)
                return
            former = [name for name in names if (self.path / name).exists()]
            self._exchange.run(parts, new, former, self.kind)

    @contextmanager
    def staged(self, name: str) -> Iterator[Path]:
        """Give a new folder beside the others that is removed in the end, also after a kill."""
        with self.explained(self.path / name), self._part(name) as part:
            part.mkdir()
            yield part

    def replace_all(self, staged: Path, last: str, kinds: Mapping[str, str]) -> None:
        """Put the files of a staged folder into the place of all that this kind of command wrote.

        ``last`` is the first to go and the last to come: without it, the others are incomplete.
        ``kinds`` names files of another kind.
        """
        inside = [path for path in sorted(staged.rglob("*")) if not path.is_dir()]
        names = [path.relative_to(staged).as_posix() for path in inside]
        names.sort(key=lambda name: name == last)
        for name in names:
            self.refuse_taken([name], kinds.get(name))
        with self.explained(self.path):
            others = [
                name for name, kind in kinds.items() if not self._ledger.why_not_ours(name, kind)
            ]
            former = [*self.names(), *others]
            self.refuse_inputs(former)
            new = dict[str, str]()
            for name in names:
                files.sync(staged / name)
                new[name] = files.sha256_of_file(staged / name)
                self._note(name, new[name], kinds.get(name))
            parts = {name: staged / name for name in names}
            noted = {name for _, kind, name in self._ledger.entries if kind == self.kind}
            superseded = noted.intersection(self._exchange.held())
            self._exchange.run(parts, new, former, self.kind, superseded)

    @contextmanager
    def explained(self, path: Path) -> Iterator[None]:
        """Say of a file that cannot be written why, and what to do."""
        try:
            yield
        except OSError as error:
            why = why_unwritten(error, self.elsewhere)
            raise StoreError(f"{path} cannot be written: {why}") from error

    def _refuse_kept(self, name: str, kind: str, folders: bool) -> None:
        path = self.path / name
        if path.is_dir() and not (path.is_symlink() or folders):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        inside = [file.relative_to(self.path).as_posix() for file in _files_at(path)]
        if not inside:  # an empty folder may be replaced by a folder
            return
        if not self.fresh:
            or_fresh = "" if self.fresh is None else ", or replace it with --fresh"
            raise StoreError(f"{path} exists. {self._instead}{or_fresh}.")
        for file in inside:
            if why := self._ledger.why_not_ours(file, kind):
                advice = f"{self.kept[0].upper()}{self.kept[1:]}"
                raise StoreError(f"{self.path / file} is not replaced: {why}. {advice}.")

    @property
    def _instead(self) -> str:
        return f"{self.elsewhere[0].upper()}{self.elsewhere[1:]}"

    def _has(self, name: str, content: bytes) -> bool:
        path = self.path / name
        with self.explained(path):
            if not path.is_file() or path.is_symlink() or path.stat().st_size != len(content):
                return False
            return path.read_bytes() == content

    @contextmanager
    def _part(self, name: str) -> Iterator[Path]:
        """Give the part of a file or folder to be written, removed in the end unless it moved."""
        part = files.part_of(self.path / name)
        self._make(part.parent)
        self._note(part.relative_to(self.path).as_posix(), PART)  # known after a kill
        try:
            yield part
        finally:
            if not self._exchange.is_stopped():
                remove(part, ignore_errors=True)  # which would hide why it was not finished

    def _note(self, name: str, checksum: str, kind: str | None = None) -> None:
        self._ledger.note(name, checksum, kind or self.kind)

    def _make(self, folder: Path) -> None:
        self._made += [path for path in (folder, *folder.parents) if not path.exists()]
        folder.mkdir(parents=True, exist_ok=True)

    def _remove_empty(self) -> None:
        """Remove the folders that were made, or that hold nothing any more."""
        emptied = {*self._made, *self._exchange.touched}
        for folder in sorted(emptied, key=lambda path: -len(path.parts)):
            with suppress(OSError):  # it is not empty, as it should be
                folder.rmdir()


def _files_at(path: Path) -> list[Path]:
    """Return the files in a folder; of anything else, itself."""
    return sorted(path.iterdir()) if path.is_dir() and not path.is_symlink() else [path]


def check_output(
    path: Path, kind: str, *, fresh: bool = False, inputs: Iterable[str | Path] = ()
) -> None:
    """Refuse a file that `write_output` would refuse, before its content is computed."""
    if files.is_stream(path):
        return
    with OutputFolder(path.parent, kind, fresh=fresh, inputs=inputs) as folder:
        folder.refuse_taken([path.name])


def write_output(
    path: Path, content: bytes, kind: str, *, fresh: bool = False, inputs: Iterable[str | Path] = ()
) -> None:
    """Write one file, as `OutputFolder.write` does; a pipe such as /dev/stdout takes the bytes."""
    if not files.is_stream(path):
        with OutputFolder(path.parent, kind, fresh=fresh, inputs=inputs) as folder:
            folder.write({path.name: content})
        return
    try:
        files.send(path, content)
    except OSError as error:
        why = why_unwritten(error, "choose another --out")
        if error.errno == errno.ENXIO:
            why = "nobody reads from this pipe. Read from it first, or choose another --out."
        raise StoreError(f"{path} cannot be written: {why}") from error


def put_back(folder: Path, on_note: Callable[[str], None] = lambda note: None) -> None:
    """Put former files back where a kill has stopped their exchange, before they are read."""
    if os.path.lexists(folder / JOURNAL):
        with OutputFolder(folder, "", on_note=on_note):
            pass


def replace_file(path: Path, content: bytes) -> None:
    """Write the file that a caller in Python names; a link or a pipe stays what it is."""
    if files.is_stream(path):
        files.send(path, content)
    else:
        files.write_whole(Path(os.path.realpath(path)), content)
