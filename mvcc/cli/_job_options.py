"""Options of `mvcc cluster`, `ask` and `match` that are settings, made from their fields."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any, cast

import click
from pydantic.fields import FieldInfo

from mvcc._utils.settings import Option, default_of, option_of
from mvcc.cli._shared import Command, by_name, header_rows, name_and_value, refuse_again
from mvcc.tables import Job, View

_Setting = tuple[tuple[str, ...], Any, str]

# of a view, of all views, or of both
_OF_VIEW = {name: field for name, field in View.model_fields.items() if option_of(field)}
_FIELDS = {"views": Job.model_fields["views"], **_OF_VIEW, **Job.model_fields}
_BOTH = {name for name in View.model_fields.keys() & _FIELDS if name not in {*_OF_VIEW, "show"}}
_SEVERAL = {"asked"}  # may be given again
_BY_VIEW = {"views", *_OF_VIEW, *_BOTH, "matches", "constraints", "show"}

ALL = tuple(_FIELDS)
# what the tables are, without how to cluster them
TABLES = (*_BY_VIEW, "on_conflict", "unknown", "seed")


def job_options(names: Iterable[str]) -> Callable[[Command], Command]:
    """Give a command a config or tables as arguments, and options for some settings.

    It gets the path of the config; `settings` reads the rest.
    """
    wanted = set(names)

    def add(command: Command) -> Command:
        @wraps(command)
        def function(files: tuple[str, ...], **given: Any) -> None:
            command(config=_sorted(files, given), **given)

        for name, field in reversed(_FIELDS.items()):
            if name in wanted:
                function = click.option(
                    *_flags(name),
                    name,
                    multiple=name in _BY_VIEW | _SEVERAL,
                    default=None,
                    metavar=_option(name).metavar or None,
                    help=_help(field),
                )(function)
        argument = click.argument(
            "files", nargs=-1, type=click.Path(), metavar="[CONFIG] [TABLE]..."
        )
        return cast(Command, argument(function))

    return add


def _sorted(files: Iterable[str], given: dict[str, Any]) -> Path | None:
    """Return the config among the files, and put the others to the options, named after them.

    Files of matches and constraints may be without the names of their views: these are told by
    the ids, which takes reading them, unless there is only one way.
    """
    configs = [file for file in files if Path(file).suffix.lower() in ("", ".yaml", ".yml")]
    configs = [file for file in configs if not Path(file).is_dir()]
    if len(configs) > 1:
        raise click.UsageError(f"there is one CONFIG at most, got {' and '.join(configs)}.")
    config = Path(configs[0]) if configs else None
    tables = [file for file in files if file not in configs]
    unnamed = {
        name: [text for text in given[name] or () if "=" not in text]
        for name in ("matches", "constraints")
    }
    if not tables and not any(unnamed.values()):
        return config
    if config is not None and any(unnamed.values()):
        raise click.UsageError("beside a CONFIG, name the views: --match VIEW:VIEW=FILE.")
    from mvcc.tables import sort_files

    views = by_name(given["views"] or (), "--view")
    sheets = by_name(given["sheet"] or (), "--sheet")
    headers = header_rows(given["header"] or ())
    found = sort_files(tables, views, **unnamed, sheets=sheets, headers=headers)
    pairs = {"matches": found.matches, "constraints": found.constraints}
    given["views"] = [f"{name}={path}" for name, path in found.views.items()]
    for name, told in pairs.items():
        named = [text for text in given[name] or () if "=" in text]
        given[name] = named + [f"{views}={path}" for views, path in told]
    return config


def settings(given: dict[str, Any]) -> Iterator[_Setting]:
    """Translate options into settings: where each belongs, its value, and what messages call it."""
    for name in _FIELDS:
        value, flag = given.get(name), _flags(name)[0]
        if name in _BY_VIEW:
            yield from _by_view(name, value or (), flag)
        elif name in _SEVERAL:
            if value:
                yield (name,), list(value), f"{flag} {f' {flag} '.join(value)}"
        elif value is not None:
            yield (name,), _option(name).read(value), f"{flag} {value}"


def words_of(config: Path | None, given: dict[str, Any]) -> str:
    """Return the tables of a command as they are typed for another one."""
    words = [] if config is None else [str(config)]
    for name in _FIELDS:
        value = given.get(name)
        if name in TABLES and value is not None:
            for text in value if name in _BY_VIEW else (value,):
                words += [_flags(name)[0], str(text)]
    return shlex.join(words)


def _by_view(name: str, texts: Iterable[str], flag: str) -> Iterator[_Setting]:
    """Translate an option VIEW=VALUE; lists of columns may be given in parts."""
    read = _option(name).read
    values: dict[str, Any] = {}
    for text in texts:
        if name in _BOTH and "=" not in text:
            yield (name,), read(text), f"{flag} {text}"
            continue
        view, value = name_and_value(text, flag)
        new = read(value)
        if isinstance(new, list):
            new = values.get(view, []) + new
        else:
            refuse_again(view, values, flag)
        values[view] = new
        yield _keys(name, view), new, f"{flag} {text}"


def _keys(name: str, view: str) -> tuple[str, ...]:
    if name == "views":
        return "views", view, "path"
    return ("views", view, name) if name in View.model_fields else (name, view)


def _option(name: str) -> Option:
    option = option_of(_FIELDS[name])
    assert option is not None  # all fields of a job have one
    return option


def _flags(name: str) -> tuple[str, ...]:
    return _option(name).flags or (f"--{name.replace('_', '-')}",)


def _help(field: FieldInfo) -> str:
    default = default_of(field)
    return f"{field.description}  [default: {default}]" if default else str(field.description)
