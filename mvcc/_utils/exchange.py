"""Files that take the places of former ones, all or none, whatever stops that.

Before the first move, a journal in the folder names the checksums of all that comes, and where all
that goes is put aside. An error undoes the moves at once. After a kill the next command undoes
them, or finishes them if all new files have come: the last one is there, and no part waits.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Collection, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from mvcc._utils import files
from mvcc._utils.files import BOOKKEEPING, JOURNAL, PART, Ledger, link_before
from mvcc._utils.reading import content_of
from mvcc.exceptions import StoreError

_LEFT = re.compile(r"\.(.+)\.[0-9]+\.(part|old)", re.DOTALL)


class _Moves(NamedTuple):
    """The checksums of new files, and where former ones are, by name in the order of the moves."""

    new: dict[str, str]
    aside: dict[str, str]


class Exchange:
    """The moves in a folder that is locked; `touched` are the folders that these may empty."""

    def __init__(self, folder: Path, ledger: Ledger) -> None:
        self._folder, self._ledger = folder, ledger
        self.touched = set[Path]()

    def run(
        self,
        parts: Mapping[str, Path],
        new: Mapping[str, str],
        former: Collection[str],
        kind: str,
        superseded: Collection[str] = (),
    ) -> None:
        """Move files, or whole folders, into the places of former ones, all or none.

        The last one is the first to go and the last to come: without it, the others are incomplete.
        `new` has the checksums of all files; `superseded` of what is held aside goes as well.
        """
        *_, last = parts
        held = self._read().aside
        aside = {name: self._free(name) for name in sorted(former, key=lambda name: name != last)}
        for path in aside.values():
            self._ledger.note(path, PART, kind)
        gone = {*former, *superseded}
        remaining = _Moves({}, {name: path for name, path in held.items() if name not in gone})
        has_moved = False
        try:
            self._write(_Moves(dict(new), {**held, **aside}))
            for name, path in aside.items():
                if name in parts:
                    files.allow_as(self._folder / name, parts[name])
                files.move(self._folder / name, self._folder / path)
            for name, part in parts.items():
                files.move(part, self._folder / name)
            has_moved = True
            self._write(remaining)
        except BaseException as error:
            if not (has_moved and self._read() == remaining):
                with suppress(OSError, StoreError):  # then the next command does it
                    self._undo()
                raise
            if not isinstance(error, OSError):
                raise
        else:
            self._touch([*parts, *aside])
            for path in {*held.values(), *aside.values()} - {*remaining.aside.values()}:
                remove(self._folder / path, ignore_errors=True)

    def held(self) -> list[str]:
        """Return the names of former files whose places somebody else's files have taken."""
        return [*self._read().aside]

    def is_stopped(self) -> bool:
        """Tell whether moves could not be undone: what has not come stays, since it tells so."""
        try:
            return bool(self._read().new)
        except (OSError, StoreError):
            return True

    def repair(self) -> None:
        """Undo or finish moves that a kill has stopped, then remove what killed processes left."""
        new, aside = self._read()
        if new and self._have_all_moved(new, aside):
            self._touch([*new, *aside])
            self._write(_Moves({}, self._taken(new, aside)))
        else:
            self._undo()
        held = {*self._read().aside.values()}
        for checksum, _, name in self._ledger.entries:
            path = self._folder / name
            if checksum != PART or name in held or not os.path.lexists(path):
                continue
            if _LEFT.fullmatch(path.name) and not _leads_away(self._folder, name):
                remove(path)
                self._touch([name])

    def _have_all_moved(self, new: Mapping[str, str], aside: Mapping[str, str]) -> bool:
        """Tell whether all that goes is aside, the last of what comes is there, and none waits."""
        # Others that are not there any more, or not as they came, were changed after that. The last
        # one alone proves nothing: a former one with the same bytes may have been put back by hand.
        *_, last = new.items()
        are_aside = all(_is_there(self._folder / path) for path in aside.values())
        return are_aside and self._has_come(*last) and not self._waits()

    def _waits(self) -> bool:
        """Tell whether a new file, or one of a new folder, is still where it was written."""
        parts = [
            self._folder / name
            for checksum, kind, name in self._ledger.entries
            if checksum == PART and kind not in BOOKKEEPING and name.endswith(".part")
        ]
        return any(file.is_file() for part in parts for file in (part, *part.rglob("*")))

    def _has_come(self, name: str, checksum: str) -> bool:
        path = self._folder / name
        is_file = path.is_file() and not _leads_away(self._folder, name)
        return is_file and files.sha256_of_file(path) == checksum

    def _taken(self, new: Mapping[str, str], aside: Mapping[str, str]) -> dict[str, str]:
        """Return where former files are whose places somebody else's files have taken."""
        ours = {str(outer) for name in new for outer in (name, *PurePosixPath(name).parents)}
        return {
            name: path
            for name, path in aside.items()
            if name not in ours and _is_there(self._folder / name)
        }

    def _undo(self) -> None:
        """Remove what came, and put back what went where nothing else is by now."""
        new, aside = moves = self._read()
        if moves == _Moves({}, {}):
            return
        self._touch([*new, *aside])
        for name, checksum in reversed(new.items()):
            around = [name, *map(str, PurePosixPath(name).parents)]
            came_for = next((aside[outer] for outer in around if outer in aside), None)
            if came_for is not None and not _is_there(self._folder / came_for):
                continue  # here is the former one, even if it has the same bytes
            if self._has_come(name, checksum):
                (self._folder / name).unlink()
        for name, former in reversed(aside.items()):
            self._put_back(name, former)
        held = {name: former for name, former in aside.items() if _is_there(self._folder / former)}
        if (remaining := _Moves({}, held)) != moves:
            for folder in {(self._folder / name).parent for name in [*new, *aside]}:
                if folder.is_dir():
                    files.sync(folder)
            self._write(remaining)

    def _put_back(self, name: str, aside: str) -> None:
        target, source = self._folder / name, self._folder / aside
        if not _is_there(source) or _leads_away(self._folder, aside):
            return
        if target.is_dir() and not target.is_symlink():
            with suppress(OSError):  # an empty folder is nothing to lose, any other one stays
                target.rmdir()
        if not _is_there(target):
            try:
                files.move(source, target)
            except OSError:
                if _is_there(source):  # else it moved, and only its folder is not synced yet
                    raise

    def _touch(self, names: Collection[str]) -> None:
        for name in names:
            self.touched.update(self._folder / parent for parent in [*Path(name).parents][:-1])

    def _free(self, name: str) -> str:
        """Return a name beside a file that nothing has: numbers of processes come again."""
        stem = files.stem_of(Path(name).name)
        beside = (Path(name).with_name(f".{stem}.{n}.old") for n in count(os.getpid()))
        return next(path.as_posix() for path in beside if not _is_there(self._folder / path))

    def _write(self, moves: _Moves) -> None:
        path = self._folder / JOURNAL
        if moves == _Moves({}, {}):
            path.unlink(missing_ok=True)
            files.sync(self._folder)
        else:
            self._ledger.note(files.part_of(path).name, PART, JOURNAL)
            files.write_whole(path, json.dumps(moves._asdict()).encode())

    def _read(self) -> _Moves:
        """Return what the journal says, or nothing without one; refuse one that was changed."""
        path = self._folder / JOURNAL
        files.refuse_link(path, "the list of moves")
        if not path.exists():
            return _Moves({}, {})
        # the ledger has all of it, with names that lead nowhere else
        noted = {(checksum, name) for checksum, _, name in self._ledger.entries}
        try:
            moves = _Moves(**json.loads(content_of(path)))
            named = [(checksum, name) for name, checksum in moves.new.items()]
            named += [(PART, former) for former in moves.aside.values()]
            are_beside = [_is_beside(former, name) for name, former in moves.aside.items()]
            is_ours = noted.issuperset(named) and all(are_beside)
        except (ValueError, TypeError, AttributeError, RecursionError):
            is_ours = False
        if not is_ours:
            raise StoreError(
                f"{path}, which tells where former files are, is damaged or was changed. Rename"
                " the files that end in .old and that you need, then remove it, or choose another"
                " folder."
            )
        return moves


def is_aside(path: Path) -> bool:
    """Tell whether a file is not there since moves were stopped, or go on, that put it aside."""
    if os.path.lexists(path):
        return False
    try:
        return path.name in json.loads(content_of(path.parent / JOURNAL))["aside"]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return False


def remove(path: Path, *, ignore_errors: bool = False) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors)
    else:
        try:
            path.unlink(missing_ok=True)
        except OSError:
            if not ignore_errors:
                raise


def _is_beside(aside: str, name: str) -> bool:
    path, held = PurePosixPath(name), PurePosixPath(aside)
    match = _LEFT.fullmatch(held.name)
    return match is not None and (held.parent, match[1]) == (path.parent, files.stem_of(path.name))


def _leads_away(folder: Path, name: str) -> bool:
    return (folder / name).is_symlink() or link_before(folder, name) is not None


def _is_there(path: Path) -> bool:
    """Tell whether something has a path; that it cannot be looked at is an error."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True
