"""A tree of results is verified file by file, and two machines that disagree are told why."""

import hashlib
import shutil

import pytest

from mvcc.experiments import check_results, run_experiment
from mvcc.experiments._store import ResultsStore
from tests.experiments.conftest import edit_manifest
from tests.experiments.test_trial import small_config

PLAN = {"mapped": (0.4,), "constraints": (10,), "transfers": ("direct-mapping",)}
ORIGINAL = small_config(trials=2, multi_view=PLAN)


def check(*folders):
    findings, disagreements = check_results(folders)
    return {finding.folder.name: finding for finding in findings}, disagreements


def numbers(finding):
    return finding.status, finding.verified, finding.trials, finding.stored


def test_intact_results_are_ok_wherever_they_lie(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "deep" / "below" / "copy")
    findings, disagreements = check(tmp_path, tmp_path / "deep")
    assert sorted(findings) == ["copy", "small"]
    for finding in findings.values():
        assert numbers(finding) == ("ok", 4, 2, 2)  # two trials, scores and curves
        assert not finding.notes
    assert not disagreements


def test_results_within_others_are_verified_and_a_manifest_that_was_set_aside_is_not(folder):
    shutil.copytree(folder, folder / "inner")
    edit_manifest(folder / "inner", lambda manifest: manifest.update(note="mine"))
    run_experiment(ORIGINAL.model_copy(update={"trials": 3}), folder / "inner", n_jobs=1)
    assert (folder / "inner/set-aside/manifest.json").exists()
    findings, _ = check(folder)
    assert {name: one.status for name, one in findings.items()} == {"small": "ok", "inner": "ok"}


def cut(name):
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:-1])


def remove(name):
    return lambda folder: (folder / name).unlink()


def give_seventh_trial(folder):
    shutil.copy(folder / "trials/0000.csv.gz", folder / "trials/0007.csv.gz")


def fail(folder):
    ResultsStore(folder).write_failure(1, "Why")


def forget_trials(folder):
    shutil.rmtree(folder / "trials")


def forget_checksums(folder):
    edit_manifest(folder, lambda manifest: manifest.pop("checksums"))
    forget_trials(folder)


CHANGED = "{}: it was changed since it was written: its sha256"
UNNOTED = "trials/0007.csv.gz: its checksum was never noted"
NO_CHECKSUMS = "its files cannot be verified: the manifest has no checksums."
MISSING = "{}: it is missing; the same `mvcc run`, without --fresh, writes it again."


@pytest.mark.parametrize(
    ("change", "found", "note"),
    [
        *(
            (cut(name), ("damaged", 3, 2, 2), CHANGED.format(name))
            for name in ("curves.csv", "scores.csv.gz", "trials/0001.csv.gz")
        ),
        *(
            (remove(name), ("damaged", 3, 2, 2), MISSING.format(name))
            for name in ("curves.csv", "scores.csv.gz")
        ),
        (give_seventh_trial, ("damaged", 4, 2, 3), UNNOTED),
        (forget_trials, ("ok", 2, 2, 0), ""),  # all that a clone of the repository has
        (fail, ("unfinished", 5, 2, 2), "trials/0001.error.txt: this trial failed; the file says"),
        (forget_checksums, ("damaged", 0, 2, 0), NO_CHECKSUMS),
    ],
)
def test_what_is_not_as_it_was_written_is_named(folder, change, found, note):
    change(folder)
    finding = check(folder)[0]["small"]
    assert numbers(finding) == found
    again = ["the same `mvcc run`, without --fresh, continues it."]
    assert "".join(finding.notes[: bool(note)]).startswith(note)
    assert finding.notes[bool(note) :] == again * (finding.status == "unfinished")


def test_an_interrupted_run_is_unfinished_and_not_damaged(folder):
    def interrupt(trial, ok):
        if trial == 3:
            raise KeyboardInterrupt

    more = ORIGINAL.model_copy(update={"trials": 5})
    with pytest.raises(KeyboardInterrupt):
        run_experiment(more, folder, n_jobs=1, on_trial=interrupt)
    finding = check(folder)[0]["small"]
    assert numbers(finding) == ("unfinished", 6, 5, 4)
    assert finding.notes == ["the same `mvcc run`, without --fresh, continues it."]


def test_a_damaged_manifest_does_not_keep_the_others_from_being_checked(folder, tmp_path):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken/manifest.json").write_text("{")
    findings, _ = check(tmp_path)
    assert (findings["broken"].status, findings["small"].status) == ("damaged", "ok")
    assert "manifest.json cannot be read" in findings["broken"].notes[0]


def test_two_machines_that_disagree_are_told_the_cause(folder, tmp_path):
    other = shutil.copytree(folder, tmp_path / "other")
    curves = (other / "curves.csv").read_bytes().replace(b"0.", b"0.0", 1)
    (other / "curves.csv").write_bytes(curves)

    def of_another_machine(manifest):
        manifest["checksums"]["curves.csv"] = hashlib.sha256(curves).hexdigest()
        manifest["runs"][-1]["versions"]["scipy"] = "1.0.0"
        manifest["runs"][-1]["machine"]["blas"] = ["mkl 2024.0 (None)"]
        manifest["runs"][-1]["machine"]["system"] = "another name that computes nothing"

    edit_manifest(other, of_another_machine)
    _, (line,) = check(tmp_path)
    same = f"{other} and {folder} have the same config and data, but other curves"
    assert line.startswith(f"{same}: scipy: 1.0.0 and")
    assert "blas: mkl 2024.0 (None) and openblas" in line
    assert "another name" not in line
    edit_manifest(other, lambda manifest: manifest["config"].update(seed=3))
    assert not check(tmp_path)[1], "other experiments may have other curves"
