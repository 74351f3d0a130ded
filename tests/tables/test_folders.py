"""Folders of Parquet files: a sample is clustered, every row gets a cluster, mistakes a place."""

import json
import shutil
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from operator import itemgetter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from mvcc import __version__, load_model, pairwise_f_measure
from mvcc._utils.scheduler import _interruptions_held, computed
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
from mvcc.tables._folder_labels import Labeler, Source
from mvcc.tables._folders import id_column_of
from mvcc.tables._job import View
from mvcc.tables.reading import _parquet
from mvcc.tables.reading._id_column import Named
from mvcc.tables.reading._parquet import read_folder
from mvcc.tables.reading._rows import ids_of
from tests.command_line import mvcc
from tests.reports import report_of
from tests.tables.problems import (
    by_co_em,
    cluster,
    moved,
    options_of,
    outputs,
    read_csv,
    with_values,
    write_csv,
    write_problem,
)
from tests.tables.test_asked import log

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore:::dask")  # seen since workers are in this process
N = 120


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


@pytest.fixture(scope="module")
def problem(tmp_path_factory):
    """Return a folder of tables as files and as folders, and the options of a job for each."""
    folder = tmp_path_factory.mktemp("problem")
    options = with_values(write_problem(folder, n=N, n_matches=50), sample=40)
    return folder, options, in_folders(options)


@pytest.fixture(scope="module")
def sampled(problem, address):
    """Cluster a sample of the folders once."""
    folder, _, large = problem
    return cluster_job(load_job(None, large), folder / "out", scheduler=address).to_dict()


@pytest.fixture(scope="module")
def of_files(problem):
    """Cluster the files once, and return the folder of the results."""
    folder, options, _ = problem
    cluster(without_sample(options), folder / "files")
    return folder / "files"


def without_sample(options):
    return [option for option in options if option[0] != ("sample",)]


@pytest.fixture
def options(problem, tmp_path):
    """Return the options of a job for copies of the files, beside copies of all results so far."""
    shutil.copytree(problem[0], tmp_path, dirs_exist_ok=True)
    return moved(problem[1], problem[0], tmp_path)


@pytest.fixture
def large(problem, options, tmp_path):
    return moved(problem[2], problem[0], tmp_path)


@pytest.fixture
def run(address, tmp_path):
    def cluster_folders(options, out="out", **how):
        return cluster_job(
            load_job(None, options), tmp_path / out, scheduler=address, **how
        ).to_dict()

    return cluster_folders


def write_parts(folder, *frames):
    folder.mkdir()
    for number, frame in enumerate(frames):
        frame.to_parquet(folder / f"{number}.parquet")


def labels_of(folder, *columns):
    return pd.read_parquet(folder, columns=list(columns) or None)


def names_in(folder):
    return {str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file()}


@pytest.mark.parametrize("method", ["joint", "co-em"])
def test_every_row_gets_one_cluster_and_those_of_the_sample_keep_theirs(
    sampled, large, run, tmp_path, method
):
    facts = sampled if method == "joint" else run(by_co_em(large), fresh=True)
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
        predicted = model.predict(others, view["name"])
        assert [clusters[name] for name in others["id"]] == predicted.tolist()
        assert view["all_sizes"] == np.bincount(found["cluster"], minlength=3).tolist()
        truth = rows.set_index("id")["kind"].loc[list(clusters)]
        assert found["label"].tolist() == truth.tolist()
        assert view["all_f"] == pytest.approx(pairwise_f_measure(truth, found["cluster"]))
        assert view["all_ari"] == pytest.approx(adjusted_rand_score(truth, found["cluster"]))
        assert len(read_csv(tmp_path / "out" / view["name"] / "labels.csv")) == 40
    assert check_clustering(tmp_path / "out")[1:] == ([], [])
    assert not list((tmp_path / "out").glob(".*.part"))
    assert "come from a sample of 40 of 120 rows" in report_of(facts, tmp_path)


