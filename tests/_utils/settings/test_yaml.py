"""A file is read as YAML values with their lines; anything else is refused in one message."""

import math
import os

import pytest

from mvcc._utils.settings import Problems, as_yaml, read_yaml, scalar
from mvcc.exceptions import ConfigError


@pytest.fixture
def read(tmp_path):

    def read(content):
        path = tmp_path / "x.yaml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        problems = Problems("x.yaml", "mvcc run")
        value = read_yaml(path, problems)
        if problems:
            raise problems.error()
        return value

    return read


@pytest.fixture
def refusal(read):

    def refusal(content):
        with pytest.raises(ConfigError) as caught:
            read(content)
        return str(caught.value).splitlines()[1:-1]

    return refusal


def test_sections_lists_scalars_and_what_is_in_quotes(read):
    text = "a: {b: 1, c: [x, 2.5, true, '2.5', \"true\", 'no', '']}\n"
    text += "d:\n  - 'e: f'\n  - {}\n  - []\n1: |\n  two\n  lines\n"
    assert read(text) == {
        "a": {"b": 1, "c": ["x", 2.5, True, "2.5", "true", "no", ""]},
        "d": ["e: f", {}, []],
        "1": "two\nlines\n",
    }


VALUES = {
    **dict.fromkeys(["", "~", "null"]),
    **{"true": True, "False": False, "0": 0, "-7": -7, "+7": 7, "010": 10},
    **{"1.": 1.0, ".5": 0.5, "1e-3": 0.001, "-1.5E+2": -150.0, "+1.e-3": 0.001},
    **{"1e999": float("inf"), "-.Inf": -float("inf"), "9" * 300: int("9" * 300)},
}
TEXTS = ["yes", "off", "1_000", "0x1F", "10:30", "inf", "nan", "1e", ".", "-", "2024-01-01", "١"]


@pytest.mark.parametrize(
    ("text", "value"), [*VALUES.items(), *zip(TEXTS, TEXTS, strict=True), ("9" * 301, "9" * 301)]
)
def test_a_scalar_means_what_it_looks_like(text, value):
    assert (type(scalar(text)), scalar(text)) == (type(value), value)


def test_not_a_number_is_a_number():
    assert math.isnan(scalar(".nan"))


@pytest.mark.parametrize(
    "start", [b"", b"\xef\xbb\xbf", b"# comment\n", b"---\n", b"%YAML 1.2\n---\n", b"\r\n"]
)
def test_a_byte_order_mark_or_the_start_of_a_document_changes_nothing(read, start):
    assert read(start + b"a: 1\n") == {"a": 1}


@pytest.mark.parametrize(
    "value", ["a\nb", ["a\nb", "-1"], {"ü\x1b[2J": "number", "when, then": "1"}]
)
def test_what_is_written_is_one_line_that_says_the_same(read, value):
    assert as_yaml(value).isprintable()
    assert read(f"a: {as_yaml(value)}") == {"a": value}


def test_every_value_keeps_its_line(tmp_path):
    path, problems = tmp_path / "x.yaml", Problems("x.yaml", "mvcc run")
    path.write_text("a:\n  b:\n    - 1\n\n    - 2\n  c: >\n    text\nd: 5\n")
    read_yaml(path, problems)
    lines = {(): 1, ("a",): 1, ("a", "b"): 2, ("a", "b", 0): 3, ("a", "b", 1): 5}
    for key, line in (lines | {("a", "c"): 6, ("d",): 8}).items():
        assert problems.place(key).label == f"x.yaml:{line}"
    assert problems.place(("a", "missing")) == problems.place(("a",))


