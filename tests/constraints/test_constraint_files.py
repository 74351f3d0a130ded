"""Files of constraints: rows may be named by ids, and a file is there as a whole or not at all."""

import errno
import os

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvcc import Constraints
from mvcc.exceptions import InvalidInputError
from tests.strategies import constraint_lists

TEXTS = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=6)
ODD = ["a,b", 'a"b', "a\rb", "a\nb", "a\r\nb", "7", '"', "é", "a", " a", "a ", "\ta", "\na"]
NAMES = st.sampled_from(ODD) | TEXTS


@given(listed=constraint_lists(n_rows=4, max_size=10), data=st.data())
def test_a_csv_file_gives_the_same_constraints_back(tmp_path_factory, listed, data):
    path = tmp_path_factory.mktemp("csv") / "constraints.csv"
    c = Constraints(*listed)
    n_rows = int(c.pairs.max(initial=-1)) + 1
    names = st.lists(NAMES, min_size=n_rows, max_size=n_rows, unique=True)
    for ids in (None, data.draw(names)):
        c.to_csv(path, ids=ids)
        assert Constraints.read_csv(path, ids=ids) == Constraints.read_csv(str(path), ids=ids) == c


def test_ids_of_a_series_are_those_of_rows_in_their_order_whatever_its_index(tmp_path):
    ids = pd.Series(["a", "b", "c"], index=[2, 1, 0])  # as of a table that was sorted
    Constraints.from_pairs([(0, 1)]).to_csv(tmp_path / "pairs.csv", ids=ids)
    assert "a,b,must-link" in (tmp_path / "pairs.csv").read_text()


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (["c", "a", "b", "a"], "'a' stands more than once in ids, in rows 1 and 3; give every row"),
        (["7", 8], "ids must be texts, got 8 in row 1"),
    ],
)
def test_ids_that_are_equal_or_no_texts_are_refused_with_their_rows(tmp_path, ids, message):
    path = tmp_path / "pairs.csv"
    path.write_text("i,j,kind\nb,a,must-link\n")
    with pytest.raises(InvalidInputError, match=message):
        Constraints.read_csv(path, ids=ids)
    with pytest.raises(InvalidInputError, match=message):
        Constraints.from_pairs([(0, 1)]).to_csv(path, ids=ids)
    with pytest.raises(InvalidInputError, match=r":2: no row has the id 'a'\."):
        Constraints.read_csv(path, ids=["c", "aa", "b"])


@pytest.mark.parametrize(
    ("pair", "name", "message"),
    [
        ((0, 1), "a\0b", r"the id of row 1, .*, has a character that no text file can hold"),
        ((0, 1), "\ud800", r"the id of row 1, .*, has a character that no text file can hold"),
        ((0, 2), "b", "ids are those of 2 rows, but a constraint names row 2; give the id of"),
    ],
)
def test_ids_that_no_file_can_hold_or_are_too_few_are_not_written(tmp_path, pair, name, message):
    with pytest.raises(InvalidInputError, match=message):
        Constraints.from_pairs([pair]).to_csv(tmp_path / "pairs.csv", ids=["a", name])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ids", [None, ["0", "1", "2"]], ids=["rows", "ids"])
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0;1;must-link;0,5", "a number: 0;1;must-link;0,5; write 0.5, with a point"),
        ("0;1;must-link", "3 values where 4 are expected: 0;1;must-link"),
        ("2;2;must-link;1", "'2' is linked with itself; remove this constraint."),
    ],
)
def test_a_refused_line_is_shown_as_it_stands_in_the_file(tmp_path, line, message, ids):
    path = tmp_path / "pairs.csv"
    path.write_text(f"i;j;kind;weight\n0;2;must-link;1\n{line}\n")
    with pytest.raises(InvalidInputError) as refused:
        Constraints.read_csv(path, ids=ids)
    assert str(refused.value).startswith(f"{path}:3: ")
    assert str(refused.value).endswith(message)


def test_a_full_disk_leaves_the_file_that_was_there(tmp_path, monkeypatch):
    path = tmp_path / "pairs.csv"
    Constraints.from_pairs([(0, 1)]).to_csv(path)
    before = path.read_bytes()

    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        Constraints.from_pairs([(0, 1), (1, 2)]).to_csv(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_pipe_is_written_to_unless_nobody_reads_it(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="No such device or address"):
        Constraints.from_pairs([(0, 1)]).to_csv(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        Constraints.from_pairs([(0, 1)]).to_csv(pipe)
        assert os.read(reader, 100) == b"i,j,kind,weight\n0,1,must-link,1.0\n"
    finally:
        os.close(reader)
