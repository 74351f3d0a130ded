"""``mvcc`` called in this process: as a program sees it, and with its errors raised."""

import os
import signal
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import pytest
from click.testing import CliRunner, Result

from mvcc.cli import cli, main


class Done(NamedTuple):
    """What a call leaves."""

    returncode: int
    stdout: str
    stderr: str


def mvcc(*words: object, cwd: Path | None = None, **environment: str) -> Done:
    # as Python opens them: what cannot be encoded is an error in one, and escaped in the other
    out, err = (
        TextIOWrapper(BytesIO(), "utf-8", errors=errors)
        for errors in ("strict", "backslashreplace")
    )
    with (
        patch.object(sys, "argv", ["mvcc", *map(str, words)]),
        patch.dict(os.environ, environment),
        chdir(cwd or Path.cwd()),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        main()
    for stream in (out, err):
        stream.flush()
    return Done(ended.value.code, out.buffer.getvalue().decode(), err.buffer.getvalue().decode())


def invoke(line: str, *more: object, code: int = 0) -> Result:
    """Run the command of a line, with more words; its errors are raised as they are."""
    words = [*line.split(), *map(str, more)]
    done = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done


def heed_interrupts():
    """Let Ctrl-C end a process, before it starts: shells ignore it in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
