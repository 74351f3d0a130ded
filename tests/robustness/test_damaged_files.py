"""Every command understands its files or says what is wrong, however they are damaged."""

import json
import random
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings

from mvcc.experiments import _store
from mvcc.reporting.claims import CLAIMS
from mvcc.reporting.figures import _plot
from tests.command_line import mvcc
from tests.reports import few_claims
from tests.robustness.cases import MOST_CHARACTERS, tally, with_warnings
from tests.robustness.damaging import damaged
from tests.tables.problems import write_csv

ROOT = Path(__file__).parents[2]
N = 30  # rows of each table, of which 24 are matched: `mvcc match` learns from 20 or more
ENCODINGS = ("cp1252.csv", "utf-16.csv")
ENDINGS = (*"csv tsv txt xlsx json jsonl parquet npz npy arff".split(), *ENCODINGS)
QUICK = "--no-comparison --stability-runs 0"


class Reading(NamedTuple):
    """A command, with the files that it reads and the exit codes that it may have."""

    words: tuple[str, ...]
    files: tuple[str, ...]


def readings(words, files, endings=("",)):
    """Return a command, for each format of a table, with the files that may be damaged."""
    return [
        Reading(tuple(words.format(e).split()), tuple(files.format(e).split())) for e in endings
    ]


