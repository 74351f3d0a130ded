"""Damaged results are understood, or refused by the name of the file."""

import gzip
import io
import json
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import example
from hypothesis import strategies as st

from mvcc.exceptions import StoreError
from mvcc.results import Results
from tests.robustness.cases import answer, command, many
from tests.robustness.spoiling import spoilt_bytes

MANY = 10**6

RESULTS = Path(__file__).parents[2] / "results" / "four_quadrants"
TABLE = pd.read_csv(RESULTS / "curves.csv", dtype={"threshold": "str"})
TRIALS = pd.read_csv(RESULTS / "scores.csv.gz", dtype={"threshold": "str"}).query("trial < 2")
CURVES, SCORES = (table.iloc[::9].to_csv(index=False) for table in (TABLE, TRIALS))
EXAMPLE = json.loads((RESULTS / "example.json").read_text("utf-8"))
EXAMPLE["points"] = EXAMPLE["points"][:9]
# without checksums, as somebody brings results of another method: any change would be noticed by
# these
MANIFEST = {"config": json.loads((RESULTS / "manifest.json").read_text("utf-8"))["config"]}
FILES = (r"curves\.csv", r"scores\.csv\.gz", r"manifest\.json", r"example\.json")


def written(folder, **contents):
    """Write a finished experiment with some of its files replaced."""
    whole = {
        "curves.csv": CURVES.encode(),
        "scores.csv.gz": gzip.compress(SCORES.encode(), 1),
        "manifest.json": json.dumps(MANIFEST).encode(),
        "example.json": json.dumps(EXAMPLE).encode(),
    }
    for file, content in whole.items():
        (folder / file).write_bytes(contents.get(file.partition(".")[0], content))
    return folder


def json_files(tree):
    return spoilt_bytes(json.dumps(tree, indent=1))


def changed(text, **values):
    """Write a table with other values in its first row."""
    table = pd.read_csv(io.StringIO(text), dtype="str")
    for name, value in values.items():
        table[name] = [value, *table[name][1:]]
    return table.to_csv(index=False).encode()


@many(60, content=spoilt_bytes(CURVES))
@example(content=(CURVES + "multi-view" + ",1" * MANY).encode())
@example(content=("experiment" + ",x" * MANY + "\n" + CURVES).encode())
@example(content=CURVES.replace("\n", ",1\n").replace(",1\n", "\n", 1).encode())
@example(content=changed(CURVES, dataset="x" * MANY))
@example(content=changed(CURVES, base="\x1b[31m"))
@example(content=changed(CURVES, mean="1e300"))
@example(content=changed(CURVES, n_constraints="0.5"))
@example(content=changed(CURVES, threshold="1e999"))
def test_curves_are_read_or_refused(tmp_path, content):
    folder = written(tmp_path, curves=content)
    curves = answer(lambda: Results(folder).curves, r"curves\.csv", error=StoreError)
    if curves is not None:
        assert curves["mean"].between(0, 1).all()
        assert not curves[["dataset", "method", "base", "n_constraints"]].isna().any(axis=None)


@many(60, content=spoilt_bytes(SCORES), at=st.none() | st.integers(0, 4000))
@example(content=bytes(2**24), at=None)
def test_scores_are_read_or_refused(tmp_path, content, at):
    packed = gzip.compress(content, 1)
    if at is not None:
        packed = packed[:at] + bytes([at % 256]) + packed[at + 1 :]
    folder = written(tmp_path, scores=packed)
    scores = answer(lambda: Results(folder).scores, r"scores\.csv\.gz", error=StoreError)
    if scores is not None:
        assert scores["f_measure"].between(0, 1).all()
        cell = "dataset view base method mapped n_constraints trial".split()
        assert not scores.duplicated(cell).any()


@many(50, content=json_files(MANIFEST))
@example(content=b"[" * MANY)
@example(content=b'{"config": {"study": ["main"], "features": {"method": "\\ud800"}}}')
def test_a_manifest_is_read_or_refused(tmp_path, content):
    folder = written(tmp_path, manifest=content)
    curves = answer(lambda: Results(folder).curves, r"manifest\.json", error=StoreError)
    if curves is not None:
        assert curves["study"].map(str.isprintable).all()
        assert curves["features"].map(str.isprintable).all()


