"""The results folder holds whole results, and makes the same bytes from the same trials."""

import gzip
import json
import math

import numpy as np
import pandas as pd
import pytest

from mvcc.exceptions import StoreError
from mvcc.experiments._store import ResultsStore, summarize
from mvcc.results._manifest import Manifest

RUN = {"command": "mvcc run", "commit": None, "versions": {}, "machine": {}, "started": "now"}
TREE = {"config": {"trials": 3}, "data": {"some.arff": "abc"}, "runs": [RUN]}
MANIFEST = Manifest.model_validate(TREE)


@pytest.fixture
def store(tmp_path):
    return ResultsStore(tmp_path)


def rows(trial, f=0.5):
    """Make up the rows of a trial: two methods at two numbers of constraints."""
    places = pd.DataFrame({"method": ["direct-mapping", "single-view"], "mapped": [0.2, np.nan]})
    places["rewired"] = places["mapped"] * 0
    return places.merge(pd.DataFrame({"n_constraints": [10, 25]}), how="cross").assign(
        **{"trial": trial, "experiment": "multi-view", "dataset": "d", "view": None},
        **{"base": "pck-means", "closure": "full", "threshold": None, "f_measure": f},
        **{"propagated_must_links": 3.0, "propagated_cannot_links": 1 / 3},
        **{"weight_must_links": 2.0, "weight_cannot_links": 0.1, "precision_must_link": 1.0},
        precision_cannot_link=np.nan if trial == 0 else 0.5,
        **{"iterations": 2, "converged": 1},
    )


def test_curves_are_mean_and_standard_error_over_trials():
    values = [0.2, 0.5, 0.8, 0.9]
    curves = summarize(pd.concat([rows(trial, f) for trial, f in enumerate(values)]))
    assert len(curves) == 4
    assert curves["trials"].eq(4).all()
    assert curves["mean"].to_numpy() == pytest.approx(np.mean(values))
    assert curves["standard_error"].to_numpy() == pytest.approx(np.std(values, ddof=1) / 2)
    # a trial without such constraints has no precision to average
    assert curves["precision_cannot_link"].eq(0.5).all()
    assert curves["mapped"].isna().sum() == 2


def test_the_order_in_which_trials_finish_changes_no_byte(tmp_path):
    content = []
    for order in ([0, 1, 2, 10], [10, 2, 0, 1]):
        store = ResultsStore(tmp_path / str(order[0]))
        for trial in order:
            store.write_trial(trial, rows(trial, math.sqrt(trial) / 7))
        store.summarize(order)
        names = ("curves.csv", "scores.csv.gz")
        content.append([(store.folder / name).read_bytes() for name in names])
    assert content[0] == content[1]


def test_numbers_survive_storage_to_the_last_bit(store):
    rng = np.random.default_rng(0)
    numbers = np.array([0.1 + 0.2, *rng.random(499), *10.0 ** rng.uniform(-300, 300, 500)])
    table = pd.concat([rows(0)] * 250, ignore_index=True).assign(f_measure=numbers)
    store.write_trial(0, table)
    pd.testing.assert_frame_equal(store.read_trial(0), table, check_exact=True, check_dtype=False)


def test_only_the_given_trials_are_summarized(store):
    for trial in range(4):
        store.write_trial(trial, rows(trial, trial / 4))
    for trials, mean in (([1, 0], 0.125), (range(4), 0.375)):
        store.summarize(trials)
        curves = pd.read_csv(store.folder / "curves.csv")
        assert curves["trials"].eq(len(trials)).all()
        assert curves["mean"].to_numpy() == pytest.approx(mean)


def test_files_that_are_no_trials_are_not_taken_for_them(store):
    assert store.stored() == set()
    store.write_trial(12345, rows(12345))
    for name in (".0001.csv.gz.7.part", "notes.csv.gz", "7.csv.gz", "0²34.csv.gz"):
        (store.trials / name).write_bytes(b"")
    assert store.stored() == {12345}


@pytest.mark.parametrize(
    "content", [b"", b"no gzip", gzip.compress(b"a,b\n1", mtime=0), b"\x1f\x8b\x08\x00"]
)
def test_a_changed_trial_is_found_and_never_read(store, content):
    store.write_trial(0, rows(0))
    assert not store.damaged()
    (store.trials / "0000.csv.gz").write_bytes(content)
    assert "was changed since it was written" in store.damaged()["trials/0000.csv.gz"]
    why = r"0000\.csv\.gz is damaged: .*was changed.*computes it again"
    with pytest.raises(StoreError, match=why):
        store.summarize([0])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (rows(1).to_csv(index=False), r"does not hold trial 0\. "),
        (rows(0).drop(columns="view").to_csv(index=False), "cannot be read: it has no column view"),
        ("experiment\n" + "0" * 2**23, r"cannot be read: it unpacks to more than \d+ bytes"),
    ],
    ids=["another number", "a column less", "packed to fill the memory"],
)
def test_a_trial_that_is_none_is_refused(store, text, why):
    assert store.read_trial(0).empty
    store._out.put("trials/0000.csv.gz", gzip.compress(text.encode()))
    with pytest.raises(StoreError, match=rf"0000\.csv\.gz {why}"):
        store.read_trial(0)


def test_a_file_that_cannot_be_read_is_named(store, monkeypatch):
    def failing(folder, listed):
        raise PermissionError(13, "Permission denied")

    store.write_trial(0, rows(0))
    (store.trials / "0000.csv.gz").unlink()
    (store.trials / "0000.csv.gz").mkdir()
    why = r"0000\.csv\.gz cannot be read: Is a dir.* Make it a read"
    with pytest.raises(StoreError, match=why):
        store.read_trial(0)
    monkeypatch.setattr("mvcc.results.known_checksums", failing)
    with pytest.raises(StoreError, match=r"\.mvcc-files cannot be read: Permission denied\. Make"):
        store.read_trial(0)


