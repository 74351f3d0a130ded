"""The ledger of a folder: which files mvcc wrote there, with the kind of command and checksum."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from mvcc._utils.files import (
    append_line,
    move,
    not_of_mvcc,
    part_of,
    refuse_link,
    sha256_of_file,
    sync,
)
from mvcc._utils.reading import content_of, parse_json

LEDGER = ".mvcc-files"
PART, FORMER = "part", "former"  # in place of a checksum: what goes or comes back after a kill
_MANY_ENTRIES = 2000


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
        kinds = {of_kind for own, of_kind in known if own == checksum}
        return f"it belongs to {kinds.pop()}" if kinds else "it was changed since mvcc wrote it"

    def forget(self, kind: str) -> None:
        """Drop the entries of a kind, whose list of its own is complete."""
        self._rewrite(entry for entry in self.entries if entry[1] != kind)

    def shorten(self) -> None:
        """Drop the entries of former versions of files once they are many."""
        if len(self.entries) < _MANY_ENTRIES:
            return
        kept = []
        for entry in sorted(self.entries):
            path = self._folder / entry[2]
            if path.is_file() and entry[0] == sha256_of_file(path):
                kept.append(entry)
        self._rewrite(kept)

    def _rewrite(self, entries: Iterable[tuple[str, str, str]]) -> None:
        """Write the ledger anew as a whole, or remove it if it has no entries."""
        kept = sorted(entries)
        if kept:
            part = part_of(self._folder / LEDGER)
            self.note(part.name, PART, LEDGER)
            part.write_bytes("\n".join(map(json.dumps, kept)).encode())
            sync(part)
            move(part, self._folder / LEDGER)
        else:
            (self._folder / LEDGER).unlink(missing_ok=True)
        self.entries = set(kept)

    def remove_empty(self) -> None:
        """Remove a ledger of files that do not exist."""
        if not any((self._folder / name).is_file() for _, _, name in self.entries):
            (self._folder / LEDGER).unlink(missing_ok=True)


def link_before(root: Path, name: str) -> Path | None:
    """Return the first folder in the name of a file that is a link, if one is.

    Mvcc makes none.
    """
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
        with suppress(ValueError, TypeError):
            checksum, kind, name = parse_json(line)
            if all(isinstance(one, str) for one in (checksum, kind, name)) and _is_inside(name):
                yield checksum, kind, name


def _is_inside(name: str) -> bool:
    """Tell whether a name leads nowhere else: somebody may have edited the ledger."""
    return bool(name) and not os.path.isabs(name) and ".." not in Path(name).parts
