"""Options of `mvcc cluster`, `ask` and `match` that are settings, made from their fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any, cast

import click

from mvcc import tables
from mvcc._utils.messages import quoted, typed
from mvcc._utils.settings import Option, options_in
from mvcc.cli import _shared as shared

_Setting = tuple[tuple[str, ...], Any, str]

_OF_ALL = options_in(tables.Job)
_OPTIONS = {"views": _OF_ALL["views"], **options_in(tables.View), **_OF_ALL}
_BY_VIEW = {name for name, option in _OPTIONS.items() if "=" in option.metavar}
_SEVERAL = {*_BY_VIEW, "asked"}  # may be given again

ALL = tuple(_OPTIONS)
# what the tables are, without how to cluster them
TABLES = (*_BY_VIEW, "on_conflict", "unknown", "seed")


def job_options(names: Iterable[str]) -> Callable[[shared.Command], shared.Command]:
    """Give a command a config or tables as arguments, and options for some settings."""
    # it gets the path of the config; `settings` reads the rest
    wanted = set(names)

    def add(command: shared.Command) -> shared.Command:
        @wraps(command)
        def function(files: tuple[str, ...], **given: Any) -> None:
            command(config=_config_among(files, given), **given)

        for name, option in reversed(_OPTIONS.items()):
            if name in wanted:
                help = option.help
                if option.default:
                    help += f"  [default: {option.default}]"
                function = click.option(
                    *option.flags,
                    name,
                    multiple=name in _SEVERAL,
                    type=shared.with_home if option.metavar.endswith(("FILE", "FOLDER")) else None,
                    default=None,
                    metavar=option.metavar or None,
                    help=help,
                )(function)
        argument = click.argument(
            "files", nargs=-1, type=shared.FILE_NAME, metavar="[CONFIG] [TABLE]..."
        )
        return cast(shared.Command, argument(function))

    return add


def _config_among(files: Iterable[str], given: dict[str, Any]) -> Path | None:
    """Return the config among the files, and put the others to the options, named after them."""
    # files of matches and constraints may be without the names of their views: these are told by
    # the ids, which takes reading them, unless there is only one way
    configs = [
        file
        for file in files
        if Path(file).suffix.lower() in ("", ".yaml", ".yml") and not Path(file).is_dir()
    ]
    if len(configs) > 1:
        raise click.UsageError(f"there is one CONFIG at most, got {' and '.join(configs)}.")
    config = next(map(Path, configs), None)
    other_files = [file for file in files if file not in configs]
    unnamed = {
        name: [text for text in given[name] or () if "=" not in text]
        for name in ("matches", "constraints")
    }
    if not other_files and not any(unnamed.values()):
        return config
    if config is not None and any(unnamed.values()):
        raise click.UsageError("beside a CONFIG, name the views: --match VIEW:VIEW=FILE.")
    for path in unnamed["constraints"]:
        tables.read_constraints(path)  # wrong columns are an error before large tables are read
    views = shared.by_name(given["views"] or (), "--view")
    sheets = shared.by_name(given["sheet"] or (), "--sheet")
    headers = shared.header_rows(given["header"] or ())
    by_kind = tables.sort_files(other_files, views, **unnamed, sheets=sheets, headers=headers)
    shared.remark_notes(by_kind.notes)
    given["views"] = [f"{name}={path}" for name, path in by_kind.views.items()]
    for name, entries in (("matches", by_kind.matches), ("constraints", by_kind.constraints)):
        named = [text for text in given[name] or () if "=" in text]
        given[name] = named + [f"{views}={path}" for views, path in entries]
    return config


def settings(given: dict[str, Any]) -> Iterator[_Setting]:
    """Translate options into settings: where each belongs, its value, and what messages call it."""
    for name, option in _OPTIONS.items():
        value, flag = given.get(name), option.flags[0]
        if name in _BY_VIEW:
            yield from _by_view(name, option, value or ())
        elif name in _SEVERAL:
            if value:
                yield (name,), list(value), " ".join(f"{flag} {text}" for text in value)
        elif value is not None:
            yield (name,), option.read(value), f"{flag} {value}"


def words_of(config: Path | None, given: dict[str, Any]) -> str:
    """Return the tables of a command as they are typed for another one."""
    words = [] if config is None else [typed(config)]
    for name, option in _OPTIONS.items():
        value = given.get(name)
        if name in TABLES and value is not None:
            for text in value if name in _BY_VIEW else (value,):
                words += [option.flags[0], quoted(str(text))]
    return " ".join(words)


def _by_view(name: str, option: Option, texts: Iterable[str]) -> Iterator[_Setting]:
    """Translate an option VIEW=VALUE; lists of columns may be given in parts."""
    flag = option.flags[0]
    values: dict[str, Any] = {}
    for text in texts:
        if option.metavar.startswith("[") and "=" not in text:  # of all views
            yield (name,), option.read(text), f"{flag} {text}"
            continue
        view, value = shared.name_and_value(text, flag)
        new = option.read(value)
        if isinstance(new, list):
            new = values.get(view, []) + new
        else:
            shared.refuse_again(view, values, flag)
        values[view] = new
        keys: tuple[str, ...] = (name, view)
        if name == "views":
            keys = ("views", view, "path")
        elif name in tables.View.model_fields:
            keys = ("views", view, name)
        yield keys, new, f"{flag} {text}"
