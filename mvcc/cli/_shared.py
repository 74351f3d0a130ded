"""What the commands have in common: --json, --quiet, --verbose, and the text below their help."""

from __future__ import annotations

import codecs
import json
import logging
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache, partial
from os import fspath
from os.path import expanduser, realpath
from pathlib import Path
from textwrap import fill
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from mvcc import tables
from mvcc._utils.messages import agreeing, clipped, shown
from mvcc.exceptions import ConfigError

Command = TypeVar("Command", bound=Callable[..., Any])

_COMPILING = "compiling kernels (once)"
_logger = logging.getLogger("mvcc")

TERMS = {
    "must-link": "two rows that belong in one cluster",
    "cannot-link": "two rows that belong in different clusters",
    "constraint": "a must-link or a cannot-link between two rows of one view",
    "view": "one of several tables about the same things; each has rows of its own",
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
    title = agreeing(len(commands), "Example", "Examples")
    lines = ["\b", f"{title}:", *(f"  {command}" for command in commands)]
    if terms:
        lines += ["", "\b", "Terms:"]
        margin = " " * (max(map(len, terms)) + 4)
        for term in terms:
            start = f"  {term}".ljust(len(margin))
            lines.append(fill(TERMS[term], 78, initial_indent=start, subsequent_indent=margin))
    return "\n".join(lines)


def command(
    *examples: str, terms: tuple[str, ...] = ()
) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a function a command, with examples and terms below its help."""
    return click.command(epilog=below_help(*examples, terms=terms))


class _Path(click.Path):
    """A path, which is not empty as in --out "$OUT" without an OUT: that is the working folder."""

    def __init__(self, path_type: type[str | Path] = Path) -> None:
        super().__init__(path_type=path_type)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not fspath(value):
            self.fail("it is empty; name a file or folder.", param, ctx)
        return super().convert(expanduser(value), param, ctx)


class Folder(_Path):
    """The path of a folder; completion offers no files, but the reader of the folder checks."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [CompletionItem(incomplete, type="dir")]


FILE, FILE_NAME = _Path(), _Path(str)

flag = partial(click.option, is_flag=True)
file_option = partial(click.option, type=FILE, metavar="FILE")
folder_option = partial(click.option, type=Folder(), metavar="FOLDER")
number_option = partial(click.option, type=click.IntRange(1))


def out_option(*endings: str, help: str) -> Callable[[Command], Command]:
    """Offer --out for a file of one format: its name has one of some endings, or none."""
    # another ending is refused before anything is read; words do not get into what goes to stdout

    def checked(context: click.Context, _option: click.Parameter, out: Path | None) -> Path | None:
        ending = (out or Path()).suffix.lower()
        if ending not in ("", *endings):
            known = ", ".join(endings)
            raise ConfigError(f"--out {out}: the ending {shown(ending)} is none of {known}.")
        context.meta["mvcc.to_stdout"] = out and realpath(out) == realpath("/dev/stdout")
        return out

    return file_option("--out", help=help, callback=checked)


data_dir_option = folder_option(
    "--data-dir", help="Folder to search for data files before $MVCC_DATA and the cache."
)
fresh_option = flag(
    "--fresh", help="Replace what this command wrote there before, unless somebody changed it."
)
sheet_option = partial(click.option, "--sheet", "sheets", multiple=True, metavar="VIEW=NAME")
header_option = partial(click.option, "--header", "headers", multiple=True, metavar="VIEW=ROW")
scheduler_option = click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Folders: read them on the workers of a dask scheduler, such as tcp://host:8786.",
)


def output_options(json_help: str) -> Callable[[Command], Command]:
    """Give a command the options ``--json``, ``--quiet`` and ``--verbose``."""
    # it need not look at them: `say`, `say_json`, `remark` and `detail` do

    def add(command: Command) -> Command:
        for *flags, text in (
            ("-v", "--verbose", "Print steps, files read and timing."),
            ("-q", "--quiet", "Print only errors and the output of --json."),
            ("--json", json_help),
        ):
            command = flag(*flags, help=text, expose_value=False, callback=_note_flag)(command)
        return command

    return add


def refuse_fresh_alone(fresh: bool, out: Path | None) -> None:
    """Refuse ``--fresh`` where no file is written."""
    if fresh and out is None:
        raise click.UsageError("--fresh goes with --out; add it, or leave --fresh out.")


def with_home(text: str) -> str:
    """Return a path, or NAME=PATH, with ~ expanded, which not every shell does after =."""
    name, sign, path = text.partition("=")
    return f"{name}={expanduser(path)}" if sign else expanduser(text)


def by_name(texts: Iterable[str], flag: str) -> dict[str, str]:
    """Return the values of an option NAME=VALUE that may be given once for each name."""
    values: dict[str, str] = {}
    for text in texts:
        name, value = name_and_value(text, flag)
        refuse_again(name, values, flag)
        values[name] = value
    return values


