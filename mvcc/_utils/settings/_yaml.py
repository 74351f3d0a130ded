"""Read YAML so that every value keeps its line, and collect mistakes instead of stopping at the first.

Nothing in a file can be executed, and nothing can expand. Numbers, ``true`` and ``false`` are understood as in YAML 1.2
(``1e-3`` is a number, ``010`` is ten); aliases, anchors and tags are refused.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import yaml

from mvcc._utils.files import decoded
from mvcc._utils.messages import clipped, nearest
from mvcc._utils.reading import opened
from mvcc._utils.settings._problems import KeyPath, Place, Problems, shown
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

    ``problems`` takes in the line of every value, and whatever is wrong. Where it is, the value may be anything.
    """
    return _values(_read_text(Path(path)), (), problems, problems.line)


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
        section[path[-1]] = _values(text, path, problems, lambda _: place)


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


class _Loader(yaml.SafeLoader):
    """Composes nodes within the limits; an alias, an anchor or a tag becomes a remark on a plain node."""

    _depth, _count = -1, 0
    current_event: Any

    def compose_node(self, parent: Any, index: Any) -> Any:
        self.check_event()  # fetches it
        event = self.current_event
        self._depth, self._count = self._depth + 1, self._count + 1
        problem = ""
        if self._depth > MAX_DEPTH:
            problem = f"more than {MAX_DEPTH} levels"
        elif self._count > MAX_VALUES:
            problem = f"more than {MAX_VALUES} values"
        elif any("\ud800" <= char <= "\udfff" for char in getattr(event, "value", "")):
            problem = "half a character (a surrogate)"
        if problem:
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)
        unsupported = _unsupported(event)
        if isinstance(event, yaml.AliasEvent):
            event = self.current_event = yaml.ScalarEvent(None, None, (True, False), "", event.start_mark)
        event.anchor = event.tag = None
        node: Any = super().compose_node(parent, index)
        node.unsupported = unsupported
        self._depth -= 1
        return node


def _values(text: str, path: KeyPath, problems: Problems, place_of: Callable[[int], Place]) -> Any:
    try:
        loader = _Loader(text)
        if (node := loader.get_single_node()) is not None:
            return _value(node, path, problems, place_of)
        line, problem = 1, _EMPTY if path else _EMPTY_FILE
    except yaml.MarkedYAMLError as error:
        line, problem = _explained(error)
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        problem = f"the character U+{error.character:04X} is not allowed."
    except (ValueError, OverflowError):  # PyYAML hands \UFFFFFFFF and the like to chr() unchecked
        line = loader.line + 1
        problem = "this cannot be read as YAML: a number in an escape or a directive is out of range."
    problems.report(path, problem, place_of(line))
    return None


def _value(node: Any, path: KeyPath, problems: Problems, place_of: Callable[[int], Place]) -> Any:
    problems.mark(path, place_of(node.start_mark.line + 1))
    if node.unsupported:
        problems.report(path, f"{node.unsupported} is not supported; write the value alone.")
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, (*path, index), problems, place_of) for index, item in enumerate(node.value)]
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node, path, problems)
    section: dict[str, Any] = {}
    for key_node, value_node in node.value:
        place = place_of(key_node.start_mark.line + 1)
        plain = isinstance(key_node, yaml.ScalarNode) and not key_node.unsupported  # type: ignore[attr-defined]
        key = key_node.value if plain else "?"
        inner = (*path, key)
        if not plain:
            problems.report(inner, "a key must be a plain word, without *, &, ! or brackets.", place)
        elif key in section:
            first = problems.place(inner).label
            problems.report(inner, f"is given twice; the first is at {first}. Keep one.", place)
        problems.mark(inner, place)
        section[key] = _value(value_node, inner, problems, place_of)
    return section


def _scalar(node: Any, path: KeyPath, problems: Problems) -> str | int | float | bool | None:
    if node.style is not None:  # in quotes, or a block of text
        return str(node.value)
    value = scalar(node.value)
    if value is None:
        problems.report(path, _EMPTY if path else _EMPTY_FILE)
    elif node.value.lower() in ("yes", "no", "on", "off"):
        problems.report(path, f"{value} can be read two ways; write true or false, or '{value}' for the word.")
    return value


def _unsupported(event: Any) -> str:
    if event.anchor is not None:
        return f"the {'alias *' if isinstance(event, yaml.AliasEvent) else 'anchor &'}{clipped(event.anchor)}"
    tag = getattr(event, "tag", None)
    return "" if tag is None else f"the tag {clipped(tag.replace(_TAG, '!!'))}"


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
    if problem == "but found another document":
        return mark.line + 1, "a second document begins here; keep only one."
    words = next((words for start, words in _SYNTAX.items() if problem.startswith(start)), problem)
    since = f" (since line {begin.line + 1})" if begin is not None and begin.line < mark.line else ""
    return mark.line + 1, f"this cannot be read as YAML, column {mark.column + 1}: {words}{since}."


def _read_text(path: Path) -> str:
    try:
        with opened(path) as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        there = [other.name for other in path.parent.glob("*.y*ml")]
        raise ConfigError(f"{path}: there is no such file{nearest(path.name, there, cutoff=0.85)}") from None
    except IsADirectoryError:
        inside = [other.name for other in sorted(path.glob("*.y*ml"))[:1]]
        hint = f"; did you mean {path / inside[0]}?" if inside else "; name a file."
        raise ConfigError(f"{path}: this is a folder{hint}") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    if len(data) > MAX_BYTES:
        raise ConfigError(f"{path}: this is larger than 1 MiB; a configuration is a page of YAML.")
    return decoded(data, str(path), ConfigError)
