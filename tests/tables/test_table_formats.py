"""The same numbers are the same view in every format; what is no table is refused by its line."""

import cProfile
import json
import re
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mvcc.exceptions import DataError
from mvcc.tables._job import View
from mvcc.tables.reading._column import as_texts
from mvcc.tables.reading._files import read_frame, read_frames
from mvcc.tables.reading._text_tables import read_text_table
from tests.tables.problems import read_table

IDS = ["007", "a b", "é", "10"]
X = np.array([[0.1, -1e-300], [1 / 3, 2.5e17], [0.30000000000000004, 0.0], [1e-5, 7.0]])
LABELS = ["p", "q", "p", "q"]
LINES = [
    [name, label, *map(repr, row)] for name, label, row in zip(IDS, LABELS, X.tolist(), strict=True)
]


def text(delimiter=",", end="\n", header=("id", "label", "x", "y")):
    return end.join(delimiter.join(line) for line in [header, *LINES]) + end


def frame():
    return pd.DataFrame({"id": IDS, "label": LABELS, "x": X[:, 0], "y": X[:, 1]})


def arff():
    head = "@relation r\n@attribute id {'007','a b',é,'10'}\n@attribute label {p,q}\n"
    rows = text().partition("\n")[2].replace("a b", "'a b'")
    return f"{head}@attribute x numeric\n@attribute y numeric\n@data\n{rows}"


def npy(array):
    return lambda path: np.save(path, array)


def npz(**arrays):
    return lambda path: np.savez(path, **arrays)


FORMATS = {
    "comma.csv": text(),
    "semicolon.csv": text(";"),
    "tab.csv": text("\t"),
    "tab.tsv": text("\t"),
    "plain.TXT": text(";"),
    "mark.csv": "\ufeff" + text(),
    "crlf.csv": text(end="\r\n"),
    "mac.csv": text(end="\r"),
    "end.csv": text().rstrip("\n"),
    "lines.csv": text() + "\n\n\r\n",
    "quoted.csv": text().replace("a b", '"a b"').replace("label", '"label"'),
    "trailing.csv": text(end=",\n"),
    "pipes.csv": text("|"),
    "pipes and gaps.csv": text("|", end="\n\n"),
    "told pipes.txt": "sep=|\n" + text("|"),
    "told.csv": "\ufeffsep=;\r\n" + text(";", end="\r\n"),
    "gaps.csv": text(end="\n\n"),
    "table.parquet": lambda path: frame().to_parquet(path, index=False),
    "named.parquet": lambda path: frame().set_index("id").to_parquet(path),
    "index.parquet": lambda path: frame().set_index("id").rename_axis("who").to_parquet(path),
    "nameless.parquet": lambda path: frame().set_index("id").rename_axis(None).to_parquet(path),
    "arrays.npz": npz(X=X, id=np.array(IDS), label=np.array(LABELS)),
    "packed.npz": lambda path: np.savez_compressed(path, id=IDS, label=LABELS, features=X, k=3),
    "bytes.npz": npz(X=X, id=[i.encode() for i in IDS], label=np.array(LABELS, "S1")),
    "table.arff": arff(),
    "lines.jsonl": "".join(f"{json.dumps(record)}\n" for record in frame().to_dict("records")),
    "list.json": json.dumps(frame().to_dict("records")),
}


def written(folder, name, content):
    path = folder / name
    if callable(content):
        content(path)
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def read(folder, name, content, **options):
    return read_table("texts", View(path=written(folder, name, content), **options))


def refused(folder, name, content, message, **options):
    with pytest.raises(DataError, match=message) as refusal:
        read(folder, name, content, **options)
    assert str(refusal.value).startswith(str(folder / name))
    assert len(str(refusal.value)) < 1000 + len(str(folder))
    assert str(refusal.value).isprintable()


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_numbers_are_the_same_view_in_every_format(tmp_path, name):
    table = read(tmp_path, name, FORMATS[name], labels_column="label")
    np.testing.assert_array_equal(table.X, X, "to the last bit")
    assert table.ids == IDS
    assert table.reference == LABELS
    assert len(table.columns) == 2
    assert table.unused == []


