"""Every finished experiment below a folder is found, its curves are read as written, and damage is named, not drawn."""

from __future__ import annotations

import pandas as pd
import pytest

from mvcc.exceptions import StoreError
from mvcc.reporting import find_experiments, read_curves


def test_finished_experiments_are_found_at_any_depth(tmp_path, curves, finish):
    first = finish(tmp_path / "b", curves())
    second = finish(tmp_path / "a" / "deep", curves())
    (tmp_path / "unfinished").mkdir()
    (tmp_path / "unfinished" / "manifest.json").write_text("{}")
    assert find_experiments(tmp_path) == [second, first]


def test_an_experiments_own_folder_is_the_only_one(tmp_path, curves, finish):
    folder = finish(tmp_path / "outer", curves())
    finish(folder / "inner", curves())
    assert find_experiments(folder) == [folder]
    assert set(read_curves(folder)["folder"]) == {"outer"}


@pytest.mark.parametrize("where", [".", "nowhere"])
def test_no_experiment_is_an_error_that_says_what_one_is(tmp_path, where):
    with pytest.raises(StoreError, match=r"(?s)curves\.csv.*manifest\.json.*mvcc run"):
        find_experiments(tmp_path / where)


def test_curves_come_back_as_written_with_their_folder(tmp_path, curves, finish):
    table = curves().assign(converged=0.75)
    finish(tmp_path / "one", table)
    finish(tmp_path / "sub" / "two", table)
    read = read_curves(tmp_path)
    expected = pd.concat([table.assign(folder="one"), table.assign(folder="sub/two")], ignore_index=True)
    pd.testing.assert_frame_equal(read, expected, check_like=True, check_dtype=False)


@pytest.mark.parametrize("content", ["", "experiment,dataset\n", 'a,b\n"1,2\n', "a,b\n1,2,3\n1,2,3,4\n"])
def test_a_file_that_is_no_table_of_curves_is_refused(tmp_path, curves, finish, content):
    path = finish(tmp_path, curves()) / "curves.csv"
    path.write_text(content)
    with pytest.raises(StoreError, match=r"cannot read the curves in .*curves\.csv: .*mvcc run"):
        read_curves(tmp_path)


def test_bytes_that_are_no_text_are_refused(tmp_path, curves, finish):
    path = finish(tmp_path, curves()) / "curves.csv"
    path.write_bytes(b"\x1f\x8b\xff\xfe")
    with pytest.raises(StoreError, match="cannot read the curves"):
        read_curves(tmp_path)


def test_missing_columns_are_all_named(tmp_path, curves, finish):
    finish(tmp_path, curves().drop(columns=["mean", "trials"]))
    with pytest.raises(StoreError, match="missing columns: mean, trials"):
        read_curves(tmp_path)


def test_a_table_without_rows_is_refused(tmp_path, curves, finish):
    finish(tmp_path, curves().iloc[:0])
    with pytest.raises(StoreError, match="no rows"):
        read_curves(tmp_path)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("mean", "0.7x", "mean is 0.7x, not a number"),
        ("mean", "inf", "mean is inf, not a number"),
        ("mean", None, "mean is nan, but must have a value"),
        ("n_constraints", None, "n_constraints is nan, but must have a value"),
        ("dataset", None, "dataset is nan, but must have a value"),
        ("standard_error", "-0.1", "standard_error is -0.1, but must not be negative"),
        ("method", "telepathy", "method is telepathy, none of constraint-propagation, direct-mapping"),
        ("mapped", "20", r"mapped is 20.0, not a fraction from 0 to 1"),
        ("mapped", None, r"mapped is nan, not a fraction from 0 to 1"),
        ("n_constraints", "20", "n_constraints is 20.0, but this point of the curve has come before"),
    ],
)
def test_a_damaged_value_is_named_with_its_line(tmp_path, curves, finish, column, value, message):
    table = curves(schedule=(20, 40)).astype({column: object})
    table.loc[1, column] = value
    finish(tmp_path, table)
    with pytest.raises(StoreError, match=f"line 3: {message}"):
        read_curves(tmp_path)


def test_other_experiments_may_have_methods_and_mappings_of_their_own(tmp_path, curves, finish):
    table = curves(methods=("constraint-propagation",), fractions=(0.2,))
    table["mapped"] = float("nan")
    finish(tmp_path, table.assign(experiment="single-view"))
    assert len(read_curves(tmp_path)) == len(table)