def test_the_sample_has_what_was_judged_and_matched(sampled, problem):
    judged, other = sampled["views"]
    given = {value for keys, value, _ in problem[2] if keys[0] == "constraints"}
    named = {row[end] for path in given for row in read_csv(path) for end in ("i", "j")}
    assert named <= set(judged["ids"])
    (relation,) = sampled["relations"]
    assert len(relation["pairs"]) >= 15
    matches = {tuple(row.values()) for row in read_csv(relation["source"])}
    drawn = {(judged["ids"][i], other["ids"][j]) for i, j in relation["pairs"]}
    of_named = {pair for pair in matches if pair[0] in named}
    assert of_named <= drawn < matches, "a constrained row has its matches"


@pytest.mark.slow
def test_sample_and_labels_are_the_same_however_rows_are_cut(large, run, tmp_path, monkeypatch):
    found = []
    for n_files, rows, most in ((3, None, 2**24), (1, 7, 100), (5, 10, 1)):
        monkeypatch.setattr(_parquet, "_MOST_OF_A_PIECE", most)
        for name in ("view0", "view1"):
            shutil.rmtree(tmp_path / name)
            as_folder(tmp_path / f"{name}.csv", n_files, row_group_size=rows)
        run(large, fresh=True)
        labels = {}
        for name in ("view0", "view1"):
            frame = labels_of(tmp_path / "out" / name / "labels").sort_values("id")
            assert len(frame) == N
            labels[name] = frame.to_numpy().tolist()
        found.append((outputs(tmp_path / "out", ".csv"), labels))
    assert found[0] == found[1] == found[2]
    pieces = list((tmp_path / "out/view0/labels").iterdir())
    assert len(pieces) == 15, "a piece for each group of rows"


@pytest.mark.slow
@pytest.mark.reliability
def test_another_seed_draws_other_rows(large, run):
    first, second = (run(with_values(large, seed=s), str(s))["views"][1]["ids"] for s in (0, 1))
    assert len(set(first) & set(second)) < 35


def test_of_few_rows_all_are_clustered_as_those_of_a_file(of_files, large, run, tmp_path):
    """A sample of all rows is all rows, and all matches."""
    run(with_values(large, sample=N), "all")
    assert outputs(tmp_path / "all", ".csv") == outputs(of_files, ".csv")


def test_one_view_may_be_a_file(options, run, tmp_path):
    facts = run(in_folders(options, ["view1"]), "mixed")
    assert [view["n_all_rows"] for view in facts["views"]] == [None, N]
    assert len(facts["views"][0]["ids"]) == N
    assert not (tmp_path / "mixed/view0/labels").exists()
    assert check_clustering(tmp_path / "mixed")[1] == []


def test_rows_without_ids_are_numbered_over_all_files(tmp_path, run):
    X = np.random.default_rng(0).normal(size=(60, 2)) + 9 * (np.arange(60) % 2)[:, None]
    # as dask writes tables without an index
    rows = pd.Index(np.arange(20), name="__null_dask_index__")
    frames = (pd.DataFrame(X[at : at + 20], rows, ["x", "y"]) for at in (0, 20, 40))
    write_parts(tmp_path / "rows", *frames)
    options = options_of({"rows": tmp_path / "rows"}, n_clusters=2, sample=30)
    facts = run(options)
    assert set(facts["views"][0]["ids"]) < set(map(str, range(60)))
    assert len(facts["views"][0]["ids"]) == 30
    found = labels_of(tmp_path / "out/rows/labels")
    assert found["id"].tolist() == list(map(str, range(60)))
    assert pairwise_f_measure(np.arange(60) % 2, found["cluster"]) == 1
    again = run(with_values(options, continues=str(tmp_path / "out")), "again")
    assert again["continued"]["changes"][0]["by_model"], "numbers tell nothing of other tables"