def test_a_duplicate_key_is_refused_with_both_lines(refusal):
    assert refusal("a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\na: 2\n") == [
        "x.yaml:5: b.c: is given twice; the first is at x.yaml:3. Keep one.",
        "x.yaml:6: a: is given twice; the first is at x.yaml:1. Keep one.",
    ]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[a, b]: 1", 1, "?: a key must be a plain word"),
        ("? {a: 1}\n: 1", 1, "?: a key must be a plain word"),
        ("a: [1, ]\nb: [~]", 2, "b: item 1: has no value"),
        ("a:", 1, "a: has no value"),
        ("a: on", 1, "a: on can be read two ways"),
        ("", 1, "the file is empty"),
        ("# only a comment\n", 1, "the file is empty"),
        ("---\n", 2, "the file is empty"),
        ("null", 1, "the file is empty"),
        ("a: 1\nb: \x07", 2, "the character U+0007 is not allowed"),
        (r'a: "\UFFFFFFFF"', 1, "this cannot be read as YAML: a number in an escape"),
    ],
)
def test_what_is_no_value_of_a_configuration_is_one_problem(refusal, text, line, message):
    (problem,) = refusal(text)
    assert problem.startswith(f"x.yaml:{line}: {message}")


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("a: 1\n---\nb: 2\n", 2, 1, "a second document begins"),
        ("b: 1\na: &x 1", 2, 4, "the anchor &x is not supported"),
        ("&x a: 1", 1, 1, "the anchor &x is not supported"),
        ("a: *x", 1, 4, "the alias *x is not supported"),
        ("a: !!int 1", 1, 4, "the tag tag:yaml.org,2002:int is not"),
        ("a: !!python/object/apply:os.system [x]", 1, 4, "the tag"),
        ("a: ! 1", 1, 4, "the tag ! is not supported"),
        ("a: 1\n\tb: 2\n", 2, 1, "a tab"),
        ("a: b: c\n", 1, 5, "a second ': '"),
        ("a: [1, 2\nb: 3\n", 2, 2, "a list that begins with ["),
        ("a: {b: 1\nc\n", 3, 1, "a section that begins with {"),
        ("a: 'b\nc: d\n", 3, 1, "a quotation mark is never closed (since line 1)"),
        ("a:\n  b: 1\n c: 2\n", 3, 2, "the indentation does not fit"),
        ("a: 1\nb\n", 3, 1, "a key without ': ' after it (since line 2)"),
        ("a: @b\n", 1, 4, "this character cannot begin a value"),
        ("a: [", 1, 5, "the value is missing or incomplete"),
        (r'a: "\ud800"', 1, 4, "half a character"),
        ("[" * 100_000, 1, 21, "more than 20 levels"),
        ("- " * 100_000, 1, 41, "more than 20 levels"),
        ("a: [" + "1," * 100_000, 1, 19999, "more than 10000 values"),
    ],
)
def test_a_file_that_is_no_configuration_is_one_problem(refusal, text, line, column, message):
    (problem,) = refusal(text)
    where = f"x.yaml:{line}: this cannot be read as YAML, column {column}: "
    assert problem.startswith(where + message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfea\0:\0", "this is a binary file"),
        (b"\x89PNG\r\n\x1a\n\0\0", "this is a binary file"),
        (b"a: 1\nb: \xe4\n", "x.yaml:2: this is not UTF-8 text"),
        (b"#" * (2**20 + 1), "larger than 1 MiB"),
    ],
)
def test_a_file_that_is_no_text_is_refused(read, content, message):
    with pytest.raises(ConfigError, match=message) as caught:
        read(content)
    assert "\n" not in str(caught.value)


def test_a_mebibyte_is_still_read(read):
    assert read(b"a: 1\n" + b"#" * (2**20 - 5)) == {"a": 1}


def test_a_missing_file_is_refused_with_its_nearest_neighbor(tmp_path):
    (tmp_path / "protein.yaml").touch()
    for name, message in (
        ("protien.yaml", r"no such file; did you mean 'protein\.yaml'\?$"),
        ("else.yaml", r"no such file\.$"),
        ("no_folder/protein.yaml", r"no such file\.$"),
        (".", r"this is a folder; did you mean \S+/protein\.yaml\?$"),
        ("..", r"this is a folder; name a file\.$"),
        ("a\0b", "cannot be read: .*embedded null"),
        ("x" * 1000, "cannot be read: File name too long"),
    ):
        with pytest.raises(ConfigError, match=message):
            read_yaml(tmp_path / name, Problems(name, "mvcc run"))


def test_an_unreadable_file_is_refused(tmp_path):
    path = tmp_path / "x.yaml"
    path.touch(mode=0o000)
    if os.access(path, os.R_OK):
        pytest.skip("needs a file that its owner cannot read")
    with pytest.raises(ConfigError, match="cannot be read: Permission denied"):
        read_yaml(path, Problems(path, "mvcc run"))