@pytest.mark.parametrize(
    ("name", "content"),
    {
        "numbers.npy": npy(X),
        "numbers.csv": "\n".join(",".join(map(repr, row)) for row in X.tolist()),
        "text.npy": npy(X.astype(str)),
        "swapped.npy": npy(X.astype(X.dtype.newbyteorder())),
        "swapped-text.npy": npy(X.astype(">U25")),
        "long.npy": npy(X.astype(np.longdouble)),
        "bytes.npy": npy(X.astype("S25")),
        "beside.npz": lambda path: np.savez(path, X),
        "pandas.csv": lambda path: pd.DataFrame(X).to_csv(path),
        "pandas-no-index.csv": lambda path: pd.DataFrame(X).to_csv(path, index=False),
        "pandas.parquet": lambda path: pd.DataFrame(X, columns=["p", "q"]).to_parquet(path),
    }.items(),
)
def test_rows_without_ids_are_numbered_from_0(tmp_path, name, content):
    table = read(tmp_path, name, content)
    np.testing.assert_array_equal(table.X, X)
    assert table.ids == ["0", "1", "2", "3"]


def test_ids_may_hold_delimiters_quotes_and_line_breaks(tmp_path):
    content = 'id,x\n"a,\n1",1\n"b""2",2\n" c\r3 ",3\n;\t4,4\n'
    assert read(tmp_path, "odd.csv", content).ids == ["a,\n1", 'b"2', "c\r3", ";\t4"]


@pytest.mark.parametrize(
    ("content", "names", "last"),
    [
        ('id;"size, width";"light\n(lux)"\na;1;2\nb;3;4\n', "id/size, width/light\n(lux)", "b/3/4"),
        ("id\ta, b\tc, d\nx\t1\t2\ny\t3\t4\n", "id/a, b/c, d", "y/3/4"),
        ("id|price, net|x; y|w\na|-0.5|2|3\nb|3|4|5\n", "id/price, net/x; y/w", "b/3/4/5"),
        ("id|price, net|w\na|0,5|2\nb|3,5|4\n", "id/price, net/w", "b/3,5/4"),
        ("id|price, net\na|0,5\nb|3,5\n", "id/price, net", "b/3,5"),
        ("id, a|b\n1, 0|1\n2, 1|0\n1, 0|1\n", "id/ a|b", "1/ 0|1"),
        ("id, a|b, c\n1, x|y, 3\n2, x|z, 4\n", "id/ a|b/ c", "2/ x|z/ 4"),
        ("id, a|b, c\n1,x|y,3\n2,x|z,4\n", "id/ a|b/ c", "2/x|z/4"),
        ("id; a|b; c\n1; x|y; 3\n2; x|z; 4\n", "id/ a|b/ c", "2/ x|z/ 4"),
        ("id,age,grade (A|B|C)\nu,69,C\nv,32,B\n", "id/age/grade (A|B|C)", "v/32/B"),
        ("grade (A|B|C)\nblue wave\nred pie\n", "grade (A|B|C)", "red pie"),
    ],
)
def test_cells_may_hold_other_delimiters_and_names_line_breaks(tmp_path, content, names, last):
    name = "odd.tsv" if "\t" in content else "odd.txt"
    (frame,) = read_frames(written(tmp_path, name, content))
    assert list(frame) == names.split("/")
    assert frame.iloc[-1].tolist() == last.split("/")


def test_numbers_that_follow_each_other_may_be_an_index_with_a_name(tmp_path, monkeypatch):
    rows = pd.DataFrame(X, pd.RangeIndex(5, 13, 2, name="who"), columns=["x", "y"])
    table = read(tmp_path, "t.parquet", rows.to_parquet)
    assert (table.id_column, table.ids) == ("who", ["5", "7", "9", "11"])
    assert table.columns == ["x", "y"]
    assert not table.is_numbered
    with monkeypatch.context() as patched:
        patched.setattr("mvcc.tables.reading._parquet._MOST_VALUES", 6)
        parts = [part["who"].tolist() for part in read_frames(table.path)]
    assert parts == [[5, 7, 9], [11]]
    table = read(tmp_path, "both.parquet", rows.assign(who=[*"abcd"]).to_parquet, id_column="who")
    assert table.ids == [*"abcd"]
    levels = pd.MultiIndex.from_arrays([[0.5, 2, 2, 1], [3, 2, 1, 3]], names=["u", None])
    table = read(tmp_path, "levels.parquet", rows.set_axis(levels).to_parquet)
    assert (table.id_column, table.columns) == (None, ["u", "level_1", "x", "y"])


