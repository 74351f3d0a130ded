"""What ``mvcc export`` gives back of all tables: in CSV every character, else every value."""

import codecs
import csv
import datetime
import decimal
import io
import json
import re
import shutil
from functools import partial
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyarrow import parquet

from mvcc._utils.files import sha256_of
from mvcc.exceptions import DataError
from mvcc.tables.output._export import export_tables
from mvcc.tables.output._export_formats import escaped
from mvcc.tables.reading._column import is_missing
from mvcc.tables.reading._numbers import is_written_number
from tests.tables.problems import cluster, options_of, write_csv

N_ROWS = 6
FORMULA_SIGNS = tuple("=+-@＝＋－＠﹦﹢﹣﹫")
# no characters that a workbook cannot hold, and no code that Excel means one of these by
TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"])
    | st.sampled_from(";,\t\"'\n")
)
DAYS = st.dates(datetime.date(1, 1, 1))
CELLS = [
    TEXTS,
    st.from_regex(r"[0-9]{16,18}", fullmatch=True),
    st.from_regex(r"0[0-9]{2,6}", fullmatch=True),
    st.from_regex(r"[0-9]\.[0-9]{1,2}\.[0-9]{1,2}", fullmatch=True),
    st.from_regex(r"\+49[1-9][0-9]{5,9}", fullmatch=True),
    st.integers(-(10**17), 10**17).map(str),
    st.integers(-9, 9).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e4, 1e4).map("{:.2f}".format),
    st.floats(-1e4, 1e4).map("{:.3g}".format),
    st.floats(-1e4, 1e4).map(lambda one: repr(one).replace(".", ",")),
    st.integers(0, 10**7).map("{:,}".format),
    st.sampled_from(
        ["1", "1.10", "-0", "-0.0", "1e1", "5.0", "5", "1_000", "inf", "nan", "1.", ".5", "٣"]
    ),
    st.sampled_from(["true", "false", "True", "yes", "no"]),
    st.sampled_from(["=1+1", "+1", "-x", "@a", "\tx", "\rx", " =1", "＝1", "\n=1", "'=1"]),
    DAYS.map(str),
    DAYS.map(lambda day: f"{day.day:02}.{day.month:02}.{day.year:04}"),
]
MISSING = st.sampled_from(["", "", "NA", "?", " "])
NAMES = st.lists(
    st.sampled_from(["cluster", "fit", "cluster_2", "=x", "a\nb", ' "q"', "ü, ;", "\ufeffx", "Id"])
    | TEXTS,
    min_size=3,
    max_size=3,
    unique=True,
).filter(lambda names: all(name.strip() and name not in ("id", "x") for name in names))


@pytest.fixture(scope="module")
def clustered(tmp_path_factory):
    """Cluster a table of six rows once; its place is taken by the tables that are tried."""
    folder = tmp_path_factory.mktemp("export")
    rows = [["id", "x"], *([f"r{n}", n % 2 * 9 + n / 8] for n in range(N_ROWS))]
    table = write_csv(folder / "table.csv", rows)
    options = options_of({"v": table}, n_clusters=2)
    cluster(options, folder / "results")
    return folder


def exported(folder, name, content, ending):
    """Export a table that takes the place of the clustered one, and return what is written."""
    (folder / name).write_bytes(content)
    results = folder / f"results-{Path(name).suffix[1:]}"
    shutil.rmtree(results, ignore_errors=True)
    shutil.copytree(folder / "results", results)
    facts = json.loads((results / "clustering.json").read_text())
    facts["inputs"][0]["sha256"] = sha256_of(content)
    facts["views"][0]["names"] = ["=1+1", "b"]
    (results / "clustering.json").write_text(json.dumps(facts))
    config = (results / "cluster.yaml").read_text().replace("table.csv", name)
    (results / "cluster.yaml").write_text(config)
    out = folder / f"out.{ending}"
    out.unlink(missing_ok=True)
    assert export_tables(results, out) == {out: N_ROWS}
    return out.read_bytes()


