"""Read YAML so that every value keeps its line, and collect mistakes instead of raising the first.

Nothing in a file can be executed, and nothing can expand: aliases, anchors and tags are refused.
Numbers, ``true`` and ``false`` are those of YAML 1.2 (``1e-3`` is a number, ``010`` is ten).
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, cast

import yaml

from mvcc._utils.messages import agreeing, clipped, counted, nearest, shown
from mvcc._utils.reading import StrPath, opened
from mvcc._utils.text import decoded
from mvcc.exceptions import ConfigError

KeyPath: TypeAlias = tuple[str | int, ...]

MAX_SHOWN = 50  # problems
MAX_BYTES = 2**20
MAX_DEPTH = 20
MAX_VALUES = 10_000
MAX_DIGITS = 300  # nobody means a longer number, and converting it takes long

_WORDS = {
    **{"": None, "~": None, "null": None, "true": True, "false": False},
    **{".inf": math.inf, "+.inf": math.inf, "-.inf": -math.inf, ".nan": math.nan},
}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_EMPTY = "has no value; write one, or leave the key out."
_EMPTY_FILE = "the file is empty; begin with an example and change it."

# PyYAML's words for the usual slips, in words for people who do not write YAML every day
_SYNTAX = {
    "but found another document": "a second document begins here; keep only one",
    "mapping values are not": "a second ': ' in this line, or the line above lacks one",
    "found character '\\t' that cannot start any token": "a tab; indent with spaces",
    "found character": "this character cannot begin a value; put the value in quotes",
    "could not find expected ':'": "a key without ': ' after it",
    "expected <block end>, but found": "the indentation does not fit the lines above",
    "expected ',' or ']', but got": "a list that begins with [ lacks a comma or its ]",
    "expected ',' or '}', but got": "a section that begins with { lacks a comma or its }",
    "expected the node content": "the value is missing or incomplete",
    "found unexpected end of stream": "a quotation mark is never closed",
}


class Place(NamedTuple):
    """The file and line of something written."""

    order: int  # the line of the file; options come after all lines
    label: str  # what messages call it


class Problems:
    """The problems found so far in a file, and the place of each of its values.

    ``check`` is the command that checks the file again.
    """

    def __init__(self, source: StrPath, check: str) -> None:
        self.source = os.fspath(source)
        self._check = check
        self._found: dict[KeyPath, tuple[Place, str]] = {}
        self._places: dict[KeyPath, Place] = {}

    def __bool__(self) -> bool:
        return bool(self._found)

    def line(self, line_number: int) -> Place:
        return Place(line_number, f"{self.source}:{line_number}")

    @staticmethod
    def option(label: str) -> Place:
        return Place(sys.maxsize, label)

    def mark(self, path: KeyPath, place: Place) -> None:
        """Note where `path` is written, unless that is known."""
        self._places.setdefault(path, place)

    def forget(self, path: KeyPath) -> None:
        """Drop the places of `path` and of all inside it."""
        for inner in [inner for inner in self._places if inner[: len(path)] == path]:
            del self._places[inner]

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
        self._found[path] = (place, ": ".join((place.label, *_named(path), text)))

    def error(self) -> ConfigError:
        """Return all problems as one error: those of the file in its order, then the options'."""
        lines = [text for _, text in sorted(self._found.values())]
        count, again = len(lines), self._check
        if lines[-1].startswith("--set"):
            again += " --set …"
        if count > MAX_SHOWN:
            lines[MAX_SHOWN:] = [f"… and {count - MAX_SHOWN} more."]
        title = f"{counted(count, 'problem')} in {self.source}:"
        advice = f"Correct {agreeing(count, 'it', 'them')}, then check again with: {again}"
        return ConfigError("\n".join([title, *lines, advice]))


def _named(path: KeyPath) -> Iterator[str]:
    """Give the names of the keys of a path as one, and the number of each item of a list."""
    if keys := ".".join(clipped(part) for part in path if isinstance(part, str)):
        yield clipped(keys, 200)
    yield from (f"item {part + 1}" for part in path if isinstance(part, int))


def read_yaml(path: StrPath, problems: Problems) -> Any:
    """Return the values of a YAML file: sections as dict, lists as list, and scalars.

    ``problems`` gets the line of every value, and whatever is wrong. There the value may be
    anything.
    """
    return _values(_read_text(Path(path)), (), problems, problems.line)


def as_yaml(value: Any) -> str:
    """Return a value as YAML on one line, also in brackets, and a text that looks like another."""
    text: str = yaml.safe_dump([value], allow_unicode=True, default_flow_style=True, width=10**6)
    line = text.strip()[1:-1]
    return line if line.isprintable() else json.dumps(value)


def assign(value: Any, assignment: str, problems: Problems) -> None:
    """Set one value inside `value`, as ``--set section.key=YAML`` does."""
    place = problems.option(f"--set {clipped(assignment)}")
    dotted, equals, text = assignment.partition("=")
    path = tuple(key.strip() for key in dotted.split("."))
    if not equals or not all(path):
        problems.report((), "write KEY=VALUE, such as --set multi_view.threshold=0.8.", place)
    elif len(path) > MAX_DEPTH:
        problems.report((), f"a key has at most {MAX_DEPTH} parts, this one {len(path)}.", place)
    elif (section := _section_of(value, path, problems, place)) is not None:
        section[path[-1]] = _values(text, path, problems, lambda _: place)


