"""Letters/Digits holds I, J, L in one view, 3, 8, 9 in the other, and pairs I & 3, J & 8, L & 9."""

import numpy as np

from mvcc.datasets._arff import letters_digits


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