JOB = "cluster.yaml texts.csv matches.csv pairs.csv"
VIEWS = "--view texts=texts.csv --view images=images.{} --match texts:images=matches.csv -k 2"
INIT = "init --from texts.csv images.{} matches.csv --out new.yaml"
MODEL = "res/clustering.json res/model.skops"
RESULT = f"{MODEL} res/cluster.yaml res/texts/labels.csv"
EXPERIMENT = "exp/manifest.json exp/curves.csv exp/scores.csv.gz exp/example.json"
ANSWERS = "asked/asked.csv asked/texts.csv"
FIGURES = "3 4 6 8 9 difference".split()
READINGS = {
    "cluster": [
        *readings(f"cluster cluster.yaml --out out {QUICK}", JOB),
        *readings("cluster cluster.yaml --asked asked --dry-run", ANSWERS),
        *readings("cluster cluster.yaml --unknown skip --dry-run", JOB.partition(" ")[2]),
        *readings(f"cluster {VIEWS} --dry-run", "images.{}", ENDINGS),
    ],
    "init": readings(INIT, "images.{} matches.csv", ENDINGS),
    "predict": [
        *readings("predict res --view texts=texts.csv --out out.csv", f"{MODEL} texts.csv"),
        *readings("predict res --view images=images.{} --out out.csv", "images.{}", ENDINGS),
    ],
    "match": [
        *readings("match cluster.yaml --out out.csv", JOB),
        *readings("match --from res --json", f"{RESULT} texts.csv matches.csv pairs.csv"),
    ],
    "compare": readings("compare res res2 --out out.csv", "res/clustering.json"),
    "export": readings("export res --out out", f"{RESULT} texts.csv"),
    "report": readings("report res --out out.html", "res/clustering.json"),
    "ask": readings("ask cluster.yaml --out asked --answers answers.csv", f"answers.csv {JOB}"),
    "review": [
        *readings("review res --answers said.csv", "said.csv"),
        *readings("review res --json", f"{RESULT} res/corrections.csv texts.csv matches.csv"),
        *readings("review res --parts 1", "res/clustering.json texts.csv"),
    ],
    "check": [*readings("check res", RESULT), *readings("check exp", EXPERIMENT)],
    "run": readings("run run.yaml --out exp --dry-run", "run.yaml exp/manifest.json"),
    "replay": readings("replay small 0", "small/manifest.json small/scores.csv.gz"),
    "claims": readings("claims exp", EXPERIMENT),
    "plot": readings("plot exp --figure {} --out out", EXPERIMENT, FIGURES),
}


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """Write the files that all commands read into a folder, and give what they hold."""
    folder = tmp_path_factory.mktemp("here")
    noise = np.random.default_rng(0).normal(size=(N, 2))
    X = np.round(np.repeat([[0.0, 0.0], [3.0, 3.0]], N // 2, axis=0) + noise, 2)
    texts = pd.DataFrame({"id": [f"t{n}" for n in range(N)], "x": X[:, 0], "y": X[:, 1]})
    texts = texts.assign(kind=["a", "b"] * (N // 2), day=[f"2026-01-{n + 1:02}" for n in range(N)])
    texts.to_csv(folder / "texts.csv", index=False)
    for ending in ENDINGS:
        write_table(texts.assign(id=range(N)), X, folder / f"images.{ending}")
    matches = ([f"t{n}", n] for n in range(N) if n % 5)
    write_csv(folder / "matches.csv", [["texts", "images"], *matches])
    pairs = [["t0", "t1", "must-link"], ["t21", "t22", "must-link"], ["t0", "t25", "cannot-link"]]
    write_csv(folder / "pairs.csv", [["i", "j", "kind"], *pairs])
    (folder / "cluster.yaml").write_text(
        "views:\n  texts: {path: texts.csv, labels_column: kind}\n  images: images.csv\n"
        "matches:\n  texts:images: matches.csv\nconstraints: {texts: pairs.csv}\nn_clusters: 2\n"
    )
    for out in ("res", "res2"):
        ran(folder, f"cluster cluster.yaml --out {out} --seed {len(out)} {QUICK}")
    asked = json.loads(ran(folder, "ask cluster.yaml --out asked --json -n 2").stdout)
    answers = ([one["id"], "new"] for one in asked["questions"])
    write_csv(folder / "answers.csv", [["id", "answer"], *answers])
    ran(folder, "ask cluster.yaml --out asked --answers answers.csv")
    (folder / "said.csv").write_text(
        'id,answer\n0,rename:first\n"texts:t0\ntexts:t1",1\ntexts:t2,new:third\n'
        'texts:t3,outlier\n"texts:t5\nimages:5",match\n1,split\n'
    )
    (folder / "first.csv").write_text("id,answer\n1,rename:second\n")
    ran(folder, "review res --answers first.csv")
    shutil.copytree(ROOT / "results" / "four_quadrants", folder / "exp")
    shutil.copy(ROOT / "configs" / "four_quadrants.yaml", folder / "run.yaml")
    (folder / "small.yaml").write_text(
        "name: small\ntrials: 2\ndataset: four_quadrants\nfeatures: {method: none}\n"
        "dataset_options: {instances_per_view: 20}\nmulti_view: {bases: [pck-means],"
        " constraints: [10], mapped: [0.4], transfers: [direct-mapping, constraint-propagation],"
        " threshold: [0.75]}\n"
    )
    ran(folder, "run small.yaml --out small --jobs 1")
    shutil.rmtree(folder / "small" / "trials")  # so that trials are read from the scores
    for results in ("exp", "small"):
        manifest = folder / results / "manifest.json"
        content = json.loads(manifest.read_text("utf-8"))
        del content["checksums"]  # which would refuse everything at once
        manifest.write_text(json.dumps(content))
    for name, few in (("scores.csv.gz", "trial < 2 and "), ("curves.csv", "")):
        table = pd.read_csv(folder / "exp" / name, dtype={"threshold": "str"})
        table.query(f"{few}base == 'pck-means'").to_csv(folder / "exp" / name, index=False)
    return folder, {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def write_table(frame, X, path):
    match path.suffix:
        case ".csv" if path.name.endswith(ENCODINGS):
            kinds = frame["kind"].replace("a", "ä")
            frame.assign(kind=kinds).to_csv(path, index=False, encoding=path.stem.split(".")[1])
        case ".csv" | ".txt":
            frame.to_csv(path, index=False)
        case ".tsv":
            frame.to_csv(path, index=False, sep="\t")
        case ".xlsx":
            frame.to_excel(path, index=False)
        case ".json" | ".jsonl":
            frame.to_json(path, orient="records", lines=path.suffix == ".jsonl")
        case ".parquet":
            frame.assign(day=pd.to_datetime(frame["day"])).to_parquet(path)
        case ".npz":
            np.savez_compressed(path, X=X, id=np.arange(N), name=frame["kind"].to_numpy(dtype="U1"))
        case ".npy":
            np.save(path, X)
        case ".arff":
            kinds = {"id": "string", "x": "real", "y": "real", "kind": "{a,b}"}
            names = "".join(f"@attribute {name} {kind}\n" for name, kind in kinds.items())
            rows = frame[[*kinds]].to_csv(index=False, header=False)
            path.write_text(f"@relation r\n{names}@data\n{rows}")


def ran(folder, words):
    done = mvcc(*words.split(), cwd=folder)
    assert done.returncode == 0, done.stderr
    return done


def n_tries():
    """How many files are damaged for each command: thousands with the profile exhaustive."""
    return settings.default.max_examples * 4 if settings.default.max_examples > 100 else 4


@pytest.mark.parametrize("name", READINGS)
def test_every_command_is_one_that_reads_its_files(here, name):
    folder, kept = here
    codes = []
    for reading in READINGS[name]:
        restore(folder, kept)
        with less_work(1):
            codes.append(mvcc(*reading.words, cwd=folder).returncode)
    # NumPy and ARFF files have other columns, and the results have no checksums to verify
    assert 0 in codes
    assert set(codes) <= ({0, 1} if name in ("predict", "check") else {0})


@with_warnings
@pytest.mark.parametrize("name", READINGS)
def test_damaged_files_are_understood_or_refused(here, tried, name):
    folder, kept = here
    for number in range(n_tries()):
        restore(folder, kept)
        rng = random.Random(f"{name} {number}")
        reading = READINGS[name][number % len(READINGS[name])]
        for file in rng.sample(reading.files, min(len(reading.files), rng.choice([1, 1, 2]))):
            (folder / file).write_bytes(damaged(kept[folder / file], rng))
        print(f"try {number}: {' '.join(reading.words)}")  # is shown where it fails
        with less_work(number):
            done = mvcc(*reading.words, cwd=folder)
        assert done.returncode in (0, 1, 2, 3, 4), done.stderr
        assert "Traceback" not in done.stderr, done.stderr
        assert len(done.stderr) <= MOST_CHARACTERS, done.stderr
        tally["refused" if done.returncode else "valid"] += 1
    tried(f"files that mvcc {name} reads damaged", n_tries())


def small(name, picture):
    return {f"{name}.png": _plot.saved(picture.figure, "png", {}, 20)}


@contextmanager
def less_work(number):
    """Draw small pictures and test a few claims, but in each fiftieth try do all."""
    if number % 50 == 0:
        yield
        return
    with (
        few_claims(*(n for n in CLAIMS if n % 10 == number % 10)),
        patch.object(_plot, "_files", small),
        patch.object(_store, "damage_of", lambda *_: ""),
    ):
        yield


def restore(folder, kept):
    """Put all files back as they were, and remove what a command has written."""
    for path in [*folder.rglob("*")]:
        if path.is_file() and path not in kept:
            path.unlink()
    for path, content in kept.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_bytes() != content:
            path.write_bytes(content)