@pytest.mark.parametrize(
    "ids", [[7.0, 8.0], np.array([7, 8], "u1"), ["7", "8"], np.array([7, 8], "f2")], ids=str
)
def test_whole_numbers_are_ids_without_a_point_in_every_format(tmp_path, ids):
    arrays = {"X": X[:2], "id": np.asarray(ids), "label": np.array([1.0, 2.0])}
    table = read(tmp_path, "a.npz", npz(**arrays), labels_column="label")
    assert (table.ids, table.reference) == (["7", "8"], ["1", "2"])
    parquet = pd.DataFrame({"id": ids, "x": [1, 2]}).to_parquet
    assert read(tmp_path, "a.parquet", parquet).ids == ["7", "8"]


@pytest.mark.parametrize("dtype", ["float32", "float64", "Float64"])
def test_the_text_of_a_float_follows_from_its_value_alone(dtype):
    values = [20240131.0, 123456792.0, 5.0, -0.0, 0.1, 0.5, 2.0**53, np.inf, np.nan]
    column = pd.Series(values, dtype=dtype)
    texts = as_texts(column)
    if dtype == "float32":
        values[0] = 20240132.0  # the nearest one
    assert texts[:6].tolist() == [f"{values[0]:.0f}", "123456792", "5", "0", "0.1", "0.5"]
    assert texts[6:8].tolist() == column[6:8].astype(str).tolist()
    for row in range(8):
        assert as_texts(column[row : row + 1]).tolist() == [texts[row]]


def test_columns_can_be_left_out_and_another_one_can_name_the_rows(tmp_path):
    content = "id,name,x,y,label\n1,a,5,words,p\n2,b,6,more,\n"
    settings = {"id_column": "name", "ignore": ("id", "y"), "labels_column": "label"}
    table = read(tmp_path, "a.csv", content, **settings)
    assert (table.ids, table.columns) == (["a", "b"], ["x"])
    assert (table.reference, table.unused) == (["p", ""], ["id", "y"])
    frame = pd.DataFrame({"name": ["a", "b"], "x": [1, 2]}, index=pd.Index(["p", "q"], name="who"))
    table = read(tmp_path, "a.parquet", frame.to_parquet, id_column="name")
    assert (table.ids, table.columns) == (["a", "b"], ["x"])


NAMES_NONE = r"Does line 1 name the columns\?"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,x\na,1\nb,1e999\n", r":3: line 3 has '1e999', which is not a finite number"),
        ("id,x\na,1\nb,2\na,3\n", r":4: line 4 has the id 'a', as line 2 has; ids must be dis"),
        ("id,x\na,1\n,2\n", r":3: line 3 has no id in the column 'id'; give it one"),
        ("id,x,x\na,1,2\n", r": the column 'x' is there more than once; rename all but one"),
        ("A list,\nid,x,y\na,1,2\n", rf":2: .* there are 2 columns\. {NAMES_NONE}"),
        ("id,x,y,x,y\na,1,2,3,4\n", r": the columns 'x', 'y' are there more than once"),
        ("id,x\na,1.1e100\nb,-3e200\n", r":2: .*'1\.1e100', which is too large .* 2 .* below 1e"),
        ("id,x\na,1,5\n", r":2: line 2 has 3 values, but there are 2 columns"),
        ('id,x\n"a\n1",1\nb,2,5\n', r":4: line 4 has 3 values, but there are 2 columns"),
        ('id,x\n"a\n1",1\n,2\n', r":4: line 4 has no id"),
        ("id,x\na,1\n\n,2\n", r":4: line 4 has no id"),
        ("List\n\nid,x\na,1\n", rf":3: .* 2 values, .* is 1 column\. {NAMES_NONE} Del"),
        ("List,,\nid,x,y\na,1,2\n", r":1: 2 columns have no name\. Does line 1 name "),
        ("sep=;\n", r":2: line 2 is empty; it must name the columns"),
        ("sep=;\nid;x\na;1;5\n", r":3: line 3 has 3 values, but there are 2 columns\.$"),
        ('"x" "y" "o"\n"1" 1.9 2.6 "b"\n', ":1: blanks seem to separate the .* with commas, sem"),
        ("x y\n1,9 2,6\n3,1 4\n", ":1: blanks seem to separate the values"),
        ("x y\n1 1.9 2.6\n2 3.1 4\n", ":1: blanks seem to separate the values"),
        ("id,x\n", r": there are no rows"),
        ("", r":1: the first line is empty"),
        ("\n\n", r":1: the first line is empty"),
        ("id\na\nb\n", r": no column is left to cluster: 'id': names the rows"),
        ("id,x\na,5\nb,5\nc,5\n", r": no column is left to cluster: .*; 'x': constant\."),
        (
            "id,class\na,x\nb,y\nc,y\n",
            r"like labels\. To cluster by 'class', write --columns texts=class\.",
        ),
        ("x" * 2**21, r": cannot be read as a table: field larger than field limit"),
        ('id,x\na,1\n"b,2\n', r":3: line 3 opens a quote that never closes\. Close it in line 3"),
        ('id,t,x\na,"o",1\nb,"o,2\n\nc,"o",3\n', ":3: .* closes in line 5, where .* in line 3"),
        (
            'id,t,x\na,"o,1\nb,o ""o"" o,2\nc,o" o,3\n',
            ":2: .* closes in line 4, where text follows",
        ),
        ('t\tx\n5"\t1\n"o""\t2\no\t3\nsay "o"\t4\n', ":3: line 3 .* closes in line 5, where"),
        ('sep=;\nx;"t\n1;"o"\n2;o\n', ":2: line 2 opens a quote that closes in line 3, where"),
        ('x,t\n1,"o\n2,"o",3\n', ":2: line 2 opens a quote that closes in line 3, where"),
    ],
)
def test_what_cannot_be_used_of_a_text_is_named_with_its_line(tmp_path, content, message):
    refused(tmp_path, "a.csv", content, message)


