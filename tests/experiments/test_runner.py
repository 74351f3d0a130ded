"""A run stores every finished trial, and goes on where it stopped, to the same bytes."""

import json

import pytest

from mvcc._utils.outputs import OutputFolder
from mvcc.exceptions import DataError, InvalidInputError, StoreError
from mvcc.experiments import _workers as attempt
from mvcc.experiments import check_results, plan_run, run_experiment
from tests.experiments.conftest import edit_manifest
from tests.experiments.test_trial import small_config

PLAN = {"bases": ("pck-means",), "mapped": (0.4,), "constraints": (10,)}
CONFIG = small_config(trials=4, multi_view=PLAN | {"transfers": ("constraint-propagation",)})


def of_trials(number):
    return CONFIG.model_copy(update={"trials": number})


ORIGINAL = of_trials(1)


def curves(folder):
    return (folder / "curves.csv").read_bytes()


def test_a_run_goes_on_where_it_stopped(tmp_path, monkeypatch):
    run_experiment(CONFIG, tmp_path / "whole", n_jobs=1)
    done = []

    def interrupt(trial, ok):
        done.append(trial)
        if len(done) == 2:
            raise KeyboardInterrupt

    folder = tmp_path / "interrupted"
    with pytest.raises(KeyboardInterrupt):
        run_experiment(CONFIG, folder, n_jobs=1, on_trial=interrupt)
    assert not (folder / "curves.csv").exists()
    assert plan_run(CONFIG, folder).kept == 2
    report = run_experiment(CONFIG, folder, n_jobs=1)
    assert (report.computed, report.kept) == (2, 2)
    assert curves(folder) == curves(tmp_path / "whole")


def test_more_trials_extend_a_run_and_a_finished_one_is_left_alone(folder):
    report = run_experiment(of_trials(3), folder, n_jobs=1)
    assert (report.computed, report.kept) == (2, 1)
    before = (folder / "manifest.json").read_bytes()
    assert run_experiment(of_trials(3), folder, n_jobs=1).computed == 0
    assert (folder / "manifest.json").read_bytes() == before
    assert [run["computed"] for run in json.loads(before)["runs"]] == [1, 2]


def test_results_of_another_config_are_refused_with_the_difference(folder):
    other = small_config(trials=1, seed=5, multi_view=PLAN | {"threshold": 0.5})
    with pytest.raises(StoreError) as caught:
        run_experiment(other, folder, n_jobs=1)
    message = str(caught.value)
    assert "config: seed: 0 in the folder, 5 now" in message
    assert "config: multi_view.threshold: [0.75] in the folder, [0.5] now" in message
    assert "trials" not in message
    report = run_experiment(other, folder, n_jobs=1, fresh=True)
    assert (report.computed, report.kept) == (1, 0)


def test_results_of_other_data_or_another_version_are_refused(folder):
    def change(manifest):
        manifest["data"] = {"some.arff": "abc"}
        manifest["runs"][0]["versions"]["mvcc"] = "0.0.1"

    edit_manifest(folder, change)
    why = r"(?s)some\.arff: abc in the folder, not set now.*version 0\.0\.1 in the folder"
    with pytest.raises(StoreError, match=why):
        plan_run(CONFIG, folder)


OF_RESULTS = ["curves.csv", "scores.csv.gz", "example.json", "trials/0000.csv.gz"]


@pytest.mark.parametrize("name", [*OF_RESULTS, "manifest.json"])
def test_a_file_of_others_called_like_results_is_refused_and_with_fresh_set_aside(tmp_path, name):
    path, notes = tmp_path / name, []
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine")
    why = "without a manifest that says .* set them aside by --fresh|start afresh with --fresh"
    with pytest.raises(StoreError, match=why):
        run_experiment(of_trials(1), tmp_path, n_jobs=1)
    assert path.read_text() == "mine"
    options = {"n_jobs": 1, "fresh": True, "on_note": notes.append}
    assert run_experiment(of_trials(1), tmp_path, **options).computed == 1
    aside = path.parent / "set-aside" / path.name
    assert aside.read_text() == "mine"
    assert notes == [f"No run wrote what is now {aside}, or somebody changed it; it was set aside."]


@pytest.mark.parametrize("name", OF_RESULTS[:3])
def test_a_file_of_somebody_else_among_unfinished_results_is_set_aside(folder, name):
    before = (folder / name).read_bytes()
    # as if it had not been written yet
    edit_manifest(folder, lambda manifest: manifest["checksums"].pop(name))
    (folder / name).write_text("mine")
    run_experiment(of_trials(2), folder, n_jobs=1)
    assert (folder / "set-aside" / name).read_text() == "mine"
    assert (folder / name).read_bytes() != before or name == "example.json"


