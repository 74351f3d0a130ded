"""Folders of Parquet files.

A sample is clustered, every row gets one cluster, and mistakes are told by their place.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from mvcc import load_model, pairwise_f_measure
from mvcc.exceptions import ConfigError, DataError, MvccError, StoreError, WorkerError
from mvcc.metrics import scores_of_table
from mvcc.tables import (
    check_clustering,
    check_job,
    cluster_job,
    load_job,
    predict_files,
    try_numbers,
)
from mvcc.tables.folders._workers import local_workers
from mvcc.tables.reading import _parquet
from tests.command_line import mvcc
from tests.reports import write_clustering_report
from tests.tables.problems import (
    by_co_em,
    cluster,
    options_of,
    outputs,
    read_csv,
    with_values,
    write_problem,
)

distributed = pytest.importorskip("distributed")
N = 120


@pytest.fixture(scope="module")
def address():
    """Workers of all tests here, which would each take seconds to start some."""
    with local_workers(2) as workers:
        yield workers.scheduler_address


def as_folder(path, n_files=3, change=lambda number, frame: frame, **options):
    """Write the table of a CSV file as a folder of Parquet files, and return it."""
    frame = pd.read_csv(path, dtype={"id": str})
    folder = Path(path).with_suffix("")
    folder.mkdir(exist_ok=True)
    cuts = np.linspace(0, len(frame), n_files + 1).astype(int)
    for number in range(n_files):
        part = change(number, frame[cuts[number] : cuts[number + 1]].reset_index(drop=True))
        part.to_parquet(folder / f"part-{number}.parquet", **({"index": False} | options))
    return str(folder)


def in_folders(options, views=("view0", "view1"), **how):
    """Return the options of a job with folders in the place of some files."""
    folders = {("views", name, "path"): how for name in views}
    return [
        (keys, as_folder(value, **folders[keys]) if keys in folders else value, label)
        for keys, value, label in options
    ]


@pytest.fixture
def options(tmp_path):
    return with_values(write_problem(tmp_path, n=N, n_matches=50), stability_runs=0, sample=40)


@pytest.fixture
def large(options):
    return in_folders(options)


@pytest.fixture
def run(address, tmp_path):
    def cluster_folders(options, out="out", **how):
        return cluster_job(
            load_job(None, options), tmp_path / out, scheduler=address, **how
        ).to_dict()

    return cluster_folders


def labels_of(folder, *columns):
    return pd.read_parquet(folder, columns=list(columns) or None)


def names_in(folder):
    return {str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file()}


@pytest.mark.parametrize("change", [lambda options: options, by_co_em], ids=["joint", "co-em"])
def test_every_row_gets_one_cluster_and_those_of_the_sample_keep_theirs(
    large, run, tmp_path, change
):
    facts = run(change(large))
    model = load_model(tmp_path / "out")
    for view in facts["views"]:
        rows = pd.read_parquet(tmp_path / view["name"])
        found = labels_of(tmp_path / "out" / view["name"] / "labels")
        assert found.columns.tolist() == ["id", "cluster", "label"]
        assert sorted(found["id"]) == sorted(rows["id"])
        assert (view["n_rows"], view["n_all_rows"], len(view["ids"])) == (40, N, 40)
        clusters = dict(zip(found["id"], found["cluster"], strict=True))
        sample = dict(zip(view["ids"], view["labels"], strict=True))
        assert {name: clusters[name] for name in sample} == sample
        others = rows[~rows["id"].isin(list(sample))]
        assert [clusters[name] for name in others["id"]] == model.predict(
            others, view["name"]
        ).tolist()
        assert view["all_sizes"] == np.bincount(found["cluster"], minlength=3).tolist()
        truth = rows.set_index("id")["kind"].loc[list(clusters)]
        assert found["label"].tolist() == truth.tolist()
        assert view["all_f"] == pytest.approx(pairwise_f_measure(truth, found["cluster"]))
        assert view["all_ari"] == pytest.approx(adjusted_rand_score(truth, found["cluster"]))
        assert len(read_csv(tmp_path / "out" / view["name"] / "labels.csv")) == 40
    assert check_clustering(tmp_path / "out")[1:] == ([], [])
    assert not list((tmp_path / "out").glob(".*.part"))
    write_clustering_report(facts, tmp_path / "report.html")
    page = " ".join((tmp_path / "report.html").read_text().split())
    assert "come from a sample of 40 of 120 rows" in page


def test_the_sample_has_what_was_judged_and_matched(large, run):
    facts = run(with_values(large, sample=30))
    judged, other = facts["views"]
    given = {value for keys, value, _ in large if keys[0] == "constraints"}
    named = {row[end] for path in given for row in read_csv(path) for end in ("i", "j")}
    assert named <= set(judged["ids"])
    (relation,) = facts["relations"]
    assert len(relation["pairs"]) >= 15
    matches = {tuple(row.values()) for path in [relation["source"]] for row in read_csv(path)}
    drawn = {(judged["ids"][i], other["ids"][j]) for i, j in relation["pairs"]}
    assert drawn <= matches
    assert {pair for pair in matches if pair[0] in named} <= drawn, (
        "a constrained row has its matches"
    )
    assert len(drawn) < len(matches)


@pytest.mark.slow
def test_the_sample_and_all_labels_are_the_same_however_the_rows_are_cut(
    options, run, tmp_path, monkeypatch
):
    found = []
    for n_files, rows, most in ((3, None, 2**24), (1, 7, 100), (5, 10, 1)):
        for folder in (tmp_path / "view0", tmp_path / "view1"):
            for path in folder.glob("*"):
                path.unlink()
        monkeypatch.setattr(_parquet, "_MOST_OF_A_PIECE", most)
        folders = in_folders(options)
        for name in ("view0", "view1"):
            for path in (tmp_path / name).glob("*"):
                path.unlink()
            as_folder(tmp_path / f"{name}.csv", n_files, row_group_size=rows)
        run(folders, fresh=True)
        labels = {
            name: labels_of(tmp_path / "out" / name / "labels") for name in ("view0", "view1")
        }
        found.append((outputs(tmp_path / "out", ".csv"), labels))
    n_parts = [len(labels["view0"]) for _, labels in found]
    assert n_parts == [N] * 3
    for files, labels in found[1:]:
        assert files == found[0][0]
        for name, frame in labels.items():
            expected = found[0][1][name]
            assert (
                frame.sort_values("id").to_numpy().tolist()
                == expected.sort_values("id").to_numpy().tolist()
            )
    assert len(list((tmp_path / "out/view0/labels").iterdir())) == 15, (
        "a piece for each group of rows"
    )


@pytest.mark.slow
@pytest.mark.reliability
def test_another_seed_draws_other_rows(large, run):
    first, second = (
        run(with_values(large, seed=seed), str(seed))["views"][1]["ids"] for seed in (0, 1)
    )
    assert len(set(first) & set(second)) < 35


def test_of_few_rows_all_are_clustered_as_those_of_a_file(options, run, tmp_path):
    """A sample of all rows is all rows, and all matches."""
    files = [one for one in options if one[0] != ("sample",)]
    cluster(files, tmp_path / "files")
    run(with_values(in_folders(files), sample=N))
    assert outputs(tmp_path / "out", ".csv") == outputs(tmp_path / "files", ".csv")


def test_one_view_may_be_a_file(options, run, tmp_path):
    facts = run(in_folders(options, ["view1"]))
    assert [view["n_all_rows"] for view in facts["views"]] == [None, N]
    assert len(facts["views"][0]["ids"]) == N
    assert not (tmp_path / "out/view0/labels").exists()
    assert check_clustering(tmp_path / "out")[1] == []


def test_rows_without_ids_are_numbered_over_all_files(tmp_path, run):
    rng = np.random.default_rng(0)
    (tmp_path / "rows").mkdir()
    for number in range(3):
        frame = pd.DataFrame(
            rng.normal(size=(20, 2)) + 9 * (np.arange(20) % 2)[:, None], columns=["x", "y"]
        )
        frame["__null_dask_index__"] = np.arange(20)  # as dask writes tables without an index
        frame = frame.set_index("__null_dask_index__")
        frame.to_parquet(tmp_path / "rows" / f"{number}.parquet")
    options = options_of(
        {"rows": tmp_path / "rows"}, n_clusters=2, sample=30, stability_runs=0, comparison=False
    )
    facts = run(options)
    assert set(facts["views"][0]["ids"]) < set(map(str, range(60)))
    assert len(facts["views"][0]["ids"]) == 30
    found = labels_of(tmp_path / "out/rows/labels")
    assert found["id"].tolist() == list(map(str, range(60)))
    assert pairwise_f_measure(np.arange(60) % 2, found["cluster"]) == 1


def test_answers_count_and_outliers_stay_out(large, run, tmp_path, options):
    rows = {
        name: [row["id"] for row in read_csv(tmp_path / f"{name}.csv")]
        for name in ("view0", "view1")
    }
    asked = tmp_path / "asked"
    asked.mkdir()
    log = "".join(
        f"view1:{name},{answer},now\n"
        for name, answer in zip(rows["view1"], ("outlier", "unsure"), strict=False)
    )
    (asked / "asked.csv").write_text(f"id,answer,when\n{log}")
    groups = [f"{name},view0:{row},yes\n" for name, row in zip("abc", rows["view0"], strict=False)]
    (asked / "groups.csv").write_text("".join(["name,members,counted\n", *groups]))
    (asked / "view0.csv").write_text(
        f"i,j,kind\n{rows['view0'][-1]},{rows['view0'][-2]},must-link\n"
    )
    facts = run(with_values([one for one in large if one[0][0] != "constraints"], asked=str(asked)))
    assert set(rows["view0"][:3] + rows["view0"][-2:]) <= set(facts["views"][0]["ids"])
    found = labels_of(tmp_path / "out/view1/labels").set_index("id")
    assert found.columns.tolist() == ["cluster", "name", "label"]
    assert found.loc[rows["view1"][0], ["cluster", "name"]].tolist() == [-1, ""]
    assert (found["cluster"] < 0).sum() == len(facts["views"][1]["outliers"])
    assert sum(facts["views"][1]["all_sizes"]) == N - len(facts["views"][1]["outliers"])
    assert check_clustering(tmp_path / "out")[1] == []


@pytest.mark.slow
def test_nothing_of_a_former_clustering_is_left(large, options, run, tmp_path):
    run(large)
    first = outputs(tmp_path / "out", ".csv", ".skops", ".parquet")
    run(large, fresh=True)
    assert outputs(tmp_path / "out", ".csv", ".skops", ".parquet") == first
    with pytest.raises(StoreError, match="holds a clustering"):
        run(with_values(large, seed=1))
    assert outputs(tmp_path / "out", ".csv", ".skops", ".parquet") == first
    files = [one for one in options if one[0] != ("sample",)]
    (tmp_path / "out/view0/notes.txt").touch()
    cluster(files, tmp_path / "out", fresh=True)
    assert not any("labels/" in name for name in names_in(tmp_path / "out"))
    assert check_clustering(tmp_path / "out")[1] == []


def test_a_folder_called_labels_with_other_things_is_left_alone(large, run, tmp_path):
    run(large)
    (tmp_path / "out/view0/labels/mine.txt").write_text("mine")
    before = outputs(tmp_path / "out", ".csv", ".txt", ".json", ".parquet")
    with pytest.raises(
        StoreError, match=r"out/view0/labels/mine\.txt is not replaced: mvcc did not write it"
    ):
        run(with_values(large, seed=1), fresh=True)
    assert outputs(tmp_path / "out", ".csv", ".txt", ".json", ".parquet") == before


@pytest.mark.slow
def test_labels_that_are_lost_and_inputs_that_change_are_noticed(large, run, tmp_path):
    run(large)
    first = next((tmp_path / "out/view0/labels").iterdir())
    first.unlink()
    assert check_clustering(tmp_path / "out")[1] == [
        "view0/labels: it is missing or damaged, or does not have 120 rows."
    ]
    as_folder(tmp_path / "view1.csv", change=lambda number, frame: frame.assign(x=frame["x"] + 1))
    (note,) = check_clustering(tmp_path / "out")[2]
    assert note.endswith("/view1: the input has changed since; cluster it again.")


def late(facts, tmp_path, change):
    """Change a value of a row of view1 that is not in the sample, and return the place that
    messages call it by.
    """
    sample = set(facts["views"][1]["ids"])
    place = ""

    def of_part(number, frame):
        nonlocal place
        others = np.flatnonzero(~frame["id"].isin(sample))
        if number == 2:
            place = f"{tmp_path}/view1/part-2.parquet: row {others[-1]} "
            return change(frame, int(others[-1]))
        return change(frame, None)

    as_folder(tmp_path / "view1.csv", change=of_part)
    return place


def without(frame, row):
    return frame.assign(x=frame["x"].where(frame.index != row))


def with_text(frame, row):
    return frame.assign(x=frame["x"].astype(str).where(frame.index != row, "much"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without, "has no value in the column 'x'"),
        (with_text, "has 'much', which is not a finite number, in the column"),
    ],
)
def test_a_late_row_that_cannot_be_used_is_named_and_nothing_is_written(
    large, run, tmp_path, change, message
):
    facts = run(large)
    before = outputs(tmp_path / "out", ".csv", ".skops", ".parquet", ".json")
    place = late(facts, tmp_path, change)
    with pytest.raises(MvccError, match=message) as caught:
        run(large, fresh=True)
    assert str(caught.value).startswith(place)
    assert outputs(tmp_path / "out", ".csv", ".skops", ".parquet", ".json") == before
    assert not list((tmp_path / "out").glob(".*.part"))


def twice(frame):
    return frame.assign(id=frame["id"].where(frame.index != 3, frame["id"][2]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda number, frame: (
                frame.assign(x=frame["x"].astype("float32")) if number == 1 else frame
            ),
            (
                r"view1/part-1\.parquet: the column 'x' is of type float, but in part-0\.parquet of"
                r" type double\. Write"
            ),
        ),
        (
            lambda number, frame: frame.drop(columns="y") if number == 2 else frame,
            r"view1/part-2\.parquet: there is no column 'y', which part-0\.parquet has\.",
        ),
        (
            lambda number, frame: frame.assign(w=1.0) if number == 1 else frame,
            r"view1/part-1\.parquet: there is a column 'w', which part-0\.parquet does not have\.",
        ),
        (lambda number, frame: frame[:0], r"view1: there are no rows in its Parquet files"),
        (
            lambda number, frame: twice(frame) if number == 1 else frame,
            (
                r"view1/part-1\.parquet: row 3 has the id '\w+', as part-1\.parquet: row 2 has; ids"
                r" must be distinct"
            ),
        ),
        (
            lambda number, frame: frame.assign(x=np.inf),
            (
                r"view1/part-\d\.parquet: row \d+ has 'inf', which is not a finite number, in the"
                r" column 'x'"
            ),
        ),
    ],
    ids=["type", "lacks", "more", "empty", "twice", "infinite"],
)
def test_a_folder_that_cannot_be_used_is_one_message_and_nothing_is_written(
    options, run, tmp_path, change, message
):
    folders = in_folders(options, ["view0"])
    where = as_folder(tmp_path / "view1.csv", change=change)
    folders = [
        (keys, where if keys == ("views", "view1", "path") else value, label)
        for keys, value, label in folders
    ]
    with pytest.raises(DataError, match=message):
        run(folders)
    assert not (tmp_path / "out").exists()


def test_an_id_in_two_files_is_noticed_where_both_are_drawn(options, run, tmp_path):
    def same(number, frame):
        return frame.assign(id=[f"b{row}" for row in range(len(frame))]) if number else frame

    folders = in_folders(with_values(options, sample=110), ["view1"], change=same)
    files = [one for one in folders if one[0][0] != "matches"]
    with pytest.raises(
        DataError,
        match=r"view1/part-\d\.parquet: row \d+ has the id 'b\d+', as part-\d\.parquet: row",
    ):
        run(files)


def test_a_damaged_file_is_named(large, run, tmp_path):
    path = tmp_path / "view1/part-1.parquet"
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(DataError, match=r"view1/part-1\.parquet: cannot be read as Parquet"):
        run(large)
    path.write_text("")
    with pytest.raises(DataError, match=r"view1/part-1\.parquet: cannot be read as Parquet"):
        run(large)


@pytest.mark.slow
def test_columns_without_any_value_fit_all_types(options, run, tmp_path):
    def change(number, frame):
        return frame.assign(
            more=None if number == 0 else "text", kind=frame["kind"].astype("category")
        )

    facts = run(in_folders(options, change=change))
    assert facts["views"][0]["all_f"] > 0.5


@pytest.mark.parametrize("missing", ["dask", "pyarrow"])
def test_without_dask_the_message_says_what_to_install(large, tmp_path, monkeypatch, missing):
    monkeypatch.setattr(
        "mvcc.tables.folders._workers.find_spec", lambda name: None if name == missing else sys
    )
    wanted = rf"view0: a folder needs the package {missing}: pip install 'mvcc\[dask,parquet\]'"
    with pytest.raises(DataError, match=wanted):
        cluster(large, tmp_path / "out")


def test_a_scheduler_that_is_not_there_is_told_as_to_experiments(large, tmp_path, monkeypatch):
    monkeypatch.setattr("mvcc._utils.scheduler._PATIENCE", 1)
    for address, error, message in (
        (
            "tcp://127.0.0.1:9",
            WorkerError,
            r"No dask scheduler answers at tcp://127\.0\.0\.1:9 within 1 s",
        ),
        ("nowhere", ConfigError, "is not the address of a dask scheduler"),
    ):
        with pytest.raises(error, match=message):
            cluster_job(load_job(None, large), tmp_path / "out", scheduler=address)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("version", ["0.0.1", ImportError("No module named 'mvcc'")])
def test_workers_with_another_mvcc_are_refused(large, run, monkeypatch, version, address):
    monkeypatch.setattr(
        distributed.Client, "run", lambda self, function, on_error: {address: version}
    )
    message = (
        r"The worker \S+ (has mvcc 0\.0\.1|cannot import mvcc \(No module named 'mvcc'\))\. Install"
        r" mvcc"
    )
    with pytest.raises(WorkerError, match=message):
        run(large)


def test_what_goes_only_with_folders_is_refused_without_one(options, tmp_path, address):
    files = [one for one in options if one[0] != ("sample",)]
    with pytest.raises(
        ConfigError, match=r"`sample` \(--sample\) goes only with a view that is a folder"
    ):
        cluster(options, tmp_path / "out")
    with pytest.raises(ConfigError, match="--scheduler goes only with a view that is a folder"):
        cluster_job(load_job(None, files), tmp_path / "out", scheduler=address)
    cluster(files, tmp_path / "out")
    with pytest.raises(ConfigError, match="--scheduler goes only with a view that is a folder"):
        predict_files(
            tmp_path / "out",
            {"view0": str(tmp_path / "view0.csv")},
            tmp_path / "new.csv",
            scheduler=address,
        )


@pytest.mark.slow
def test_a_job_is_checked_and_numbers_are_tried_by_a_sample(large, address, tmp_path):
    job = load_job(None, large)
    inputs = check_job(job, scheduler=address)
    assert [(len(table.ids), table.n_all_rows) for table in inputs.tables] == [(40, N), (40, N)]
    tried = try_numbers(job, range(2, 4), tmp_path / "numbers", scheduler=address)
    assert [(one["k"], one["rows"]) for one in tried] == [(2, 80), (3, 80)]


@pytest.mark.parametrize("several", [False, True])
def test_new_rows_in_a_folder_get_the_clusters_of_those_in_a_file(
    options, run, address, tmp_path, several
):
    files = [one for one in options if one[0] != ("sample",)]
    cluster(files, tmp_path / "out")
    new = {
        "view1": as_folder(tmp_path / "view1.csv"),
        **({"view0": str(tmp_path / "view0.csv")} if several else {}),
    }
    first, *_ = predict_files(tmp_path / "out", new, tmp_path / "new", scheduler=address)
    assert first.path == (tmp_path / "new/view1/labels" if several else tmp_path / "new")
    predict_files(tmp_path / "out", {"view1": str(tmp_path / "view1.csv")}, tmp_path / "new.csv")
    found = labels_of(first.path)
    assert found["id"].tolist() == [row["id"] for row in read_csv(tmp_path / "new.csv")]
    assert found["cluster"].tolist() == [
        int(row["cluster"]) for row in read_csv(tmp_path / "new.csv")
    ]
    assert first.sizes == np.bincount(found["cluster"], minlength=3).tolist()
    with pytest.raises(StoreError, match="exists"):
        predict_files(tmp_path / "out", new, tmp_path / "new", scheduler=address)
    if not several:
        predict_files(tmp_path / "out", new, tmp_path / "new", scheduler=address, fresh=True)
        assert len(labels_of(tmp_path / "new")) == N
        (tmp_path / "new/mine.txt").touch()
        with pytest.raises(StoreError, match=r"mine\.txt is not replaced: mvcc did not write it"):
            predict_files(tmp_path / "out", new, tmp_path / "new", scheduler=address, fresh=True)


def test_new_rows_that_do_not_fit_leave_nothing(options, address, tmp_path):
    cluster([one for one in options if one[0] != ("sample",)], tmp_path / "out")
    new = {
        "view1": as_folder(
            tmp_path / "view1.csv", change=lambda number, frame: without(frame, number)
        )
    }
    before = names_in(tmp_path)
    with pytest.raises(
        MvccError, match=r"view1/part-\d\.parquet: row \d has no value in the column 'x'"
    ):
        predict_files(tmp_path / "out", new, tmp_path / "deep/new", scheduler=address)
    new = {
        "view1": as_folder(
            tmp_path / "view1.csv", change=lambda number, frame: frame.drop(columns="x")
        )
    }
    with pytest.raises(
        DataError, match=r"part-\d\.parquet: there is no column 'x'.* view1 was clustered by it"
    ):
        predict_files(tmp_path / "out", new, tmp_path / "deep/new", scheduler=address)
    for out in ("view1", "."):
        with pytest.raises(StoreError, match="is read and would be overwritten"):
            predict_files(tmp_path / "out", new, tmp_path / out, scheduler=address, fresh=True)
    assert names_in(tmp_path) == before
    assert not (tmp_path / "deep").exists()


def test_scores_of_a_table_are_those_of_its_rows():
    rng = np.random.default_rng(0)
    for k, n in ((3, 50), (5, 8), (1, 4)):
        true, found = rng.integers(k, size=n), rng.integers(k, size=n)
        table = np.zeros((k, k), np.int64)
        np.add.at(table, (found, true), 1)
        assert scores_of_table(table) == pytest.approx(
            (pairwise_f_measure(true, found), adjusted_rand_score(true, found))
        )


def test_facts_of_former_clusterings_are_read(options, tmp_path):
    cluster([one for one in options if one[0] != ("sample",)], tmp_path / "out")
    facts = json.loads((tmp_path / "out/clustering.json").read_bytes())
    for view in facts["views"]:
        del view["n_all_rows"]
    (tmp_path / "out/clustering.json").write_text(json.dumps(facts))
    assert check_clustering(tmp_path / "out")[1] == []
    write_clustering_report(facts, tmp_path / "report.html")
    assert "come from a sample" not in (tmp_path / "report.html").read_text()


@pytest.mark.slow
def test_the_command_says_that_the_clusters_come_from_a_sample(
    large, options, address, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    words = [*("cluster", "-k", "3", "--stability-runs", "0", "--no-comparison", "--sample", "40")]
    words += ["--scheduler", address]
    for keys, value, label in large:
        if keys[-1] in ("path", "labels_column") or keys[0] in ("matches", "constraints"):
            words += [label.split()[0], f"{keys[1]}={value}"]
    checked = mvcc(*words, "--dry-run")
    assert checked.stdout.splitlines()[0].startswith(
        "view0: a sample of 120 rows: 40 rows, 3 of 5 columns used, 8 constraints ("
    )
    done = mvcc(*words, "--out", "out")
    assert done.returncode == 0, done.stderr
    assert (
        "view1: the clusters come from a sample of 40 of 120 rows; those of all rows are in"
        " out/view1/labels; F of all "
    ) in " ".join(done.stdout.split())
    told = json.loads(mvcc(*words, "--out", "out", "--fresh", "--json").stdout)["views"][1]
    assert (told["rows"], told["all_rows"], sum(told["all_sizes"])) == (40, 120, 120)
    assert told["all_labels"] == "out/view1/labels"
    found = mvcc("predict", "out", "--view", "view0=view0", "--out", "new", "--scheduler", address)
    assert found.stdout.startswith("view0: 120 rows; in clusters 0 to 2: ")
    assert len(labels_of("new")) == 120
    checked = mvcc("check", "out")
    assert (checked.returncode, "8 files verified" in checked.stdout) == (0, True)
    refused = mvcc("export", "out", "--out", "tables")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "view0: this is a folder; name a file." in refused.stderr


@pytest.mark.slow
def test_workers_of_this_machine_are_silent_about_a_row_that_cannot_be_used(
    options, tmp_path, capfd
):
    cluster([one for one in options if one[0] != ("sample",)], tmp_path / "out")
    new = as_folder(tmp_path / "view1.csv", change=lambda number, frame: frame.assign(x=np.inf))
    with pytest.raises(MvccError, match="row 0 has 'inf'"):
        predict_files(tmp_path / "out", {"view1": new}, tmp_path / "new")
    assert capfd.readouterr().err == ""
