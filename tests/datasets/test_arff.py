"""ARFF files are read as Weka reads them, or refused with file, line and reason.

Protein has three or two classes in a view, and pairs them in their order. Letters/Digits holds I,
J, L in one view, 3, 8, 9 in the other, and pairs I & 3, J & 8, L & 9.
"""

import numpy as np
import pytest

from mvcc import load_dataset
from mvcc.datasets._arff import letters_digits, read_arff
from mvcc.exceptions import DataError, InvalidInputError

HEADER = (
    "@relation r\n@attribute a real\n@attribute 'b c' integer \n@attribute class {u, v}\n@data\n"
)


@pytest.fixture
def read(tmp_path):
    def reader(content):
        path = tmp_path / "file.arff"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_arff(path)

    return reader


@pytest.mark.parametrize(
    "rows",
    [
        "1,2,u\n3,4,v\n",
        " 1,  2, u\n3 , 4 , v",
        "1 2 u\n3.0e+00\t4   v\n",
        "% remark\n\n1,2,'u'\n   \n3,4,\"v\"\n%\n",
        "1,2,u\r\n3,4,v\r\n",
        "1 2 'u'\n3\t'4'  \"v\"\n",
        "1, 2 ,'u'\n3,4, \"v\" \n",
    ],
)
def test_commas_or_white_space_separate_values(read, rows):
    X, y = read(HEADER + rows)
    np.testing.assert_array_equal(X, [[1, 2], [3, 4]])
    np.testing.assert_array_equal(y, [0, 1])
    assert X.dtype == np.float64
    assert y.dtype == np.int64


def test_classes_are_numbered_in_the_order_of_the_attribute(read):
    _, y = read("@RELATION r\n@Attribute a NUMERIC\n@attribute k {z,'a',m}\n@DATA\n1,m\n1,z\n1,a\n")
    assert y.tolist() == [2, 0, 1]
    _, y = read("@relation r\n@attribute a numeric\n@attribute k{'z, y',a}\n@data\n1,a\n1,'z, y'\n")
    assert y.tolist() == [1, 0]


def test_a_byte_order_mark_is_not_part_of_the_text(read):
    assert read(b"\xef\xbb\xbf" + (HEADER + "1,2,u").encode())[0].shape == (1, 2)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (HEADER + "1,2,u\n1,2\n", r"arff:7: 2 values instead of 3"),
        (HEADER + "1,2,3,u\n", r"arff:6: 4 values instead of 3"),
        (HEADER + "1 2 u\n1 u\n", r"arff:7: 2 values instead of 3"),
        (HEADER + "1,,u\n", r"arff:6: a value is missing"),
        (HEADER + "1,x,u\n", r"arff:6: 'x' is not a number"),
        (HEADER + "1,?,u\n", r"arff:6: a value is missing"),
        (HEADER + "nan,2,u\n", r"arff:6: 'nan' is not a finite number"),
        (HEADER + "1,1e999,u\n", r"arff:6: '1e999' is not a finite number"),
        (HEADER + "1,2,w\n", r"arff:6: unknown class 'w', the classes are u, v"),
        (HEADER, "there are no rows after @data"),
        ("", "there is no @data"),
        ("@relation r\n@attribute a real\n", "there is no @data"),
        (
            "<html>Not found</html>\n",
            "arff:1: @relation, @attribute or @data is expected, not '<html>",
        ),
        ("@attribute 'a real\n", r"arff:1: @relation, @attribute or @data is expected"),
        ("@attribute a\n", r"arff:1: @relation, @attribute or @data is expected"),
        ("@attribute a string\n@attribute c {x}\n@data\n", r"arff:1: .* numeric, not 'string'"),
        ("@attribute a real\n@attribute c {}\n@data\n", r"arff:2: numeric attributes and"),
        ("@attribute a real\n@attribute c {x\n@data\n", r"arff:2: numeric attributes and"),
        (
            "@attribute a {x}\n@attribute b real\n@data\n",
            "arff:1: the attributes before the last must be numeric",
        ),
        ("@attribute a real\n@data\n1\n", r"arff:1: numeric attributes and"),
        ("@attribute c {x}\n@data\nx\n", r"arff:1: numeric attributes and"),
        ("@data\n1\n", r"arff:1: there is no @attribute before @data"),
        (HEADER.encode() + b"1,2,u\n1,\xe9,v\n", r"arff:7: this is not UTF-8 text"),
        # the mark counts in the bytes, not in the text
        (b"\xef\xbb\xbf%\n\xe9", r"arff:2: this is not UTF-8 text"),
        (HEADER.encode("utf-16"), r"arff:1: this is a binary file \(or UTF-16\)"),
        (bytes(range(256)) * 4, r"arff:1: this is a binary file"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_line(read, content, message):
    with pytest.raises(DataError, match=message) as caught:
        read(content)
    assert "file.arff" in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_folder_or_a_missing_file_is_a_data_error(tmp_path):
    with pytest.raises(DataError, match="cannot be read: Is a directory"):
        read_arff(tmp_path)
    with pytest.raises(DataError, match="cannot be read: No such file"):
        read_arff(tmp_path / "none.arff")


@pytest.fixture
def tiny(sandbox):
    sandbox.cache.mkdir()
    (sandbox.cache / "protein.arff").write_bytes(sandbox.content)


def test_classes_are_split_and_renumbered(tiny):
    data = load_dataset("protein", random_state=0)
    assert data.views[0].tolist() == [[0.5], [1.5], [2.5], [3.5], [4.5], [5.5]]
    assert data.views[1].tolist() == [[6.5], [7.5], [8.5], [9.5], [10.5]]
    assert data.labels[0].tolist() == [0, 0, 1, 2, 2, 2]
    assert data.labels[1].tolist() == [0, 1, 1, 2, 2]
    assert len(data.relations[0, 1]) == 1 + 1 + 2


def test_three_views_hold_two_classes_each(tiny):
    data = load_dataset("protein", random_state=0, n_views=3)
    assert data.names == ("c1-c2", "c3-c4", "c5-c6")
    assert [view.ravel().tolist() for view in data.views] == [
        [0.5, 1.5, 2.5],
        [3.5, 4.5, 5.5, 6.5],
        [7.5, 8.5, 9.5, 10.5],
    ]
    assert [labels.tolist() for labels in data.labels] == [[0, 0, 1], [0, 0, 0, 1], [0, 0, 1, 1]]
    assert [len(data.relations[key]) for key in ((0, 1), (0, 2), (1, 2))] == [2 + 1] * 3


@pytest.mark.parametrize("count", [1, 6, False])
def test_there_are_two_or_three_views(tiny, count):
    with pytest.raises(InvalidInputError, match=r"n_views must be one of 2, 3, got "):
        load_dataset("protein", n_views=count)


def test_classes_are_paired_in_the_order_of_the_files(tmp_path):
    for name, classes, rows in (
        ("letters", "I, J, L", "1,J\n2,I\n3,L\n4,L"),
        ("digits", "3, 8, 9", " 5, 9\n 6, 3\n"),
    ):
        text = f"@relation r\n@attribute x integer\n@attribute class {{{classes}}}\n@data\n{rows}\n"
        (tmp_path / name).write_text(text)
    data = letters_digits(np.random.default_rng(0), tmp_path / "letters", tmp_path / "digits")
    assert [labels.tolist() for labels in data.labels] == [[1, 0, 2, 2], [2, 0]]
    pairs = data.relations[0, 1].tolist()
    assert [1, 1] in pairs
    assert len(pairs) == 2
    assert data.names == ("letters", "digits")