@st.composite
def text_tables(draw):
    """Draw names and columns of a text file, and its delimiter, mark, line ends, all quoted."""
    columns = []
    for cells in draw(st.lists(st.sampled_from(CELLS), min_size=3, max_size=3)):
        with_gaps = cells | MISSING if draw(st.booleans()) else cells
        columns.append(draw(st.lists(with_gaps, min_size=N_ROWS, max_size=N_ROWS)))
    style = [st.sampled_from(";,\t"), st.booleans(), st.sampled_from(["\n", "\r\n"]), st.booleans()]
    return draw(NAMES), columns, tuple(map(draw, style))


def text_file(names, columns, style):
    """Return the rows of a table, and its bytes."""
    delimiter, has_mark, end, all_quoted = style
    x = [str(n).replace(".", "," if delimiter == ";" else ".") for n in range(N_ROWS)]
    ids = [f"r{n}" for n in range(N_ROWS)]
    rows = [["id", "x", *names], *map(list, zip(ids, x, *columns, strict=True))]

    def quoted(cell):
        has_marks = all_quoted or any(mark in cell for mark in ';,\t"\r\n')
        return '"{}"'.format(cell.replace('"', '""')) if has_marks else cell

    lines = [delimiter.join(map(quoted, row)) + end for row in rows]
    # the delimiter is what the first line has most often outside of quotes
    return rows, codecs.BOM_UTF8 * has_mark + "".join(lines).encode()


FORMULAS = ["=1+1", "+49", "-", "\rx", " =", "a\r\nb"]
LONG = ["1234567890123456", "1234567890123457", "1", "2", "3", "4"]
VERSIONS = ["1.1", "1.10", "2", "3", "4", "5"]
FLOATS = [["5.0", "2.5", *"3456"], ["1e1", *"12345"], ["-0", *"12345"]]
GAPS = [["1"] * 6, ["5.0", "", "0.1", *["1e-07"] * 3], ["007"] * 6]
DECIMALS = ["1,5", "-2,25", "3", "", "5", "6,125"]


@given(text_tables())
@example(([*"abc"], [FORMULAS, LONG, DECIMALS], (";", True, "\r\n", False)))
@example((["a", "b", "cluster"], [VERSIONS, LONG, DECIMALS], ("\t", False, "\n", True)))
def test_a_text_file_comes_back_to_the_character_in_its_own_style(clustered, table):
    delimiter, has_mark, end, _ = table[2]
    rows, content = text_file(*table)
    found = exported(clustered, "table.csv", content, "csv")
    assert found.startswith(codecs.BOM_UTF8) == has_mark
    text = found.removeprefix(codecs.BOM_UTF8).decode()
    assert text.endswith(end)
    back = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    assert [row[:5] for row in back] == rows
    names, *new = (row[5:] for row in back)
    assert {row[place_of(names, "cluster_name")] for row in new} == {"'=1+1", "b"}
    assert all(float(row[place_of(names, "fit")].replace(",", ".")) <= 1 for row in new)


def place_of(names, start):
    return next(place for place, name in enumerate(names) if name.startswith(start))


@pytest.mark.parametrize(("delimiter", "sign", "other"), [(";", ",", "."), (",", ".", ",")])
def test_new_columns_have_the_decimal_sign_of_the_table(clustered, delimiter, sign, other):
    decimals = [text.replace(",", sign) for text in DECIMALS]
    style = (delimiter, False, "\n", False)
    _, content = text_file(["a", "b", "c"], [VERSIONS, LONG, decimals], style)
    text = exported(clustered, "table.csv", content, "csv").decode()
    fits = [row["fit"] for row in csv.DictReader(io.StringIO(text), delimiter=delimiter)]
    assert any(sign in fit for fit in fits)
    assert not any(other in fit for fit in fits)


def own_of(content, ending):
    """Return the names of all columns, and the values of those of the user."""
    if ending == "parquet":
        found = parquet.read_table(io.BytesIO(content))
        return found.column_names, [found[name].to_pylist() for name in found.column_names[:5]]
    if ending == "csv":
        names, *rows = csv.reader(io.StringIO(content.decode(), newline=""))
    else:
        names, *rows = openpyxl.load_workbook(io.BytesIO(content))["v"].values
    return list(names), [list(column) for column in zip(*rows, strict=True)][:5]


