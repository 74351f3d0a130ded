"""Matches and constraints are read by ids in any usual form, and refused with file and line."""

import json
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import pytest

from mvcc import cluster_views
from mvcc.exceptions import ConstraintConflictError, DataError, InvalidInputError
from mvcc.tables import check_job, cluster_job, load_job, read_inputs
from mvcc.tables.reading._people import rows_in_answers
from tests.command_line import invoke
from tests.tables.problems import (
    QUICK,
    by_co_em,
    cluster,
    options_of,
    with_values,
    write_csv,
    write_problem,
)

TEXTS = [["text_id", "x", "y"], *([f"t{i}", i % 2, i // 2] for i in range(6))]
IMAGES = [["image_id", "x"], *([f"i{i}", i * i] for i in range(5))]


@pytest.fixture
def options(tmp_path):
    return tables(tmp_path)


def tables(folder, texts=TEXTS, images=IMAGES):
    """Return the options of a job for two tables."""
    views = {"texts": write_csv(folder / "texts.csv", texts)}
    views["images"] = write_csv(folder / "images.csv", images)
    return options_of(views, n_clusters=2)


@pytest.fixture
def without_ids(tmp_path):
    return tables(tmp_path, *([row[1:] for row in rows] for rows in (TEXTS, IMAGES)))


def with_file(options, section, key, path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return [*options, ((section, key), str(path), f"--{section}")]


def read(options, folder, matches="", pairs=""):
    """Return the inputs of a job with a file of matches, and one of constraints of texts."""
    if matches:
        options = with_file(options, "matches", "texts:images", folder / "m.csv", matches)
    if pairs:
        options = with_file(options, "constraints", "texts", folder / "pairs.csv", pairs)
    return read_inputs(load_job(None, options))


@pytest.mark.parametrize(
    "content",
    {
        "with names": "texts,images\nt1,i0\nt2,i4\n",
        "in the other order": "images,texts\ni0,t1\ni4,t2\n",
        "without names": "t1,i0\nt2,i4\n",
        "spaces": "texts, images\n t1 , i0\nt2,i4 \n",
        "repeated lines": "t1,i0\nt2,i4\nt1,i0\n",
        "another column before": "sure,images,texts\nyes,i0,t1\nno,i4,t2\n",
        "one behind": "left,right,by\nt1,i0,me\nt2,i4,me\n",
        "one between": "Right,x,LEFT\ni0,1,t1\ni4,2,t2\n",
        "without names and with one": "t1,i0,0.5\nt2,i4,0.75\n",
        "remarks without names": "texts,images,,\nt1,i0,checked,\nt2,i4,,ok\n",
        "names of nothing": "u,v,w\nt1,i0,3\nt2,i4,3\n",
        "names of id columns": "image_id,by,text_id\ni0,me,t1\ni4,me,t2\n",
    }.items(),
    ids=lambda item: item[0],
)
def test_matches_are_two_columns_of_ids(options, tmp_path, content):
    found = read(options, tmp_path, content[1]).relations
    assert {key: rows.tolist() for key, rows in found.items()} == {(0, 1): [[1, 0], [2, 4]]}


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_lines_that_lack_an_id_are_no_matches_and_are_counted(options, tmp_path, ending):
    """As an outer join writes them, also where its columns are swapped."""
    pairs = pd.DataFrame({"texts": ["t1", "t2", None, "t3"], "images": ["i0", None, "i1", "i4"]})
    for names in (["texts", "images"], ["images", "texts"]):
        pairs.columns = pd.Index(names)
        content = pairs.to_csv(index=False)
        if ending == "jsonl":
            content = pairs.to_json(orient="records", lines=True)
        named = with_file(options, "matches", "texts:images", tmp_path / f"m.{ending}", content)
        inputs = read(named, tmp_path)
        assert inputs.relations[0, 1].tolist() == [[1, 0], [3, 4]]
        lacking = f"{tmp_path}/m.{ending}: 2 lines lack an id and were left out."
        assert inputs.notes[0] == lacking
    assert read(options, tmp_path, "t1,\nt2,i4\n").relations[0, 1].tolist() == [[2, 4]]
    with pytest.raises(DataError, match=r"1 of 2 matches .* \(line 4: 't9' is not in texts"):
        read(options, tmp_path, "texts,images\nt1,i0\nt2,\nt9,i4\n")


@pytest.mark.parametrize("prefix", ["", "T"])
def test_a_column_that_holds_the_ids_of_matched_rows_says_nothing_of_a_row(tmp_path, prefix):
    texts = [["nr", "x"], *([f"{prefix}{900 + 7 * n}", n % 3] for n in range(12))]
    of_text = [f"{prefix}{900 + 7 * (n % 11)}" if n % 3 else "" for n in range(24)]
    images = [["id", "text", "y"], *([f"i{n}", of_text[n], n % 5] for n in range(24))]
    content = "nr,id\n" + "".join(f"{text},i{n}\n" for n, text in enumerate(of_text) if text)
    options = tables(tmp_path, texts, images)
    (_, table) = read(options, tmp_path, content).tables
    assert (table.columns, table.unused) == (["y"], ["text"])
    assert table.X.tolist() == [[n % 5] for n in range(24)]
    assert table.every_column[1].note == "ids of matched rows"
    asked_for = [*options, (("views", "images", "columns"), ("text", "y"), "--columns")]
    assert read(asked_for, tmp_path, content).tables[1].columns == ["text", "y"]
    views = {
        name: pd.DataFrame(rows[1:], columns=rows[0]).set_index(rows[0][0])
        for name, rows in {"texts": texts, "images": images}.items()
    }
    pairs = pd.DataFrame([line.split(",") for line in content.split()[1:]])
    found = cluster_views(views, matches={("texts", "images"): pairs}, n_clusters=2, **QUICK)
    assert found.facts["views"][1]["unused"] == ["text"]


def test_matches_may_mean_a_column_that_some_rows_lack_which_names_no_rows(tmp_path):
    def inputs_of(column, content, values="abcdea"):
        rows = [{"id": f"0{n}", column: values[n : n + 1] or None, "x": n % 2} for n in range(7)]
        texts = tmp_path / "texts.json"
        texts.write_text(json.dumps(rows))
        images = write_csv(tmp_path / "images.csv", IMAGES)
        options = options_of({"texts": texts, "images": images}, n_clusters=2)
        return read(options, tmp_path, content, pairs="i,j,kind\n02,03,must-link\n")  # by ids

    assert len(inputs_of("nr", "nr,images\n1,i0\n2,i4\n").relations[0, 1]) == 2
    inputs = inputs_of("Nr", "nr,images\nc,i0\na,i4\nb,i2\n")
    assert inputs.relations[0, 1].tolist() == [[2, 0], [1, 2]]
    assert (inputs.tables[0].ids[:2], inputs.tables[0].columns) == (["00", "01"], ["x"])
    assert inputs.notes == (
        f"{tmp_path}/m.csv: names rows of texts by 'Nr', which is missing in 1 of 7 rows.",
        f"{tmp_path}/m.csv: 1 line names several rows and was left out.",
    )
    said = "by 'Nr', in which 1 value repeats."
    assert said in inputs_of("Nr", "nr,images\nc,i0\na,i4\nb,i2\n", "abcdeaf").notes[0]
    with pytest.raises(DataError, match=r"'x' is not in texts"):
        inputs_of("Nr", "nr,images\nc,i0\nb,i2\nx,i4\n")
    with pytest.raises(DataError, match=r"'c' is not in texts"):
        inputs_of("other", "nr,images\nc,i0\nb,i4\n")  # a repeats
    inputs = inputs_of("other", "texts,images\nc,i0\nb,i4\n", values="abcdef")
    assert inputs.relations[0, 1].tolist() == [[2, 0], [1, 4]]


@pytest.mark.parametrize(("named", "start"), [("nr,images\n1,i0\n2", ""), ("a,b\nK1,i0\nK2", "K")])
def test_a_column_of_ids_that_repeat_is_told_rather_than_numbers_of_rows(tmp_path, named, start):
    """A row that an export has twice would else turn ids into numbers of rows."""
    texts = [["nr", "x"], *([f"{start}{n}", n % 2] for n in (1, 2, 3, 4, 5, 6, 2))]
    with pytest.raises(DataError, match=rf"line 8 has the id '{start}2', as line 3 has"):
        read(tables(tmp_path, texts), tmp_path, f"{named},i4\n")
    texts = [["nr", "x"], *([f"{start}{n % 3}", n % 2] for n in range(7))]
    inputs = read(tables(tmp_path, texts), tmp_path, "nr,images\n1,i0\n6,i4\n")
    assert inputs.tables[0].is_numbered


@pytest.mark.parametrize("column", ["id", "device"])
def test_text_files_name_ids_of_floats_as_pandas_writes_them(tmp_path, column):
    """Beside halves, 1.0 is written where a workbook, or a row of its own, has 1."""
    ids = np.array([1.0, 2.0, 3.5, 4.0])
    texts = pd.DataFrame({column: ids, "x": [1.0, 2.0, 4.0, 5.5]})
    texts.to_parquet(tmp_path / "texts.parquet")
    images = pd.DataFrame({"id": ["a", "b", "c"], "x": [1.0, 2.0, 4.0]})
    images.to_csv(tmp_path / "images.csv", index=False)
    pairs = pd.DataFrame({"texts": ids[[0, 2, 3]], "images": ["a", "b", "c"]})
    pairs.to_csv(tmp_path / "m.csv", index=False)
    (tmp_path / "own.csv").write_text("i,j,kind\n1.0,2.0,must-link\n")
    (tmp_path / "other.csv").write_text("i,j,kind\na,4.0,must-link\n")
    views = {"texts": tmp_path / "texts.parquet", "images": tmp_path / "images.csv"}
    pairs = {"texts": tmp_path / "own.csv", "images": tmp_path / "other.csv"}
    options = options_of(views, {"texts:images": tmp_path / "m.csv"}, pairs, n_clusters=2)
    found = read_inputs(load_job(None, options))
    assert found.tables[0].ids == ["1", "2", "3.5", "4"]
    assert found.relations[0, 1].tolist() == [[0, 0], [2, 1], [3, 2]]
    assert [own.pairs.tolist() for own in found.constraints] == [[[0, 1]], [[0, 2]]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("t1,i0\nt11,i1\n", r": 1 of 2 matches names .* \(line 2: 't11' is not in texts\)\. C"),
        ("x,y\nt2,elephant\n", r": 1 of 1 match .* \(line 2: 'elephant' is not in images\)"),
        ("images,texts\ni0,t1\nt2,i4\n", r".*\(line 3: 'i4' is not in texts\)"),
        ("t1,i0\nt2,i03\n", r".*\(line 2: 'i03' is not in images; did you mean 'i3'\?\)"),
        ("t1,i00\nt2,i4\n", ".*line 1: 'i00' is not in images; did you mean 'i0'"),
        ("tt1,i0\n", ".*line 1: 'tt1' is not in texts; did you mean 't1'"),
        ("texts\nt1\n", r": there must be two columns"),
        ("texts,images\n", r": there are no matches in this file; leave it out, or fill it"),
    ],
)
def test_matches_that_cannot_be_are_refused_with_their_line(options, tmp_path, content, message):
    with pytest.raises(DataError, match=r"m\.csv" + message):
        read(options, tmp_path, content)


ALIKE = "Most of them are ids of texts but for hyphens, blanks, zeros, case or an ending, such as"


@pytest.mark.parametrize(("ids", "named", "hint"), [
    (["x", "y"], ["s1", "s2"], "Most of them are columns of texts: write its columns as rows, "),
    (["978-3", "978-4"], ["9783", "9784"], f"{ALIKE} '9783' for '978-3': write both alike."),
    (["HD-1", "HD-20"], ["HD-00001", "HD-00020"], f"{ALIKE} 'HD-00001' for 'HD-1'"),
    (["TC-1-01A", "TC-2-01B"], ["TC-1", "TC-2"], f"{ALIKE} 'TC-1' for 'TC-1-01A'"),
    (["TC-1", "TC-2"], ["tc 1", "TC-2-01B"], f"{ALIKE} 'TC-2-01B' for 'TC-2'"),
    (["x", "y"], ["s7", "s8"], r"'s8' is not in texts\). Correct this file"),
    (["x", "y"], ["s1", "s8"], r"'s8' is not in texts\). Correct this file"),
])  # fmt: skip
def test_ids_that_are_something_else_or_written_otherwise_have_a_hint(tmp_path, ids, named, hint):
    own = [["id", "s1", "s2"], *([id, n, n * n] for n, id in enumerate([*ids, "u", "v"]))]
    other = [["id", "x"], *([f"b{n}", n] for n in range(4))]
    content = "texts,images\nv,b3\n" + "".join(f"{id},b{n}\n" for n, id in enumerate(named))
    with pytest.raises(DataError, match=hint):
        read(tables(tmp_path, own, other), tmp_path, content)


def test_swapped_columns_are_read_so_only_if_that_is_certain(options, tmp_path):
    for content in ("i0,t1\ni4,t2\n", "texts,images\ni0,t1\ni4,t2\ni3,x\n", "a,b\ni0,t1\ni4,t2\n"):
        inputs = read(with_values(options, unknown="skip"), tmp_path, content)
        assert inputs.relations[0, 1].tolist() == [[1, 0], [2, 4]]
        assert inputs.notes[0] == (
            f"{tmp_path}/m.csv: the two columns are swapped: the one for texts has ids of images."
            " Each id was read as a row of its own table."
        )
    with pytest.raises(DataError, match=r"2 of 4 matches name unknown rows"):
        read(options, tmp_path, "t1,i0\nt2,i4\ni0,t1\ni4,t2\n")
    with pytest.raises(DataError, match=f"'T-01' is not in texts.*{ALIKE} 'T-01' for 't1'"):
        read(options, tmp_path, "a,b\ni0,T-01\ni4,T-02\n")


def test_ids_count_as_they_are_written_before_numbers_that_are_the_same(tmp_path):
    """Rows of texts are 1 to 5, images 00001 to 00005; row n matches image 6 - n."""
    texts = [["id", "x"], *([str(n), n] for n in range(1, 6))]
    images = [["id", "x"], *([f"{6 - n:05}", n * n] for n in range(1, 6))]
    content = "a,b\n" + "".join(f"{6 - n:05},{n}\n" for n in range(1, 6))
    pairs = "i,j,kind\n00005,00004,must-link\n"
    inputs = read(tables(tmp_path, texts, images), tmp_path, content, pairs)
    assert inputs.tables[1].ids == ["00005", "00004", "00003", "00002", "00001"]
    assert inputs.relations[0, 1].tolist() == [[n, n] for n in range(5)]
    assert inputs.constraints[0].pairs.tolist() == [[0, 1]]


COUNTED = [["id", "inventory", "x"], *([n, f"{(2 * n) % 7:04}", n % 2] for n in range(1, 7))]


def by_inventory(folder, content, pair="texts:images"):
    texts = [["id", "x"], *([n, n % 2] for n in (3, 1, 6, 2, 5, 4))]
    return with_file(tables(folder, texts, COUNTED), "matches", pair, folder / "m.csv", content)


@pytest.mark.parametrize(
    ("header", "spelled", "named"),
    [
        *(("id,inventory", spelled, "inventory") for spelled in ("{:04}", "{}")),
        *(("text,inventory", spelled, "inventory") for spelled in ("{:04}", "{}")),
        *((header, "{:04}", "inventory") for header in ("text,a", "texts,images")),
        *((header, "{}", "id") for header in ("text,a", "texts,images")),
    ],
)
def test_a_counter_does_not_name_rows_that_a_column_of_zeros_names(
    tmp_path, header, spelled, named
):
    """Numbers without zeros are those of the counter, unless the matches call the column."""
    lines = [header, *(f"{n},{spelled.format(2 * n % 7)}" for n in (3, 1, 2, 6))]
    inputs = read_inputs(load_job(None, by_inventory(tmp_path, "\n".join(lines))))
    assert [table.id_column for table in inputs.tables] == ["id", named]
    rows = {"inventory": [2, 0, 1, 5], "id": [5, 1, 3, 4]}[named]
    assert inputs.relations[0, 1].tolist() == np.transpose([[0, 1, 3, 2], rows]).tolist()


@pytest.mark.parametrize(
    ("content", "pair", "options"),
    [
        ("text,a\n3,6.0\n1,2.0\n", "texts:images", "images=inventory or --id-column images=id"),
        ("id,inventory\n3,0006\n", "images:texts", "images=inventory or --id-column texts=id"),
    ],
)
def test_ids_that_two_columns_hold_by_number_are_refused(tmp_path, content, pair, options):
    given = by_inventory(tmp_path, content, pair)
    with pytest.raises(DataError, match=rf"may be one of 'id' in .*: --id-column {options}\."):
        read_inputs(load_job(None, given))
    given.append((("views", "images", "id_column"), "inventory", "--id-column"))
    assert read_inputs(load_job(None, given)).relations[0, 1].tolist()[0] == [0, 2]


@pytest.mark.parametrize("column", ["id", "code"])
def test_ids_that_another_column_has_as_they_are_written_are_refused(column, tmp_path):
    """Ids are 00001 to 00005, Excel drops zeros in front, and there is a rank from 1 to 5."""
    texts = [[column, "rank", "x"], *([f"{n:05}", 6 - n, n / 8] for n in range(1, 6))]
    job = tables(tmp_path, texts)
    words = f"may be one of '{column}' in .*: --id-column texts=rank or --id-column texts={column}"
    with pytest.raises(DataError, match=rf"m\.csv: '1' {words}"):
        read(job, tmp_path, "left,right\n1,i0\n2,i4\n")
    with pytest.raises(DataError, match=rf"pairs\.csv: '1' {words}"):
        read(job, tmp_path, pairs="i,j,kind\n1,2,must-link\n")
    job.append((("views", "texts", "id_column"), column, "--id-column"))
    inputs = read(job, tmp_path, "left,right\n1,i0\n2,i4\n")
    assert inputs.relations[0, 1].tolist() == [[0, 0], [1, 4]]


def test_rows_that_are_not_there_are_counted_in_one_message_and_may_be_left_out(options, tmp_path):
    content = "texts,images\nt1,i0\nt2,i4\n" + "".join(f"x{n},i3\n" for n in range(5))
    pairs = "i,j,kind\nt0,t3,ML\nt0,y,ML\nt0,i1,ML\n"
    with pytest.raises(DataError) as error:
        read(options, tmp_path, content, pairs)
    names = ", ".join(f"line {n + 4}: 'x{n}' is not in texts" for n in range(3))
    said = f"{tmp_path}/m.csv: 5 of 7 matches name unknown rows ({names}, and 2 more)."
    way_out = f"Correct this file or {tmp_path}/texts.csv, or leave such lines out with --unknown"
    assert str(error.value).splitlines()[1] == f"  {said} {way_out} skip."
    options = with_values(options, unknown="skip")
    inputs = read(options, tmp_path, content, pairs)
    assert (len(inputs.relations[0, 1]), len(inputs.constraints[0])) == (2, 1)
    assert inputs.notes[0] == f"{said} They were left out."
    assert inputs.notes[1].startswith(f"{tmp_path}/pairs.csv: 2 of 3 constraints name unknown")
    with pytest.raises(DataError, match=r"1 of 1 match names an unknown row .*/texts\.csv\.$"):
        read(options, tmp_path, "texts,images\nx,i1\n", pairs)


def test_the_first_two_columns_are_ids_but_not_the_numbers_of_lines_that_pandas_writes(tmp_path):
    first = [["nr", "x"], *([n, n % 3] for n in range(1, 7))]
    options = tables(tmp_path, first, [["code", "y"], *([n, n % 2] for n in range(1, 7))])
    content = ",a,b\n0,2,4\n1,3,5\n2,1,6\n"
    found = read(options, tmp_path, content)
    assert found.relations[0, 1].tolist() == [[1, 3], [2, 4], [0, 5]]
    assert found.notes == ()
    content = content.replace(",a,b", "line,a,b").replace("\n0", "\n4")
    found = read(options, tmp_path, content)
    assert found.relations[0, 1].tolist() == [[3, 1], [0, 2], [1, 0]]
    said = "of 3 columns, 'line' and 'a' were read as the ids. If others are, call them texts and"
    assert said in found.notes[0]


def test_the_column_whose_values_the_matches_or_constraints_name_is_that_of_ids(tmp_path):
    numbers = [["id", "Product Name", "price"], *([n, f"tea no {n}", n % 2] for n in range(8))]
    other = [["code", "key", "x"], *([f"c{n}", f"k{n}", n % 2] for n in range(8))]
    options = tables(tmp_path, numbers, other)
    content = "texts,images\n" + "".join(f"tea no {n},k{n + 1}\n" for n in range(5))
    assert read(options, tmp_path, content).relations[0, 1].tolist() == [
        [n, n + 1] for n in range(5)
    ]
    inputs = read(options, tmp_path, pairs="i,j,kind\ntea no 1,tea no 3,ML\n")
    assert [table.id_column for table in inputs.tables] == ["Product Name", "code"]
    assert [table.id_column for table in read(options, tmp_path).tables] == ["id", "code"]
    asked_for = [*options, (("views", "texts", "id_column"), "id", "--id-column")]
    message = r"5 of 5 matches name unknown rows .*'tea no 0' is not in texts"
    with pytest.raises(DataError, match=message):
        read(asked_for, tmp_path, content)


COUNTS, MIXED = range(1, 7), [4, 1, 6, 2, 3, 5]


@pytest.mark.parametrize(
    ("names", "columns", "header", "named", "id_column"),
    [
        pytest.param(["", "id"], [range(6), COUNTS], "id", [1, 2, 4], "id", id="called so"),
        pytest.param(["", "id"], [range(6), COUNTS], "a", [1, 2, 4], "id", id="not called"),
        pytest.param(["", "id"], [range(6), COUNTS], "a", [1, 0, 4], "", id="a row number"),
        pytest.param(["", "id"], [range(6), [3, 1] * 3], "a", [1, 2, 4], "", id="id repeats"),
        pytest.param(["id", ""], [[4, 1, 0, 2, 3, 5], range(6)], "a", [2, 0], "id", id="a mixture"),
        pytest.param(["id", "Nr"], [range(6), COUNTS], "nr", [1, 4], "Nr", id="another one"),
        pytest.param(["id", "Nr"], [range(6), COUNTS], "Nr", [0, 4], "id", id="which lacks 0"),
        pytest.param(["id", "Nr"], [range(6), COUNTS], "a", [1, 4], "id", id="none of them"),
        pytest.param(["id", "Nr"], [range(6), COUNTS], "id", [1, 4], "id", id="the found one"),
        pytest.param(["id", "Nr"], ["abcdef", "bcdefa"], "Nr", "bdf", "Nr", id="texts"),
        # numbers of rows are meant as well
        pytest.param(["Kunde"], [MIXED], "a", [2, 6, 3], "Kunde", id="the last number"),
        pytest.param(["Kunde"], [MIXED], "a", [2, 3, 4], None, id="what may be a quantity"),
        pytest.param(
            ["n", "m"], [COUNTS, COUNTS], "texts", [2, 3], None, id="called like the view"
        ),
        pytest.param(["n", "m"], [COUNTS, MIXED], " M", [2, 3, 4], "m", id="called like it"),
        pytest.param(["n", "m"], [COUNTS, COUNTS], "m", [2, 0, 3], None, id="0, which it lacks"),
        pytest.param(["m"], [[4, 1, 0, 2, 3, 5]], "a", [2, 0, 3], None, id="0, which it has too"),
    ],
)
def test_of_columns_of_ids_and_numbers_the_one_that_matches_call_so_or_name_more_is_taken(
    tmp_path, names, columns, header, named, id_column
):
    rows = zip(*columns, strict=True)
    texts = [[*names, "x"], *([*row, n % 2] for n, row in enumerate(rows))]
    content = f"{header},b\n" + "".join(f"{name},i{i}\n" for i, name in enumerate(named))
    inputs = read(tables(tmp_path, texts), tmp_path, content)
    assert inputs.tables[0].id_column == id_column
    own = list(range(6) if id_column is None else columns[names.index(id_column)])
    assert inputs.relations[0, 1].tolist() == [[own.index(n), i] for i, n in enumerate(named)]
    note = (
        f"texts ({tmp_path}/texts.csv) has no id column, so its rows are numbered from 0. Name one"
        " with --id-column texts=COLUMN, unless the matches name these numbers."
    )
    assert inputs.notes == ((note,) if id_column is None else ())


@pytest.mark.parametrize(
    ("names", "numbers", "pair", "id_column"),
    [
        (["", "id"], [(n, n + 1) for n in range(6)], "1,2", "id"),
        (["", "id"], [(n, n + 1) for n in range(6)], "0,2", ""),
        (["count"], [(n,) for n in (4, 1, 6, 2, 3, 5)], "2,3", None),
    ],
)
def test_constraints_name_rows_by_number_if_one_is_no_id_or_beside_a_quantity(
    tmp_path, names, numbers, pair, id_column
):
    texts = [[*names, "x"], *([*row, n % 2] for n, row in enumerate(numbers))]
    table, _ = read(tables(tmp_path, texts), tmp_path, pairs=f"i,j,kind\n{pair},ML\n").tables
    assert table.id_column == id_column


def test_without_matches_the_ids_of_an_earlier_table_are_found_and_their_number_is_a_note(tmp_path):
    visitors = [["name", "x"], *([f"K-{n}", n % 3] for n in range(30))]
    visits = [["no", "visitor", "y"], *([f"B{n}", f"K-{n}", n % 5] for n in range(20, 60))]
    rows_of = {"visitors": visitors, "visits": visits}
    views = {name: write_csv(tmp_path / f"{name}.csv", rows) for name, rows in rows_of.items()}
    options = options_of(views, n_clusters=2)
    inputs = read_inputs(load_job(None, options))
    assert [table.id_column for table in inputs.tables] == ["name", "no"], "10 of 30 are too few"
    assert inputs.notes == ()
    write_csv(tmp_path / "visitors.csv", [visitors[0], *visitors[15:]])
    inputs = read_inputs(load_job(None, options))
    assert [table.id_column for table in inputs.tables] == ["name", "visitor"]
    (note,) = inputs.notes
    assert note.startswith("visitors and visits share 10 ids, but have no matches, so nothing")
    assert "(--match visitors:visits=FILE)" in note
    matched = [*options, (("matches", "visitors:visits"), str(tmp_path / "m.csv"), "--match")]
    write_csv(tmp_path / "m.csv", [["visitors", "visits"], ["K-21", "B21"]])
    inputs = read_inputs(load_job(None, matched))
    assert inputs.tables[1].id_column == "no"
    assert inputs.notes == ()


def test_where_there_is_no_column_of_ids_an_unknown_id_is_told_so(without_ids, tmp_path):
    cause = (
        r"line 3: 't1' is not in texts\)\. texts \(.*texts\.csv\) has no id column, so its rows"
        r" are numbered from 0\. Name one with --id-column texts=COLUMN, or leave"
    )
    with pytest.raises(InvalidInputError, match=cause):
        read(without_ids, tmp_path, pairs="i,j,kind\n0,1,must-link\n0,t1,must-link\n")
    with pytest.raises(DataError, match=cause):
        read(without_ids, tmp_path, "texts,images\n0,1\nt1,2\n")


@pytest.mark.parametrize(
    "content",
    [
        "sep=;\ni;j;kind;weight\nt0;t3;ML;0.5\n",
        "\ufeffsep=\t\r\ni\tj\tkind\tweight\r\nt0\tt3\tML\t0.5\r\n",
        "weight,kind,j,i\n0.5,ML,t0,t3\n",
        "I, J,Kind,WEIGHT\nt0,t3,ML,0.5\n",
        "who,kind,i,weight,j,\nme,ML,t0,0.5,t3,\n",
    ],
)
def test_columns_of_constraints_are_found_by_name(options, tmp_path, content):
    inputs = read(options, tmp_path, pairs=content)
    assert list(inputs.constraints[0].rows()) == [(0, 3, True, 0.5)]
    ignored = [note.partition("csv: ")[2] for note in inputs.notes if "ignored" in note]
    words = "Columns other than i, j, kind and weight are ignored: 'who'."
    assert ignored == ([words] if "who" in content else [])


@pytest.mark.parametrize(
    ("ending", "write", "line"),
    [
        ("xlsx", partial(pd.DataFrame.to_excel, index=False), 2),
        ("parquet", pd.DataFrame.to_parquet, 0),
        ("json", partial(pd.DataFrame.to_json, orient="records"), 0),
    ],
)
def test_constraints_may_be_tables_of_any_format(options, tmp_path, ending, write, line):
    path = tmp_path / f"pairs.{ending}"
    job = load_job(None, [*options, (("constraints", "texts"), str(path), "--constraints")])
    pairs = pd.DataFrame({"kind": [1, 0], "i": ["t0", "t1"], "j": ["t3", "t2"], "weight": [0.5, 2]})
    write(pairs, path)
    assert [*read_inputs(job).constraints[0].rows()] == [(0, 3, True, 0.5), (1, 2, False, 2)]
    write(pairs[:1].assign(weight=None), path)
    with pytest.raises(InvalidInputError, match=rf"pairs.{ending}:{line}: weight must be a num"):
        read_inputs(job)


WEIGHTED = "i,j,kind,weight\n"


@pytest.mark.parametrize(
    ("kinds", "must_link"),
    [
        (("Must-Link", "MUST", "ml", "1", "must_link", "must link"), True),
        (("Cannot-Link", "cannot", "CL", "0", "-1"), False),
    ],
)
def test_kinds_are_written_in_many_ways(options, tmp_path, kinds, must_link):
    for kind in kinds:
        texts = read(options, tmp_path, pairs=f"i,j,kind\nt0,t3,{kind}\n").constraints[0]
        assert list(texts.rows()) == [(0, 3, must_link, 1.0)], kind


def test_a_pair_of_two_views_is_one_between_their_objects(options, tmp_path):
    pairs = "i,j,kind\nt0, i2,must\ni2,i4,cannot\nt1,i2,must\n"
    texts = read(options, tmp_path, "t1,i2\nt3,i4\n", pairs).constraints[0]
    assert list(texts.rows()) == [(0, 1, True, 1.0), (1, 3, False, 1.0)]
    assert texts.source_of(1) == "line 3 of pairs.csv"


def test_a_pair_is_one_of_the_other_view_where_only_that_has_both_objects(options, tmp_path):
    pairs = "i,j,kind\nt1,i3,must\nt0,t1,cannot\n"
    texts, images = read(options, tmp_path, "t1,i2\n", pairs).constraints
    assert list(texts.rows()) == [(0, 1, False, 1.0)]
    assert list(images.rows()) == [(2, 3, True, 1.0)]
    assert images.source_of(0) == "line 2 of pairs.csv"


@pytest.mark.parametrize("matched", ["", "a,b\n00001,3\n00002,4\n"])
@pytest.mark.parametrize("with_ids", [True, False])
def test_constraints_are_of_the_table_they_are_given_for(matched, with_ids, tmp_path):
    """Excel drops zeros in front; the numbers are also ids or rows of the other table."""
    texts = [["id", "x"], *([f"{n:05}", n / 8] for n in range(1, 6))]
    images = [["id", "x"], *([str(n), n / 8] for n in range(1, 9))]
    images = images if with_ids else [row[1:] for row in images]
    options = tables(tmp_path, texts, images)
    inputs = read(options, tmp_path, matched, "i,j,kind\n3,4,must-link\n1,5,cannot-link\n")
    assert inputs.constraints[0].pairs.tolist() == [[0, 4], [2, 3]]
    assert not len(inputs.constraints[1])
    with pytest.raises(InvalidInputError, match=r"pairs\.csv:2: '7' is a row of images, and no"):
        read(options, tmp_path, matched, "i,j,kind\n5,7,must-link\n")


def test_zeros_in_front_that_another_table_has_are_told_where_no_match_decides(tmp_path):
    texts = [["id", "x"], *([str(n), n] for n in range(1, 6))]
    images = [["id", "x"], *([id, n] for n, id in enumerate(["00001", "00003", "00004", "77"]))]
    words = r"pairs\.csv:2: '00003' may be '3' of texts or '00003' of images\. Write '3', or move"
    with pytest.raises(InvalidInputError, match=words):
        read(tables(tmp_path, texts, images), tmp_path, pairs="i,j,kind\n00003,00004,must-link\n")
    (tmp_path / "asked").mkdir()
    path = tmp_path / "asked/texts.csv"
    path.write_text("i,j,kind\n00003,4,must-link\n00009,5,must-link\n77,5,must-link\n")
    both = read(tables(tmp_path, texts, images), tmp_path).tables
    of_texts, of_images = ("4", "00009", "5"), ("00003", "77")
    named = {*product(["texts"], of_texts), *product(["images"], of_images)}
    assert rows_in_answers([str(path)], both) == named


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ("t0,i3,must", "'i3' is a row of images, and no match says .*--match texts:images=FILE"),
        ("t1,i2,cannot", "'t1' and 'i2' are matched, so they are one object"),
    ],
)
def test_a_pair_of_two_views_needs_a_match_of_other_rows(options, tmp_path, pair, message):
    with pytest.raises(InvalidInputError, match=rf"pairs\.csv:2: {message}"):
        read(options, tmp_path, "t1,i2\n", f"i,j,kind\n{pair}\n")


def test_lines_of_all_files_are_told_at_once(options, tmp_path):
    pairs = "i,j,kind\nt0,i1,must\nt2,t8,must\nt3,t4,perhaps\n"
    with pytest.raises(DataError) as refusal:
        read(with_values(options, n_clusters=9), tmp_path, "t1,i9\nt9,i1\n", pairs)
    expected = [
        "6 problems:",
        "texts.csv: 6 rows cannot be put into 9 clusters",
        "images.csv: 5 rows cannot be put",
        "m.csv: 2 of 2 matches name unknown rows",
        "--match texts:images=FILE",
        "pairs.csv: 1 of 3 constraints names an unknown row",
        "pairs.csv:4: kind must be",
    ]
    told = str(refusal.value).splitlines()
    assert all(part in line for part, line in zip(expected, told, strict=True))
    with pytest.raises(DataError) as refusal:
        read(options, tmp_path, "t1,i1\n", "i,j,kind\n" + "t1,i1,cannot\n" * 22)
    first, *_, last = str(refusal.value).splitlines()
    assert (first, last) == ("22 problems:", "  and 2 more")


def test_files_that_are_missing_are_told_at_once(options, tmp_path):
    options = [*options, (("matches", "texts:images"), str(tmp_path / "m.csv"), "--match")]
    with pytest.raises(DataError, match=r"^[^\n]*m\.csv: there is no such file[^\n]*$"):
        read(options, tmp_path)
    (tmp_path / "images.csv").unlink()
    with pytest.raises(DataError, match=r"(?s)2 problems:.*images\.csv: there is.*m\.csv: there"):
        read(options, tmp_path)


def test_columns_of_constraints_are_checked_before_large_tables_are_read(tmp_path, monkeypatch):
    (tmp_path / "texts.csv").write_text("x,x\n1,2\n")
    (tmp_path / "pairs.csv").write_text("a,b,kind\nt0,t1,must-link\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInputError, match=r"^pairs\.csv:1: .* Name them so: i and j are two"):
        invoke("cluster texts.csv images.csv --constraints pairs.csv -k 2")


UNKNOWN = ": 1 of 1 constraint names an unknown row"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("i,j,kind\nt0,t33,ML\n", rf"{UNKNOWN} \(line 2: 't33' is not in texts\)"),
        ("i,j,kind\nt0,t1.0,ML\n", rf"{UNKNOWN} \(line 2: 't1.0' .*; did you mean 't1'"),
        ("i,j,i,kind\nt0,t1,t2,ML\n", r":1: the columns must be i,j,kind"),
        ("sep=;\n\ni;j\n", r":3: the columns must be i,j,kind"),
        ("i,j,kind\nt0,t1,must-link\n\nt9,t1\n", r":4: 2 values where 3 are expected: t9,t1"),
        (f"{WEIGHTED}t0,t1,ML,heavy\n", r":2: weight must be a number: t0,t1,ML,heavy$"),
        ("weight,j,who,kind,i\n5%,t1,A,ML,t0\n", r":2: weight must be a number: 5%,t1,A,ML,t0$"),
        ("i,j,kind\nt0,t0,must-link\n", r":2: 't0' is linked with itself; remove this constraint"),
    ],
)
def test_impossible_constraints_are_refused_with_their_line(options, tmp_path, content, message):
    with pytest.raises(InvalidInputError, match=r"pairs\.csv" + message):
        read(options, tmp_path, pairs=content)


