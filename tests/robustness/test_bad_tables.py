"""Spoilt jobs are clustered, or refused in one message, at once."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import example
from hypothesis import strategies as st

from mvcc.exceptions import DataError, MvccError
from mvcc.tables import cluster_job, load_job
from mvcc.tables._job import View
from mvcc.tables.fitting._features import numbers_of
from mvcc.tables.reading._files import _READERS
from tests.robustness.cases import answer, command, many, with_warnings
from tests.robustness.damaging import damaged
from tests.robustness.spoiling import spoilt_bytes
from tests.tables.problems import read_table

RNG = np.random.default_rng(0)
X = np.round(np.repeat([[0.0, 0.0], [3.0, 3.0]], 6, axis=0) + RNG.normal(size=(12, 2)), 3)
TEXTS = "id,x,y,kind\n" + "".join(
    f"t{i},{x},{y},{'ab'[i // 6]}\n" for i, (x, y) in enumerate(X.tolist())
)
IMAGES = "id;x;y\n" + "".join(f"{i:03d};{x};{y}\n" for i, (x, y) in enumerate(X[:9].tolist()))
MATCHES = "texts,images\n" + "".join(f"t{i},{i:03d}\n" for i in (0, 1, 2, 6, 7, 8))
PAIRS = """i,j,kind,weight
t0,t1,must-link,1
t6,t7,must-link,0.8
t0,t7,cannot-link,1
t3,t9,cannot-link,1.5
"""
YAML = """# what is clustered
views:
  texts: {path: texts.csv, labels_column: kind}
  images: images.csv
matches:
  texts:images: matches.csv
constraints: {texts: pairs.csv}
n_clusters: 2
threshold: 0.6
features: pca
stability_runs: 1
"""
ARFF = """@relation r
@attribute id string
@attribute x real
@attribute k {u,'v w'}
@data
a,1,u
'b c',-0.002,'v w'
d,3,u
"""
FILES = {"texts.csv": TEXTS, "images.csv": IMAGES, "matches.csv": MATCHES, "pairs.csv": PAIRS}
FILES |= {"cluster.yaml": YAML}
WHERE = (
    *(r"texts\.csv", r"images\.csv", r"matches\.csv", r"pairs\.csv", r"cluster\.yaml"),
    *"contradict constraints? texts images n_clusters threshold X ending folder".split(),
)


def written(folder, **contents):
    for name, content in (FILES | contents).items():
        is_text = isinstance(content, str)
        (folder / name).write_bytes(content.encode("utf-8", "replace") if is_text else content)
    return folder


@st.composite
def spoilt_job(draw):
    """Spoil one of the files of a job, or two."""
    contents = {}
    for name in draw(st.lists(st.sampled_from([*FILES]), min_size=1, max_size=2, unique=True)):
        contents[name] = draw(spoilt_bytes(FILES[name]))
    return contents


@with_warnings
@many(150, contents=spoilt_job())
def test_the_command_clusters_spoilt_files_or_refuses_them(tmp_path_factory, contents):
    folder = written(tmp_path_factory.mktemp("job"), **contents)
    job = folder / "cluster.yaml"
    dry = command("cluster", job, "--dry-run", "--json", codes=(1, 2), names=WHERE)
    if dry is not None:
        assert json.loads(dry)["settings"]["n_clusters"] <= 12
        out = folder / "out"
        facts = answer(lambda: cluster_job(load_job(job), out), *WHERE, error=MvccError)
        assert facts is None or json.loads((out / "clustering.json").read_text()) == facts.to_dict()


JSON = "".join(
    json.dumps({"id": f"t{i}", "x": x, "word": "ab"[i // 6]}) + "\n"
    for i, (x, _) in enumerate(X.tolist())
)


def check_table(path, content):
    """See that a file of this content is a table, or refused; return whether it is one."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    view = View(path=str(path))
    table = answer(lambda: read_table("texts", view), rf"{path.stem}\.", error=DataError)
    if table is None:
        return False
    assert table.X.shape == (len(table.ids), len(table.columns))
    numbers, *_ = numbers_of(table)
    assert len(numbers) == len(table.ids) == len(set(table.ids))
    assert np.isfinite(numbers).all()
    assert all(isinstance(name, str) for name in table.ids)
    return True