@pytest.mark.parametrize("named", [False, True])
def test_the_column_of_ids_is_that_of_a_file_with_the_same_rows(tmp_path, address, named):
    """Devices are distinct in each part, but not in all; constraints name only the last part."""
    rows = np.arange(60)
    first = {"device_id": [f"d{row % 20}" for row in rows]}
    if named:
        first = {"id": rows + 5, "sku": [f"s{row}" for row in rows]}
    x = 9 * (rows % 2) + rows / 100
    frame = pd.DataFrame(first | {"x": x, "y": x + 0.5 * (rows % 3)})
    frame.to_parquet(tmp_path / "file.parquet")
    parts = (frame[at : at + 20].reset_index(drop=True) for at in (0, 20, 40))
    write_parts(tmp_path / "rows", *parts)
    (tmp_path / "pairs.csv").write_text("i,j,kind\ns51,s53,must-link\ns52,s53,cannot-link\n")
    pairs = {"rows": tmp_path / "pairs.csv"} if named else {}
    for path in ("rows", "file.parquet"):
        options = options_of({"rows": tmp_path / path}, constraints=pairs, n_clusters=2)
        job = load_job(None, options)
        (table,) = check_job(job, scheduler=address if path == "rows" else None).tables
        assert table.id_column == ("sku" if named else None)
    cluster_job(job, tmp_path / "out")
    new = {"rows": str(tmp_path / "rows")}
    predict_files(tmp_path / "out", new, tmp_path / "new", scheduler=address)
    assert labels_of(tmp_path / "new")["id"].tolist() == (
        first["sku"] if named else list(map(str, rows))
    )


def test_a_column_that_alone_holds_named_ids_is_found_without_reading_other_parts(tmp_path):
    frames, path = [], tmp_path / "rows"
    for part in range(2):
        ids = [f"a{20 * part + row}" for row in range(20)]
        code = [*(f"c{row}" for row in ids[:19]), None]
        frames.append(pd.DataFrame({"id": ids, "x": np.arange(20), "code": code}))
    write_parts(path, *frames)
    folder, view = read_folder(str(path)), View(path=str(path))
    no_workers = None
    assert id_column_of(no_workers, folder, view, [Named("", {"a3", "a33"})]) == "id"
    with pytest.raises(WorkerError):  # only the other part tells which row is a33
        id_column_of(no_workers, folder, view, [Named("", {"a33"})])


def test_numbers_are_written_alike_in_parts_of_whole_numbers_and_in_others(tmp_path, run):
    """Only the second part has numbers with fractions: as ids, labels and categories."""
    grades = np.repeat([1.0, 2.0, 2.5], 20)
    ids = np.arange(60) + np.arange(60) // 30 / 2
    frame = pd.DataFrame({"id": ids, "grade": grades, "truth": grades})
    frame["level"], frame["x"] = grades + 10, np.sin(np.arange(60)) / 3
    write_parts(tmp_path / "rows", frame[:30], frame[30:])
    columns = {"grade": "category", "level": "category", "x": "number"}
    view = {"path": str(tmp_path / "rows"), "labels_column": "truth", "columns": columns}
    assert run(options_of({"rows": view}, n_clusters=3, sample=30))["views"][0]["all_f"] == 1
    found = labels_of(tmp_path / "out/rows/labels")
    assert found["id"].tolist()[::29] == ["0", "29", "58.5"]
    assert set(found["label"]) == {"1", "2", "2.5"}
    labels = pd.Series(found["cluster"].to_numpy(), ids)
    model = load_model(tmp_path / "out")
    for some in (frame[:40], frame[40:]):  # also read from a text file that pandas wrote
        for values in (some["grade"], some["grade"].astype(str)):
            clusters = model.predict(some.assign(grade=values), "rows")
            assert clusters.tolist() == labels[some["id"]].tolist()


def test_constraints_of_a_text_file_name_ids_of_floats_in_a_folder(tmp_path, run):
    ids = np.arange(60) + np.arange(60) % 2 / 2
    frame = pd.DataFrame({"id": ids, "x": np.arange(60) % 3.0, "y": 1.0 * np.arange(60)})
    write_parts(tmp_path / "rows", frame)
    pairs = pd.DataFrame({"i": ids[[0, 2]], "j": ids[[58, 59]], "kind": "must-link"})
    pairs.to_csv(tmp_path / "pairs.csv", index=False)
    given = {"rows": tmp_path / "pairs.csv"}
    run(options_of({"rows": tmp_path / "rows"}, constraints=given, n_clusters=2, sample=20))
    named = {row["id"] for row in read_csv(tmp_path / "out/rows/labels.csv")}
    assert {"0", "2", "58", "59.5"} <= named


