"""The mistakes of a configuration: where each was made, and one message for all of them."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple, TypeAlias

from mvcc._utils.messages import clipped
from mvcc.exceptions import ConfigError

KeyPath: TypeAlias = tuple[str | int, ...]

MAX_SHOWN = 50


class Place(NamedTuple):
    """The file and line of something written."""

    order: int  # the line of the file; options come after all lines
    label: str  # what messages call it


class Problems:
    """The problems found so far in a file, and the place of each of its values.

    ``check`` is the command that checks the file again.
    """

    def __init__(self, source: str | os.PathLike[str], check: str) -> None:
        self.source = os.fspath(source)
        self._check = check
        self._found: dict[KeyPath, tuple[Place, str]] = {}
        self._places: dict[KeyPath, Place] = {}

    def __bool__(self) -> bool:
        return bool(self._found)

    def line(self, number: int) -> Place:
        """Return the place that is a line of the file."""
        return Place(number, f"{self.source}:{number}")

    @staticmethod
    def option(label: str) -> Place:
        """Return the place that is an option of the command line."""
        return Place(sys.maxsize, label)

    def mark(self, path: KeyPath, place: Place) -> None:
        """Note where `path` is written, unless that is known."""
        self._places.setdefault(path, place)

    def forget(self, path: KeyPath) -> None:
        """Drop the places of `path` and of all inside it."""
        for known in [known for known in self._places if known[: len(path)] == path]:
            del self._places[known]

    def place(self, path: KeyPath) -> Place:
        """Return where `path` is written or, if it is not, the section that it belongs in."""
        while path and path not in self._places:
            path = path[:-1]
        return self._places.get(path, self.line(1))

    def report(self, path: KeyPath, text: str, place: Place | None = None) -> None:
        """Note a problem, unless the same value or a section around it has one already."""
        if any(path[:length] in self._found for length in range(len(path) + 1)):
            return
        place = place or self.place(path)
        name = f"{_dotted(path)}: " if path else ""
        self._found[path] = (place, f"{place.label}: {name}{text}")

    def error(self) -> ConfigError:
        """Return all problems as one error: those of the file in its order, then the options'."""
        lines = [text for _, text in sorted(self._found.values())]
        count = len(lines)
        again = f"{self._check} --set …" if lines[-1].startswith("--set") else self._check
        if count > MAX_SHOWN:
            lines[MAX_SHOWN:] = [f"… and {count - MAX_SHOWN} more."]
        first = f"{count} problem{'s' if count > 1 else ''} in {self.source}:"
        last = f"Correct {'them' if count > 1 else 'it'}, then check again with: {again}"
        return ConfigError("\n".join([first, *lines, last]))


def _dotted(path: KeyPath) -> str:
    keys = clipped(".".join(clipped(part) for part in path if isinstance(part, str)), 200)
    items = [f"item {part + 1}" for part in path if isinstance(part, int)]
    return ": ".join([keys, *items] if keys else items)
