"""``mvcc constraints`` says what a list holds, explains its contradictions, and leaves them out when it is told to."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from mvcc import Constraints
from mvcc.cli._constraints import command
from mvcc.exceptions import ConstraintConflictError, InvalidInputError, StoreError
from mvcc.tables import write_example


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
    with pytest.raises(StoreError, match=r"cannot be written: .*where a folder must be: choose another --out"):
        run(pairs, "--on-conflict", "drop", "--out", pairs / "file.csv")


@pytest.mark.parametrize("out", ["pairs.csv", "link.csv"])
def test_the_file_that_is_read_is_not_written_over(pairs, out):
    (pairs.parent / "link.csv").symlink_to(pairs)
    before = pairs.read_bytes()
    with pytest.raises(StoreError, match=r"\.csv is read and would be overwritten\. Choose another --out"):
        run(pairs, "--on-conflict", "drop", "--out", pairs.parent / out)
    assert pairs.read_bytes() == before


def test_what_follows_is_counted_without_making_its_pairs(tmp_path, monkeypatch):
    """Those of a chain of 6,000 rows would take 2 GB."""
    path = tmp_path / "chain.csv"
    path.write_text("i,j,kind\n0,1,must-link\n1,2,must-link\n2,3,must-link\n3,4,cannot-link\n")
    monkeypatch.setattr("mvcc.constraints._constraints.MOST_LISTED", 8)
    monkeypatch.setattr("mvcc.constraints._constraints._pairs_of", None)  # making them fails
    assert "they are 6 must-links and 4 cannot-links." in run(path)
    assert json.loads(run(path, "--json"))["closed"] == {"must-link": 6, "cannot-link": 4}


# ---- ids

NAMED = 'i,j,kind,weight\nlamp,chair,must-link,1\n"desk, old",chair,must-link,1\nlamp,"desk, old",cannot-link,0.5\n'


@pytest.fixture
def named(tmp_path):
    path = tmp_path / "named.csv"
    path.write_text(NAMED)
    return path


def test_a_contradiction_names_rows_by_their_ids(named):
    with pytest.raises(ConstraintConflictError) as caught:
        run(named)
    assert str(caught.value).startswith(
        "The constraints contradict each other: 'lamp' = 'chair' (must-link, line 2 of named.csv) = 'desk, old' "
        "(must-link, line 3 of named.csv), but 'lamp' ≠ 'desk, old' (cannot-link, line 4 of named.csv). "
    )


def test_ids_stay_ids_in_what_is_listed_and_written(named, tmp_path):
    out = tmp_path / "consistent.csv"
    assert run(named, "--on-conflict", "drop", "--out", out).splitlines() == [
        f"{named}: 2 must-links and 1 cannot-link among 3 ids.",
        "1 contradict heavier ones, or must-links of their weight, and are dropped:",
        "  line 4 of named.csv: 'lamp' and 'desk, old', cannot-link, weight 0.5",
        "The others contain no contradiction. With all that follows from them they are 3 must-links and 0 cannot-links"
        ".",
        f"Written to {out}: 2 must-links and 0 cannot-links.",
    ]
    ids = ["desk, old", "chair", "lamp"]
    assert Constraints.read_csv(out, ids=ids) == Constraints.from_pairs([(2, 1), (0, 1)])
    (dropped,) = json.loads(run(named, "--on-conflict", "drop", "--json"))["dropped"]
    assert (dropped["i"], dropped["j"], dropped["where"]) == ("lamp", "desk, old", "line 4 of named.csv")


def test_the_judged_pairs_of_the_example_are_read(tmp_path):
    write_example(tmp_path / "example")
    assert "20 must-links and 20 cannot-links among 44 ids." in run(tmp_path / "example" / "pairs.csv")


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [
        ("0", "7", ": 1 must-link and 1 cannot-link."),
        (" 0", "007", ": 1 must-link and 1 cannot-link."),
        ("0", "7a", ": 1 must-link and 1 cannot-link among 3 ids."),
        ("a0", "7", ": 1 must-link and 1 cannot-link among 3 ids."),
        ("0", "2147483647", ": 1 must-link and 1 cannot-link."),
        ("0", "2147483648", ": 1 must-link and 1 cannot-link among 3 ids."),  # more than rows can be numbered
        ("0", "1.5", ": 1 must-link and 1 cannot-link among 3 ids."),
    ],
)
def test_whole_numbers_alone_are_row_numbers(tmp_path, first, last, said):
    path = tmp_path / "pairs.csv"
    path.write_text(f"i,j,kind\n{first},1,must-link\n{last},1,cannot-link\n")
    assert run(path).splitlines()[0] == f"{path}{said}"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a,a,must-link", r"named\.csv:5: 'a' is linked with itself; remove this constraint"),
        ("a,,must-link", r"named\.csv:5: no row has the id ''"),
        ("a,b,maybe", r"named\.csv:5: kind must be"),
        ("a,b,must-link,heavy", r"named\.csv:5: weight must be a number"),
        ("a,b,must-link,-1", r"named\.csv:5: .*a weight must be finite and 0 or more"),
    ],
)
def test_a_bad_line_of_a_file_of_ids_is_named(named, line, message):
    named.write_text(f"{NAMED}{line}{',1' * (line.count(',') < 3)}\n")
    with pytest.raises(InvalidInputError, match=message):
        run(named)


def test_an_empty_cell_makes_no_ids_of_row_numbers(pairs):
    pairs.write_text("i,j,kind\n0,1,must-link\n,1,cannot-link\n")
    with pytest.raises(InvalidInputError, match=r"pairs\.csv:3: i and j must be integers"):
        run(pairs)