def test_the_column_that_was_asked_for_names_the_rows_of_a_folder_again(tmp_path, run):
    frame = pd.DataFrame({"id": np.arange(60), "x": np.arange(60) % 3.0})
    frame["sku"] = [f"s{n}" for n in range(60)]
    write_parts(tmp_path / "rows", frame.assign(y=np.sqrt(np.arange(60))))
    view = {"path": str(tmp_path / "rows")}
    run(options_of({"rows": view | {"id_column": "sku"}}, n_clusters=2, sample=30), "may")
    again = options_of({"rows": view}, n_clusters=2, sample=30, continues=str(tmp_path / "may"))
    assert run(again, "june")["views"][0]["ids"][0][0] == "s"


def test_types_of_numbers_and_times_that_differ_between_files_are_those_of_one_table(tmp_path):
    """Pandas writes whole numbers as doubles where a month lacks one."""
    times = pd.Series(pd.to_datetime(["2026-01-31 10:30", "2026-02-28 00:00"]))
    first = pd.DataFrame({"id": [7, 8], "n": [1, 2], "x": np.float32([0.1, 2]), "t": times})
    second = pd.DataFrame({"id": [9.0, 10], "n": [np.nan, 4], "x": [0.3, 0.4]})
    second["t"] = times.astype("datetime64[s]")
    second["s"], first["s"] = ["a", "b"], None
    write_parts(tmp_path / "rows", first, second)
    pieces = read_folder(str(tmp_path / "rows")).pieces
    frames = [next(piece.frames()) for piece in pieces]
    of_one = pd.concat([first, second], ignore_index=True)
    pd.testing.assert_frame_equal(pd.concat(frames), of_one, check_dtype=False)
    kinds = frames[0][["n", "x", "t"]].dtypes
    pd.testing.assert_series_equal(kinds, frames[1][["n", "x", "t"]].dtypes)
    assert [ids_of(frame, "id", "rows") for frame in frames] == [["7", "8"], ["9", "10"]]


def test_all_parquet_files_are_read_but_those_that_are_hidden_or_being_written(tmp_path):
    rows = tmp_path / "rows"
    write_parts(rows, pd.DataFrame({"x": [1.0, 2.0]}))
    for name in ("._0.parquet", ".0.parquet", "_1.parquet"):
        (rows / name).write_bytes(b"half a file")
    shutil.copy(rows / "0.parquet", rows / "1.PARQUET")
    assert [name for _, name in read_folder(str(rows)).files] == ["0.parquet", "1.PARQUET"]


def test_a_folder_of_partitions_is_refused_with_the_name_of_one(tmp_path):
    (tmp_path / "year=2024").mkdir()
    with pytest.raises(DataError, match=r"\(folders in it, such as 'year=2024', are not read\);"):
        read_folder(str(tmp_path))


def test_signals_that_a_command_in_the_background_ignores_stay_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with _interruptions_held():
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_outside_of_the_main_thread_nothing_waits_for_signals():
    def held():
        with _interruptions_held():
            return signal.getsignal(signal.SIGINT)

    with ThreadPoolExecutor() as pool:
        assert pool.submit(held).result() is signal.getsignal(signal.SIGINT)


def test_answers_count_and_outliers_stay_out(large, run, tmp_path):
    first, second = ([*map(itemgetter("id"), read_csv(tmp_path / f"view{n}.csv"))] for n in (0, 1))
    gone, unsure, *_ = second
    asked = log(tmp_path / "asked", f"view1:{gone},outlier", f"view1:{unsure},unsure")
    groups = [[f"kind {row}", f"view0:{row}", "yes"] for row in first[:3]]
    write_csv(asked / "groups.csv", [["name", "members", "counted"], *groups])
    write_csv(asked / "view0.csv", [["i", "j", "kind"], [*first[-2:], "must-link"]])
    unjudged = [one for one in large if one[0][0] != "constraints"]
    facts = run(with_values(unjudged, asked=str(asked)), fresh=True)
    assert {*first[:3], *first[-2:]} <= set(facts["views"][0]["ids"])
    found = labels_of(tmp_path / "out/view1/labels").set_index("id")
    assert found.columns.tolist() == ["cluster", "name", "label"]
    assert found.loc[gone, ["cluster", "name"]].tolist() == [-1, ""]
    assert (found["cluster"] < 0).sum() == len(facts["views"][1]["outliers"])
    assert sum(facts["views"][1]["all_sizes"]) == N - len(facts["views"][1]["outliers"])
    assert check_clustering(tmp_path / "out")[1] == []