CONTRADICTORY = f"{WEIGHTED}t0,t1,ML,1\nt1,t2,ML,1\nt2,t0,CL,0.5\nt3,t4,ML,1\n"


@pytest.mark.parametrize(("closure", "threshold"), [("full", "cv"), ("view", 0.75), (None, None)])
def test_a_contradiction_is_shown_with_its_ids_and_lines(options, tmp_path, closure, threshold):
    options = with_file(options, "constraints", "texts", tmp_path / "pairs.csv", CONTRADICTORY)
    if closure is not None:
        options = by_co_em(options, closure=closure, threshold=threshold)
    with pytest.raises(ConstraintConflictError) as conflict:
        cluster(options, tmp_path / "out")
    assert str(conflict.value).startswith(
        "The constraints contradict each other: 't0' of texts = 't1' of texts (must-link, line 2 of"
        " pairs.csv) = 't2' of texts (must-link, line 3 of pairs.csv), but 't0' of texts ≠ 't2' of"
        " texts (cannot-link, line 4 of pairs.csv). "
    )
    assert not (tmp_path / "out").exists()
    with pytest.raises(ConstraintConflictError) as foreseen:
        check_job(load_job(None, options))
    assert str(foreseen.value) == str(conflict.value)
    check_job(load_job(None, by_co_em(options, closure="none", threshold=0.75)))
    check_job(load_job(None, with_values(options, on_conflict="drop")))


