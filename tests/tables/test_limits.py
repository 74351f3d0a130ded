"""What a file claims is checked before it is unpacked; only regular files are opened."""

import io
import json
import os
import socket
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest

from mvcc._utils import reading
from mvcc._utils.reading import content_of, parse_json
from mvcc._utils.settings import Problems, read_yaml
from mvcc.constraints import ConstraintFile
from mvcc.exceptions import DataError, MvccError
from mvcc.results import Results, read_facts
from mvcc.tables._job import View
from mvcc.tables.reading import _workbooks
from mvcc.tables.reading._files import read_frame, read_frames
from mvcc.tables.reading._people import read_records
from tests.tables.problems import read_table, rezipped

HEADER = (
    '<row r="1"><c r="A1" t="inlineStr"><is><t>id</t></is></c><c r="B1"'
    ' t="inlineStr"><is><t>x</t></is></c></row>'
)
ROW = '<row r="{0}"><c r="A{0}"><v>{0}</v></c><c r="B{0}"><v>{1}</v></c></row>'
ROWS = "".join(ROW.format(n, n * n) for n in (2, 3, 4))


def row(number, place):
    return f'<row r="{number}"><c r="{place}"><v>1</v></c></row>'


def workbook(path, rows=HEADER + ROWS, after="", before=""):
    """Write a workbook whose sheet consists of the given XML."""
    buffer = io.BytesIO()
    openpyxl.Workbook().save(buffer)
    name = "xl/worksheets/sheet1.xml"
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    sheet = f'{before}<worksheet xmlns="{space}"><sheetData>{rows}</sheetData>{after}</worksheet>'
    path.write_bytes(rezipped(buffer.getvalue(), more={name: sheet}))
    return path


def merged(area):
    return f'<mergeCells count="1"><mergeCell ref="{area}"/></mergeCells>'


def refused(path, message, read=read_frame, error=DataError):
    with pytest.raises(error, match=message):
        read(str(path))


def some_at_a_time(path):
    return list(read_frames(path))


@pytest.mark.parametrize(
    ("after", "values"),
    [("", [4, 9, 16]), (merged("D9:XFD1048576"), [4, 9, 16]), (merged("B2:B6"), [4] * 5)],
    ids=["plain XML", "merged empty cells", "merged cells"],
)
def test_a_workbook_of_xml_has_the_value_of_merged_cells_in_every_row(tmp_path, after, values):
    frame = read_frame(str(workbook(tmp_path / "a.xlsx", after=after)))
    assert frame["x"].tolist() == values
    assert frame.attrs["lines"] == range(2, 2 + len(values))


@pytest.mark.parametrize(("parts", "message"), {
    "far cell": ({"rows": HEADER + row(2**20, "XFD1048576")}, "16,384 columns"),
    "merged area": ({"after": merged("A2:XFD1048576")},
     r"1,048,576 rows of 16,384 columns; .*save it as CSV"),
    "many cells": ({"rows": HEADER + f'<row r="2">{"<c/>" * 16385}</row>'},
     "2 has more than 16,384"),
    "far row": ({"rows": HEADER + row(2**30, "A2")}, "row 1,073,741,824 comes after"),
    "rows that go back": ({"rows": HEADER + ROWS + row(2, "A2")}, "row 2 comes after row 4"),
    "far column": ({"rows": HEADER + row(2, "ZZZ2")}, "'ZZZ2' is not a place in a sheet"),
    "no merged area": ({"after": merged("A2:B")}, "'B' is not a place"),
    "entities": ({"before": '<!DOCTYPE a [<!ENTITY b "c">]>'}, "declares a document type"),
}.values(), ids=lambda value: value[:20] if isinstance(value, str) else "")  # fmt: skip
def test_a_sheet_is_refused_by_what_it_claims(tmp_path, parts, message):
    path = workbook(tmp_path / "a.xlsx", **parts)
    refused(path, rf"a\.xlsx: cannot be read as an Excel workbook .*{message}")


def test_a_system_that_does_not_tell_its_memory_has_16_gibibytes(monkeypatch):
    monkeypatch.delattr(os, "sysconf")
    assert reading.memory() == 2**34


def test_a_file_of_many_elements_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(_workbooks, "MOST_ELEMENTS", 10)
    refused(workbook(tmp_path / "a.xlsx"), "more than 10 elements of XML")