@pytest.mark.slow
def test_nothing_of_a_former_clustering_is_left(sampled, large, options, run, tmp_path):
    first = outputs(tmp_path / "out", ".csv", ".skops", ".parquet")
    run(large, fresh=True)
    assert outputs(tmp_path / "out", ".csv", ".skops", ".parquet") == first
    with pytest.raises(StoreError, match="holds a clustering"):
        run(with_values(large, seed=1))
    assert outputs(tmp_path / "out", ".csv", ".skops", ".parquet") == first
    (tmp_path / "out/view0/notes.txt").touch()
    cluster(without_sample(options), tmp_path / "out", fresh=True)
    assert not any("labels/" in name for name in names_in(tmp_path / "out"))
    assert check_clustering(tmp_path / "out")[1] == []


def test_a_folder_called_labels_with_other_things_is_left_alone(sampled, large, run, tmp_path):
    (tmp_path / "out/view0/labels/mine.txt").write_text("mine")
    before = outputs(tmp_path / "out", ".csv", ".txt", ".json", ".parquet")
    refused = r"out/view0/labels/mine\.txt is not replaced: mvcc did not write it"
    with pytest.raises(StoreError, match=refused):
        run(with_values(large, seed=1), fresh=True)
    assert outputs(tmp_path / "out", ".csv", ".txt", ".json", ".parquet") == before
    next((tmp_path / "out/view0/labels").glob("*.parquet")).write_bytes(b"")
    (wrong,) = check_clustering(tmp_path / "out")[1]
    assert wrong.startswith("view0/labels: it is missing, or is not what clustering.json says")


def with_other_clusters(path):
    frame = pd.read_parquet(path)
    frame.assign(cluster=(frame["cluster"] + 1) % 3).to_parquet(path, index=False)


@pytest.mark.parametrize("change", [Path.unlink, with_other_clusters])
def test_labels_that_are_lost_and_inputs_that_change_are_noticed(sampled, large, tmp_path, change):
    change(next((tmp_path / "out/view0/labels").iterdir()))
    assert check_clustering(tmp_path / "out")[1] == [
        "view0/labels: it is missing, or is not what clustering.json says."
    ]
    as_folder(tmp_path / "view1.csv", change=lambda number, frame: frame.assign(x=frame["x"] + 1))
    (note,) = check_clustering(tmp_path / "out")[2]
    assert note.endswith("/view1: the input has changed since; cluster it again.")


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
    sampled, large, run, tmp_path, change, message
):
    """The row is not in the sample."""
    last = pd.read_parquet(tmp_path / "view1/part-2.parquet")["id"]
    row = int(np.flatnonzero(~last.isin(sampled["views"][1]["ids"]))[-1])
    as_folder(
        tmp_path / "view1.csv",
        change=lambda number, frame: change(frame, row if number == 2 else None),
    )
    before = outputs(tmp_path / "out", ".csv", ".skops", ".parquet", ".json")
    with pytest.raises(MvccError, match=message) as caught:
        run(large, fresh=True)
    assert str(caught.value).startswith(f"{tmp_path}/view1/part-2.parquet: row {row} ")
    assert outputs(tmp_path / "out", ".csv", ".skops", ".parquet", ".json") == before
    assert not list((tmp_path / "out").glob(".*.part"))


def in_one(number, change):
    """Change one of the files of a folder."""
    return lambda this, frame: change(frame) if this == number else frame


