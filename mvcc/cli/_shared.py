"""What the commands have in common: --json, --quiet, --verbose, and the text below their help."""

from __future__ import annotations

import json
import logging
import math
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from mvcc._utils.messages import clipped

Command = TypeVar("Command", bound=Callable[..., Any])

_QUIET = "mvcc.quiet"
_COMPILING = "compiling kernels (once)"
_logger = logging.getLogger("mvcc")

TERMS = {
    "must-link": "two rows that belong in one cluster",
    "cannot-link": "two rows that belong in different clusters",
    "constraint": "a must-link or a cannot-link between two rows of one view",
    "view": "one of several tables about the same classes; tables need not have the same rows",
    "mapping": "the matches between the rows of the views; incomplete: many rows have none",
    "closure": "all constraints that follow from the given ones (a=b and b=c give a=c)",
    "threshold": "least weight of a transferred constraint, up to 1; or cv: cross-validated",
    "trial": "one random draw of data, constraints and mapping, on which all cells are computed",
    "cell": "one combination of base, transfer, threshold, mapped portion, constraints, …",
    "curve": "the mean F-measure over the trials, against the number of constraints",
    "match": "two rows of different views that are the same object; most rows may have none",
    "claim": "a statement of the paper about its results, tested as a comparison",
    "results folder": "output of `mvcc run`: trials/, curves.csv, and manifest.json, their origin",
}


def below_help(*commands: str, terms: tuple[str, ...] = ()) -> str:
    """Return the text below a command's help: its examples, and the terms it uses."""
    title = "Examples" if len(commands) > 1 else "Example"
    blocks = ["\n".join(["\b", f"{title}:", *(f"  {command}" for command in commands)])]
    if terms:
        blocks.append("\n".join(["\b", "Terms:", *_listed(terms)]))
    return "\n\n".join(blocks)


def _listed(terms: tuple[str, ...]) -> Iterator[str]:
    from textwrap import wrap

    width = max(map(len, terms)) + 2
    for term in terms:
        first, *others = wrap(TERMS[term], 76 - width)
        yield f"  {term:<{width}}{first}"
        yield from (f"  {'':{width}}{line}" for line in others)


def output_options(json_help: str) -> Callable[[Command], Command]:
    """Give a command the options ``--json`` (argument ``as_json``), ``--quiet`` and ``--verbose``.

    A command prints by `say` and `print_json`; `detail` is for what only ``--verbose`` shows.
    """

    def add(function: Command) -> Command:
        for option in (
            click.option(
                "-v",
                "--verbose",
                is_flag=True,
                expose_value=False,
                callback=_set_verbose,
                help=_VERBOSE,
            ),
            click.option(
                "-q",
                "--quiet",
                is_flag=True,
                expose_value=False,
                callback=_set_quiet,
                help=_QUIET_HELP,
            ),
            click.option("--json", "as_json", is_flag=True, help=json_help),
        ):
            function = option(function)
        return function

    return add


class Folder(click.Path):
    """The path of a folder; completion offers no files, but the reader of the folder checks."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Let the shell offer folders."""
        return [CompletionItem(incomplete, type="dir")]


def data_dir_option(function: Command) -> Command:
    """Give a command the option ``--data-dir``."""
    return click.option(
        "--data-dir",
        type=Folder(),
        metavar="FOLDER",
        help="Folder to search for data files before $MVCC_DATA and the cache.",
    )(function)


def fresh_option(function: Command) -> Command:
    """Give a command the option ``--fresh``."""
    return click.option(
        "--fresh",
        is_flag=True,
        help="Replace what this command wrote there before, unless somebody changed it.",
    )(function)


def scheduler_option(function: Command) -> Command:
    """Give a command the option ``--scheduler`` for folders."""
    return click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Folders: read them on the workers of a dask scheduler, such as tcp://host:8786.",
    )(function)


def set_option(function: Command) -> Command:
    """Give a command the option ``--set`` (its argument ``overrides``)."""
    return click.option(
        "--set",
        "overrides",
        multiple=True,
        metavar="KEY=VALUE",
        help="Override a value of the file; may be repeated.",
    )(function)


def by_name(texts: Iterable[str], flag: str) -> dict[str, str]:
    """Return the values of an option NAME=VALUE that may be given once for each name."""
    values: dict[str, str] = {}
    for text in texts:
        name, value = name_and_value(text, flag)
        refuse_again(name, values, flag)
        values[name] = value
    return values


def rows_by_name(texts: Iterable[str], flag: str) -> dict[str, int]:
    """Return the values of an option NAME=ROW that may be given once for each name."""
    rows = by_name(texts, flag)
    for name, row in rows.items():
        if not re.fullmatch("[1-9][0-9]{0,6}", row):
            raise click.BadParameter(
                f"{name}={clipped(row)} is not a row of a sheet; write a whole number from 1 on.",
                param_hint=flag,
            )
    return {name: int(row) for name, row in rows.items()}


