"""Every expected error is one message with the right exit code."""

import os
import signal
import subprocess
import sys
from unittest.mock import patch

import pytest

from mvcc.cli import _SUMMARIES, cli, main
from mvcc.exceptions import ConfigError, DataError
from tests.command_line import mvcc


def test_help_names_every_command_and_the_version_is_printed():
    text = mvcc("--help").stdout
    assert all(f"\n  {name} " in text for name in _SUMMARIES)
    assert mvcc("--version").stdout == "mvcc, version 0.1.0\n"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("runn", 2, "Did you mean 'run'?"),
        ("run no_such.yaml", 2, "no_such.yaml"),
        ("run x.yaml -j 0", 2, "must be a positive integer or -1 (one per core), got 0"),
        ("data check protien", 1, "protein"),
        ("plot no_such_folder", 1, "no_such_folder"),
        ("check . --quiet --json", 1, "there are no results here"),
        ("export a --out=", 2, "Invalid value for '--out': it is empty; name a file or folder."),
        ("cluster a.csv --out=", 2, "Invalid value for '--out': it is empty"),
        ("match a.yaml --out a.xlsx", 2, "--out a.xlsx: the ending '.xlsx' is none of .csv, .txt."),
        ("compare a b --out a.json", 2, "--out a.json: the ending '.json' is none of .csv, .txt."),
        ("report a --out a.pdf", 2, "--out a.pdf: the ending '.pdf' is none of .html, .htm."),
        (f"cluster {252 * 'q'}.yaml", 1, "File name too long. Choose another path."),
    ],
)
def test_mistakes_get_one_message_and_no_traceback(tmp_path, words, code, message):
    done = mvcc(*words.split(), cwd=tmp_path)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not done.stdout
    assert not list(tmp_path.iterdir())


ROOM = "Give fewer rows or columns, or more memory."


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (ConfigError("wrong"), 2, "mvcc: wrong\n"),
        (DataError("gone"), 1, "mvcc: gone\n"),
        (MemoryError(), 1, f"mvcc: memory has run out. {ROOM}\n"),
        (MemoryError("8 TiB"), 1, f"mvcc: memory has run out: 8 TiB. {ROOM}\n"),
        (KeyboardInterrupt(), 130, "mvcc: interrupted; repeat the command to finish.\n"),
        (None, 0, ""),
    ],
)
def test_each_kind_of_error_has_its_exit_code_and_message(error, code, said):
    with patch.object(cli, "main", side_effect=error, return_value=None):
        assert mvcc() == (code, "", said)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("run x.yaml", "finished trials are stored, the same command resumes (without --fresh)."),
        ("review r", "what was recorded is stored; run the same command to resume."),
        ("cluster x.yaml", "complete results stay, the same command starts over."),
        ("predict m", "complete labels stay, else the same command starts over."),
        ("claims run", "repeat the command to finish."),
    ],
)
def test_what_an_interrupt_leaves_is_said_of_each_command(words, message):
    with patch.object(cli, "main", side_effect=KeyboardInterrupt):
        assert mvcc(*words.split()).stderr == f"mvcc: interrupted; {message}\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ImportError("initialization failed"), "interrupted; repeat the command to finish."),
        (DataError("former labels wait"), "former labels wait"),
    ],
)
def test_what_an_interrupt_becomes_is_told_if_it_is_mvccs_and_else_interrupted(number, error, said):
    def end(**_):
        try:
            signal.raise_signal(number)
        except KeyboardInterrupt:
            raise error from None

    # a run of tests in the background ignores SIGINT, and so would the command
    heard = patch.object(signal, "getsignal", return_value=signal.SIG_DFL)
    with heard, patch.object(cli, "main", side_effect=end):
        assert mvcc("check").stderr == f"mvcc: {said}\n"


@pytest.mark.parametrize("error", [ZeroDivisionError(), OSError(5, "a fault"), RuntimeError("x")])
def test_an_unexpected_error_is_not_swallowed(error):
    with patch.object(cli, "main", side_effect=error), pytest.raises(type(error)):
        main()


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_behind_standard_output_is_one_message(unbuffered):
    command = [sys.executable, "-m", "mvcc", "--version"]
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, env=environment
        )
    assert done.returncode == 1
    assert done.stderr == (
        "mvcc: the output cannot be written: No space left on device. Make room, or send it"
        " elsewhere.\n"
    )


@pytest.mark.slow
def test_what_the_shell_has_closed_is_open_for_commands_and_their_workers():
    code = """
import subprocess, sys
from unittest.mock import patch
from mvcc.cli import cli, main
sees = [sys.executable, "-c", "import sys; sys.stdout.flush(); sys.stderr.flush()"]
with patch.object(cli, "main", lambda **_: sys.stderr.isatty() or subprocess.call(sees)):
    main()
"""
    closing = ["sh", "-c", 'exec "$0" "$@" <&- >&- 2>&-', sys.executable, "-c", code]
    assert subprocess.run(closing).returncode == 0
