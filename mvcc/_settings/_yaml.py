"""Read YAML so that every value keeps its line, and collect mistakes instead of stopping at the first.

The file is read as a stream of events: nothing in it can be executed, and nothing can expand. Numbers, ``true`` and
``false`` are understood as in YAML 1.2 (``1e-3`` is a number, ``010`` is ten); aliases, anchors and tags are refused.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import yaml

from mvcc._messages import clipped, nearest
from mvcc._settings._problems import KeyPath, Place, Problems, shown
from mvcc._text import decoded
from mvcc.exceptions import ConfigError

MAX_BYTES = 2**20
MAX_DEPTH = 20
MAX_VALUES = 10_000
MAX_DIGITS = 300  # a longer number is no number that anybody means, and slow to convert

_WORDS = {
    **{"": None, "~": None, "null": None, "true": True, "false": False},
    **{".inf": math.inf, "+.inf": math.inf, "-.inf": -math.inf, ".nan": math.nan},
}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")

_TAG = "tag:yaml.org,2002:"
_EMPTY = "has no value; write one, or leave the key out."
_EMPTY_FILE = "the file is empty; begin with an example and change it."

# PyYAML's words for the usual slips, in words for people who do not write YAML every day
_SYNTAX = {
    "mapping values are not": "a second ': ' in this line, or the line above has none, or another indentation",
    "found character '\\t' that cannot start any token": "a tab; indent with spaces",
    "found character": "this character cannot begin a value; put the value in quotes",
    "could not find expected ':'": "a key without ': ' after it",
    "expected <block end>, but found": "the indentation does not fit the lines above",
    "expected ',' or ']', but got": "a list that begins with [ lacks a comma or its ]",
    "expected ',' or '}', but got": "a section that begins with { lacks a comma or its }",
    "expected the node content": "the value is missing or incomplete",
    "found unexpected end of stream": "a quotation mark is never closed",
}


def read_yaml(path: str | os.PathLike[str], problems: Problems) -> Any:
    """Return the values of a YAML file: sections as dict, lists as list, and scalars.

    Parameters
    ----------
    path : str or path-like
        The file, in UTF-8, with or without a byte order mark.
    problems : Problems
        Takes in the line of every value, and whatever is wrong. Where it is, the value returned may be anything.

    Raises
    ------
    ConfigError
        If the file cannot be read as text.
    """
    return _Parser(problems, problems.line).parse(_read_text(Path(path)), ())


def assign(value: Any, assignment: str, problems: Problems) -> None:
    """Set one value inside `value`, as ``--set section.key=value`` does; what follows the ``=`` is YAML."""
    place = problems.option(f"--set {clipped(assignment)}")
    dotted, equals, text = assignment.partition("=")
    path = tuple(key.strip() for key in dotted.split("."))
    if not equals or not all(path):
        problems.add("write KEY=VALUE, such as --set multi_view.threshold=0.8.", place)
        return
    if len(path) > MAX_DEPTH:
        problems.add(f"this key has {len(path)} parts; no value lies below more than {MAX_DEPTH} levels.", place)
        return
    if (section := _section_of(value, path, problems, place)) is not None:
        section[path[-1]] = _Parser(problems, lambda _: place).parse(text, path)


def put(value: Any, path: KeyPath, new: Any, label: str, problems: Problems) -> None:
    """Set one value inside `value`, as an option does; ``label`` is what messages call the option."""
    place = problems.option(label)
    if (section := _section_of(value, path, problems, place)) is not None:
        problems.mark(path, place)
        section[path[-1]] = new


def _section_of(value: Any, path: KeyPath, problems: Problems, place: Place) -> Any:
    """Return the section that the value at `path` belongs in, made where there is none, for a new value."""
    for depth, key in enumerate(path[:-1], start=1):
        value = value.setdefault(key, {}) if isinstance(value, dict) else value
        problems.mark(path[:depth], place)
    if not isinstance(value, dict):
        problems.report(path, f"{shown(value)} has no keys; set all of it at once.", place)
        return None
    problems.forget(path)
    return value


class _Parser:
    """Recursive descent over PyYAML's events, for a whole file or for the value of one assignment."""

    def __init__(self, problems: Problems, place_of: Callable[[int], Place]) -> None:
        self._problems = problems
        self._place_of = place_of
        self._line = 1
        self._n_events = 0

    def parse(self, text: str, path: KeyPath) -> Any:
        self._events: Iterator[Any] = yaml.parse(text, Loader=yaml.SafeLoader)
        try:
            return self._root(path)
        except yaml.MarkedYAMLError as error:
            self._line, problem = _explained(error)
        except yaml.reader.ReaderError as error:
            self._line = text.count("\n", 0, error.position) + 1
            problem = f"the character U+{error.character:04X} is not allowed."
        except (ValueError, OverflowError):  # PyYAML hands \UFFFFFFFF and the like to chr() unchecked
            problem = "this cannot be read as YAML: a number in an escape or a directive is out of range."
        self._problems.report(path, problem, self._place_of(self._line))
        return None

    def _next(self) -> Any:
        event = next(self._events)
        self._line = event.end_mark.line + 1
        self._n_events += 1
        if self._n_events > MAX_VALUES:
            raise _refusal(event, f"more than {MAX_VALUES} values")
        if isinstance(event, yaml.ScalarEvent) and any("\ud800" <= char <= "\udfff" for char in event.value):
            raise _refusal(event, "half a character (a surrogate)")
        return event

    def _root(self, path: KeyPath) -> Any:
        self._next()
        if isinstance(self._next(), yaml.StreamEndEvent):
            self._problems.report(path, _EMPTY if path else _EMPTY_FILE, self._place_of(1))
            return None
        value = self._node(self._next(), path)
        self._next()
        if not isinstance(self._next(), yaml.StreamEndEvent):
            self._problems.report(path, "a second document begins here; keep only one.", self._place_of(self._line))
        return value

    def _node(self, event: Any, path: KeyPath) -> Any:
        self._problems.mark(path, self._place_of(event.start_mark.line + 1))
        if len(path) > MAX_DEPTH:
            raise _refusal(event, f"more than {MAX_DEPTH} levels")
        if unsupported := _unsupported(event):
            self._problems.report(path, f"{unsupported} is not supported; write the value alone.")
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, path)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._list(path)
        if isinstance(event, yaml.MappingStartEvent):
            return self._section(path)
        return None  # an alias

    def _list(self, path: KeyPath) -> list[Any]:
        values: list[Any] = []
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            values.append(self._node(event, (*path, len(values))))
        return values

    def _section(self, path: KeyPath) -> dict[str, Any]:
        section: dict[str, Any] = {}
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            place = self._place_of(event.start_mark.line + 1)
            plain = isinstance(event, yaml.ScalarEvent) and not _unsupported(event)
            key = event.value if plain else "?"
            inner = (*path, key)
            if not plain:
                self._problems.report(inner, "a key must be a plain word, without *, &, ! or brackets.", place)
                self._node(event, inner)
            elif key in section:
                first = self._problems.place(inner).label
                self._problems.report(inner, f"is given twice; the first is at {first}. Keep one.", place)
            self._problems.mark(inner, place)
            section[key] = self._node(self._next(), inner)
        return section

    def _scalar(self, event: yaml.ScalarEvent, path: KeyPath) -> str | int | float | bool | None:
        value = scalar(event.value) if event.implicit[0] else event.value
        if value is None:
            self._problems.report(path, _EMPTY if path else _EMPTY_FILE)
        elif event.implicit[0] and event.value.lower() in ("yes", "no", "on", "off"):
            self._problems.report(
                path, f"{value} can be read two ways; write true or false, or '{value}' for the word."
            )
        return value


