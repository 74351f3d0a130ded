"""Sections of a configuration as classes, kinds of values, and the words for what does not fit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeVar, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, InitErrorDetails

from mvcc._utils.messages import clipped, nearest, shown
from mvcc._utils.settings._yaml import KeyPath, Problems, scalar


class Section(BaseModel):
    """A part of a configuration: exactly these keys, of exactly these types, never changed.

    The description of a key is its help. A key that must be given has an example, which messages
    show.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)


@dataclass(frozen=True)
class Option:
    """How the command line offers a setting; `options_in` adds what follows from its field."""

    metavar: str
    flags: tuple[str, ...] = ()  # by default that of the field's name
    default: str = ""  # in words, if the default is not one value
    read: Callable[[str], Any] = str  # what is typed, as a value
    help: str = ""  # always the description of the field


def options_in(kind: type[Section]) -> dict[str, Option]:
    """Return how the command line offers the settings of a section, by name."""
    options = {}
    for name, field in kind.model_fields.items():
        for option in field.metadata:
            if isinstance(option, Option):
                default = option.default
                if not default and isinstance(field.default, str | int | float):
                    default = got(field.default).strip("'")
                flags = option.flags or (f"--{name.replace('_', '-')}",)
                options[name] = replace(
                    option, flags=flags, default=default, help=str(field.description)
                )
    return options


Settings = TypeVar("Settings", bound=Section)


def validated(kind: type[Settings], value: Any, problems: Problems) -> Settings:
    """Return a configuration from its values, or raise all problems, earlier ones included."""
    try:
        settings = kind.model_validate(value)
    except ValidationError as error:
        for details in error.errors(include_url=False):
            path = _written(details["loc"], value)
            # a section as a whole is checked only if all its parts are valid
            if details["type"] == "too_short" and details["input"]:
                continue
            if path or not problems:
                problems.report(path, _explained(kind, details))
    if problems:
        raise problems.error()
    return settings


def _written(path: KeyPath, value: Any) -> KeyPath:
    """Return the part of `path` that is in the file: one value may stand for a list of one."""
    for depth, key in enumerate(path):
        if isinstance(key, int) and not isinstance(value, list | tuple):
            return path[:depth]
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            break
    return path


def _explained(kind: type[Section], details: ErrorDetails) -> str:
    path, value = details["loc"], details["input"]
    match details["type"]:
        case "value_error":
            return str(details["ctx"]["error"])
        case "missing":
            return f"is missing; add a line such as {_example(kind, path)}."
        case "extra_forbidden":
            return _unknown(kind, path)
        case "literal_error":
            return not_one_of(value, re.findall("'([^']*)'", details["ctx"]["expected"]))
        case "model_type":
            keys = ", ".join(_fields(kind, path))
            return f"must be a section with the keys {keys}, got {got(value)}."
        case expected:  # dict_type, tuple_type, or too_short
            is_list = expected == "tuple_type" or (expected == "too_short" and value != {})
            noun, example = "list" if is_list else "section", _example(kind, path)
            return f"must be a {noun}{example and f', such as {example}'}, got {got(value)}."


def _example(kind: type[Section], path: KeyPath) -> str:
    """Return a line with an example of the value at `path`, or nothing if there is none."""
    field = _fields(kind, path[:-1]).get(str(path[-1]))
    if field is None or not field.examples:
        return ""
    return f"`{path[-1]}: {field.examples[0]}`"


def _unknown(kind: type[Section], path: KeyPath) -> str:
    key, known = str(path[-1]), _fields(kind, path[:-1])
    if key in kind.model_fields:
        return f"unknown key '{key}' here; it belongs at the top level, without indentation."
    for section in kind.model_fields:
        if key in _fields(kind, (section,)):
            return f"unknown key '{key}' here; it belongs in the section '{section}'."
    return f"unknown key '{clipped(key)}'{nearest(key, known)} Known: {', '.join(known)}."


def _fields(kind: type[Section], path: KeyPath) -> dict[str, FieldInfo]:
    """Return the keys of the section at `path`, none if no section is there."""
    annotation: Any = kind
    for key in path:
        if fields := _fields_of(annotation):
            annotation = getattr(fields.get(str(key)), "annotation", None)
        else:  # the values of a dict or the items of a list are all of one kind
            annotation = next(iter(get_args(annotation)[-1:]), None)
    return _fields_of(annotation)


def _fields_of(annotation: Any) -> dict[str, FieldInfo]:
    """Return the keys of the section that an annotation allows, alone or beside None."""
    kinds = get_args(annotation)
    kinds = kinds if type(None) in kinds else (annotation,)
    for kind in kinds:
        if isinstance(kind, type) and issubclass(kind, Section):
            return kind.model_fields
    return {}


def allowed(words: str) -> WrapValidator:
    """Answer every mistake in a value by saying what is allowed."""

    def check(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        def fits(candidate: Any) -> bool:
            try:
                handler(candidate)
            except ValidationError:
                return False
            return True

        try:
            return handler(value)
        except ValidationError:
            hint = ""
            if isinstance(value, str) and fits(scalar(value)):
                hint = " Write it without quotes."
            elif isinstance(value, int | float) and fits(got(value)):
                hint = " Write it in quotes."
            raise ValueError(f"must be {words}, got {got(value)}.{hint}") from None

    return WrapValidator(check)


def one_of(names: Sequence[str]) -> BeforeValidator:
    """Allow some names; those of a type are written as a Literal instead."""

    def check(value: Any) -> Any:
        if value not in names:
            raise ValueError(not_one_of(value, names))
        return value

    return BeforeValidator(check)


def not_one_of(value: Any, names: Iterable[str]) -> str:
    """Say which names are allowed, and which of them is nearest to a value."""
    guess = nearest(value, names) if isinstance(value, str) else "."
    return f"must be one of {', '.join(names)}, got {got(value)}{guess}"


def got(value: Any) -> str:
    """Return a value as messages show it, true and false as they are written in YAML."""
    return str(value).lower() if isinstance(value, bool) else shown(value)


def refuse(problems: Iterable[tuple[KeyPath, str]]) -> None:
    """Refuse parts of a value that is validated: where each is inside it, and what is wrong."""
    errors: list[InitErrorDetails] = [
        {"type": "value_error", "loc": path, "input": None, "ctx": {"error": ValueError(text)}}
        for path, text in problems
    ]
    if errors:
        raise ValidationError.from_exception_data("refused", errors)


def alone_or_several(value: Any) -> Any:
    """Let a single value stand for a list of one."""
    if isinstance(value, dict):
        return value
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def increasing(numbers: tuple[float, ...]) -> tuple[float, ...]:
    for before, after in pairwise(numbers):
        if after <= before:
            raise ValueError(
                f"the numbers must increase, without repeats, got {after} after {before}."
            )
    return numbers


def distinct(names: tuple[str | float, ...]) -> tuple[str | float, ...]:
    twice = [str(name) for name, times in Counter(names).items() if times > 1]
    if twice:
        listed = clipped(", ".join(twice))
        raise ValueError(f"{listed} stands in the list more than once; keep one.")
    return names
