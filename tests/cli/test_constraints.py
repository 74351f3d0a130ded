"""``mvcc constraints`` says what a list holds, explains its contradictions, and leaves them out when it is told to."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from mvcc import Constraints
from mvcc.cli._constraints import command
from mvcc.exceptions import ConstraintConflictError, InvalidInputError


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("i,j,kind\n3,9,must-link\n9,12,must-link\n12,3,cannot-link\n0,3,cannot-link\n")
    return path


def run(*arguments):
    done = CliRunner().invoke(command, list(map(str, arguments)), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_contradictions_are_an_error_unless_told_otherwise(pairs):
    with pytest.raises(ConstraintConflictError, match=r"row 3 = row 9 .*line 4 of pairs\.csv.*--on-conflict drop"):
        run(pairs)


def test_what_is_dropped_is_counted_and_listed_and_the_rest_written(pairs, tmp_path):
    out = tmp_path / "consistent.csv"
    assert run(pairs, "--on-conflict", "drop", "--out", out).splitlines() == [
        f"{pairs}: 2 must-links and 2 cannot-links.",
        "1 contradict heavier ones, or must-links of their weight, and are dropped:",
        "  line 4 of pairs.csv: 3 and 12, cannot-link, weight 1",
        "The others contain no contradiction. With all that follows from them they are 3 must-links and 3 cannot-links"
        ".",
        f"Written to {out}: 2 must-links and 1 cannot-link.",
    ]
    assert Constraints.read_csv(out) == Constraints.from_pairs([(3, 9), (9, 12)], [(0, 3)])
    assert "They contain no contradiction" in run(out)


def test_json_lists_everything(pairs):
    facts = json.loads(run(pairs, "--on-conflict", "drop", "--json"))
    assert facts["given"] == {"must-link": 2, "cannot-link": 2}
    assert facts["closed"] == {"must-link": 3, "cannot-link": 3}
    assert facts["dropped"] == [{"where": "line 4 of pairs.csv", "i": 3, "j": 12, "kind": "cannot-link", "weight": 1.0}]


def test_a_long_list_of_what_was_dropped_is_cut(tmp_path):
    path = tmp_path / "noisy.csv"
    both = [f"{i},{i + 1},{kind}-link" for i in range(0, 60, 2) for kind in ("must", "cannot")]
    path.write_text("\n".join(["i,j,kind", *both]))
    lines = run(path, "--on-conflict", "drop").splitlines()
    assert lines[1].startswith("30 contradict")
    assert lines[-2] == "  … and 10 more; --json lists them all."


def test_a_file_that_cannot_be_written_is_an_error(pairs, tmp_path):
    with pytest.raises(InvalidInputError, match=r"cannot be written: .*Choose another file"):
        run(pairs, "--on-conflict", "drop", "--out", tmp_path / "nowhere" / "file.csv")
