"""The commands of mvcc: they parse and print, nothing else."""

from __future__ import annotations

import atexit
import errno
import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from io import TextIOWrapper
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem

from mvcc._utils.messages import nearest_of, shown
from mvcc._version import __version__
from mvcc.exceptions import ConfigError, MvccError

FAILURE, USAGE, INTERRUPTED = 1, 2, 130
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # where standard output goes
_UNUSABLE = (errno.ENAMETOOLONG, errno.EACCES, errno.ELOOP)  # paths that cannot be looked at
_OBJECTS = 500_000  # that are made before the garbage collector looks at them
_AFTER_INTERRUPT = {
    "ask": "all answers are stored; run the same command to resume",
    "review": "what was recorded is stored; run the same command to resume",
    "run": "finished trials are stored, the same command resumes (without --fresh)",
    "cluster": "complete results stay, the same command starts over",
    "predict": "complete labels stay, else the same command starts over",
}

_GROUPS = {
    "Your own tables": {
        "init": "Write an example, or a config for your own tables.",
        "ask": "Answer questions about your own tables.",
        "cluster": "Cluster your own tables.",
        "review": "Correct a result.",
        "predict": "Put new rows into the clusters.",
        "compare": "Compare two clusterings.",
        "match": "Propose matches of unmatched rows.",
        "export": "Write your own tables with their clusters.",
        "report": "Write the HTML report of a clustering or of experiments.",
    },
    "The paper's experiments": {
        "run": "Run or resume an experiment.",
        "plot": "Draw the paper's figures.",
        "claims": "Test the paper's claims.",
        "check": "Verify results on disk.",
        "replay": "Compute a stored trial again.",
        "data": "List, fetch and check the data sets.",
    },
    "Installation": {"doctor": "Show versions, data folders and compiled kernels."},
}
_MODULES = {
    **dict.fromkeys(("review", "predict", "compare", "export", "report"), "_results"),
    **dict.fromkeys(("plot", "claims", "check", "replay"), "_experiments"),
    **{"match": "_ask", "doctor": "_data"},
}  # of commands that do not have one of their own
_SUMMARIES = {name: summary for commands in _GROUPS.values() for name, summary in commands.items()}


class _LazyGroup(click.Group):
    """Import a command only when it is used, so that `mvcc --help` stays fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_SUMMARIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _SUMMARIES:
            return None
        module = _MODULES.get(cmd_name, f"_{cmd_name}")
        return getattr(import_module(f"mvcc.cli.{module}"), cmd_name)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args[:1] == ["help"]:  # `mvcc help run` is `mvcc run --help`
            args = [*args[1:], "--help"]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        names = [name for name in _SUMMARIES if name.startswith(incomplete)]
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [*(CompletionItem(name, help=_SUMMARIES[name]) for name in names), *options]

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            hint = nearest_of(args[0], _SUMMARIES)
            raise click.UsageError(f"{error.message.rstrip('.')}.{hint}", ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in _GROUPS.items():
            with formatter.section(title):
                width = max(map(len, _SUMMARIES))
                formatter.write_dl([(name.ljust(width), text) for name, text in commands.items()])


_HELP = """Cluster tables about the same things when only some of their rows are known to match.

\b
Cluster the bundled example, then your own tables:
  mvcc init my-data
  mvcc cluster my-data/cluster.yaml --out results
  mvcc init --from a.csv b.xlsx matches.csv

\b
Run an experiment of the paper and draw its learning curves:
  mvcc run four_quadrants --trials 20
  mvcc plot results/

Exit codes: 0 success, 1 failure, 2 usage or configuration error, 3 a claim does not hold (`claims`
only), 4 some trials failed, 130 interrupted.
"""


@click.group(cls=_LazyGroup, help=_HELP, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mvcc")
def cli() -> None:
    pass


def main() -> NoReturn:
    """Run the command line: expected errors become a message and an exit code, no traceback."""
    _open_streams()
    # What imports make stays to the end. Python's habit of looking through it after every 700
    # objects, and once more when the process ends, takes a quarter of a short run.
    gc.set_threshold(_OBJECTS)
    atexit.register(gc.freeze)
    try:
        # outside standalone mode click returns the code of ctx.exit() and raises what went wrong
        with _interruptible():
            code = cli.main(prog_name="mvcc", standalone_mode=False, color=_wants_color())
        sys.stdout.flush()
    except (click.exceptions.Abort, KeyboardInterrupt):
        after = _AFTER_INTERRUPT.get("".join(sys.argv[1:2]), "repeat the command to finish")
        code = _complain(f"interrupted; {after}.", INTERRUPTED)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except ConfigError as error:
        code = _complain(str(error), USAGE)
    except MvccError as error:
        code = _complain(str(error), FAILURE)
    except OSError as error:
        if error.errno in _UNUSABLE and error.filename is not None:
            path = shown(os.fspath(error.filename))
            sys.exit(_complain(f"{path}: {error.strerror}. Choose another path.", FAILURE))
        if error.errno not in _FULL or error.filename is not None:  # files have names
            raise
        sys.stdout = None  # what it still holds would be an error again when Python ends
        words = f"the output cannot be written: {error.strerror}. Make room, or send it elsewhere."
        code = _complain(words, FAILURE)
    except MemoryError as error:
        reason = f": {error}" if str(error) else ""
        words = f"memory has run out{reason}. Give fewer rows or columns, or more memory."
        code = _complain(words, FAILURE)
    except RuntimeError as error:  # numba finds no folder that it may write to
        if "no locator available" not in str(error):
            raise
        words = f"there is no folder for compiled kernels: {error}."
        code = _complain(f"{words} Set NUMBA_CACHE_DIR to a folder.", FAILURE)
    sys.exit(code or 0)


def _open_streams() -> None:
    """Open the standard streams that the shell has closed, and let all write any file name."""
    while (handle := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(handle, True)  # by workers
    os.close(handle)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # file names may be any bytes


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C, and SIGTERM, which clusters send before they kill, end as KeyboardInterrupt."""
    signals = []

    def interrupt(signum: int, _frame: object) -> NoReturn:
        signals.append(signum)
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as in the background
        signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    except Exception as error:
        if isinstance(error, MvccError) or not signals:
            raise
        raise KeyboardInterrupt from error  # compiled code that is imported made this of it


def _wants_color() -> bool | None:
    """Return what the environment says about colors; None leaves it to the terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or None


def _complain(message: str, code: int) -> int:
    name = click.style("mvcc:", fg="red", bold=True)
    click.echo(f"{name} {message}", err=True, color=_wants_color())
    return code
