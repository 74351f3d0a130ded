"""What messages advise where nothing can be written, how they count, how far work says it is."""

import errno
import logging
import os
import subprocess
from pathlib import Path

import pytest

from mvcc._utils import progress
from mvcc._utils.messages import (
    padded,
    quoted,
    typed,
    why_unwritten,
    with_its_end,
    with_point,
    wrapped,
)
from mvcc._utils.progress import Progress, numbered, teller


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (OSError(errno.ENOSPC, "Why"), "Make room, or choose another folder."),
        (OSError(errno.EROFS, "Why"), "Make it writable, or choose another folder."),
        (OSError(errno.EEXIST, "Why"), "A file is where a folder must be: choose another folder."),
        (OSError(errno.EISDIR, "Why"), "A folder is where a file must be: choose another folder."),
        (OSError(errno.ENAMETOOLONG, "Why"), "Choose another folder."),
        (OSError("Why"), "Choose another folder."),
    ],
    ids=lambda value: errno.errorcode.get(getattr(value, "errno", None)),
)
def test_the_advice_fits_the_reason(error, advice):
    assert why_unwritten(error, "choose another folder") == f"Why. {advice}"


@pytest.mark.parametrize(
    "text",
    [
        "it's",
        "a\n\tb'c\\d\\x41",
        "\x80\xa0a1 ü",
        "\x1b[3m$HOME\n`ls`",
        "\u200b12\U000e0001z",
        "r\udcff1",
    ],
)
def test_bash_reads_quoted_words_as_they_were(text):
    assert quoted(text).isprintable()
    command = ["bash", "-c", f"printf %s {quoted(text)}"]
    done = subprocess.run(command, capture_output=True, env=os.environ | {"LC_ALL": "C.UTF-8"})
    assert done.stdout.decode(errors="surrogateescape") == text


@pytest.mark.parametrize(
    ("path", "word"),
    [
        ("a/b", "a/b"),
        ("my res", "'my res'"),
        ("-x", "./-x"),
        ("-a b", "'./-a b'"),
        ("/-x", "/-x"),
        ("~/x", "'./~/x'"),
        ("W\x1b[3m$q", "$'W\\u001b[3m$q'"),
        ("-\n", "$'./-\\n'"),
    ],
)
def test_a_path_in_a_command_is_one_word_and_no_option(path, word):
    assert typed(Path(path)) == typed(path) == word


@pytest.mark.parametrize(
    ("texts", "most", "lines"),
    [
        (["重量", "x"], 9, ["重量", "x   "]),
        (["重量重量", "x"], 8, ["重量重量", "x       "]),
        (["重量重量", "x"], 7, ["重量重…", "x      "]),
        (["重量重量", "long name"], 6, ["重量… ", "long …"]),
    ],
)
def test_texts_are_padded_and_clipped_by_columns_of_a_terminal(texts, most, lines):
    assert padded(texts, most=most) == lines


@pytest.mark.parametrize(
    ("text", "first", "lines"),
    [
        ("", "", []),
        ("a 重量 b 长度", "", ["a 重量 b", "  长度"]),
        ("a 重量 b 长度", "重量 ", ["重量 a 重量", "  b 长度"]),
        ("a/long/path-to 长度 b", "", ["a/long/path-to", "  长度 b"]),
    ],
)
def test_lines_are_broken_by_columns_of_a_terminal(text, first, lines):
    assert wrapped(text, 11, first, "  ") == lines


@pytest.mark.parametrize(
    ("text", "number"),
    [("2,87", "2.87"), (" -,5 ", "-.5"), ("1,5E-3", "1.5E-3")]
    + [(text, None) for text in ("2.87", "a,5", "1,", "1,2,3", "1.000,5", "", "nan")],
)
def test_a_decimal_comma_is_known_from_other_texts(text, number):
    assert with_point(text) == number


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("short", "short"),
        ("abcdefgh", "abcdefgh"),
        ("satisfaction_staff", "sati…aff"),
        ("a\n", "'a\\n'"),
    ],
)
def test_a_long_name_keeps_its_end(name, shown):
    assert with_its_end(name, 8) == shown


@pytest.fixture
def clock(monkeypatch):
    """Return a list whose only entry is the time in seconds."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


@pytest.mark.parametrize(
    ("seconds", "left"),
    [
        (100, ["", ", about 5 minutes left", ", about 3 minutes left", ", about 2 minutes left"]),
        (59, ["", ""]),
    ],
)
def test_items_are_numbered_with_the_time_that_is_left(clock, seconds, left):
    said = []
    for _ in numbered("stability run", left, said.append):
        clock[0] += seconds
    assert said == [f"stability run {n} of {len(left)}{time}" for n, time in enumerate(left, 1)]


def test_a_share_is_told_every_few_seconds(clock):
    said = []
    tell = Progress("nearest rows", said.append)
    for seconds, share in ((0, 0), (50, 0.25), (54, 0.27), (150, 0.5), (200, 0.9), (210, 1)):
        clock[0] = seconds
        tell(share)
    assert said == [
        "nearest rows",
        "nearest rows: 25 %, about 2 minutes left",
        "nearest rows: 50 %, about 2 minutes left",
        "nearest rows: 90 %, less than a minute left",
    ]


def test_only_steps_with_many_rows_are_told(caplog):
    with caplog.at_level(logging.INFO, "mvcc.progress"):
        teller(49_999)("few")
        teller(50_000)("many")
    assert caplog.messages == ["many …"]