@pytest.mark.parametrize(
    ("n", "begin", "end", "is_refused"),
    [
        (20, '"o', 'o"', False),
        (20, '"o', 'o" ', False),
        (20, '"Best of" o', '5"', False),
        (20, '"o', 'o" o', True),
        (0, '"o', '5" o', True),
    ],
)
def test_a_late_end_of_quotes_is_seen_in_parts(tmp_path, monkeypatch, n, begin, end, is_refused):
    rows = [f"{n},o" for n in range(n)]
    content = "\n".join(["x,t", *rows, f"1,{begin}", *rows, f"2,{end}", '3,"o"', '4,"o\n\no"', ""])
    path = written(tmp_path, "a.csv", content)
    monkeypatch.setattr("mvcc.tables.reading._text_tables.rows_at_a_time", lambda n_columns: 7)
    for read in (read_frame, lambda path: list(read_frames(path))):
        if is_refused:
            message = f":{n + 2}: line {n + 2} opens a quote that closes in line {2 * n + 3}, where"
            with pytest.raises(DataError, match=message):
                read(path)
        else:
            read(path)


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("a.csv", 'id,x,"t\n(m)"\na,1,"o\nk"\nb,oops,ok\nc,3,ok', 5),
        ("a.csv", 'id,x,t\r\na,1,"o\r\n\r\nk"\r\nb,oops,ok\r\nc,3,ok', 5),
        ("a.csv", "id,x\ra,1\r\rb,oops\rc,3", 4),
        ("a.jsonl", '{"x": "oops"}\n\n{"x": 1}', 1),
        ("a.jsonl", '{"x": 1}\n\n{"x": "oops"}\n{"x": 2}', 3),
        ("a.arff", "@relation r\n@attribute x real\n@data\n1\n% two\noops\n3", 6),
    ],
)
def test_a_row_is_called_by_its_line_also_below_values_of_several(tmp_path, name, content, line):
    message = rf":{line}: line {line} has 'oops'"
    refused(tmp_path, name, content, message, columns={"x": "number"})


GAP = "1 row without a value (line 4)"