@pytest.mark.parametrize("name", ["example.json", "trials/0007.csv.gz"])
def test_what_is_damaged_in_finished_results_is_set_aside(folder, name):
    (folder / name).write_text("mine")
    assert list(plan_run(ORIGINAL, folder).damaged) == [name]
    run_experiment(ORIGINAL, folder, n_jobs=1)
    assert ((folder / name).parent / "set-aside" / (folder / name).name).read_text() == "mine"
    assert check_results([folder])[0][0].status == "ok"


@pytest.mark.parametrize("name", OF_RESULTS[:3])
def test_what_is_missing_of_all_trials_is_written_again(folder, name):
    before = (folder / name).read_bytes()
    (folder / name).unlink()
    assert run_experiment(ORIGINAL, folder, n_jobs=1).computed == 0
    assert (folder / name).read_bytes() == before
    assert check_results([folder])[0][0].status == "ok"


@pytest.mark.parametrize("fresh", [False, True])
def test_a_report_of_a_failure_that_mvcc_did_not_write_stays(tmp_path, fresh):
    path = tmp_path / "trials/0000.error.txt"
    path.parent.mkdir()
    path.write_text("mine")
    run_experiment(of_trials(1), tmp_path, n_jobs=1, fresh=fresh)
    assert path.read_text() == "mine"


def test_files_called_like_unfinished_ones_stay(tmp_path):
    (tmp_path / "trials").mkdir()
    names = (".curves.csv.2024.part", ".manifest.json.7.part", "trials/.0001.csv.gz.1.part")
    for name in names:
        (tmp_path / name).write_text("mine")
    for number, fresh in ((1, False), (2, False), (1, True)):
        run_experiment(of_trials(number), tmp_path, n_jobs=1, fresh=fresh)
        assert [(tmp_path / name).read_text() for name in names] == ["mine"] * 3


def test_a_finished_run_leaves_the_list_of_files_to_other_commands(tmp_path):
    tmp_path.joinpath("notes").write_text("mine")
    with OutputFolder(tmp_path, "claims") as folder:
        folder.write({"claims.md": b"claims"})
    for trials in (1, 2):
        run_experiment(of_trials(trials), tmp_path, n_jobs=1)
        with OutputFolder(tmp_path, "claims") as folder:
            assert folder.names() == ["claims.md"]
        with OutputFolder(tmp_path, "a run") as folder:
            assert folder.names() == []


@pytest.mark.parametrize("fresh", [False, True])
def test_trials_behind_a_link_are_refused(tmp_path, fresh):
    here, others = tmp_path / "here", tmp_path / "others"
    here.mkdir()
    others.mkdir()
    (others / "0000.error.txt").write_text("Trial 0 failed. mine")
    (here / "trials").symlink_to(others)
    why = "trials is a link, and mvcc would write to where it leads"
    with pytest.raises(StoreError, match=why):
        run_experiment(CONFIG, here, n_jobs=1, fresh=fresh)
    assert [path.name for path in others.iterdir()] == ["0000.error.txt"]


def test_curves_whose_trials_are_gone_are_not_replaced_by_fewer(tmp_path):
    run_experiment(of_trials(2), tmp_path, n_jobs=1)
    for path in (tmp_path / "trials").iterdir():
        path.unlink()
    why = "holds the curves of 2 trials, but not the trials themselves; a run of 1"
    with pytest.raises(StoreError, match=why):
        plan_run(of_trials(1), tmp_path)
    assert len(plan_run(of_trials(2), tmp_path).missing) == 2


def test_a_failed_trial_is_recorded_and_does_not_stop_the_others(tmp_path, monkeypatch):
    real = attempt.run_trial

    def fails_once(config, trial, data_dir):
        if trial == 1:
            raise ZeroDivisionError("a planted fault")
        return real(config, trial, data_dir)

    monkeypatch.setattr(attempt, "run_trial", fails_once)
    report = run_experiment(CONFIG, tmp_path, n_jobs=1)
    assert report.computed == 3
    assert list(report.failed) == [1]
    why = report.failed[1].read_text()
    again = f"To run it again, alone:\n  mvcc replay {tmp_path} 1\n\nTraceback"
    assert why.startswith(f"Trial 1 failed. {again}")
    assert "ZeroDivisionError: a planted fault" in why
    monkeypatch.setattr(attempt, "run_trial", real)
    assert run_experiment(CONFIG, tmp_path, n_jobs=1).computed == 1
    assert not report.failed[1].exists(), "a success forgets the former failure"


def test_an_impossible_config_fails_before_anything_is_written(tmp_path):
    many = small_config(multi_view={"constraints": (10_000,)})
    with pytest.raises(InvalidInputError, match="must-link constraints were asked for"):
        run_experiment(many, tmp_path / "new", n_jobs=1)
    protein = small_config(dataset="protein", dataset_options={})
    with pytest.raises(DataError, match="no_such_folder"):
        run_experiment(protein, tmp_path / "new", data_dir=tmp_path / "no_such_folder")
    assert not (tmp_path / "new").exists()
