"""``mvcc check`` and ``mvcc replay`` say whether results are what they were."""

import json
import os
import re
import shutil
from unittest.mock import Mock

import pytest
from rich.cells import cell_len

from mvcc._utils.files import sha256_of
from mvcc.exceptions import DataError, StoreError
from mvcc.experiments import _runner as replay_module
from mvcc.experiments import run_experiment
from mvcc.tables import ReviewSession
from tests.command_line import invoke, mvcc
from tests.experiments.conftest import edit_manifest, folder, original
from tests.experiments.test_check import ORIGINAL
from tests.tables.problems import cluster, write_problem

__all__ = ["ORIGINAL", "folder", "original"]  # fixtures, and what they are made of


def test_intact_results_are_one_line_also_with_trials_that_the_curves_leave_out(folder):
    said = invoke("check", folder.parent).stdout
    assert said == f"{folder}  ok          4 files verified; 2 trials\n"
    for config in (ORIGINAL.model_copy(update={"trials": 3}), ORIGINAL):
        run_experiment(config, folder, n_jobs=1)
    assert invoke("check", folder).stdout == f"{folder}  ok          5 files verified; 2 trials\n"


def test_damage_is_named_and_gives_exit_code_1(folder):
    with open(folder / "curves.csv", "a") as file:
        file.write("\n")
    lines = invoke("check", folder, code=1).stdout.splitlines()
    assert lines[0] == f"{folder}  damaged     3 files verified; 2 trials"
    assert lines[1].strip().startswith("curves.csv: it was changed since it was written")
    outcome = json.loads(invoke("check --json", folder, code=1).stdout)
    assert outcome["folders"][0]["status"] == "damaged"
    assert outcome["disagreements"] == []


def test_folders_that_disagree_are_named_and_give_exit_code_1(folder, tmp_path):
    other = shutil.copytree(folder, tmp_path / "z-other")
    (other / "curves.csv").write_bytes(b"else")
    checksum = {"curves.csv": sha256_of(b"else")}
    edit_manifest(other, lambda manifest: manifest["checksums"].update(checksum))
    said = invoke("check", folder, other, code=1).stdout
    assert f"{folder} and {other} have the same config and data, but other curves: nothing" in said


@pytest.fixture(scope="module")
def clustering(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clustering")
    cluster(write_problem(folder / "data"), folder / "out")
    return folder


def put_row_elsewhere(path):
    header, first, *rows = path.read_text().splitlines(keepends=True)
    name, cluster, others = first.split(",", 2)
    path.write_text("".join([header, f"{name},{int(cluster) + 1},{others}", *rows]))


def spoil_labels(folder):
    put_row_elsewhere(folder / "out/view0/labels.csv")


def pipe_for_model(folder):
    (folder / "out/model.skops").unlink()
    os.mkfifo(folder / "out/model.skops")


def without(name):
    return lambda folder: (folder / name).unlink()


def with_content(name, content):
    return lambda folder: (folder / name).write_text(content)


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        (lambda folder: None, 0, "ok          6 files verified"),
        (spoil_labels, 1, "view0/labels.csv: it is missing, or is not what clustering.json says."),
        (without("out/view1/moved.csv"), 1, "view1/moved.csv: it is missing, or"),
        (without("out/model.skops"), 1, "model.skops: it is missing."),
        (pipe_for_model, 1, "skops: it cannot be read: this is a pipe or a device, no regular"),
        (with_content("out/clustering.json", "{"), 1, "damaged"),
        (with_content("out/cluster.yaml", "views: 3"), 1, "problems in"),
        (with_content("data/judged0.csv", ""), 0, "judged0.csv: the input has changed since"),
        (without("data/judged0.csv"), 0, "judged0.csv: the input cannot be read any more."),
    ],
)
def test_a_clustering_is_verified_by_its_facts_and_inputs(clustering, tmp_path, change, code, said):
    shutil.copytree(clustering, tmp_path / "copy")
    change(tmp_path / "copy")
    assert said in invoke("check", tmp_path / "copy", code=code).stdout


def delete_row(path):
    header, _, *rows = path.read_text().splitlines(keepends=True)
    path.write_text("".join([header, *rows]))


def rename_row(path):
    path.write_text(re.sub(r"\n(\w+),", r"\n\1-new,", path.read_text(), count=1))


READERS = (
    "export out --out exported",
    "compare out out --json",
    "predict out --view view0=data/view0.csv --out new.csv",
    "match --from out --json",
)