@pytest.mark.parametrize(("content", "ids", "left_out"), [
    ("x;y\n1;4\n\n2;5\n;\n3;7\n\n;", "013", ["2 rows without a value (lines 3, 5)"]),
    ('x;y\n1;4\n ;\t\n2;5\n" ";  \n3;7\n ; ', "024", ["2 rows without a value (lines 3, 5)"]),
    ("x;y\n1;4\n\n\n\n\n2;5", "01", ["4 rows without a value (lines 3, 4, 5, …)"]),
    ("x;y\n;\n1;4\n \t\n\n;\n2;5", "13", ["4 rows without a value (lines 2, 4, 5, …)"]),
    ("x\ty\r\n1\t4\r\n\t\r\n \r\n2\t5", "02", ["2 rows without a value (lines 3, 4)"]),
    ('x;y\n1;"a\n\n;"\n\n;\n2;5', "02", ["2 rows without a value (lines 5, 6)"]),
    ("x;y\r1;4\r;\r\r2;5\r", "02", ["2 rows without a value (lines 3, 4)"]),
    ('x;y\r1;"4\r4"\r;\r2;5\r', "02", [GAP]),
    ("id;x\na;1\nb;2\nSumme;574.123,00 €", "ab", ["1 row below the table ('Summe')"]),
    ('id;x;y\na;1;"2\n"\n\nb;2;3\n;Total;-$5\n\nQuelle: A;;\n', "ab",
     [GAP, "2 rows below the table ('Total', 'Quelle: A')"]),
    ("id;x\na;1\nb;2\nI alt;3\n", "ab", ["1 row below the table ('I alt')"]),
    ("id;x\na;1\nb;2\nTotal général;3\n", "ab", ["1 row below the table ('Total général')"]),
    ("id;x\na;1\nb;2\nTotais:;3\n", "ab", ["1 row below the table ('Totais:')"]),
    ("id;t;x\na;r;1\nb;s;2\n;Sum of x;3\n", "ab", ["1 row below the table ('Sum of x')"]),
    ("id;x;y\n;mg;%\na;1,5;2\n;;\nb;2;3\n", "ab", ["1 row of units ('mg')", GAP]),
    ("id;x;y\nEenheid;mg;%\na;;2\nb;2;\n", "ab", ["1 row of units ('Eenheid')"]),
    ("id;x;y\n[unit];mg;-\na;1;2\nb;2;3\n", ["[unit]", "a", "b"], []),
    ("id;x;y\nb;mg;%\na;1;red\nc;2;blue\n", "bac", []),
    ("id;x\nb;1\ntotal;red\n", ["b", "total"], []),
    ("id;x\ntotal;5\nb;1\n", ["total", "b"], []),
    ("id;t;x\na;r;1\nTotal;Mean Streets;2\n", ["a", "Total"], []),
    ("t;x\nr;1\nMean Streets;2\n", "01", []),
    ("g;id;x\na;r;1\nb;q;2\n;s;4\n;Mean Streets;3\n", ["r", "q", "s", "Mean Streets"], []),
    ("id;x;;\na;1;;\nb;2;;\n", "ab", []),
    ("x\n1\n\n3\n", "012", []),
    ("x;\n1;\n;\n3;\n", "012", []),
])  # fmt: skip
def test_empty_lines_and_totals_are_no_rows_and_said(tmp_path, monkeypatch, content, ids, left_out):
    name = "a.tsv" if "\t" in content.splitlines()[0] else "a.csv"
    table = read(tmp_path, name, content)
    assert table.ids == list(ids)
    said = f"{tmp_path / name}: Left out: {'; '.join(left_out)}."
    assert table.notes == ((said,) if left_out else ())
    whole = read_frame(str(tmp_path / name))
    lines = whole.attrs["lines"]
    if table.id_column is None and len(whole.columns) > 1:
        frame = pd.read_csv(tmp_path / name, sep=whole.attrs["delimiter"], dtype=str)
        assert set(table.ids) <= set(map(str, frame.index)), "as pandas numbers them"
        assert frame.iloc[whole.index, 0].tolist() == whole.iloc[:, 0].tolist()
    monkeypatch.setattr("mvcc.tables.reading._text_tables.rows_at_a_time", lambda n_columns: 2)
    some = list(read_frames(str(tmp_path / name)))
    assert [row for frame in some for row in frame.index] == whole.index.tolist()
    assert [line for frame in some for line in frame.attrs["lines"]] == list(lines)