def third_of(content, ending):
    """Return the values of the column beside id and x."""
    return own_of(content, ending)[1][2]


@pytest.mark.parametrize("ending", ["parquet", "xlsx"])
@given(table=text_tables())
@example(table=([*"abc"], [VERSIONS, LONG, DECIMALS], (";", False, "\n", False)))
@example(table=([*"abc"], FLOATS, (",", False, "\n", False)))
@example(table=([*"abc"], GAPS, (",", False, "\n", False)))
def test_of_a_text_file_numbers_become_numbers_where_written_anew_alike(clustered, ending, table):
    rows, content = text_file(*table)
    names, columns = own_of(exported(clustered, "table.csv", content, ending), ending)
    assert names[:5] == rows[0]
    for found, before in zip(columns, map(list, zip(*rows[1:], strict=True)), strict=True):
        if all(isinstance(value, str | None) for value in found):
            texts = before
            if ending == "xlsx":
                texts = [text.replace("\r\n", "\n").replace("\r", "\n") for text in before]
            assert [value or "" for value in found] == texts
            assert None not in found or ending == "xlsx"
        else:
            assert_written_alike(found, before)


def assert_written_alike(numbers, texts):
    missing = is_missing(pd.Series(texts, dtype=object))
    assert [number is None for number in numbers] == missing.tolist()
    there = [pair for pair in zip(numbers, texts, strict=True) if pair[0] is not None]
    is_whole = not any(mark in text for _, text in there for mark in ".,e")
    for number, text in there:
        sign = "," if "," in text else "."
        is_digits = text.lstrip("-").isdigit()
        assert text == (str(int(number)) if is_digits else repr(float(number)).replace(".", sign))
        assert not is_whole or isinstance(number, int)


MOMENTS = st.datetimes(datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31))
SECONDS = MOMENTS.map(lambda one: one.replace(microsecond=0))
WORDS = TEXTS | st.sampled_from(["=1+1", " +49 1", "\n@x", "＝1", "007", "1.10", ""])
ARRAYS = [
    st.lists(st.none() | values, min_size=N_ROWS, max_size=N_ROWS).map(partial(pa.array, type=of))
    for values, of in (
        (st.integers(-(2**63), 2**63 - 1), pa.int64()),
        (st.integers(0, 2**64 - 1), pa.uint64()),
        (st.booleans(), pa.bool_()),
        (st.floats(allow_nan=False), pa.float64()),
        (DAYS, pa.date32()),
        (MOMENTS, pa.timestamp("us")),
        (SECONDS, pa.timestamp("s")),
        (st.decimals(-1000, 1000, places=2), pa.decimal128(20, 2)),
        (WORDS, pa.string()),
        (st.lists(st.integers(0, 9), max_size=3), pa.list_(pa.int64())),
    )
]


@st.composite
def typed_tables(draw):
    arrays = [draw(draw(st.sampled_from(ARRAYS))) for _ in range(3)]
    return table_of(arrays, draw(NAMES))


def table_of(arrays, names):
    own = [f"r{n}" for n in range(N_ROWS)], [n / 8 for n in range(N_ROWS)]
    return pa.table([*map(pa.array, own), *arrays], names=["id", "x", *names])


def parquet_of(table):
    buffer = io.BytesIO()
    parquet.write_table(table, buffer)
    return buffer.getvalue()


LONG_AGO = [
    pa.array([datetime.datetime(999, 1, 1)] * N_ROWS, pa.timestamp("us")),
    pa.array([datetime.datetime(1, 2, 3, 4, 5)] * N_ROWS, pa.timestamp("s")),
    pa.nulls(N_ROWS),
]