def in_all_formats():
    arrays, one, frame, sheet = (io.BytesIO() for _ in range(4))
    np.savez_compressed(arrays, X=X, id=np.array([f"r{i}" for i in range(12)]))
    np.save(one, X)
    table = pd.DataFrame(X, columns=["x", "y"], index=[f"r{i}" for i in range(12)])
    table.to_parquet(frame)
    table.assign(word=["a", "b"] * 6).to_excel(sheet)
    packed = {".npz": arrays, ".npy": one, ".parquet": frame, ".xlsx": sheet}
    texts = {".csv": TEXTS, ".tsv": TEXTS.replace(",", "\t"), ".txt": IMAGES, ".arff": ARFF}
    texts |= dict.fromkeys((".json", ".jsonl", ".ndjson"), JSON)
    return {ending: file.getvalue() for ending, file in packed.items()} | {
        ending: text.encode() for ending, text in texts.items()
    }


TABLES = in_all_formats()


@many(450, ending=st.sampled_from([*TABLES]), rng=st.randoms(use_true_random=True))
def test_a_table_is_read_or_refused(tmp_path, ending, rng):
    check_table(tmp_path / f"table{ending}", damaged(TABLES[ending], rng))


@many(40, ending=st.sampled_from([*TABLES]), other=st.sampled_from([*TABLES]))
@example(ending=".npz", other=".npy")
@example(ending=".npy", other=".npz")
def test_a_file_under_the_ending_of_another_format_is_read_or_refused(tmp_path, ending, other):
    check_table(tmp_path / f"table{ending}", TABLES[other])


def npz_claiming(shape):
    header = repr({"descr": "<f8", "fortran_order": False, "shape": shape}).encode()
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header


HEAD = "@relation r\n@attribute x real\n@data\n"
LARGE = {
    "many columns": ("a.csv", "id," + ",".join(f"c{i}" for i in range(5_000)) + "\n"),
    "a long header": ("a.csv", "x" * 10**6 + ",y\n1,2\n"),
    "a long value": ("a.csv", "id,x\na,1\nb," + "9" * 10**6 + "\n"),
    "a long repeated id": ("a.csv", "id,x\n" + 2 * ("y" * 10**6 + ",1\n")),
    "a quote that is never closed": ("a.csv", 'id,x\na,1\n"' + "b,2\n" * 10**5),
    "one line": ("a.arff", "x" * 10**6),
    "many quotes": ("a.arff", HEAD + "'" * 10**5),
    "backslashes": ("a.arff", HEAD + "'" + "\\" * 10**5),
    "blanks before a quote": ("a.arff", f"{HEAD}0{' ' * 10**5}'"),
    "blanks": ("a.arff", "@relation r\n@attribute" + " " * 10**5),
    "an array of all memory": ("a.npy", npz_claiming((2**40, 2**20))),
    "an array of negative size": ("a.npy", npz_claiming((-1, 2))),
    "nested header": ("a.npy", b"\x93NUMPY\x01\x00\x10\x27" + b"(" * 10_000),
}


@pytest.mark.parametrize(("name", "content"), LARGE.values(), ids=LARGE)
def test_what_would_take_all_memory_or_time_is_refused(tmp_path, name, content):
    assert not check_table(tmp_path / name, content)


@pytest.mark.parametrize(
    "words", [["a", "x" * 10**6], [f"w {i}" for i in range(2 * 10**4)]], ids=["a long one", "many"]
)
def test_words_without_end_are_text(tmp_path, words):
    rows = "".join(f"{i},{word}\n" for i, word in enumerate(words))
    assert check_table(tmp_path / "a.csv", f"id,x\n{rows}")


ARGUMENTS = """
--view --match --constraints --id-column --labels-column --ignore --features --components -k --base
--transfer --threshold --closure --on-conflict --stability-runs --seed
""".split()
VALUES = (
    *("", "9" * 5000, "x" * 3000, "\udcff", "a b=texts.csv"),
    *"= texts texts= =x texts=texts.csv texts:images=matches.csv a:b=c texts:texts=x.csv".split(),
    *"0 2 -1 2.5 nan 1e999 cv none pca single-view \x1b[31m é texts=\x1b.csv texts=.".split(" "),
    *"../x=texts.csv texts=/dev/null texts=pca images=3 texts=x".split(),
)


options = st.tuples(st.sampled_from(ARGUMENTS), st.sampled_from(VALUES))


@many(120, options=st.lists(options, min_size=1, max_size=3))
@example(options=[("--view", "texts=\udcff.csv")])
@example(options=[("--view", "texts=\x1b.csv")])
@example(options=[("--view", "x" * 70 + "=texts.csv")])
@example(options=[("-k", "1000000")])
def test_options_are_taken_or_refused_in_words(tmp_path, monkeypatch, options):
    monkeypatch.chdir(written(tmp_path))
    arguments = [word for option in options for word in option]
    words = ("cluster", "cluster.yaml", "--dry-run", *arguments)
    command(*words, codes=(1, 2), names=(*WHERE, *ARGUMENTS))


def test_every_known_ending_is_tried():
    assert set(TABLES) == set(_READERS)
