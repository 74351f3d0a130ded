"""The studies on tables of KEEL and on data of packages read and cut them as they say."""

import numpy as np
import pandas as pd
import pytest

from scripts import factors, keel, one_table, packaged
from scripts.field.methods import EACH, JOINT
from scripts.tables import ROOT


def test_the_columns_of_a_table_are_cut_in_halves_of_which_some_objects_have_one(
    tmp_path, monkeypatch
):
    colors = ["red", "blue"] * 50
    table = pd.DataFrame({0: range(100), 1: colors, 2: 1.5, 3: range(100), 4: colors})
    table.to_csv(tmp_path / "made.dat", header=False, index=False)
    table.iloc[:, 1:5].to_csv(tmp_path / "narrow.dat", header=False, index=False)
    monkeypatch.setattr(keel, "folder", lambda: tmp_path)
    assert keel.names() == ["made"]
    drawn = keel.task("made", 0.3, 0)
    assert [X.shape for X in drawn.views] == [(65, 3), (65, 2)]
    assert len(drawn.matches[0, 1]) == 30
    numbers, is_blue = drawn.views[0][:, 0], drawn.views[0][:, 1]
    np.testing.assert_array_equal(is_blue, numbers % 2)
    assert len(set(zip(is_blue, drawn.y[drawn.objects[0]], strict=True))) == 2
    shared = drawn.matches[0, 1]
    np.testing.assert_array_equal(numbers[shared[:, 0]], drawn.views[1][shared[:, 1], 1])


def test_the_readme_has_the_index_beside_k_means_of_each_table():
    index = pd.read_csv(factors.OUT).query("matched == 0.3").groupby("method")["ARI"].mean()
    best = index[index.index.str.startswith(EACH)].max()
    said = f"index is {index[JOINT]:.2f}, not {best:.2f}, and F level".replace("0.", ".")
    assert said in " ".join((ROOT / "README.md").read_text("utf-8").split())


@pytest.mark.filterwarnings("ignore:Graph is not fully connected")
@pytest.mark.parametrize("constraints", [0, 20])
def test_every_method_clusters_one_table(tmp_path, monkeypatch, constraints):
    rng, classes = np.random.default_rng(0), np.arange(60) % 2
    table = pd.DataFrame(rng.normal(size=(60, 4)) + 9 * classes[:, None]).assign(y=classes)
    table.to_csv(tmp_path / "made.dat", header=False, index=False)
    monkeypatch.setattr(keel, "folder", lambda: tmp_path)
    for method in one_table.WITH if constraints else one_table.WITHOUT:
        (found,) = one_table.measured(0, "made", constraints, method)
        assert found == {"F": 1, "ARI": 1}


def test_time_series_are_described_by_channel(tmp_path, monkeypatch):
    (tmp_path / "Made_TRAIN.ts").write_text("#about\n@data\n1,3:0,0:up\n2,2:5,7:down\n")
    (tmp_path / "Made_TEST.ts").write_text("@data\n4,0:1,1:up\n")
    monkeypatch.setattr(packaged, "folder", lambda *parts: tmp_path)
    series, classes = packaged.series_of("Made")
    assert classes.tolist() == [0, 1, 0]
    moments = packaged.columns(series, slice(1), packaged.moments)
    assert moments.tolist() == [[2, 1, 2, 1, 3], [2, 0, 0, 2, 2], [2, 2, 4, 0, 4]]
    assert packaged.columns(series, slice(2), np.asarray).shape == (3, 4)
    whole, spectra, _ = packaged.with_spectrum("Made")
    np.testing.assert_array_equal(whole, [[1, 3], [2, 2], [4, 0]])
    np.testing.assert_allclose(spectra, [[4, 2], [4, 0], [4, 4]])


def test_tables_are_taken_whose_columns_tell_classes_but_none_alone(tmp_path, monkeypatch):
    rng, classes = np.random.default_rng(0), np.arange(120) % 2
    X = rng.normal(size=(120, 6)) + 2 * classes[:, None]
    told = pd.DataFrame(X).add_prefix("x").assign(id=np.arange(120), kind=classes, of=classes)
    told["kind"], told["x0"] = told["kind"].map({0: "a", 1: "b"}), told["x0"].where(classes > 0)
    untold = told.drop(columns="of").assign(kind=rng.permutation(told["kind"]))
    files = {"told": told, "copy": told, "untold": untold, "short": told.head(99)}
    for name, frame in files.items():
        frame.round(1).to_pickle(tmp_path / f"{name}.pkl.compress", compression="xz")
    monkeypatch.setattr(factors, "tables", lambda: [*tmp_path.glob("*.compress")])
    (found,) = factors.problems.__wrapped__().values()
    assert [*found[0]] == [f"x{n}" for n in range(1, 6)]  # the gaps of x0 tell it, too
    assert found[1].name == "kind"