def _refusal(event: Any, problem: str) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)


def _unsupported(event: Any) -> str:
    if event.anchor is not None:
        return f"the {'alias *' if isinstance(event, yaml.AliasEvent) else 'anchor &'}{clipped(event.anchor)}"
    return "" if event.tag is None else f"the tag {clipped(event.tag.replace(_TAG, '!!'))}"


def scalar(text: str) -> str | int | float | bool | None:
    """Return the value that `text` without quotes stands for."""
    if len(text) > MAX_DIGITS:
        return text
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text


def _explained(error: yaml.MarkedYAMLError) -> tuple[int, str]:
    # the parser and the scanner always say these two
    problem, mark, begin = cast(str, error.problem), cast(yaml.Mark, error.problem_mark), error.context_mark
    words = next((words for start, words in _SYNTAX.items() if problem.startswith(start)), problem)
    since = f" (since line {begin.line + 1})" if begin is not None and begin.line < mark.line else ""
    return mark.line + 1, f"this cannot be read as YAML, column {mark.column + 1}: {words}{since}."


def _read_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        there = [other.name for other in path.parent.glob("*.y*ml")]
        raise ConfigError(f"{path}: there is no such file{nearest(path.name, there, cutoff=0.85)}") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    if len(data) > MAX_BYTES:
        raise ConfigError(f"{path}: this is larger than 1 MiB; a configuration is a page of YAML.")
    return decoded(data, str(path), ConfigError)
