"""ARFF files are read as Weka reads them, or refused with file, line and reason."""

import numpy as np
import pytest

from mvcc.datasets._arff import read_arff
from mvcc.exceptions import DataError

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