def put(value: Any, path: KeyPath, new: Any, label: str, problems: Problems) -> None:
    """Set one value inside `value`, as an option does, which messages call by its label."""
    place = problems.option(label)
    if (section := _section_of(value, path, problems, place)) is not None:
        problems.mark(path, place)
        section[path[-1]] = new


def _section_of(value: Any, path: KeyPath, problems: Problems, place: Place) -> Any:
    """Return the section that a new value at `path` belongs in, which is made if necessary."""
    for depth, key in enumerate(path[:-1], start=1):
        if isinstance(value, dict):
            value = value.setdefault(key, {})
        problems.mark(path[:depth], place)
    if not isinstance(value, dict):
        problems.report(path, f"{shown(value)} has no keys; set all of it at once.", place)
        return None
    problems.forget(path)
    return value


class _Loader(yaml.SafeLoader):
    """Refuses what no configuration needs, before anything can grow beyond measure."""

    _depth = _count = 0

    def get_event(self) -> Any:
        event: Any = super().get_event()  # type: ignore[no-untyped-call]
        self._count += isinstance(event, yaml.NodeEvent)
        self._depth += isinstance(event, yaml.CollectionStartEvent)
        self._depth -= isinstance(event, yaml.CollectionEndEvent)
        if problem := self._refusal(event):
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)
        return event

    def _refusal(self, event: Any) -> str:
        if self._depth > MAX_DEPTH:
            return f"more than {MAX_DEPTH} levels"
        if self._count > MAX_VALUES:
            return f"more than {MAX_VALUES} values"
        if anchor := getattr(event, "anchor", None):
            kind = "alias *" if isinstance(event, yaml.AliasEvent) else "anchor &"
            return f"the {kind}{clipped(anchor)} is not supported; write the value itself"
        if getattr(event, "tag", None) is not None:
            return f"the tag {clipped(event.tag)} is not supported; write the value itself"
        if re.search("[\ud800-\udfff]", getattr(event, "value", "")):
            return "half a character (a surrogate)"
        return ""


def _values(text: str, path: KeyPath, problems: Problems, place_of: Callable[[int], Place]) -> Any:
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        if node is not None:
            return _value(node, path, problems, place_of)
        line, problem = 1, _EMPTY if path else _EMPTY_FILE
    except yaml.MarkedYAMLError as error:
        line, problem = _explained(error)
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        problem = f"the character U+{error.character:04X} is not allowed."
    except (ValueError, OverflowError):  # PyYAML hands \UFFFFFFFF and the like to chr() unchecked
        line = loader.line + 1
        problem = "this cannot be read as YAML: a number in an escape or directive is out of range."
    problems.report(path, problem, place_of(line))
    return None


def _value(node: Any, path: KeyPath, problems: Problems, place_of: Callable[[int], Place]) -> Any:
    problems.mark(path, place_of(node.start_mark.line + 1))
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node, path, problems)
    if isinstance(node, yaml.SequenceNode):
        return [
            _value(item, (*path, index), problems, place_of)
            for index, item in enumerate(node.value)
        ]
    section: dict[str, Any] = {}
    for key_node, value_node in node.value:
        place = place_of(key_node.start_mark.line + 1)
        key = key_node.value if isinstance(key_node, yaml.ScalarNode) else "?"
        inner = (*path, key)
        if key == "?":
            problems.report(inner, "a key must be a plain word, without brackets.", place)
        elif key in section:
            first = problems.place(inner).label
            problems.report(inner, f"is given twice; the first is at {first}. Keep one.", place)
        problems.mark(inner, place)
        section[key] = _value(value_node, inner, problems, place_of)
    return section


def _scalar(node: Any, path: KeyPath, problems: Problems) -> str | int | float | bool | None:
    text = str(node.value)
    if node.style is not None:  # in quotes, or a block of text
        return text
    if text.lower() in ("yes", "no", "on", "off"):
        words = f"write true or false, or '{text}' for the word."
        problems.report(path, f"{text} can be read two ways; {words}")
    value = scalar(text)
    if value is None:
        problems.report(path, _EMPTY if path else _EMPTY_FILE)
    return value


def scalar(text: str) -> str | int | float | bool | None:
    """Return the value that `text` without quotes stands for."""
    if len(text) > MAX_DIGITS:
        return text
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


def _explained(error: yaml.MarkedYAMLError) -> tuple[int, str]:
    # the parser and the scanner always give these two
    problem, mark = cast(str, error.problem), cast(yaml.Mark, error.problem_mark)
    begin = error.context_mark
    words = next((words for start, words in _SYNTAX.items() if problem.startswith(start)), problem)
    if begin is not None and begin.line < mark.line:
        words += f" (since line {begin.line + 1})"
    return mark.line + 1, f"this cannot be read as YAML, column {mark.column + 1}: {words}."


def _read_text(path: Path) -> str:
    try:
        with opened(path) as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        beside = [other.name for other in path.parent.glob("*.y*ml")]
        hint = nearest(path.name, beside, cutoff=0.85)
        raise ConfigError(f"{path}: there is no such file{hint}") from None
    except IsADirectoryError:
        inside = sorted(path.glob("*.y*ml"))
        hint = f"did you mean {inside[0]}?" if inside else "name a file."
        raise ConfigError(f"{path}: this is a folder; {hint}") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}.") from None
    if len(data) > MAX_BYTES:
        raise ConfigError(f"{path}: this is larger than 1 MiB; a configuration is a page of YAML.")
    return decoded(data, str(path), ConfigError)