@pytest.mark.parametrize("n_at_a_time", [1, 2, 3, 50])
@pytest.mark.parametrize(("content", "n", "below"), [
    ("id;x;y\na;1;2\nb;2;3\nTotal;3;5\nA;;\nB;;\n;;\nC;;", 2,
     "4 rows below the table ('Total', 'A"),
    ("id;x\na;1\nb;2\n\nTotal;3\n\n;\n", 2, "1 row below the table ('Total')"),
    ("id;x\na;1\nmean;2\nsum;3\n", 2, "1 row below the table ('sum')"),
    ("id;x\na;1\nb;1\nc;3\nmean;2\n\nΣ;6\nØ;2\n", 3, "3 rows below the table ('mean', 'Σ', …)"),
    ("of;x\na;1\nsum;3\nb;2\nsum;3\nTotal;3", 4, "1 row below the table ('Total')"),
    ("x;of;y\n1;mean;2\n1;sum;3\n2;mean;4\n2;sum;5", 4, ""),
    ("of;x\nsum;1\nb;2\nmean;3\nmean;4\nsum;5", 5, ""),
    ("of;x;y\nsum;1;1\nb;2;1\nsum;3;1\nA;;\nB;;", 5, ""),
    ("id;x;y\na;1;2\nb;2;3\n\nc;;\nd;;", 4, ""),
    ("id;x;y\na;1;2\nb;2;3\n\nc 7;;\nd;;", 4, ""),
    ("id;x;y\na;1;2\nb;2;3\n;;\n\nAs of May;;\nData of: A;;", 2, "2 rows below the table ("),
    ("id;x;y\na;1;2\nb;2;3\nTotal homes: 2;;\n\nSource: A;;", 2, "2 rows below the table ("),
    ("id;x\na;1\nmax;2\nMean;3\nSD;0,5\nMax;2\nn;2", 2, "4 rows below the table ('Mean'"),
    ("id;x\na;1\nmax;2", 2, ""),
    ("id;x;y\ntotal;5;3\na;;\nb;;", 3, ""),
    ("id;x\ntotal;5\n", 1, ""),
])  # fmt: skip
def test_a_total_is_the_last_row_and_has_a_word_that_no_other_row_has(
    tmp_path, monkeypatch, content, n, below, n_at_a_time
):
    path = written(tmp_path, "a.csv", content)
    monkeypatch.setattr("mvcc.tables.reading._text_tables.rows_at_a_time", lambda _: n_at_a_time)
    for frames in ([read_frame(path)], list(read_frames(path))):
        assert sum(map(len, frames)) == n
        notes = " ".join(note for frame in frames for note in frame.attrs["notes"])
        assert below in notes
        assert ("below" in notes) == bool(below)


def test_a_column_behind_an_empty_one_may_be_of_another_table(tmp_path):
    table = read(tmp_path, "a.csv", "id,x,,town,y\na,1,,u,2\nb,2,,v,5\n")
    assert table.columns == ["x", "town", "y"]
    assert "the column 'town' stands apart from those before it. If another" in table.notes[0]


def test_names_of_rows_have_no_name_as_r_writes_them_if_all_rows_have_one(tmp_path):
    path = written(tmp_path, "a.txt", '"x"\t"y"\na\t1\t2\nb\t3\t4\n')
    assert read_frame(path).columns.tolist() == ["", "x", "y"]
    assert [frame.shape for frame in read_frames(path)] == [(2, 3)]
    assert read_table("a", View(path=path)).ids == ["a", "b"]
    for rows in ("a\t1\t2\nb\t3\n", "a\t1\t\nb\t3\t\n"):
        message = "line 2 has 3 values, but there are 2 columns"
        refused(tmp_path, "b.txt", f'"x"\t"y"\n{rows}', message)


@pytest.mark.parametrize(("content", "names", "note"), [
    ("1,2\n3,5\n4,4\n", "column 1,column 2", "Line 1 has only numbers and was read as a row"),
    ("2019,2020,2021\n3,5,1\n4,4,2\n", "2019,2020,2021", "though it has 2019, 2020, 2021"),
    (",2020,2018,2016\n0,3,5,1\n1,4,4,2\n", ",2020,2018,2016", "though it has 2020, 2018"),
    (",0,1\n0,3,5\n1,4,4\n", ",0,1", "though it has 0, 1. If it"),
    ("0\n3\n4\n", "0", "though it has 0. If it"),
    ("1984,2010\n2757,2451\n1741,2552\n", "column 1,column 2", "Line 1 has only numbers"),
    ("1984\n2757\n1741\n", "column 1", "Line 1 has only numbers"),
    ("1984,2010,1950\n1,2,3\n", "column 1,column 2,column 3", "Line 1 has only numbers"),
    ("1984,1984,1984\n1,2,3\n", "column 1,column 2,column 3", "Line 1 has only numbers"),
    ("2019,2020,2021\n2018,2021,2012\n", "column 1,column 2,column 3", "Line 1 has only num"),
    ("2019,2020\n2018,2021\n2017,2020\n", "column 1,column 2", "Line 1 has only numbers"),
    ("100,West,20.5,3\n101,Nord,3,1\n", "100,West,20.5,3", r"though it has 100, 20\.5, 3\. If it"),
    ("id,400,401.5,403\na,1,2,3\n", "id,400,401.5,403", None),
    ("id,2021,2020,2019\na,1,2,3\n", "id,2021,2020,2019", None),
])  # fmt: skip
def test_a_first_line_of_numbers_is_a_row_or_names_as_a_note_says(tmp_path, content, names, note):
    frame = read_frame(written(tmp_path, "a.csv", content))
    assert list(frame) == names.split(",")
    assert len(frame.attrs["notes"]) == (note is not None)
    assert note is None or re.search(note, frame.attrs["notes"][0])


