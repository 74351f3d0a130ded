"""What a page may say: JSON with these fields and no others, each of exactly its type."""

from __future__ import annotations

import json
from typing import Any

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