@pytest.mark.parametrize(("change", "message"), [
    (in_one(1, lambda frame: frame.assign(x="0.5")),
     r"part-1\.parquet: the column 'x' is string, but double in the files before\. Write"),
    (in_one(2, lambda frame: frame.drop(columns="y")),
     r"part-2\.parquet: the column 'y' is missing, but double in the files before\."),
    (in_one(1, lambda frame: frame.assign(w=1.0)),
     r"part-1\.parquet: the column 'w' is double, but missing in the files before\."),
    (in_one(1, lambda frame: frame.assign(x=2**53 + 1)),
     r"part-1\.parquet: the column 'x' is int64, but double in other files, which cannot"),
    (lambda number, frame: frame[:0], "there are no rows in its Parquet files"),
    (
        in_one(1, lambda frame: frame.assign(id=frame["id"].mask(frame.index // 2 == 1, "b"))),
        r"part-1\.parquet: row 3 has the id '\w+', as part-1\.parquet: row 2 has; ids must be"
        r" distinct",
    ),
    (lambda number, frame: frame.assign(x=np.inf),
     r"part-\d\.parquet: row \d+ has 'inf', which is not a finite number, in the column 'x'"),
], ids=["type", "lacks", "more", "large", "empty", "twice", "infinite"])  # fmt: skip
def test_a_folder_that_cannot_be_used_is_one_message_and_nothing_is_written(
    large, run, tmp_path, change, message
):
    as_folder(tmp_path / "view1.csv", change=change)
    with pytest.raises(DataError, match=f"view1(/|: ){message}"):
        run(large, "new")
    assert not (tmp_path / "new").exists()


def test_an_id_in_two_files_is_noticed_where_both_are_drawn(large, run, tmp_path):
    def same(number, frame):
        return frame.assign(id=[f"b{row}" for row in range(len(frame))]) if number else frame

    as_folder(tmp_path / "view1.csv", change=same)
    unmatched = [one for one in with_values(large, sample=110) if one[0][0] != "matches"]
    message = r"view1/part-\d\.parquet: row \d+ has the id 'b\d+', as part-\d\.parquet: row"
    with pytest.raises(DataError, match=message):
        run(unmatched, "new")


@pytest.mark.parametrize("length", [-9, 0])
def test_a_damaged_file_is_named(large, run, tmp_path, length):
    path = tmp_path / "view1/part-1.parquet"
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(DataError, match=r"view1/part-1\.parquet: cannot be read as Parquet"):
        run(large, "new")


def test_a_file_that_a_worker_does_not_see_is_named_with_its_path(tmp_path, problem):
    folder = shutil.copytree(problem[0] / "view1", tmp_path / "view1")
    piece = read_folder(str(folder)).pieces[1]
    (folder / "part-1.parquet").unlink()
    message = r"view1/part-1\.parquet: /.* cannot be read: No such file or directory; workers must"
    with pytest.raises(DataError, match=message):
        next(piece.frames())


def test_a_worker_that_does_not_see_the_model_is_named(tmp_path):
    with pytest.raises(
        WorkerError, match=r"A worker cannot read .*none\.skops: No such file or dir"
    ):
        Labeler.read(Source(str(tmp_path / "none.skops"), "v", (), None), __version__)


@pytest.mark.parametrize(("error", "raised", "message"), [
    (distributed.KilledWorker("task", None, 3), WorkerError, "Workers were killed again and ag"),
    (OSError("a full disk"), OSError, "a full disk"),
    (ZeroDivisionError("odd"), WorkerError, r"A worker failed: ZeroDivisionError\('odd'\)\. Each"),
])  # fmt: skip
def test_what_goes_wrong_on_workers_is_told(error, raised, message):
    def compute(collections):
        raise error

    with pytest.raises(raised, match=message):
        computed(SimpleNamespace(compute=compute, cancel=lambda futures: None), [])


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_match_in_the_only_line_of_a_file_is_one(large, address, end):
    (pairs,) = [Path(value) for keys, value, _ in large if keys[0] == "matches"]
    first = ",".join(read_csv(pairs)[0].values())
    pairs.write_text(first + end)
    assert len(check_job(load_job(None, large), scheduler=address).relations[0, 1]) == 1


@pytest.mark.slow
def test_columns_without_any_value_fit_all_types(large, run, tmp_path):
    def change(number, frame):
        kind = frame["kind"].astype("category")
        return frame.assign(more=None if number == 0 else "text", kind=kind)

    for name in ("view0", "view1"):
        as_folder(tmp_path / f"{name}.csv", change=change)
    assert run(large, "new")["views"][0]["all_f"] > 0.5


@pytest.mark.parametrize("missing", ["dask", "pyarrow"])
def test_without_dask_the_message_says_what_to_install(large, tmp_path, monkeypatch, missing):
    monkeypatch.setattr(
        "mvcc._utils.scheduler.find_spec", lambda name: None if name == missing else sys
    )
    wanted = rf"view0: a folder needs the package {missing}: pip install 'mvcc\[dask,parquet\]'"
    with pytest.raises(DataError, match=wanted):
        cluster(large, tmp_path / "new")


def test_a_scheduler_that_is_not_there_is_told_as_to_experiments(large, tmp_path, monkeypatch):
    monkeypatch.setattr("mvcc._utils.scheduler._PATIENCE", 1)
    with pytest.raises(WorkerError, match=r"No dask scheduler answers at \S+:9 within 1 s"):
        cluster_job(load_job(None, large), tmp_path / "new", scheduler="tcp://127.0.0.1:9")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("version", ["0.0.1", ImportError("No module named 'mvcc'")])
def test_workers_with_another_mvcc_are_refused(large, run, monkeypatch, version, address):
    answers = {address: version}
    monkeypatch.setattr(distributed.Client, "run", lambda self, function, on_error: answers)
    found = r"(has mvcc 0\.0\.1|cannot import mvcc \(No module named 'mvcc'\))"
    with pytest.raises(WorkerError, match=rf"The worker \S+ {found}\. Install mvcc"):
        run(large, "new")


def test_what_goes_only_with_folders_is_refused_without_one(of_files, options, tmp_path, address):
    message = r"`sample` \(--sample\) goes only with a view that is a folder"
    with pytest.raises(ConfigError, match=message):
        cluster(options, tmp_path / "new")
    only = "--scheduler goes only with a view that is a folder"
    with pytest.raises(ConfigError, match=only):
        cluster_job(load_job(None, without_sample(options)), tmp_path / "new", scheduler=address)
    view = {"view0": str(tmp_path / "view0.csv")}
    with pytest.raises(ConfigError, match=only):
        predict_files(of_files, view, tmp_path / "new.csv", scheduler=address)


@pytest.mark.slow
def test_a_job_is_checked_and_numbers_are_tried_by_a_sample(large, address, tmp_path):
    job = load_job(None, large)
    inputs = check_job(job, scheduler=address)
    assert [(len(table.ids), table.n_all_rows) for table in inputs.tables] == [(40, N), (40, N)]
    tried = try_numbers(job, range(2, 4), tmp_path / "numbers", scheduler=address)
    found = [(one["k"], one["rows"], one["all_rows"]) for one in tried]
    assert found == [(2, 80, 2 * N), (3, 80, 2 * N)]
    words = ["cluster", *(f"{tmp_path}/view{view}" for view in (0, 1)), "--sample", "40"]
    words += [*("--ignore", "view0=kind", "--ignore", "view1=kind", "--scheduler", address)]
    said = mvcc(*words, *("-k", "2-3", "--out", str(tmp_path / "range"), "--no-comparison"))
    assert "These are of a sample: 80 of 240 rows." in said.stdout, said.stderr
    assert said.stdout.endswith("No number was chosen.\n")
    said = mvcc(*words, "-k", "auto", "--out", str(tmp_path / "auto"))
    assert said.stderr.endswith("Name two or more, or give a number.\n")


@pytest.mark.parametrize("several", [False, True])
def test_new_rows_in_a_folder_get_the_clusters_of_those_in_a_file(
    of_files, large, address, tmp_path, several
):
    new, out = {"view1": str(tmp_path / "view1")}, tmp_path / "new"
    if several:
        new["view0"] = str(tmp_path / "view0.csv")
    first, *_ = predict_files(of_files, new, out, scheduler=address)
    assert first.path == (out / "view1/labels" if several else out)
    predict_files(of_files, {"view1": str(tmp_path / "view1.csv")}, tmp_path / "new.csv")
    found, expected = labels_of(first.path), read_csv(tmp_path / "new.csv")
    assert found["id"].tolist() == [row["id"] for row in expected]
    assert found["cluster"].tolist() == [int(row["cluster"]) for row in expected]
    assert first.sizes == np.bincount(found["cluster"], minlength=3).tolist()
    with pytest.raises(StoreError, match="exists"):
        predict_files(of_files, new, out, scheduler=address)
    if not several:
        predict_files(of_files, new, out, scheduler=address, fresh=True)
        assert len(labels_of(out)) == N
        (out / "mine.txt").touch()
        with pytest.raises(StoreError, match=r"mine\.txt is not replaced: mvcc did not write it"):
            predict_files(of_files, new, out, scheduler=address, fresh=True)


@pytest.mark.parametrize(("change", "error", "message"), [
    (without, MvccError, r"row \d has no value in the column 'x'"),
    (lambda frame, row: frame.drop(columns="x"), DataError,
     "there is no column 'x'.* view1 was clustered by it"),
])  # fmt: skip
def test_new_rows_that_do_not_fit_leave_nothing(
    of_files, large, address, tmp_path, change, error, message
):
    as_folder(tmp_path / "view1.csv", change=lambda number, frame: change(frame, number))
    new, before = {"view1": str(tmp_path / "view1")}, names_in(tmp_path)
    with pytest.raises(error, match=rf"view1/part-\d\.parquet: {message}"):
        predict_files(of_files, new, tmp_path / "deep/new", scheduler=address)
    for out in ("view1", "."):
        with pytest.raises(StoreError, match="is read and would be overwritten"):
            predict_files(of_files, new, tmp_path / out, scheduler=address, fresh=True)
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


def test_facts_of_former_clusterings_are_read(of_files, options, tmp_path):
    facts = json.loads((tmp_path / "files/clustering.json").read_bytes())
    for view in facts["views"]:
        del view["n_all_rows"]
    (tmp_path / "files/clustering.json").write_text(json.dumps(facts))
    assert check_clustering(tmp_path / "files")[1] == []
    assert "come from a sample" not in report_of(facts, tmp_path)


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
    shutil.rmtree("out", ignore_errors=True)
    done = mvcc(*words, "--out", "out")
    assert done.returncode == 0, done.stderr
    sample = "view1: the clusters come from a sample of 40 of 120 rows; those of all rows are in"
    assert f"{sample} out/view1/labels; F of all " in " ".join(done.stdout.split())
    told = json.loads(mvcc(*words, "--out", "out", "--fresh", "--json").stdout)["views"][1]
    assert (told["rows"], told["all_rows"], sum(told["all_sizes"])) == (40, 120, 120)
    assert told["all_labels"] == "out/view1/labels"
    found = mvcc("predict", "out", "--view", "view0=view0", "--out", "new", "--scheduler", address)
    assert found.stdout.startswith("view0: 120 rows; in clusters 0 to 2: ")
    assert len(labels_of("new")) == 120
    checked = mvcc("check", "out")
    assert (checked.returncode, "8 files verified" in checked.stdout) == (0, True)
    for refusing in ("export out --out tables", "match --from out --out m.csv", "review out"):
        refused = mvcc(*refusing.split())
        assert (refused.returncode, refused.stdout) == (1, "")
        assert "view0 is a folder of Parquet files, of which a sample was" in refused.stderr
        assert "the labels of all its rows are in out/view0/labels." in refused.stderr
    refused = mvcc("ask", "out/cluster.yaml", "--out", "asked")
    assert "view0: this is a folder; name a file. Only views of mvcc cluster" in refused.stderr
    assert "beside one, say what each file is: --view NAME=FILE, --match" in refused.stderr


@pytest.mark.slow
def test_workers_of_this_machine_are_silent_about_a_row_that_cannot_be_used(
    of_files, options, tmp_path, capfd
):
    new = as_folder(tmp_path / "view1.csv", change=lambda number, frame: frame.assign(x=np.inf))
    with pytest.raises(MvccError, match="row 0 has 'inf'"):
        predict_files(of_files, {"view1": new}, tmp_path / "new")
    assert capfd.readouterr().err == ""