ARFF = "@relation r\n@attribute x real\n"
NO_OBJECT = "the object must end in its line, or stand in a list"
ENDINGS = r"Known endings: \.csv"
OTHER = "row 0 has a ndarray, neither number nor text, in the column 't'; 2 values are"


def parquet(**columns):
    return pd.DataFrame(columns).to_parquet


@pytest.mark.parametrize(("name", "content", "message"), [
    ("a.npz", npz(X=X, Y=X), r"2 of its arrays are.* X \(4, 2\), Y \(4, 2\)"),
    ("a.npz", npz(X=X, id=np.arange(3)), "'id' has 3 values, but X has 4 rows"),
    ("a.npz", npz(X=X * 1j), "X holds complex128, neither numbers nor text"),
    ("a.npz", npz(X=X, t=np.arange(4).astype("M8[s]")), "t holds datetime64"),
    ("a.npz", npz(X=np.array([[1, None]], object)), "Python objects, which are not"),
    ("a.npz", npz(X=X[:0]), "there are no rows"),
    ("a.npz", npz(X=X[:, :0]), "no column is left to cluster"),
    ("a.npz", text(), "this is not a file of arrays"),
    ("a.npz", b"\x93NUMPY", "cannot be read as a file of NumPy arrays"),
    ("a.npy", npy(X[:, 0]), r"0 of its arrays are .* \(4,\)\."),
    ("a.parquet", text(), "cannot be read as Parquet: Parquet magic bytes not found"),
    ("a.parquet", parquet(x=[1, 2], t=[[1], [2]]), f"{OTHER} .*--ignore texts=t"),
    ("a.parquet", parquet(**{"": [1, 2], " ": [3, 4]}), "2 columns have no name. Name t"),
    ("a.parquet", parquet(id=["a", None], x=[1, 2]), "row 1 has no id"),
    ("a.arff", text(), ":1: @relation, @attribute or @data is expected, not 'id,lab"),
    ("a.arff", ARFF, "the ARFF file is incomplete"),
    ("a.arff", f"{ARFF}@data\n{{0 1}}\n", ":4: 2 values instead of 1; sparse rows are not read"),
    ("a.arff", f"{ARFF}@data\n'1\n", ":4: a quotation mark is not closed"),
    ("a.arff", f"{ARFF}@data\n1\n1,2\n", ":5: 2 values instead of 1"),
    ("a", text(), rf"the format of a name without an ending is not known. {ENDINGS}, "),
    ("a.xls", b"PK", r"the format '\.xls' is not known\. Known .* Save the table as "),
    ("a.csv.gz", b"", rf"the format '\.gz' is not known\. Unpack the file\. {ENDINGS}"),
    ("a.xlsx", b"PK", r"cannot be read as an Excel workbook \(\.xlsx\): "),
    ("a.json", "[{}, {}]", "there are no rows"),
    ("a.json", '{\n "data": [{"x": 1}]\n}\n', f":1: {NO_OBJECT}"),
    ("a.json", "[1, 2]", "entry 1 is no JSON object, such as .* one for each row"),
    ("a.json", '{"x": [1, 2], "y": [3, 4]}',
     r"one object for all rows\. Write one for each row, such"),
    ("a.json", '[{"x": "1,234"}, {"x": "2,345"}]',
     r"Write 1\.234 or 1234, or leave the column out"),
    ("a.json", '[{"x": 1},\n{"x"', ":2: this is no JSON"),
    ("a.jsonl", '{"x": 1}\n{"x": }\n', ":2: this is no JSON: Expecting value"),
    ("a.jsonl", "[1, 2]\n[3, 4]\n", f":2: {NO_OBJECT}"),
])  # fmt: skip
def test_what_cannot_be_used_of_other_formats_is_named(tmp_path, name, content, message):
    refused(tmp_path, name, content, message)


