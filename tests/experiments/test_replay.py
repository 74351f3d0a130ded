"""A trial, computed again alone, gives the stored numbers, or the cause is named."""

import pytest

from mvcc.exceptions import StoreError
from mvcc.experiments import _runner as replay_module
from mvcc.experiments import replay_trial
from mvcc.experiments._store import ResultsStore
from tests.experiments.conftest import edit_manifest
from tests.experiments.test_trial import small_config

PLAN = {"bases": ("pck-means",), "mapped": (0.4,), "constraints": (10,), "threshold": (0.6, "cv")}
ORIGINAL = small_config(trials=2, multi_view=PLAN)


@pytest.mark.parametrize("source", ["trials", "scores"])
def test_a_stored_trial_comes_out_the_same_to_the_last_bit_and_nothing_is_written(folder, source):
    if source == "scores":  # all that a clone of the repository has
        for path in (folder / "trials").iterdir():
            path.unlink()
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    replay = replay_trial(folder, 1)
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
    assert (replay.compared, replay.differing, replay.causes) == (True, 0, [])
    # propagation at two thresholds, and the three other methods
    assert len(replay.rows) == 5
    assert set(replay.rows["trial"]) == {1}


def test_a_difference_is_counted_shown_and_explained_by_the_environment(folder, monkeypatch):
    rows = ResultsStore(folder).read_trial(0)
    rows.loc[3, "f_measure"] += 2**-52
    rows.loc[4, "iterations"] = 99
    monkeypatch.setattr(replay_module, "run_trial", lambda *_: rows)

    def older(manifest):
        manifest["runs"][-1]["versions"]["numpy"] = "1.0.0"
        blas = ["openblas 0.3.30 (Haswell)"]
        manifest["runs"][-1]["machine"] |= {"family": "skylake", "blas": blas}

    edit_manifest(folder, older)
    replay = replay_trial(folder, 0)
    assert replay.differing == 2
    assert replay.first.startswith("row 4, f_measure: 1.0 stored, 1.000000000000000")
    numpy, blas, family = replay.causes
    assert numpy.startswith("numpy: 1.0.0 and ")
    assert family.startswith("family: skylake and ")
    assert blas.startswith("blas: openblas 0.3.30 (Haswell) and ")
    kernels = "to take the same kernels on both, set OPENBLAS_CORETYPE, for most processors to"
    assert blas.endswith(f"; {kernels} Haswell")


def test_other_rows_than_the_stored_ones_are_a_difference(folder, monkeypatch):
    rows = ResultsStore(folder).read_trial(0).iloc[1:]
    monkeypatch.setattr(replay_module, "run_trial", lambda *_: rows)
    replay = replay_trial(folder, 0)
    assert replay.differing == 5
    assert replay.first == "5 rows stored, 4 now, or other columns"


def test_folders_without_a_run_and_configs_of_another_version_are_errors(folder, tmp_path):
    message = r"there is no manifest\.json\. Give the folder of one run"
    with pytest.raises(StoreError, match=message):
        replay_trial(tmp_path / "nowhere", 0)
    for change, why in (
        ({"seed": "seven"}, "is not one of this version of mvcc and the packages here: seed"),
        ({"seed": 0, "dataset_options": {"rows": 9}}, "cannot be run: Unknown opt"),
    ):
        edit_manifest(folder, lambda manifest, change=change: manifest["config"].update(change))
        with pytest.raises(StoreError, match=rf"manifest\.json: its config {why}"):
            replay_trial(folder, 0)