def test_swapped_and_foreign_trials_are_found(tmp_path):
    store, other = ResultsStore(tmp_path / "one"), ResultsStore(tmp_path / "other")
    for trial in range(3):
        store.write_trial(trial, rows(trial, 0.1))
        other.write_trial(trial, rows(trial, 0.2))
    first, second = store.trials / "0000.csv.gz", store.trials / "0001.csv.gz"
    a, b = first.read_bytes(), second.read_bytes()
    first.write_bytes(b)
    second.write_bytes(a)
    (store.trials / "0002.csv.gz").write_bytes((other.trials / "0002.csv.gz").read_bytes())
    (store.trials / "0003.csv.gz").write_bytes((other.trials / "0001.csv.gz").read_bytes())
    damaged = store.damaged()
    assert list(damaged) == [f"trials/000{trial}.csv.gz" for trial in range(4)]
    assert "no run has written it here" in damaged["trials/0003.csv.gz"]
    assert store.finished(damaged) == set()


def test_what_is_set_aside_is_kept_every_time(store, tmp_path):
    for content in (b"first", b"second", b"third"):
        (tmp_path / "trials").mkdir(exist_ok=True)
        (store.trials / "0000.csv.gz").write_bytes(content)
        assert store.set_aside("trials/0000.csv.gz").read_bytes() == content
    kept = {path.name: path.read_bytes() for path in (store.trials / "set-aside").iterdir()}
    assert kept == {"0000.csv.gz": b"first", "0000.2.csv.gz": b"second", "0000.3.csv.gz": b"third"}


def test_a_sealed_manifest_lists_every_file_and_blesses_no_damage(store, tmp_path):
    for trial in range(3):
        store.write_trial(trial, rows(trial))
    store.summarize(range(3))
    (store.trials / "0001.csv.gz").write_bytes(b"changed")
    store.seal(MANIFEST.model_copy())
    assert not (tmp_path / ".mvcc-files").exists()
    listed = json.loads((tmp_path / "manifest.json").read_text())["checksums"]
    trials = [f"trials/000{trial}.csv.gz" for trial in range(3)]
    assert sorted(listed) == ["curves.csv", "scores.csv.gz", *trials]
    assert list(store.damaged()) == ["trials/0001.csv.gz"]


@pytest.mark.parametrize(
    "content",
    [
        *("", "{", "[]", "{}", "[" * 100_000, "\ud800"),
        json.dumps(TREE | {"runs": []}),
        json.dumps(TREE | {"runs": [{"versions": {}}]}),
        json.dumps(TREE | {"config": {"trials": "many"}}),
        json.dumps(TREE | {"checksums": {"curves.csv": 7}}),
    ],
)
def test_a_damaged_manifest_is_named(tmp_path, content):
    (tmp_path / "manifest.json").write_text(content, errors="surrogatepass")
    with pytest.raises(StoreError, match=r"manifest\.json.*--fresh"):
        ResultsStore(tmp_path).manifest()


def test_clearing_removes_results_and_nothing_else(store, tmp_path):
    store.write_trial(0, rows(0))
    store.write_failure(1, "why")
    store.write_manifest(MANIFEST)
    store.summarize([0])
    (tmp_path / "notes.txt").write_text("mine")
    store.clear()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["notes.txt", "trials"]


def test_a_manifest_with_notes_of_the_user_is_kept_aside(store, tmp_path):
    assert store.write_manifest(MANIFEST) is None
    noted = json.dumps(TREE | {"note": "mine"})
    (tmp_path / "manifest.json").write_text(noted)
    aside = store.write_manifest(MANIFEST)
    assert aside.read_text() == noted
    assert store.write_manifest(MANIFEST) is None
    (tmp_path / "manifest.json").write_text(noted)
    assert [path.read_text() for path in store.clear()] == [noted]


def test_a_report_of_a_failure_with_notes_of_the_user_is_set_aside(store):
    report = store.write_failure(0, "Why")
    store.write_failure(0, "Why else")
    assert store.failures() == [f"trials/{report.name}"]
    with open(report, "a") as file:
        file.write("\nmine")
    store.write_trial(0, rows(0))
    assert not report.exists()
    aside = store.trials / "set-aside" / report.name
    assert aside.read_text() == "Trial 0 failed. Why else\nmine"
    store.write_failure(0, "Again")
    store.write_trial(0, rows(0))
    assert not report.exists()
    assert len(list((store.trials / "set-aside").iterdir())) == 1
    report.write_text("mine, too")
    store.write_failure(0, "Once more")
    assert "mine, too" in {path.read_text() for path in (store.trials / "set-aside").iterdir()}


def test_what_is_set_aside_replaces_no_link_and_follows_none(store, tmp_path):
    (tmp_path / "set-aside").mkdir()
    (tmp_path / "set-aside/curves.csv").symlink_to("gone")
    (tmp_path / "curves.csv").write_text("mine")
    assert store.set_aside("curves.csv").name == "curves.2.csv"
    assert (tmp_path / "set-aside/curves.csv").is_symlink()
    store.trials.mkdir()
    (store.trials / "set-aside").symlink_to(tmp_path)
    (store.trials / "0000.csv.gz").write_text("mine")
    with pytest.raises(StoreError, match="set-aside is a link"):
        store.set_aside("trials/0000.csv.gz")
    assert (store.trials / "0000.csv.gz").read_text() == "mine"
