"""Sections of a configuration as classes, and the words for whatever does not fit them."""

from __future__ import annotations

from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from mvcc._utils.messages import clipped, nearest
from mvcc._utils.settings._problems import KeyPath, Problems, shown


class Section(BaseModel):
    """A part of a configuration: exactly these keys, of exactly these types, never changed.

    A key that must be given has an example for the message that asks for it.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)


Settings = TypeVar("Settings", bound=Section)


def validated(kind: type[Settings], value: Any, problems: Problems) -> Settings:
    """Return a configuration from its values, or raise all problems, those found before among them."""
    try:
        settings = kind.model_validate(value)
    except ValidationError as error:
        for details in error.errors(include_url=False):
            if details["loc"] or not problems:  # what concerns the whole only if no part of it is wrong
                problems.report(_written(details["loc"], value), _explained(kind, details))
    if problems:
        raise problems.error()
    return settings


def _written(path: KeyPath, value: Any) -> KeyPath:
    """Return the part of `path` that is in the file: a single value may stand for a list of one."""
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
            return _missing(kind, path)
        case "extra_forbidden":
            return _unknown(kind, path)
        case "model_type":
            return f"must be a section with the keys {', '.join(_fields(kind, path))}, got {shown(value)}."
        case "dict_type":
            example = _example(kind, path)
            return f"must be a section{example and f', such as {example}'}, got {shown(value)}."
        case _:
            return f"{shown(value)} is not allowed."


def _missing(kind: type[Section], path: KeyPath) -> str:
    if example := _example(kind, path):
        return f"is missing; add a line such as {example}."
    needed = [name for name, field in _fields(kind, path).items() if field.is_required()]
    return f"is missing; add a section `{path[-1]}:` with at least the keys {', '.join(needed)}."


def _example(kind: type[Section], path: KeyPath) -> str:
    """Return a line with an example of the value at `path`, or nothing where the class has none."""
    field = _fields(kind, path[:-1]).get(str(path[-1]))
    return f"`{path[-1]}: {field.examples[0]}`" if field is not None and field.examples else ""


def _unknown(kind: type[Section], path: KeyPath) -> str:
    key, known = str(path[-1]), _fields(kind, path[:-1])
    homes = [home for home in ((), *((name,) for name in kind.model_fields)) if key in _fields(kind, home)]
    if homes:
        place = f"in the section '{homes[0][0]}'" if homes[0] else "at the top level, without indentation"
        return f"unknown key '{key}' here; it belongs {place}."
    return f"unknown key '{clipped(key)}'{nearest(key, known)} Known: {', '.join(known)}."


def _fields(kind: type[Section], path: KeyPath) -> dict[str, FieldInfo]:
    """Return the keys of the section at `path`, none if no section is there."""
    here: Any = kind
    for key in path:
        section = _section(here)
        if section is not None:
            field = section.model_fields.get(str(key))
            here = None if field is None else field.annotation
        else:  # the values of a dict or the items of a list are all of one kind
            here = next(iter(get_args(here)[-1:]), None)
    section = _section(here)
    return section.model_fields if section is not None else {}


def _section(annotation: Any) -> type[Section] | None:
    kinds = (annotation, *(get_args(annotation) if type(None) in get_args(annotation) else ()))
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Section)), None)
