"""What messages advise where something cannot be written, and how they count."""

import errno
import os
from pathlib import Path

import pytest

from mvcc._utils.messages import counted, typed, why_unwritten, with_its_end, with_point


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "Make room, or choose another folder."),
        (errno.EDQUOT, "Make room, or choose another folder."),
        (errno.EROFS, "Make it writable, or choose another folder."),
        (errno.EACCES, "Make it writable, or choose another folder."),
        (errno.EPERM, "Make it writable, or choose another folder."),
        (errno.EEXIST, "A file is where a folder must be: choose another folder."),
        (errno.ENOTDIR, "A file is where a folder must be: choose another folder."),
        (errno.EISDIR, "A folder is where a file must be: choose another folder."),
        (errno.ENAMETOOLONG, "Choose another folder."),
    ],
    ids=errno.errorcode.get,
)
def test_the_advice_fits_the_reason(number, advice):
    error = OSError(number, os.strerror(number))
    assert why_unwritten(error, "choose another folder") == f"{os.strerror(number)}. {advice}"


@pytest.mark.parametrize(
    ("path", "word"),
    [("a/b", "a/b"), ("my res", "'my res'"), ("-x", "./-x"), ("-a b", "'./-a b'"), ("/-x", "/-x")],
)
def test_a_path_in_a_command_is_one_word_and_no_option(path, word):
    assert typed(Path(path)) == typed(path) == word


def test_an_error_without_a_number_is_told_in_its_own_words():
    assert why_unwritten(OSError("gone"), "choose another folder") == "gone. Choose another folder."


def test_one_is_not_told_in_the_plural():
    assert [counted(n, "row") for n in (0, 1, 2)] == ["0 rows", "1 row", "2 rows"]


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
