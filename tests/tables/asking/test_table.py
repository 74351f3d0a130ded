"""Answers as a table: recorded whole, or not at all with the line that is wrong."""

import pytest

from mvcc.exceptions import MvccError
from mvcc.tables import record_table
from tests.tables.asking.test_session import all_of, said, session
from tests.tables.problems import write_problem


@pytest.fixture
def asking(tmp_path):
    with session(write_problem(tmp_path, judged=()), tmp_path / "asked") as asking:
        yield asking


@pytest.fixture
def record(asking, tmp_path):
    """Record a table; {0} … {3} in its text are ids of questions."""
    ids = [question.id for question in asking.next(4)]

    def write(text, encoding="utf-8"):
        (tmp_path / "answers.csv").write_bytes(text.format(*ids).encode(encoding))
        return record_table(asking, tmp_path / "answers.csv")

    return write


def test_a_later_row_may_use_a_group_that_an_earlier_one_opened(asking, record):
    lines = record("id,answer\n{0},new:a\n{1},new\n{2},a\n{3},group 2\n")
    assert [line.says for line in lines] == ["a", "group 2", "a", "group 2"]
    assert [group.size for group in asking.groups] == [2, 2]


@pytest.mark.parametrize(
    "text",
    [
        "id,answer\n{0},new:a\n{1},a\n",
        "id,answer\r\n{0},new:a\r\n{1},a\r\n",
        "﻿id,answer\n{0},new:a\n{1},a\n",
        "answer;sure;id\nnew:a;;{0}\n\na;yes;{1}",
        " ID \tanswer\n{0}\tnew:a\n{1} \t a\n",
        'id,answer,note\n"{0}",new:a,"two\nlines"\n{1},"a",\n',
        "id,answer\n{0},new:b\n,undo\n{0},new:a\n{1},a\n",
        "id,answer\n{1},new:b\n{0},new:a\n{0},undo\nany,undo\n{0},new:a\n{1},g1\n",
        "id,answer\n{0},new:b\nb,rename:a\n{1},new:c\nc,merge:a\n",
    ],
    ids=["lf", "crlf", "bom", "other columns", "tabs", "quoted", "undo", "undo twice", "groups"],
)
def test_tables_that_say_the_same(asking, record, text):
    record(text)
    assert [(group.name, group.size) for group in asking.groups] == [("a", 2)]
    assert len(asking.said) == 2


def test_rows_of_one_question_are_one_object(asking, record):
    question = next(one for one in asking.next(20) if all(one.rows))
    ids = [
        f"{table.name}:{table.ids[rows[0]]}"
        for table, rows in zip(asking._inputs.tables, question.rows, strict=True)
    ]
    record(f"id,answer\n{ids[1]},new:a\n{ids[0]},a\n")
    assert said(asking) == [(question.id, "a")]
    record(f"id,answer\n{ids[1]},undo\n")
    assert not asking.said


def test_an_empty_table_says_nothing(asking, record):
    assert record("id,answer\n") == []
    assert asking.status.version == 0


def test_what_an_earlier_table_said_is_replaced(asking, record):
    record("id,answer\n{0},new:a\n{1},a\n")
    record("id,answer\n{1},unsure\n")
    assert [answer for _, answer in said(asking)] == ["a", "unsure"]


@pytest.mark.parametrize(
    ("rows", "line", "message"),
    [
        ("id,antwort\n", 1, "there is no column 'answer'"),
        ("id,id,answer\n", 1, "there is more than one column 'id'"),
        ("{0},new:a\n{1},b\n", 3, "There is no group 'b'; the groups are 'a'"),
        ("{0},new:a\na,rename:g1\n", 3, "'g1' must not be the name of a group: g with a number"),
        ("view0:nobody,new:a\n", 2, "view0 .* has no row with the id 'nobody'"),
        ("nowhere:1,new:a\n", 2, "an id must be a view and a row, such as view0:"),
        ("7,new:a\n", 2, "an id must be a view and a row"),
        ("{0},new:a,b\n", 2, "there must be 2 values, got 3: view"),
        ('{0},"new:a\n', 2, "cannot be read as CSV"),
        (",undo\n", 2, "There is nothing to undo"),
        ("{0},new:a\n{0},new:b\n", 3, ".* was answered before: 'a', got 'new'"),
    ],
)
def test_a_bad_row_is_named_and_nothing_is_recorded(asking, record, tmp_path, rows, line, message):
    record("id,answer\n{3},new:z\n,undo\n")
    before, log = all_of(asking), (tmp_path / "asked" / "asked.csv").read_bytes()
    with pytest.raises(MvccError, match=rf"answers\.csv:{line}: {message}"):
        record(rows if line == 1 else f"id,answer\n{rows}")
    assert all_of(asking) == before
    assert (tmp_path / "asked" / "asked.csv").read_bytes() == log


def test_a_file_that_is_not_there_empty_or_no_text(asking, record, tmp_path):
    with pytest.raises(MvccError, match="No such file"):
        record_table(asking, tmp_path / "nowhere.csv")
    with pytest.raises(MvccError, match=r"answers\.csv:1: the file is empty"):
        record("")
    with pytest.raises(MvccError, match="binary file"):
        record("id,answer\n", encoding="utf-16")
    with pytest.raises(MvccError, match=r"answers\.csv:5: There is no group 'b'"):
        record('id,answer,x\n{0},new:a,"\n\n"\n{1},b,\n')