@pytest.mark.parametrize(
    "ending", ["csv", "tsv", "txt", "xlsx", "json", "jsonl", "parquet", "npz", "npy", "arff"]
)
def test_a_missing_file_and_a_folder_are_refused(tmp_path, ending):
    (tmp_path / f"folder.{ending}").mkdir()
    with pytest.raises(DataError, match=rf"folder\.{ending}: this is a folder; name a file"):
        read_table("texts", View(path=str(tmp_path / f"folder.{ending}")))
    with pytest.raises(DataError, match=rf"{tmp_path.name}: this is a folder; name a file"):
        read_table("texts", View(path=str(tmp_path)))
    (tmp_path / f"texts.{ending}").touch()
    (tmp_path / "cluster.yaml").touch()
    with pytest.raises(DataError, match=r"is a folder\. Name the config in it, .*/cluster\.yaml;"):
        read_table("texts", View(path=str(tmp_path)))
    message = rf"text\.{ending}: there is no such file; did you mean 'texts\.{ending}'\?"
    with pytest.raises(DataError, match=message):
        read_table("texts", View(path=str(tmp_path / f"text.{ending}")))
    with pytest.raises(DataError, match="there is no such file"):  # and nothing is fetched
        read_table("texts", View(path=f"http://localhost:9/table.{ending}"))


def test_without_pyarrow_parquet_is_refused_and_the_package_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    message = "Parquet needs the package pyarrow: pip install pyarrow"
    refused(tmp_path, "a.parquet", b"PAR1", message)


def test_what_a_parquet_file_says_of_itself_does_not_change_how_it_is_read(tmp_path):
    table = frame().drop(columns="label")
    table.attrs = {"lines": 5, "beside": ["x"], "index": "x"}
    assert read(tmp_path, "a.parquet", table.to_parquet).columns == ["x", "y"]


def test_arff_ids_may_be_strings_classes_or_numbers_quoted_or_not(tmp_path):
    content = """% remark
@RELATION 'a b'
@ATTRIBUTE "the id" string
@attribute x{1,2}

@data
'it\\'s', 1
  "a, b" ,2
plain,1
% remark
007,1
"""
    table = read(tmp_path, "a.arff", content, id_column="the id")
    assert table.ids == ["it's", "a, b", "plain", "007"]
    assert table.X.tolist() == [[1], [2], [1], [1]]


@pytest.mark.parametrize("option", ["id_column", "labels_column", "ignore"])
def test_a_column_that_is_not_there_is_refused_and_the_nearest_offered(tmp_path, option):
    wrong = "labl" if option != "ignore" else ("labl",)
    message = r"no column 'labl'; did you mean 'label'\? The columns are 'id', 'label', 'x', 'y'"
    refused(tmp_path, "a.csv", text(), message, **{option: wrong})


def test_an_empty_column_of_labels_is_refused(tmp_path):
    refused(tmp_path, "a.csv", "x,y\n1,\n2,\n", "holds no labels", labels_column="y")


CELLS = st.text(alphabet="ab1 é\x1a#\\'\x0b\x0c\u2028\x85;", max_size=4)


@given(
    rows=st.lists(st.tuples(CELLS, CELLS).map(",".join), max_size=7),
    line_break=st.sampled_from(["\n", "\r\n"]),
    end=st.sampled_from(["", "\n", "\n\n"]),
)
@example(rows=["1", "2,3"], line_break="\n", end="\n")
@example(rows=["1,2", "", "3,4"], line_break="\n", end="\n")
@example(rows=["1,2,3"], line_break="\n", end="\n")
def test_a_text_without_quotes_is_read_as_with_them(rows, line_break, end):
    headers = ["a,b", '"a",b']
    plain, quoted = (outcome(line_break.join([header, *rows]) + end) for header in headers)
    assert plain == quoted


def outcome(text):
    """Return all that is read of a text file, or the error."""
    try:
        frame = read_text_table(text.encode(), "t.csv")
    except DataError as error:
        return str(error)
    return frame.to_dict("list"), list(frame.dtypes), len(frame.index), frame.attrs


def test_many_empty_rows_at_the_end_are_looked_at_together(tmp_path):
    path = written(tmp_path, "a.csv", "id,x,y,z\na,1,2,3\nb,,,4\n" + ",,,\n" * 30_000)
    profile = cProfile.Profile()
    for read_rows in (read_frame, lambda path: next(read_frames(path))):
        assert profile.runcall(read_rows, path)["id"].tolist() == ["a", "b"]
    names = {"iloc": 0}
    for entry in profile.getstats():
        name = getattr(entry.code, "co_name", "")
        names[name] = names.get(name, 0) + entry.callcount
    assert 0 < names["iloc"] < 200, "far fewer than there are rows"