def header_rows(texts: Iterable[str]) -> dict[str, int]:
    """Return the values of the option ``--header NAME=ROW``, once for each name."""
    rows = by_name(texts, "--header")
    for name, row in rows.items():
        if not re.fullmatch("[1-9][0-9]{0,6}", row):
            raise click.BadParameter(
                f"{name}={clipped(row)} is not a row of a sheet; write a whole number from 1 on.",
                param_hint="--header",
            )
    return {name: int(row) for name, row in rows.items()}


def name_and_value(text: str, flag: str) -> tuple[str, str]:
    """Split the text of an option NAME=VALUE."""
    name, _, value = text.partition("=")
    if not (name and value):
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


def _note_flag(context: click.Context, option: click.Parameter, value: bool) -> None:
    context.meta[f"mvcc.{option.name}"] = value
    if has_flag("quiet") and has_flag("verbose"):
        context.close()  # click leaves that to the command, and there will be none
        raise click.UsageError("--quiet and --verbose are mutually exclusive.", context)
    if value and option.name == "verbose":
        context.with_resource(_told())


def has_flag(name: str) -> bool:
    """Tell whether the command that runs was given ``json``, ``quiet`` or ``verbose``."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(f"mvcc.{name}"))


@contextmanager
def _told() -> Iterator[None]:
    """Let everything that mvcc logs be seen, and how long the command takes."""
    began = time.perf_counter()
    dot = click.style("·", dim=True)
    with _heard(_logger, logging.DEBUG, lambda text: click.echo(f"{dot} {text}", err=True)):
        yield
        detail(f"took {time.perf_counter() - began:.2f} s")


@contextmanager
def _heard(logger: logging.Logger, level: int, show: Callable[[str], None]) -> Iterator[None]:
    """Show what is logged from a level on, and put all back afterwards."""
    handler = logging.Handler()
    handler.emit = lambda record: show(record.getMessage())  # type: ignore[method-assign]
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(level)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


def say(text: str, *, err: bool = False) -> None:
    """Print a result in words, or on standard error what follows it, unless ``--json`` is given."""
    # on standard error, too, if the output itself goes to standard output
    if not (has_flag("quiet") or has_flag("json")):
        click.echo(text, err=err or has_flag("to_stdout"))


def say_json(document: Any) -> None:
    """Print a result as JSON, if ``--json`` is given."""
    if has_flag("json"):
        print_json(document)


def remark(text: str) -> None:
    """Print what happens meanwhile, on standard error."""
    if not has_flag("quiet"):
        click.echo(text, err=True)


def remark_notes(notes: Iterable[str]) -> None:
    """Print notes about what was read or done, on standard error."""
    for note in notes:
        remark(f"Note: {note}")


def say_notes(notes: Iterable[str]) -> None:
    """Print notes on standard error, unless ``--json`` is given, whose document has them."""
    for note in notes:
        say(f"Note: {note}", err=True)


def detail(text: str) -> None:
    """Print what only ``--verbose`` shows, on standard error."""
    _logger.info("%s", text)


def told_of_compiling(show: Callable[[str], None] | None) -> AbstractContextManager[None]:
    """``show`` while kernels are compiled, and an empty text after; without it, log a line once."""
    from mvcc._utils.kernels import watched_compiler

    if show:
        return watched_compiler(partial(show, _COMPILING), partial(show, ""))
    return watched_compiler(partial(cache(remark), _COMPILING), lambda: None)


@contextmanager
def shown_steps() -> Iterator[Callable[[str], None]]:
    """Show what is being done: the current step on a terminal, every one with ``--verbose``."""
    from rich.console import Console

    from mvcc._utils.progress import LOGGER as PROGRESS

    console = Console(stderr=True, quiet=has_flag("quiet"))
    current = ""
    with console.status("") as status:

        def show(step: str) -> None:
            nonlocal current
            current = step
            update(step)
            detail(f"{step} …")

        def update(note: str) -> None:
            status.update(f"{note or current} …")

        with (
            told_of_compiling(update if console.is_interactive and sys.stderr.isatty() else None),
            _heard(PROGRESS, logging.INFO, lambda step: status.update(f"{current}: {step}")),
        ):
            yield show


def in_browser(page: tables.Page, verb: str, port: int | None, no_open: bool) -> None:
    """Serve a page until it finishes, Ctrl-C or SIGTERM; messages say what one does there."""
    server = tables.PageServer(page, port or 0)
    say(server.address)
    remark(f"{verb} in the browser; press Ctrl-C to end. Everything is stored at once.")
    if not no_open:
        from threading import Thread
        from webbrowser import open as open_browser

        # some wait for the browser to end
        Thread(target=open_browser, args=(server.address,), daemon=True).start()
    server.serve()


def print_json(document: Any) -> None:
    """Print JSON on standard output; paths are texts there, and numbers it does not have null."""
    finite = json.loads(json.dumps(document, default=fspath), parse_constant=lambda _: None)
    # JSON is UTF-8; in another encoding, such as that of LANG=en_US, only ASCII reads the same
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"  # None where it is a StringIO
    escaped = codecs.lookup(encoding).name != "utf-8"
    click.echo(json.dumps(finite, indent=2, ensure_ascii=escaped, allow_nan=False))