def name_and_value(text: str, flag: str) -> tuple[str, str]:
    """Split the text of an option NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise click.BadParameter(
            f"{clipped(repr(text))} has no name, '=' and value, such as {flag} texts=…",
            param_hint=flag,
        )
    return name, value


def refuse_again(name: str, known: Iterable[str], flag: str) -> None:
    """Refuse a name that an option was given before."""
    if name in known:
        message = f"{clipped(repr(name))} is given twice; keep one."
        raise click.BadParameter(message, param_hint=flag)


_QUIET_HELP = "Print only errors and the output of --json."
_VERBOSE = "Print steps, files read and timing."


def is_quiet() -> bool:
    """Tell whether the command that runs was given ``--quiet``."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_QUIET))


def say(text: str) -> None:
    """Print a result in words, on standard output."""
    if not is_quiet():
        click.echo(text)


def remark(text: str) -> None:
    """Print what happens meanwhile, on standard error."""
    if not is_quiet():
        click.echo(text, err=True)


def detail(text: str) -> None:
    """Print what only ``--verbose`` shows, on standard error."""
    _logger.info("%s", text)


@contextmanager
def told_of_compiling(
    show: Callable[[str], None], resume: Callable[[], None], *, terminal: bool
) -> Iterator[None]:
    """Say that kernels are compiled: by ``show`` on a terminal, else once as a line of the log.

    On a terminal ``resume`` is called when they are compiled.
    """
    from mvcc._utils.kernels.compiling import watched_compiler

    said = False

    def begin() -> None:
        nonlocal said
        if terminal:
            show(_COMPILING)
        elif not said:
            remark(_COMPILING)
        said = True

    with watched_compiler(begin, resume if terminal else lambda: None):
        yield


@contextmanager
def shown_steps() -> Iterator[Callable[[str], None]]:
    """Show what is being done: the current step on a terminal, every one with ``--verbose``."""
    from rich.console import Console

    console = Console(stderr=True, quiet=is_quiet())
    current = ""
    with console.status("") as status:

        def show(step: str) -> None:
            nonlocal current
            current = step
            resume()
            detail(f"{step} …")

        def resume() -> None:
            status.update(f"{current} …")

        def meanwhile(step: str) -> None:
            status.update(f"{step} …")

        with (
            told_of_compiling(
                meanwhile, resume, terminal=sys.stderr.isatty() and console.is_interactive
            ),
            _told_of_progress(lambda step: status.update(f"{current}: {step}")),
        ):
            yield show


@contextmanager
def _told_of_progress(show: Callable[[str], None]) -> Iterator[None]:
    """Show the steps within a long one."""
    from mvcc._utils.progress import LOGGER

    handler = logging.Handler()
    handler.emit = lambda record: show(record.getMessage())  # type: ignore[method-assign]
    with _heard(LOGGER, handler, logging.INFO):
        yield


def print_json(document: Any) -> None:
    """Print a result as JSON on standard output, where ``--json`` prints nothing else."""
    click.echo(json.dumps(_finite(document), indent=2, ensure_ascii=False, allow_nan=False))


def _finite(value: Any) -> Any:
    """Put null for numbers that JSON does not have."""
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def wants_color() -> bool | None:
    """Return what the environment says about colors; None leaves it to the terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    return True if os.environ.get("FORCE_COLOR") else None


def _set_quiet(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and context.meta.get("mvcc.verbose"):
        context.close()  # click leaves that to the command, and there will be none
        raise click.UsageError("--quiet and --verbose are mutually exclusive.", context)
    context.meta[_QUIET] = value


def _set_verbose(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and context.meta.get(_QUIET):
        raise click.UsageError("--quiet and --verbose are mutually exclusive.", context)
    context.meta["mvcc.verbose"] = value
    if value:
        context.with_resource(_told())


@contextmanager
def _told() -> Iterator[None]:
    """Let everything that mvcc logs be seen, and how long the command takes."""
    began = time.perf_counter()
    with _heard(_logger, _Echo(), logging.DEBUG):
        yield
        detail(f"took {time.perf_counter() - began:.2f} s")


@contextmanager
def _heard(logger: logging.Logger, handler: logging.Handler, level: int) -> Iterator[None]:
    """Let a handler get what is logged from a level on, and put all back afterwards."""
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(level)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


class _Echo(logging.Handler):
    """Print records on standard error, wherever that is at the moment."""

    def emit(self, record: logging.LogRecord) -> None:
        click.echo(f"{click.style('·', dim=True)} {record.getMessage()}", err=True)
