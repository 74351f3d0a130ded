"""Which column names the rows."""

import pandas as pd
import pytest

from mvcc.tables import View
from mvcc.tables.reading import _id_column
from mvcc.tables.reading._id_column import Named, find_id_column, notes_on_groups

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
    ("n_alone", "other", "found", "said"),
    [(4, "x", None, "numbers name"), (4, "key", "key", "'key' names"), (5, "key", "id", "")],
)
def test_an_id_that_most_rows_share_names_none_of_them(n_alone, other, found, said):
    frame = pd.DataFrame({"id": [*TEN[:n_alone], *["s"] * (10 - n_alone)], other: TEN})
    view = View(path="t.csv")
    assert find_id_column(frame, view) == found
    assert find_id_column(frame.head(9), view) == "id", "a mistake in few rows"
    assert find_id_column(frame, view, [Named("", {*TEN[:3], "s"})]) == "id", "of matches"
    others = Named("", {*"0123"}), Named("", {"s"}, of_table=True)
    assert find_id_column(frame, view, others) == found, "constraints name rows by numbers"
    for note in (notes := [*notes_on_groups(frame, view, found)]):
        assert note.startswith(
            f"t.csv: most values of the column 'id' stand in several rows, so {said} the rows. If"
        )
    assert len(notes) == bool(said)
    assert not [*notes_on_groups(frame, View(path="t.csv", ignore=("id",)), found)]


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


def test_numbers_of_rows_beside_ids_of_the_other_table_stay_numbers():
    frame = pd.DataFrame({"tree": [f"T{n}" for n in range(8)] + ["T1", "T2"], "x": range(10, 20)})
    own, other = Named("line", {*"0123456"}), Named("tree", {"T0", "T3", "T4"}, is_first=False)
    assert find_id_column(frame, View(path="t.csv"), [own, other]) is None
    assert find_id_column(frame, View(path="t.csv"), [other]) == "tree"


def test_each_of_many_columns_is_looked_through_once_for_ids_that_none_holds(monkeypatch):
    seen = []
    monkeypatch.setattr(_id_column, "_repeats", lambda column: seen.append(column.name))
    columns = pd.DataFrame({"id": TEN, "a": ten_with(0, "20"), "b": ten_with(0, "30")})
    assert find_id_column(columns, View(path="t.csv"), [Named("", {"other"})]) == "id"
    assert sorted(seen) == ["a", "b", "id"]