def test_texts_that_are_stored_once_count_as_often_as_they_are_shown(tmp_path, monkeypatch):
    path = str(workbook(tmp_path / "a.xlsx", after=merged("A1:A99")))
    assert len(read_frame(path)) == 98
    workbook(tmp_path / "a.xlsx", rows=HEADER.replace("id", "x" * 999), after=merged("A1:A99"))
    monkeypatch.setattr(reading, "MOST_BYTES", 2**16)
    refused(path, r"a\.xlsx.*98,902 bytes once it is unpacked; at most 65,536")


def zipped(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return path


def header(shape, dtype="<f8"):
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        buffer, {"shape": shape, "fortran_order": False, "descr": dtype}
    )
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("shape", "dtype", "message"),
    [
        ((2**50, 3), "<f8", "1,125,899,906,842,624 rows"),
        ((5, 2**40), "<f8", "1,099,511,627,776 columns"),
        ((2**20, 2**16), "<f8", "1,048,576 rows of 65,536 columns"),
        ((2**60, 0), "<f8", "1,152,921,504,606,846,976 rows"),
        ((9, 9), "<U90000000", "unpacked"),
        ((2, 2, 2**50), "<f8", "unpacked"),
        ((-1, 2), "<f8", "claims the shape"),
    ],
)
def test_an_array_is_refused_by_its_header(tmp_path, shape, dtype, message):
    (tmp_path / "a.npy").write_bytes(header(shape, dtype))
    zipped(tmp_path / "a.npz", X=header(shape, dtype))
    for name in ("a.npy", "a.npz"):
        refused(tmp_path / name, f"{name}: cannot be read as a file of NumPy arrays: .*{message}")


def test_a_zip_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "a.npz", X=np.zeros((1000, 50)))
    monkeypatch.setattr(reading, "MOST_UNPACKED", 1000)
    refused(tmp_path / "a.npz", r"a\.npz: .*400,128 bytes once it is unpacked, more than 100 times")
    workbook(tmp_path / "a.xlsx", rows=HEADER + "<row></row>" * 10**6)
    refused(tmp_path / "a.xlsx", r"a\.xlsx: .*more than 100 times its size")


