"""Every finished experiment is found and read as written; damage is named, not drawn."""

import gzip
import json

import pandas as pd
import pytest

from mvcc._utils.files import append_line, sha256_of_file
from mvcc.exceptions import StoreError
from mvcc.results import Results, find_experiments
from tests.experiments.conftest import edit_manifest


def test_finished_experiments_are_found_at_any_depth(tmp_path, curves, finish):
    first = finish(tmp_path / "b", curves())
    second = finish(tmp_path / "a" / "deep", curves())
    (tmp_path / "unfinished").mkdir()
    (tmp_path / "unfinished" / "manifest.json").write_text("{}")
    assert find_experiments(tmp_path) == [second, first]


def test_links_to_experiments_are_followed_and_no_experiment_comes_twice(tmp_path, curves, finish):
    finish(tmp_path / "elsewhere" / "linked", curves())
    here = finish(tmp_path / "results" / "here", curves())
    (here.parent / "again").symlink_to(here)
    (here.parent / "all").symlink_to(tmp_path)
    linked = here.parent / "linked"
    linked.symlink_to(tmp_path / "elsewhere" / "linked")
    assert find_experiments(here.parent) == [here, linked]


def test_an_experiments_own_folder_is_the_only_one(tmp_path, curves, finish):
    folder = finish(tmp_path / "outer", curves())
    inner = finish(folder / "inner", curves())
    edit_manifest(inner, lambda manifest: manifest["config"].update(trials=12))
    assert find_experiments(folder) == [folder]
    assert set(Results(folder).curves["folder"]) == {"outer"}
    why = "it lies in another experiment; move it away."
    assert Results(folder).gaps() == [f"inner is left out: {why}"]


@pytest.mark.parametrize("where", [".", "nowhere"])
def test_no_experiment_is_an_error_that_says_what_one_is(tmp_path, where):
    with pytest.raises(StoreError, match=r"(?s)curves\.csv.*manifest\.json.*mvcc run"):
        find_experiments(tmp_path / where)


def test_experiments_that_lack_curves_or_trials_are_named(tmp_path, curves, finish):
    for name, trials in (("whole", 12), ("fewer", 15), ("deep/none", 5), ("set-aside", 5)):
        folder = finish(tmp_path / name, curves(trials=12))
        edit_manifest(folder, lambda manifest, n=trials: manifest["config"].update(trials=n))
        if trials == 5:
            (folder / "curves.csv").unlink()
    again = "the same `mvcc run`, without --fresh,"
    fewer = f"fewer has 12 of 15 trials; {again} adds the others."
    none = f"deep/none is left out: it has no curves.csv; {again} writes it."
    assert Results(tmp_path).gaps() == [none, fewer]
    assert Results(tmp_path / "fewer").gaps() == [fewer]


def test_curves_and_scores_come_back_as_written_with_folder_study_features(
    tmp_path, curves, scores, finish
):
    alone = {"methods": ("constraint-propagation",), "views": ("letters", "digits")}
    sweep = curves("protein", trials=2).assign(study="thresholds", features="none")
    words = sweep[sweep["threshold"].notna()].assign(threshold="1", closure="none")
    tables = {"one": curves(trials=3).assign(converged=0.75), "sub/a": words, "sub/b": sweep}
    tables["views"] = curves(**alone)  # which need no mapping
    made = [table.assign(folder=name) for name, table in tables.items()]
    for table, name in zip(made, tables, strict=True):
        finish(tmp_path / name, table)
    pairs = [(Results(tmp_path).curves, made), (Results(tmp_path).scores, map(scores, made))]
    for read, parts in pairs:
        expected = pd.concat(parts, ignore_index=True)
        pd.testing.assert_frame_equal(read, expected, check_like=True, check_dtype=False)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("curves.csv", b""),
        ("curves.csv", b"experiment,dataset\n"),
        ("curves.csv", b'a,b\n"1,2\n'),
        ("curves.csv", b"a,b\n1,2,3\n1,2,3,4\n"),
        ("curves.csv", b"\x1f\x8b\xff"),
        ("manifest.json", b""),
        ("manifest.json", b"[]"),
        ("manifest.json", b"{}"),
        ("manifest.json", b'{"config": {"study": "main"}}'),
        ("manifest.json", b'{"config": null}'),
    ],
)
def test_a_file_that_is_no_table_of_curves_or_tells_no_study_and_features_is_refused(
    tmp_path, curves, finish, name, content
):
    (finish(tmp_path, curves()) / name).write_bytes(content)
    words = r": .*mvcc run" if name == "curves.csv" else ""
    with pytest.raises(StoreError, match=rf"cannot read the results in .*{name}{words}"):
        Results(tmp_path).curves


def test_missing_columns_are_all_named_and_missing_rows(tmp_path, curves, finish):
    finish(tmp_path, curves().drop(columns=["mean", "trials"]))
    with pytest.raises(StoreError, match="missing columns: mean, trials"):
        Results(tmp_path).curves
    finish(tmp_path, curves().iloc[:0])
    with pytest.raises(StoreError, match="no rows"):
        Results(tmp_path).curves


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("mean", "0.7x", "mean is 0.7x, not a number"),
        ("mean", "inf", "mean is inf, not a number"),
        ("mean", None, "mean is nan, but must have a value"),
        ("n_constraints", None, "n_constraints is nan, but must have a value"),
        ("dataset", None, "dataset is nan, but must have a value"),
        ("standard_error", "-0.1", "standard_error is -0.1, not a number from 0 to 1"),
        ("base", "x-means", "base is x-means, none of pck-means, mpck-means"),
        ("threshold", "low", "threshold is low, neither a number from 0 to 1 nor cv"),
        ("threshold", None, "threshold is nan, neither a number from 0 to 1 nor cv"),
        ("iterations", "many", "iterations is many, not a number"),
        ("n_constraints", "9" * 400, "n_constraints is 9{59}…, not a number"),
        ("method", "zebra", "method is zebra, none of constraint-propagation, direct-mapping"),
        ("mapped", "20", r"mapped is 20.0, not a number from 0 to 1"),
        ("mapped", None, "mapped is nan, but must have a value"),
        ("n_constraints", "20", "n_constraints is 20.0, but a row of the same place has come"),
    ],
)
def test_a_damaged_value_is_named_with_its_line(tmp_path, curves, finish, column, value, message):
    table = curves(schedule=(20, 40)).astype({column: object})
    table.loc[1, column] = value
    finish(tmp_path, table)
    with pytest.raises(StoreError, match=f"line 3: {message}"):
        Results(tmp_path).curves