@given(typed_tables())
@example(table_of(LONG_AGO, "abc"))
@example(table_of([pa.array(["=1+1", " +49 1", "\n@x", "-1,5", "", None])] * 3, "abc"))
def test_a_parquet_file_keeps_its_values_and_types_in_all_formats(clustered, table):
    content = parquet_of(table)

    def written_as(ending):
        return exported(clustered, "table.parquet", content, ending)

    before = [column.to_pylist() for column in table.columns]
    again = parquet.read_table(io.BytesIO(written_as("parquet")))
    # which has no unit of seconds
    assert again.select(range(5)).equals(parquet.read_table(io.BytesIO(content)))
    for ending, has in (("xlsx", is_same), ("csv", is_written)):
        _, columns = own_of(written_as(ending), ending)
        for found, values in zip(columns, before, strict=True):
            for cell, value in zip(found, values, strict=True):
                assert has(cell, value), (cell, value)


@pytest.mark.parametrize("unit", ["s", "ms"])
def test_durations_of_millions_of_years_are_texts_in_a_workbook(clustered, unit):
    lengths = [1, 2**53, -(2**53), None, 5, 6]
    table = table_of([pa.array(lengths, pa.int64()).cast(pa.duration(unit))], "a")
    found = third_of(exported(clustered, "table.parquet", parquet_of(table), "xlsx"), "xlsx")
    assert found[0] == datetime.timedelta(seconds=1 if unit == "s" else 0.001)
    assert found[3] is None
    assert all(re.fullmatch(r"-?\d+ days .*", text) for text in found[1:3])


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_bytes_are_for_parquet_alone(clustered, ending):
    message = r"the column 'a' holds bytes, no text\. Choose --format parquet"
    with pytest.raises(DataError, match=message):
        exported(clustered, "table.parquet", column_of([b"\xff"] * N_ROWS), ending)


def test_formulas_of_other_formats_are_escaped_in_csv():
    formulas = ["\t1", "\r1", "\n=1", " =1", "\u3000=1", "+1 2", "＋1 2", "﹢1 2", " ﹣a"]
    formulas += "=1 -a @a ＝1 －a ＠a ﹦1 ﹫a".split()
    assert escaped(formulas) == [f"'{one}" for one in formulas]
    assert escaped(["-1,5", "fine"]) == ["-1,5", "fine"]


def workbook_of(cells, number_format=None, text_type=None):
    book = openpyxl.Workbook()
    book.active.append(["id", "x", "a"])
    for n, cell in enumerate(cells):
        book.active.append([f"r{n}", n, cell])
        written = book.active.cell(n + 2, 3)
        written.number_format = number_format or written.number_format
        if isinstance(cell, str):
            written.data_type = text_type or written.data_type
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def records_of(cells):
    return json.dumps([{"id": f"r{n}", "x": n, "a": cell} for n, cell in enumerate(cells)]).encode()


def days_of(cells, number_format="yyyy-mm-dd"):
    return workbook_of(cells, number_format)


def hours_of(cells):
    return workbook_of(cells, "[h]:mm:ss")


def column_of(cells):
    return parquet_of(table_of([pa.array(cells)], "a"))


# numbers with the format of days that are none, of which the library that reads them warns
NO_DAYS = [10**10, 1e300, 2_958_466_000, 10**9 + 0.5, 10**10, 5e12]
BEFORE_1900 = [-5, -1.5, 10**10, datetime.datetime(2024, 5, 6), "#VALUE!", "-5"]
ERRORS = ["#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!"]
LARGE, DAY = 2**53 + 1, datetime.date(2024, 5, 6)


@pytest.mark.parametrize(
    ("content_of", "cells", "ending", "found"),
    [
        *((of, NO_DAYS, to, None) for of in (days_of, hours_of) for to in ("parquet", "xlsx")),
        (days_of, BEFORE_1900, "xlsx", None),
        *((workbook_of, ERRORS, ending, None) for ending in ("csv", "parquet", "xlsx")),
        (workbook_of, [1.5, "#N/A", None, 2, 3, 4], "xlsx", None),
        (workbook_of, [BEFORE_1900[3]] * 6, "csv", ["2024-05-06"] * 6),
        (column_of, [[DAY]] * 6, "csv", ['["2024-05-06"]'] * 6),
        (records_of, [[1, "x"]] * 6, "parquet", ['[1, "x"]'] * 6),
        (records_of, [{}] * 6, "parquet", ["{}"] * 6),
        (records_of, [{"b": 2**70}] * 6, "parquet", ['{"b": 1180591620717411303424}'] * 6),
        (records_of, [2**70] * 6, "parquet", ["1180591620717411303424"] * 6),
        (records_of, [LARGE, None] * 3, "csv", [str(LARGE), ""] * 3),
        (records_of, [LARGE, None] * 3, "xlsx", [str(LARGE), None] * 3),
        (records_of, [LARGE, None] * 3, "parquet", None),
        (column_of, [b"\xff"] * 6, "parquet", None),
    ],
)
def test_cells_come_back_and_what_a_format_has_no_type_for_is_text(
    clustered, content_of, cells, ending, found
):
    source = {records_of: "json", column_of: "parquet"}.get(content_of, "xlsx")
    content = exported(clustered, f"table.{source}", content_of(cells), ending)
    assert third_of(content, ending) == (found or cells)


