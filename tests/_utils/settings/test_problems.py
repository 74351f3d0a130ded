"""Problems are told once each, in the order of the file, on lines that a terminal can show."""

import pytest
from pydantic import Field, field_validator

from mvcc._utils.messages import clipped, nearest
from mvcc._utils.settings import Problems, Section, got, refuse, validated
from mvcc._utils.settings._yaml import assign, read_yaml
from mvcc.exceptions import ConfigError


def test_one_problem_per_value_and_none_inside_a_section_that_has_one():
    problems = Problems("x.yaml", "mvcc run x.yaml --dry-run")
    problems.mark(("a",), problems.line(3))
    assert not problems
    problems.report(("a",), "first.")
    problems.report(("a",), "second.")
    problems.report(("a", "b", 0), "inside.")
    assert problems
    assert str(problems.error()).splitlines() == [
        "1 problem in x.yaml:",
        "x.yaml:3: a: first.",
        "Correct it, then check again with: mvcc run x.yaml --dry-run",
    ]


def test_problems_of_the_file_come_in_its_order_and_before_those_of_the_command_line():
    problems = Problems("my file.yaml", "mvcc run 'my file.yaml' --dry-run")
    problems.report(("c",), "third.", problems.option("--set a=1"))
    problems.report(("b",), "second.", problems.line(10))
    problems.report(("a", 1), "first.", problems.line(9))
    assert str(problems.error()).splitlines() == [
        "3 problems in my file.yaml:",
        "my file.yaml:9: a: item 2: first.",
        "my file.yaml:10: b: second.",
        "--set a=1: c: third.",
        "Correct them, then check again with: mvcc run 'my file.yaml' --dry-run --set …",
    ]


class Boxes(Section):
    """What is refused here is refused key by key."""

    sizes: dict[str, int] = Field(default={}, examples=["{a: 1}"])

    @field_validator("sizes")
    @classmethod
    def _even(cls, sizes):
        refuse(((name,), f"{size} is odd.") for name, size in sizes.items() if size % 2)
        return sizes


def boxes(tmp_path, text, *assignments):
    """Read a file with assignments on top, and return the lines of what is wrong."""
    path = tmp_path / "x.yaml"
    path.write_text(text)
    problems = Problems("x.yaml", "mvcc run")
    value = read_yaml(path, problems)
    for assignment in assignments:
        assign(value, assignment, problems)
    with pytest.raises(ConfigError) as refusal:
        validated(Boxes, value, problems)
    return str(refusal.value).splitlines()[1:-1]


def test_every_refused_part_of_a_value_is_told_where_it_is_written(tmp_path):
    assert boxes(tmp_path, "sizes:\n  a: 1\n  b: 2\n  c: 3\n", "sizes.b=5") == [
        "x.yaml:2: sizes.a: 1 is odd.",
        "x.yaml:4: sizes.c: 3 is odd.",
        "--set sizes.b=5: sizes.b: 5 is odd.",
    ]


@pytest.mark.parametrize("value", ["5", "[]"])
def test_what_is_no_section_is_told_what_a_section_looks_like(tmp_path, value):
    assert boxes(tmp_path, f"sizes: {value}\n") == [
        f"x.yaml:1: sizes: must be a section, such as `sizes: {{a: 1}}`, got {value}."
    ]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (True, "true"),
        (5, "5"),
        ("a b", "'a b'"),
        ("a\nb", r"'a\nb'"),
        ([1, "a"], "[1, 'a']"),
        ({"a": 1, "b": 2}, "{'a': 1, 'b': 2}"),
    ],
)
def test_values_are_shown_in_words(value, words):
    assert got(value) == words


@pytest.mark.parametrize(
    "value", ["x" * 1000, 10**400, ["x" * 1000] * 1000, {"x" * 1000: 1}, "\x1b[31m\ud800"]
)
def test_nothing_shown_is_long_or_acts_on_the_terminal(value):
    assert len(got(value)) < 100
    assert got(value).isprintable()
    assert clipped(str(value)).isprintable()


def test_nearest_offers_only_what_is_like_the_word():
    assert nearest("PCK-Mean", ["pck-means", "mpck-means"]) == "; did you mean 'pck-means'?"
    assert nearest("kmedoids", ["single-view"]) == "."
