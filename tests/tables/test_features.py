"""What `mvcc cluster` makes of tables of numbers: the rule, other settings, and new rows."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest

from mvcc import AutoFeatures, load_model
from mvcc._utils.arrays import LazyRows
from mvcc.tables.fitting import _features
from tests.command_line import mvcc
from tests.embedding.test_auto_features import documents


@pytest.fixture
def folder(tmp_path):
    """Two tables of counts of the same words, 60 documents in both."""
    X = documents(180, 200)[0][:, :110]  # hardly more columns than are reduced to 100
    for name, rows in (("a", slice(0, 120)), ("b", slice(60, 180))):
        frame = pd.DataFrame(X[rows].astype(int), columns=[f"w{n}" for n in range(110)])
        frame.rename_axis("id").to_csv(tmp_path / f"{name}.csv")
    pd.DataFrame({"a": range(60, 120), "b": range(60)}).to_csv(tmp_path / "m.csv", index=False)
    return tmp_path


TABLES = ("--view", "a=a.csv", "--view", "b=b.csv", "--match", "a:b=m.csv", "-k", "4")


def test_what_was_made_is_told_before_and_after_and_new_rows_follow_the_same_map(folder):
    checked = mvcc("cluster", *TABLES, "--dry-run", cwd=folder)
    assert checked.stdout.count("columns, counts by TF-IDF in 100 dimensions, since ") == 2
    quick = ("--no-comparison", "--stability-runs", "0")
    done = mvcc("cluster", *TABLES, *quick, "--out", "out", cwd=folder)
    assert "Note: a: counts by TF-IDF in 100 dimensions, since " in done.stderr
    assert "(else --features a=scaled)." in done.stderr
    facts = json.loads((folder / "out/clustering.json").read_text())
    assert [view["n_components"] for view in facts["views"]] == [100, 100]
    assert "counts by TF-IDF" in (folder / "out/report.html").read_text()
    model = load_model(folder / "out")
    clusters = pd.read_csv(folder / "out/b/labels.csv", index_col="id")["cluster"]
    np.testing.assert_array_equal(model.predict(pd.read_csv(folder / "b.csv"), view="b"), clusters)
    assert isinstance(model.view("b").transformer, AutoFeatures)


def test_the_rule_is_overridden_by_view_and_refuses_what_it_cannot_take(folder):
    options = ("--features", "a=scaled", "--features", "b=histograms", "--dry-run", "--json")
    found = json.loads(mvcc("cluster", *TABLES, *options, cwd=folder).stdout)
    assert [view["features"] for view in found["views"]] == [
        "110 columns, each scaled to [0, 1], outliers clipped",
        "110 columns, square roots of histograms",
    ]
    counts = shlex.split("cluster --view a=a.csv -k 4 --features counts --dry-run")
    table = pd.read_csv(folder / "a.csv")
    table.assign(w0=-1 - table["w0"]).to_csv(folder / "a.csv", index=False)
    done = mvcc(*counts, cwd=folder)
    assert done.returncode == 1
    assert "a.csv: features: counts cannot be negative, but X has a value of -" in done.stderr
    table.assign(w0=np.where(table.index % 2, "red", "blue")).to_csv(folder / "a.csv", index=False)
    done = mvcc(*counts, cwd=folder)
    assert done.returncode == 1
    assert "features: counts goes only with columns that are all numbers" in done.stderr


@pytest.mark.parametrize(
    ("shape", "rank", "step"), [((40_000, 3), 3, 2), ((60, 30), 30, 3), ((60, 30), 1, 3)]
)
def test_the_plane_is_that_of_the_components_of_evenly_spaced_rows(shape, rank, step, monkeypatch):
    monkeypatch.setattr(_features, "_MOST_CENTERED", 20_000)
    monkeypatch.setattr(_features, "_MOST_SQUARED", 20)
    rng = np.random.default_rng(0)
    X = 1 + rng.normal(size=(shape[0], rank)) @ rng.normal(size=(rank, shape[1]))
    plane, shares = _features._principal((LazyRows(len(X), lambda some: X[some]),))
    mean = X[::step].mean(axis=0)
    _, lengths, axes = np.linalg.svd(X[::step] - mean, full_matrices=False)
    axes = axes[:2] * np.sign(axes[:2][[0, 1], np.abs(axes[:2]).argmax(axis=1)])[:, None]
    np.testing.assert_allclose(plane, (X - mean) @ axes.T, atol=1e-9)
    np.testing.assert_allclose(shares[:2], lengths[:2] ** 2 / (lengths**2).sum(), atol=1e-12)