@pytest.mark.skipif(np.dtype(np.longdouble).itemsize == 8, reason="they are doubles here")
@pytest.mark.parametrize("ending", ["csv", "parquet", "xlsx"])
def test_long_doubles_are_numbers_where_these_keep_them_and_else_texts(clustered, ending):
    for x in (np.longdouble("1.5"), np.longdouble("0.1"), np.longdouble("1e300") ** 2):
        buffer = io.BytesIO()
        column = np.array([x, *range(1, N_ROWS)])
        np.savez(buffer, X=column[:, None], id=[f"r{n}" for n in range(N_ROWS)])
        content = exported(clustered, "table.npz", buffer.getvalue(), ending)
        names, columns = own_of(content, ending)
        found = columns[names.index("column 1")][0]
        assert np.longdouble(found) == x
        assert ending == "csv" or isinstance(found, float) == (x == float(x))


def is_same(cell, value):
    """Tell whether a cell has a value, or its text where a workbook has no such type."""
    if value is None or value == "":
        return cell is None
    if isinstance(value, list):
        return json.loads(cell) == value
    if isinstance(cell, str) or isinstance(value, str):
        return cell == str(value)
    if isinstance(value, decimal.Decimal):
        return decimal.Decimal(str(cell)) == value
    if isinstance(value, datetime.datetime) or not isinstance(value, datetime.date):
        return cell == value and isinstance(cell, bool) == isinstance(value, bool)
    return cell == datetime.datetime.combine(value, datetime.time())


def is_written(cell, value):
    """Tell whether a cell of CSV has a value."""
    if value is None or value == "":
        return cell == ""
    if isinstance(value, list):
        return json.loads(cell) == value
    if isinstance(value, float):
        return float(cell.removeprefix("'")) == value
    if isinstance(value, datetime.datetime):
        return datetime.datetime.fromisoformat(cell) == value
    if isinstance(value, str):
        is_formula = value.lstrip().startswith(FORMULA_SIGNS) or value[0] in "\t\r\n"
        return cell == (f"'{value}" if is_formula and not is_written_number(value) else value)
    return cell == str(value)


SHEET_CELLS = st.one_of(
    st.integers(-(10**14), 10**14),
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1e14, max_value=1e14),
    st.booleans(),
    st.datetimes(datetime.datetime(1900, 3, 1)).map(lambda one: one.replace(microsecond=0)),
    TEXTS,
    st.sampled_from(["=1+1", "007", "1234567890123456", "1.10", "+49"]),
)


@given(st.lists(SHEET_CELLS, min_size=N_ROWS, max_size=N_ROWS))
def test_cells_of_a_workbook_come_back_with_their_types(clustered, cells):
    content = workbook_of(cells, text_type="s")
    _, *rows = openpyxl.load_workbook(io.BytesIO(content)).active.values
    shown = [row[2] for row in rows]
    found = third_of(exported(clustered, "table.xlsx", content, "xlsx"), "xlsx")
    assert list(map(type, found)) == list(map(type, shown))
    assert found == shown
    found = third_of(exported(clustered, "table.xlsx", content, "parquet"), "parquet")
    if len({type(one) for one in shown if one is not None}) == 1:
        assert found == shown
    else:
        pairs = zip(found, shown, strict=True)
        assert all(one == value or one == str(value) for one, value in pairs)