def test_what_contradicts_heavier_constraints_can_be_dropped_and_is_listed(options, tmp_path):
    options = with_file(options, "constraints", "texts", tmp_path / "pairs.csv", CONTRADICTORY)
    facts = cluster(by_co_em(options, on_conflict="drop"), tmp_path / "out")
    texts, images = facts["views"]
    assert texts["dropped"] == [[0, 2, False, 0.5, "line 4 of pairs.csv"]]
    assert images["dropped"] == []
    assert [row[5] for row in texts["given"]] == [f"line {n} of pairs.csv" for n in (2, 3, 5)]


def test_the_joint_method_lets_clusters_decide_among_contradicting_constraints(options, tmp_path):
    options = with_file(options, "constraints", "texts", tmp_path / "pairs.csv", CONTRADICTORY)
    facts = cluster(with_values(options, on_conflict="drop"), tmp_path / "out")
    texts = facts["views"][0]
    assert {row[5] for row in texts["given"]} == {f"line {n} of pairs.csv" for n in (2, 3, 4, 5)}
    assert {row[4] for row in texts["violated"]} & {f"line {n} of pairs.csv" for n in (2, 3, 4)}
    n = len(texts["violated"])
    are = "is violated. It" if n == 1 else "are violated. They"
    said = f"{n} of 4 constraints of texts {are} may be wrong; see the report."
    assert [note for note in facts["warnings"] if "violated" in note] == [said]
    assert texts["dropped"] == []


