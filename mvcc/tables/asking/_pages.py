"""What all pages have: a state that may be stale, pictures by numbers, requests of exact fields."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from mvcc._utils.messages import shown
from mvcc.exceptions import InvalidInputError

_MOST_SAID = 2**31  # things in a session; a version is their number
_WORDS = {str: "a text", int: f"a whole number from 0 to {_MOST_SAID}", bool: "true or false"}
_FIELDS: dict[str, dict[str, type]] = {
    "answer": {"id": str, "answer": str, "again": bool, "version": int},
    "undo": {"version": int},
    "merge": {"kept": str, "gone": str, "version": int},
    "rename": {"group": str, "name": str, "version": int},
    "correct": {"id": str, "answer": str, "version": int},
    "finish": {"version": int},
}
_MAY_MISS = {"answer": ("again",), "finish": ("version",)}


class Stale(Exception):
    """Something was said since the page was told the state; here is the present one."""

    def __init__(self, state: dict[str, Any]) -> None:
        super().__init__("something was said since.")
        self.state = state


class Page(ABC):
    """What a page shows and may send: a method for each of its requests."""

    command: ClassVar[str]  # whose page it is
    gets: ClassVar[tuple[str, ...]]  # requests that ask for something by an id
    posts: ClassVar[tuple[str, ...]]  # those that say something

    def __init__(self) -> None:
        self._images: dict[str, str] = {}  # by number, what the pages were told

    @property
    @abstractmethod
    def version(self) -> int:
        """The number of things that were said."""

    @abstractmethod
    def now(self) -> dict[str, Any]:
        """Return all that the page shows."""

    def image(self, number: str) -> str:
        """Return the path of a picture that a page was told of; empty for other numbers."""
        return self._images.get(number, "")

    def refuse_stale(self, said: dict[str, Any]) -> None:
        """Refuse what a page says that does not know the present state."""
        if said["version"] != self.version:
            raise Stale(self.now())

    def with_numbers(self, value: Any) -> Any:
        """Return a value with a number in the place of every path of a picture."""
        if isinstance(value, dict):
            return {
                key: self._numbers(own) if key == "images" else self.with_numbers(own)
                for key, own in value.items()
            }
        is_list = isinstance(value, (list, tuple))
        return [self.with_numbers(own) for own in value] if is_list else value

    def _numbers(self, paths: list[Any]) -> list[str]:
        known = {path: number for number, path in self._images.items()}
        for path in map(str, paths):
            self._images[known.setdefault(path, str(len(known)))] = path
        return [known[str(path)] for path in paths]


def read_body(request: str, content: bytes) -> dict[str, Any]:
    """Return the fields of the body of a request; an InvalidInputError says what is wrong."""
    try:
        said = json.loads(content, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError):
        raise InvalidInputError("the body is not JSON with distinct keys.") from None
    if not isinstance(said, dict):
        raise InvalidInputError(f"the body must be an object, got {shown(said)}.")
    fields = _FIELDS[request]
    if unknown := [name for name in said if name not in fields]:
        raise InvalidInputError(
            f"{shown(unknown[0])} is not a field; the fields are {', '.join(fields)}."
        )
    for name, kind in fields.items():
        if name in said or name not in _MAY_MISS.get(request, ()):
            _check(name, said.get(name), kind)
    return said


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _check(name: str, value: object, kind: type) -> None:
    # not isinstance: a truth value is a number to Python
    if type(value) is not kind or (isinstance(value, int) and not 0 <= value <= _MOST_SAID):
        raise InvalidInputError(f"{name} must be {_WORDS[kind]}, got {shown(value)}.")