def test_a_zip_whose_directory_lies_is_refused(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", X=np.zeros((100, 50)))
    content = (tmp_path / "a.npz").read_bytes()
    size = (100 * 50 * 8 + 128).to_bytes(4, "little")
    assert content.count(size) >= 1
    (tmp_path / "a.npz").write_bytes(content.replace(size, (500).to_bytes(4, "little")))
    refused(tmp_path / "a.npz", r"a\.npz: cannot be read as a file of NumPy arrays")


def test_parquet_is_refused_by_what_it_says_of_itself(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    pd.DataFrame({"x": np.zeros(10_000), "y": np.zeros(10_000)}).to_parquet(path)
    monkeypatch.setattr(reading, "MOST_CELLS", 19_999)
    refused(path, r"20,000 cells \(10,000 rows of 2 columns\); at most 19,999")
    monkeypatch.setattr(reading, "MOST_ROWS", 9_999)
    refused(path, "10,000 rows; at most 9,999")
    assert sum(map(len, read_frames(str(path)))) == 10_000  # some at a time
    monkeypatch.setattr(reading, "MOST_COLUMNS", 1)
    refused(path, "2 columns; at most 1 are read", some_at_a_time)


def test_bytes_in_a_table_are_texts_or_refused(tmp_path):
    path = str(tmp_path / "a.parquet")
    pd.DataFrame({"id": [b"a", b"\xc3\xa4"], "x": [1, 2]}).to_parquet(path)
    assert read_table("a", View(path=path)).ids == ["a", "ä"]
    pd.DataFrame({"id": [b"a", b"\xff"], "x": [1, 2]}).to_parquet(path)
    message = r"'id' holds bytes that are not text in UTF-8\. Leave it out \(--ignore a=id\)"
    refused(path, message, lambda path: read_table("a", View(path=path)))
    assert read_table("a", View(path=path, ignore=("id",))).columns == ["x"]
    path = str(tmp_path / "a.npz")
    np.savez(path, X=np.eye(2), id=np.array([b"a", b"\xff"]))
    refused(path, "'id' holds bytes that are no text")


@pytest.mark.parametrize("code", [0x110000, 0xD800])
def test_characters_that_are_none_are_refused(tmp_path, code):
    path = tmp_path / "a.npz"
    for order in "<>":
        np.savez(path, X=np.eye(2), id=np.array([1, code], f"{order}u4").view(f"{order}U1"))
        refused(path, "'id' holds numbers that are no characters")


def test_text_that_says_it_is_utf_8_and_is_not_is_refused(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet

    broken = pa.Array.from_buffers(pa.string(), 2, pa.array([b"a", b"\xff"]).buffers())
    pa.parquet.write_table(pa.table({"x": broken}), tmp_path / "a.parquet")
    refused(tmp_path / "a.parquet", "the column 'x' holds text that is not UTF-8")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (f'{{"x": {"[" * 200}{"]" * 200}}}', ":1: .*: it is nested more than 100 levels deep"),
        ('{"x": ' + "[" * 10**5, ":1: .*(nested|no JSON)"),
        (f'{{"x": {"9" * 5000}}}', ":1: .*: it holds a number of more than 4,300 digits"),
        ('{"x": 1}\n{"x": "\\ud800"}', r":2: .*: a text holds half a character \(the surrogate "),
        ('{"x": 1}\n{"\\udfff": 1}', ":2: cannot be read: a text holds half"),
    ],
)
def test_json_is_not_too_deep_and_of_whole_characters(tmp_path, content, message):
    (tmp_path / "a.jsonl").write_text(content)
    refused(tmp_path / "a.jsonl", r"a\.jsonl" + message)


def test_records_that_each_have_another_name_are_counted(tmp_path, monkeypatch):
    (tmp_path / "a.json").write_text(json.dumps([{f"x{n}": n} for n in range(100)]))
    assert read_frame(str(tmp_path / "a.json")).shape == (100, 100)
    monkeypatch.setattr(reading, "MOST_CELLS", 9_999)
    refused(tmp_path / "a.json", "100 rows of 100 columns")


def test_surrogate_pairs_and_depth_within_limits_are_read():
    assert parse_json(b'\xef\xbb\xbf["\\ud83d\\ude00"]') == ["😀"]
    assert parse_json("[" * 100 + "]" * 100)
    with pytest.raises(ValueError, match="invalid continuation byte"):
        parse_json(b'"\xed\xa0\x80"')


def test_a_text_with_too_many_columns_lines_or_characters_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("a," * 10**6 + "\n1\n")
    for read in (read_frame, some_at_a_time):
        refused(path, "1,000,001 columns; at most 131,072 are read", read)
    # short rows are filled
    path.write_text(",".join(f"c{n}" for n in range(1000)) + "\n" + "1\n" * 1000)
    monkeypatch.setattr(reading, "MOST_CELLS", 10**6 - 1)
    refused(path, "1,001 rows of 1,000 columns")
    path.write_bytes(b"id,x\n1,2\n3," + b"4" * 2**24 + b"\n")
    for read in (read_frame, some_at_a_time):
        refused(path, r"a\.csv:3: this line has more than 16,777,216 bytes", read)


def test_a_file_larger_than_memory_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    with path.open("wb") as file:
        file.truncate(2**40)  # of which the disk holds nothing
    refused(path, r"a\.csv: cannot be read: it has 1,099,511,627,776 bytes; at most")
    path.write_bytes(b"x" * 100)
    monkeypatch.setattr(reading, "MOST_BYTES", 99)
    refused(path, "it has 100 bytes; at most 99", content_of, OSError)


READERS = {
    "a.csv": read_frame,
    "a.parquet": read_frame,
    "b.csv": some_at_a_time,
    "b.parquet": some_at_a_time,
    "pairs.csv": ConstraintFile.read,
    "asked.csv": read_records,
    "cluster.yaml": lambda path: read_yaml(path, Problems(path, "")),
    "clustering.json": lambda path: read_facts(Path(path).parent),
    "manifest.json": lambda path: Results(_with_curves(Path(path).parent)).curves,
}


def _with_curves(folder):
    (folder / "curves.csv").write_bytes(b"a\n1\n")
    return folder


IS_NONE = r"this is a pipe or a device, no regular file|no finished experiment"


@pytest.mark.parametrize("name", READERS)
def test_nothing_but_regular_files_is_opened(tmp_path, name):
    path = tmp_path / name
    os.mkfifo(path)
    others = READERS[name], MvccError
    refused(path, IS_NONE, *others)
    path.unlink()
    with socket.socket(socket.AF_UNIX) as server, pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)  # the path of a socket is short
        server.bind(name)
        refused(path, IS_NONE, *others)
    path.unlink()
    path.symlink_to("/dev/zero")
    refused(path, IS_NONE, *others)


def test_a_pipe_that_takes_the_place_of_a_file_does_not_block(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").touch()
    found = os.stat(tmp_path / "file")
    monkeypatch.setattr(reading.os, "stat", lambda path: found)
    refused(tmp_path / "pipe", "no regular file", content_of, OSError)