@pytest.mark.parametrize("closure", ["full", "view"])
def test_a_contradiction_in_a_later_view_names_its_rows(options, tmp_path, closure):
    content = "i,j,kind\ni3,i1,must-link\ni1,i3,cannot-link\n"
    options = with_file(options, "constraints", "images", tmp_path / "i.csv", content)
    message = r": 'i1' of images = 'i3' of images \(must-link, line 2 of i\.csv"
    with pytest.raises(ConstraintConflictError, match=message):
        cluster(by_co_em(options, closure=closure), tmp_path / "out")


def test_a_contradiction_over_two_views_is_dropped_only_if_the_closure_is_full(options, tmp_path):
    for section, key, name, content in (
        ("constraints", "texts", "t.csv", "i,j,kind\nt0,t1,must-link\n"),
        ("constraints", "images", "i.csv", "i,j,kind,weight\ni0,i1,cannot-link,2\n"),
        ("matches", "texts:images", "m.csv", "t0,i0\nt1,i1\n"),
    ):
        options = with_file(options, section, key, tmp_path / name, content)
    message = r"constraints and relations .* line 2 of [ti]\.csv"
    with pytest.raises(ConstraintConflictError, match=message):
        check_job(load_job(None, options))
    check_job(load_job(None, by_co_em(options, closure="view")))
    check_job(load_job(None, by_co_em(options, transfer="single-view")))
    for closure, n_dropped in (("full", [1, 0]), ("view", [0, 0])):
        values = {"on_conflict": "drop", "closure": closure}
        facts = cluster(by_co_em(options, **values), tmp_path / closure)
        assert [len(view["dropped"]) for view in facts["views"]] == n_dropped


def test_too_few_constraints_to_cross_validate_a_threshold_are_a_clear_error(tmp_path):
    options = by_co_em(write_problem(tmp_path, n_judged=1), threshold="cv")
    message = r"^Cross-validation .* the constraints have 1\. Give more constraints"
    for attempt in (check_job, lambda job: cluster_job(job, tmp_path / "out")):
        with pytest.raises(InvalidInputError, match=message):
            attempt(load_job(None, options))
    check_job(load_job(None, with_values(options, threshold=0.5)))
    check_job(load_job(None, with_values(options, transfer="direct-mapping")))
