"""Options that say what the tables of a job are: those of `mvcc cluster` and of `mvcc ask`."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from mvcc._utils.messages import clipped
from mvcc.cli._shared import Command

_Setting = tuple[tuple[str, ...], Any, str]

_BY_NAME = (  # options NAME=VALUE, their flags, and the keys of views that they set
    ("views", "--view", "path"),
    ("matches", "--match", None),
    ("constraints", "--constraints", None),
    ("id_columns", "--id-column", "id_column"),
    ("labels_columns", "--labels-column", "labels_column"),
)
_ANY_NAME = (("features", "--features", "features"), ("components", "--components", "n_components"))
_OPTIONS = (
    ("--view", "views", "NAME=FILE", "A table with one row per instance, or a folder of Parquet files."),
    ("--match", "matches", "VIEW:VIEW=FILE", "Matches: two columns of ids."),
    ("--constraints", "constraints", "VIEW=FILE", "Constraints: columns i,j,kind[,weight]."),
    ("--id-column", "id_columns", "VIEW=COLUMN", "The column that names the rows."),
    ("--labels-column", "labels_columns", "VIEW=COLUMN", "True labels, only compared with the clusters."),
    ("--ignore", "ignore", "VIEW=COLUMN[,COLUMN]", "Columns to leave out."),
    ("--columns", "columns", "VIEW=COLUMN[,COLUMN]", "The only columns to cluster by."),
    ("--show", "show", "VIEW=COLUMN[,COLUMN]", "Columns that `mvcc ask` and `mvcc match` show."),
    (
        "--features",
        "features",
        "[VIEW=]NAME",
        "auto, counts, histograms, scaled, spectral, pca or none.  [default: auto; spectral for co-em]",
    ),
    (
        "--components",
        "components",
        "[VIEW=]NUMBER",
        "Dimensions of the features.  [default: k for spectral, up to 10 for pca]",
    ),
)


def job_options(function: Command) -> Command:
    """Give a command the options that say what the tables are; `settings` translates them."""
    function = click.option("--seed", type=int, help="The same seed gives the same result.  [default: 0]")(function)
    function = click.option(
        "--on-conflict", metavar="NAME", help="error, or drop contradictory constraints.  [default: error]"
    )(function)
    for flag, name, metavar, text in reversed(_OPTIONS):
        function = click.option(flag, name, multiple=True, metavar=metavar, help=text)(function)
    return click.argument("config", required=False, type=click.Path(path_type=Path))(function)


def words_of(config: Path | None, given: dict[str, Any]) -> str:
    """Return the tables of a command as they are typed for another one."""
    words = [] if config is None else [str(config)]
    for flag, name, *_ in _OPTIONS:
        for text in given[name]:
            words += [flag, text]
    for name in ("on_conflict", "seed"):
        if given[name] is not None:
            words += [f"--{name.replace('_', '-')}", str(given[name])]
    return shlex.join(words)


def settings(given: dict[str, Any], plain: Iterable[str] = ("on_conflict", "seed")) -> Iterator[_Setting]:
    """Translate the options into settings: keys, value, and what messages call the option.

    Parameters
    ----------
    given : dict
    plain : iterable of str
        Options whose values are those of the settings of the same name.
    """
    for option, flag, key in _BY_NAME:
        for name, text, label in _each(given[option], flag):
            yield (("views", name, key) if key else (option, name)), text, label
    for option in ("ignore", "columns"):
        named: dict[str, list[str]] = {}
        for text in given[option]:
            name, columns = _named(text, f"--{option}")
            named.setdefault(name, []).extend(_columns(columns))
            yield ("views", name, option), list(named[name]), f"--{option} {text}"
    for name, text, label in _each(given["show"], "--show"):
        yield ("show", name), _columns(text), label
    for option, flag, key in _ANY_NAME:
        for text in given[option]:
            name, _, word = text.rpartition("=")
            value = as_number(word) if option == "components" else word
            yield (("views", name, key) if name else (key,)), value, f"{flag} {text}"
    for option in plain:
        if given[option] is not None:
            flag = "-k" if option == "n_clusters" else f"--{option.replace('_', '-')}"
            yield (option,), given[option], f"{flag} {given[option]}"


def by_name(texts: Iterable[str], flag: str) -> dict[str, str]:
    """Return the values of an option that may be given once for each name."""
    return {name: value for name, value, _ in _each(texts, flag)}


def as_number(text: str) -> Any:
    """Return a number where a text is one."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _each(texts: Iterable[str], flag: str) -> Iterator[tuple[str, str, str]]:
    """Give name, value and label of an option that may be given once for each name."""
    seen = set()
    for text in texts:
        name, value = _named(text, flag)
        if name in seen:
            raise click.BadParameter(f"{clipped(repr(name))} is given twice; keep one.", param_hint=flag)
        seen.add(name)
        yield name, value, f"{flag} {text}"


def _columns(text: str) -> list[str]:
    """Return columns that commas separate; a name with a comma is in double quotes."""
    return next(csv.reader([text], skipinitialspace=True))


def _named(text: str, flag: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise click.BadParameter(
            f"{clipped(repr(text))} has no name, '=' and value, such as {flag} texts=…", param_hint=flag
        )
    return name, value
