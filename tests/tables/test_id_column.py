"""Which column names the rows, and the view of an id in a file of constraints."""

import pandas as pd
import pytest

from mvcc.tables import View
from mvcc.tables.reading import _id_column
from mvcc.tables.reading._id_column import Named, find_id_column
from mvcc.tables.reading._people import rows_in_answers
from mvcc.tables.reading._problems import Problems
from mvcc.tables.reading._table import table_of

TEN = [f"10{n}" for n in range(10)]


def ten_with(n, other):
    return [*TEN[:n], *(f"{other}{row}" for row in range(n, 10))]


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ({"id": ["a"] * 10, "IDS": TEN}, "IDS"),  # the first repeats
        ({"": TEN, "id": ["a"] * 10}, ""),
        ({"": TEN, "id": ten_with(0, "20")}, "id"),
        ({"x": ["a"] * 10}, None),
    ],
)
def test_of_columns_called_id_one_without_repetitions_names_the_rows(columns, found):
    assert find_id_column(pd.DataFrame(columns), View(path="t.csv")) == found


@pytest.mark.parametrize(
    ("columns", "header", "found"),
    [
        ({"id": ten_with(6, "20"), "ids": TEN, "key": ten_with(8, "30")}, "key", "key"),
        ({"id": ten_with(0, "20"), "a": ten_with(6, "30"), "b": ten_with(9, "40")}, "", "b"),
    ],
)
def test_a_column_that_a_file_calls_comes_first_then_the_one_with_most_ids(columns, header, found):
    named = [Named(header, {*TEN})]
    assert find_id_column(pd.DataFrame(columns), View(path="t.csv"), named) == found


def test_each_of_many_columns_is_looked_through_once_for_ids_that_none_holds(monkeypatch):
    seen = []
    monkeypatch.setattr(_id_column, "_repeats", lambda column: seen.append(column.name))
    columns = pd.DataFrame({"id": TEN, "a": ten_with(0, "20"), "b": ten_with(0, "30")})
    assert find_id_column(columns, View(path="t.csv"), [Named("", {"other"})]) == "id"
    assert sorted(seen) == ["a", "b", "id"]


def test_zeros_in_front_tell_the_table_that_an_id_in_a_file_of_constraints_is_of(tmp_path):
    ids = {"one": ["7", "8", "9"], "two": ["007", "8", "10"]}
    tables = [
        table_of(pd.DataFrame({"x": [1.0, 2.0, 4.0]}), name, View(path=name), Problems(), ids=own)
        for name, own in ids.items()
    ]
    path = tmp_path / "one.csv"
    path.write_text("i,j,kind\n007,8,must\n7,10,must\n11,9,must\n")
    assert rows_in_answers([str(path)], tables) == {
        ("two", "007"),
        ("one", "8"),
        ("one", "7"),
        ("two", "10"),
        ("one", "11"),
        ("one", "9"),
    }
