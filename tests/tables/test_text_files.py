"""A text file gets columns in its own style, and keeps its own lines to the character."""

import codecs

import pytest

from mvcc.tables.output._export_formats import with_columns
from mvcc.tables.reading._files import read_frame

BESIDE = [["cluster", "0", "1"], ["name", "rot", 'a;"b']]


def added(folder, content, beside=BESIDE):
    """Return the content of a file with two more columns, as bytes."""
    (folder / "a.csv").write_bytes(content)
    frame = read_frame(str(folder / "a.csv"))
    own = [[name, *frame[name]] for name in frame.columns]
    delimiter = frame.attrs["delimiter"]
    return with_columns(content, "a.csv", delimiter, own, beside, [False, True][-len(beside) :])


@pytest.mark.parametrize(("content", "expected"), [
    ("id;x\na;1\nb; 2 \n", 'id;x;cluster;name\na;1;0;rot\nb; 2 ;1;"a;""b"\n'),
    ('"id";"x"\n"a";"1"\n"b";""\n',
     '"id";"x";"cluster";"name"\n"a";"1";"0";"rot"\n"b";"";"1";"a;""b"\n'),
    ('"id";"x"\n"a";1\n"b";2\n', '"id";"x";"cluster";"name"\n"a";1;0;"rot"\n"b";2;1;"a;""b"\n'),
    ('id;x\r\n"a\nb";1\r\nb;2', 'id;x;cluster;name\r\n"a\nb";1;0;rot\r\nb;2;1;"a;""b"\r\n'),
    ('id;x\r\na;1\nb;2\r\n', 'id;x;cluster;name\r\na;1;0;rot\nb;2;1;"a;""b"\r\n'),
    ('id;"x"\ra;"1"\rb;2\r\r', 'id;"x";cluster;name\ra;"1";0;rot\rb;2;1;"a;""b"\r'),
    ("id;x;\na;1;\nb;2;\n", 'id;x;;cluster;name\na;1;;0;rot\nb;2;;1;"a;""b"\n'),
    ("id;x\na\nb;2\n", 'id;x;cluster;name\na;;0;rot\nb;2;1;"a;""b"\n'),
    ('id;x\n5" a;1\nb;2\n', 'id;x;cluster;name\n"5"" a";1;0;rot\nb;2;1;"a;""b"\n'),
    ("sep=;\nid;x\na;1,5\nb;2\n", 'sep=;\nid;x;cluster;name\na;1,5;0;rot\nb;2;1;"a;""b"\n'),
    ('id;x\n\na;1\n"";\nb;2\nSumme;3', 'id;x;cluster;name\na;1;0;rot\nb;2;1;"a;""b"\n'),
    ('id;x\n ;\t\na;1\n" ";  \nb;2\n \n', 'id;x;cluster;name\na;1;0;rot\nb;2;1;"a;""b"\n'),
    ("1;2\n3;4\n", 'column 1;column 2;cluster;name\n1;2;0;rot\n3;4;1;"a;""b"\n'),
], ids=range(13))  # fmt: skip
def test_lines_stay_and_new_values_are_quoted_as_others_are(tmp_path, content, expected):
    assert added(tmp_path, content.encode()).decode() == expected


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (b"", "utf-8"),
        (b"", "cp1252"),
        (b"", "cp1251"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ],
)
def test_the_encoding_stays_unless_it_lacks_a_character(tmp_path, mark, encoding):
    word = "цена" if encoding == "cp1251" else "grün"
    content = mark + f"id;{word}\na;1\nb;2\n".encode(encoding)
    expected = f'id;{word};cluster;name\na;1;0;rot\nb;2;1;"a;""b"\n'
    assert added(tmp_path, content) == mark + expected.encode(encoding)
    wider = added(tmp_path, content, [["name", "≥ 3", "rosé"]])
    if encoding in ("cp1251", "cp1252"):  # which have no ≥
        mark, encoding = codecs.BOM_UTF8, "utf-8"
    assert wider == mark + f"id;{word};name\na;1;≥ 3\nb;2;rosé\n".encode(encoding)