@pytest.mark.parametrize(
    ("column", "name"),
    [
        *(("dataset", name) for name in ("<script>alert(1)</script>", "`rm`", "a&lt;", "x" * 101)),
        *(("view", name) for name in ("a|b", "[red]x", "x\x1b[31m", "x" * 101)),
        *(("study", name) for name in ("<script>alert(1)</script>", "[red]x", "x\x1b[31m")),
    ],
)
def test_names_that_pages_or_terminals_act_on_are_refused(tmp_path, curves, finish, column, name):
    finish(tmp_path, curves().assign(**{column: name}))
    with pytest.raises(StoreError, match="visible characters"):
        Results(tmp_path).curves


def test_two_trials_may_have_the_same_cell_but_one_trial_not(tmp_path, curves, scores, finish):
    folder = finish(tmp_path, curves(trials=2))
    table = scores(curves(trials=2)).drop(columns=["folder", "study", "features"])
    pd.concat([table, table.iloc[[0]]]).to_csv(folder / "scores.csv.gz", index=False)
    with pytest.raises(StoreError, match=f"line {len(table) + 2}: .*has come before"):
        Results(tmp_path).scores


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda _: None, ""),
        (lambda content: content[:-200], ""),
        (lambda content: content[:60] + bytes(20) + content[80:], ""),
        (lambda _: b"trial,base\n", ""),
        (lambda _: gzip.compress(bytes(2**23)), r"it unpacks to more than \d+ bytes"),
    ],
    ids=["missing", "cut", "broken", "text", "packed to fill the memory"],
)
def test_damaged_scores_are_refused(tmp_path, curves, finish, damage, message):
    path = finish(tmp_path, curves()) / "scores.csv.gz"
    content = damage(path.read_bytes())
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    why = rf"cannot read the results in .*scores\.csv\.gz: .*{message}.*mvcc run"
    with pytest.raises(StoreError, match=why):
        Results(tmp_path).scores


@pytest.mark.parametrize("name", ["curves.csv", "scores.csv.gz", "example.json"])
def test_a_file_that_was_changed_since_the_run_is_refused(tmp_path, curves, finish, name):
    folder = finish(tmp_path, curves())
    (folder / "example.json").write_text("{}")
    files = ("curves.csv", "scores.csv.gz", "example.json")
    checksums = {file: sha256_of_file(folder / file) for file in files}
    edit_manifest(folder, lambda manifest: manifest.update(checksums=checksums))

    def read():
        return Results(tmp_path).curves, Results(tmp_path).scores, Results(tmp_path).examples

    read()
    content = (folder / name).read_bytes()
    changed = content.replace(b"0.5", b"0.6") if name == "curves.csv" else content[:-1] + b" "
    (folder / name).write_bytes(changed)
    with pytest.raises(StoreError, match=rf"{name}: it was changed since it was written.*mvcc run"):
        read()
    # a run in progress has noted what it is about to write
    entry = [sha256_of_file(folder / name), "a run", name]
    append_line(folder / ".mvcc-files", json.dumps(entry))
    if name == "curves.csv":
        read()


@pytest.mark.parametrize("checksums", [["abc"], {"curves.csv": 7}])
def test_checksums_that_are_no_texts_are_refused(tmp_path, curves, finish, checksums):
    finish(tmp_path, curves())
    edit_manifest(tmp_path, lambda manifest: manifest.update(checksums=checksums))
    with pytest.raises(StoreError, match="its `checksums` are not a text for each file"):
        Results(tmp_path).curves


def test_a_manifest_that_cannot_be_read_is_told_in_words(tmp_path, curves, finish, monkeypatch):
    finish(tmp_path / "a", curves())
    monkeypatch.setattr("mvcc._utils.reading.most_bytes", lambda: 3)
    with pytest.raises(StoreError, match=r"manifest\.json: it has \d+ bytes; at most 3 are read"):
        _ = Results(tmp_path).curves


def test_examples_come_with_their_folder_and_study_and_a_damaged_one_is_refused(
    tmp_path, curves, finish
):
    path = finish(tmp_path / "b", curves().assign(study="shapes")) / "example.json"
    path.write_text('{"cluster": 1}')
    finish(tmp_path / "a", curves())
    (example,) = Results(tmp_path).examples
    assert example == {"cluster": 1, "folder": "b", "study": "shapes", "features": "spectral"}
    path.write_text('{"points": ')
    with pytest.raises(StoreError, match=r"example\.json"):
        Results(tmp_path).examples


def test_a_file_is_read_once_and_only_when_asked_for(tmp_path, curves, finish):
    results = Results(finish(tmp_path, curves()))
    (tmp_path / "scores.csv.gz").unlink()
    assert results.curves is results.curves
    with pytest.raises(StoreError):
        results.scores