@pytest.mark.parametrize(
    ("change", "has_ledger"),
    [
        (put_row_elsewhere, True),
        (delete_row, True),
        (rename_row, True),
        (rename_row, False),
    ],
)
def test_labels_changed_by_hand_are_refused(clustering, tmp_path, monkeypatch, change, has_ledger):
    shutil.copytree(clustering, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    labels = tmp_path / "out/view0/labels.csv"
    if not has_ledger:
        (tmp_path / "out/.mvcc-files").unlink()
    change(labels)
    changed, by_hand = labels.read_bytes(), "by hand are not taken: .* `mvcc review out`"
    for words in READERS:
        said = rf"^out/view0/labels\.csv is not what clustering\.json says\. .* {by_hand}"
        with pytest.raises(StoreError, match=said):
            invoke(*words.split())
    with pytest.raises(StoreError, match=rf"view0/labels\.csv: .* {by_hand}"):
        invoke(*"cluster out/cluster.yaml --continue out --out next".split())
    assert labels.read_bytes() == changed
    assert {path.name for path in tmp_path.iterdir()} == {"data", "out"}
    labels.unlink()
    invoke(*READERS[0].split())


def test_labels_in_another_style_or_before_a_kill_are_used_not_with_others(clustering, tmp_path):
    out = shutil.copytree(clustering, tmp_path, dirs_exist_ok=True) / "out"
    facts, labels = out / "clustering.json", out / "view0/labels.csv"
    before, found = facts.read_bytes(), labels.read_text()
    labels.write_text(found, newline="\r\n")
    invoke("compare", out, out)
    labels.write_text(found)
    with ReviewSession(out) as session:
        session.record([("0", "rename:dishes")])
    after = facts.read_bytes()
    facts.write_bytes(before)  # it comes last
    invoke("compare", out, out)
    facts.write_bytes(after)
    labels.write_text(labels.read_text().replace("dishes", "plates"))
    with pytest.raises(StoreError, match="is not what clustering"):
        invoke("compare", out, out)


@pytest.mark.parametrize("before", [False, True])
def test_a_clustering_that_a_kill_left_is_not_that_of_its_folder(clustering, tmp_path, before):
    shutil.copytree(clustering / "out", tmp_path / "out/.clustering.7.part")
    if before:
        shutil.copytree(clustering, tmp_path, dirs_exist_ok=True)
    (line, *_) = invoke("check", tmp_path).stdout.splitlines()
    assert line.split()[:2] == [str(tmp_path / "out"), "ok" if before else "unfinished"]


def test_results_of_both_kinds_are_checked_together_in_one_table(clustering, folder, tmp_path):
    wide = shutil.copytree(clustering, tmp_path / "上海上海上海上海上海")
    (wide / "data/judged0.csv").unlink()
    lines = invoke("check", clustering, folder, wide).stdout.splitlines()
    assert sorted(line.split()[1] for line in lines) == ["ok", "ok", "ok", "the"]
    starts = [re.match(r"\S*\s+", line)[0] for line in lines]
    assert len(set(map(cell_len, starts))) == 1


@pytest.mark.parametrize("nothing", ["nowhere", "empty"])
def test_a_folder_without_results_is_refused_beside_others(clustering, folder, tmp_path, nothing):
    (tmp_path / "empty").mkdir()
    with pytest.raises(StoreError, match=f"{nothing}: there are no results here or below"):
        invoke("check", clustering, folder, tmp_path / nothing)


def test_a_replayed_trial_is_compared_with_the_stored_one_and_other_versions_are_named(folder):
    def older(manifest):
        manifest["runs"][-1]["versions"]["numpy"] = "1.0.0"

    equal = "Trial 1 was computed: 2 rows, equal to the stored ones to the last bit.\n"
    assert invoke("replay", folder, 1).stdout == equal
    nothing = "It is not stored, so there is nothing to compare it with"
    assert nothing in invoke("replay", folder, 5).stdout
    assert json.loads(invoke("replay --json", folder, 1).stdout)["differing"] == 0
    edit_manifest(folder, older)
    differing = f"{equal}Differences of this environment:\n  numpy: 1.0.0 and "
    assert invoke("replay", folder, 1).stdout.startswith(differing)


def test_a_trial_that_differs_gives_exit_code_1(folder, monkeypatch):
    real = replay_module.run_trial
    monkeypatch.setattr(
        replay_module, "run_trial", lambda *arguments: real(*arguments).assign(f_measure=0.5)
    )
    lines = invoke("replay", folder, 0, code=1).stdout.splitlines()
    assert lines[0].startswith(
        "Trial 0 was computed: 2 rows, 2 of them different from the stored ones; row 1, f_measure:"
    )
    assert lines[1:] == [
        "Differences of this environment:",
        "  nothing that the manifest records: the stored numbers or this program have changed",
    ]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ZeroDivisionError("a fault"), "Traceback .*\nZeroDivisionError: a fault\n"),
        (DataError("texts.csv is missing."), r"mvcc: texts\.csv is missing\.\n"),
    ],
)
def test_a_failing_trial_shows_its_traceback_and_one_without_its_data_a_message(
    folder, monkeypatch, error, said
):
    monkeypatch.setattr(replay_module, "run_trial", Mock(side_effect=error))
    done = mvcc("replay", folder, 0)
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(said, done.stderr, re.DOTALL)
