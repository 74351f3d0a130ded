"""The mistakes of a configuration: where each was made, and one message for all of them."""

from __future__ import annotations

import os
import reprlib
import sys
from typing import Any, NamedTuple, TypeAlias

from mvcc._utils.messages import clipped
from mvcc.exceptions import ConfigError

KeyPath: TypeAlias = tuple[str | int, ...]

MAX_SHOWN = 50


class Place(NamedTuple):
    """Where something is written: what sorts it, and what a message calls it."""

    order: int
    label: str


class Problems:
    """The problems found so far in a file, the place of each of its values, and the command that checks it again."""

    def __init__(self, source: str | os.PathLike[str], check: str) -> None:
        self.source = os.fspath(source)
        self._check = check
        self._found: list[tuple[Place, str]] = []
        self._reported: set[KeyPath] = set()
        self._places: dict[KeyPath, Place] = {}

    def __bool__(self) -> bool:
        return bool(self._found)

    def line(self, number: int) -> Place:
        """Return the place that is a line of the file."""
        return Place(number, f"{self.source}:{number}")

    @staticmethod
    def option(label: str) -> Place:
        """Return the place that is an option, which comes after all lines of the file."""
        return Place(sys.maxsize, label)

    def mark(self, path: KeyPath, place: Place) -> None:
        """Note where `path` is written; what was noted first stays."""
        self._places.setdefault(path, place)

    def forget(self, path: KeyPath) -> None:
        """Drop the places of `path` and of all inside it."""
        self._places = {known: place for known, place in self._places.items() if known[: len(path)] != path}

    def place(self, path: KeyPath) -> Place:
        """Return where `path` is written or, if it is not, the section that it belongs in."""
        while path and path not in self._places:
            path = path[:-1]
        return self._places.get(path, self.line(1))

    def report(self, path: KeyPath, text: str, place: Place | None = None) -> None:
        """Note a problem, unless the same value or a section around it has one already."""
        if any(path[:length] in self._reported for length in range(len(path) + 1)):
            return
        self._reported.add(path)
        self.add(f"{_dotted(path)}: {text}" if path else text, place or self.place(path))

    def add(self, text: str, place: Place) -> None:
        """Note a problem that belongs to no value."""
        self._found.append((place, f"{place.label}: {text}"))

    def error(self) -> ConfigError:
        """Return all problems as one error: those of the file in its order, then those of the command line."""
        lines = [text for _, text in sorted(self._found)]
        count = len(lines)
        again = f"{self._check}{' --set …' if lines[-1].startswith('--set') else ''}"
        if count > MAX_SHOWN:
            lines[MAX_SHOWN:] = [f"… and {count - MAX_SHOWN} more."]
        first = f"{count} problem{'s' if count > 1 else ''} in {self.source}:"
        last = f"Correct {'them' if count > 1 else 'it'}, then check again with: {again}"
        return ConfigError("\n".join([first, *lines, last]))


def shown(value: Any) -> str:
    """Return `value` as a message calls it, short and on one line."""
    if value is None:
        return "an empty value"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"the text {clipped(repr(value))}"
    if isinstance(value, list):
        return f"the list {clipped(reprlib.repr(value))}" if value else "an empty list"
    if isinstance(value, dict):
        return f"a section with the keys {clipped(', '.join(value))}" if value else "an empty section"
    return clipped(repr(value))


def _dotted(path: KeyPath) -> str:
    keys = clipped(".".join(clipped(part) for part in path if isinstance(part, str)), 200)
    items = [f"item {part + 1}" for part in path if isinstance(part, int)]
    return ": ".join([keys, *items] if keys else items)