@many(50, content=json_files(EXAMPLE))
def test_an_example_is_read_or_refused(tmp_path, content):
    folder = written(tmp_path, example=content)
    examples = answer(lambda: Results(folder).examples, r"example\.json", error=StoreError)
    assert examples is None or len(examples) == 1


NOT_DRAWN = (*FILES, "the example of", "nothing to draw")


def drawn(folder, figure):
    printed = command("plot", folder, "--figure", figure, codes=(1,), names=NOT_DRAWN)
    assert printed is None or all(Path(line).stat().st_size for line in printed.splitlines())
    return printed


@pytest.mark.parametrize(
    "parts",
    [
        {"points": [[10**400, 0.0]]},
        {"points": [[float("nan"), 0.0]]},
        {"mean": [1e308, 0.0]},
        {"covariance": [[1.0, 2.0], [2.0, 1.0]]},
        {"threshold": "x" * MANY},
        {"dataset": "\x1b[31m"},
        {"constraints": "no"},
    ],
)
def test_an_example_that_cannot_be_drawn_is_refused(tmp_path, parts):
    folder = written(tmp_path, example=json.dumps({**EXAMPLE, **parts}).encode())
    assert drawn(folder, "3") is None


def without_propagation(table):
    return table.assign(propagated_must_links=0, propagated_cannot_links=0)


def without_constraints(table):
    return table.assign(n_constraints=table["n_constraints"].replace(10, 0))


UNUSUAL = {
    "none of the constraints": (without_constraints, "6"),
    "nothing propagated in one": (
        lambda table: pd.concat([table, without_propagation(table.assign(dataset="b"))]),
        "6",
    ),
    "nothing propagated": (without_propagation, "9"),
    "a name with a dollar sign": (lambda table: table.assign(dataset="$^$"), "4"),
    "a name that the font lacks": (lambda table: table.assign(dataset="漢字"), "8"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("change", "figure"), UNUSUAL.values(), ids=UNUSUAL)
def test_unusual_results_are_drawn_unless_nothing_was_propagated_at_all(tmp_path, change, figure):
    scores, curves = (
        change(table.query("base == 'pck-means'")).to_csv(index=False).encode()
        for table in (TRIALS, TABLE)
    )
    folder = written(tmp_path, curves=curves, scores=gzip.compress(scores))
    assert (drawn(folder, figure) is None) == (change is without_propagation)


@pytest.mark.slow
def test_a_sweep_of_thresholds_may_vary_the_closure_too(tmp_path):
    few = TABLE.query("base == 'pck-means' and n_constraints < 100")
    curves = pd.concat([few, few.assign(closure="view")]).to_csv(index=False).encode()
    sweep = json.dumps({"config": {**MANIFEST["config"], "study": "thresholds"}}).encode()
    assert drawn(written(tmp_path, curves=curves, manifest=sweep), "thresholds")


@pytest.mark.slow
def test_more_panels_than_a_picture_holds_are_refused(tmp_path):
    curves = pd.concat([TABLE[:9].assign(dataset=f"d{number}") for number in range(200)])
    folder = written(tmp_path, curves=curves.to_csv(index=False).encode())
    assert command("plot", folder, "--figure", "4", codes=(1,), names=("200 × 2 panels",)) is None


def test_claims_refuse_what_they_cannot_compare(tmp_path):
    again = TRIALS.query("method == 'constraint-propagation' and experiment == 'multi-view'")
    scores = pd.concat([TRIALS, again.assign(threshold="0.9")]).to_csv(index=False)
    folder = written(tmp_path, scores=gzip.compress(scores.encode()))
    assert command("claims", folder, codes=(1,), names=("several thresholds",)) is None


@pytest.mark.parametrize(
    "content",
    ["", "a,b\n1,2\n", "dataset" + ",x" * MANY, "\0", "dataset,base\n\x1b[31m,2,3\n"],
    ids=len,
)
def test_claims_refuse_counts_of_another_form(tmp_path, content):
    (written(tmp_path) / "evaluations.csv").write_text(content)
    assert command("claims", tmp_path, codes=(1,), names=(r"evaluations\.csv",)) is None


@pytest.mark.parametrize("name", ["plot", "claims"])
@pytest.mark.parametrize("folder", ["x" * 5000, "none", "file"])
def test_a_folder_that_is_none_is_refused(tmp_path, monkeypatch, name, folder):
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    assert command(name, folder, codes=(1,), names=("there is no folder",)) is None
