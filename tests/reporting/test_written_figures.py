"""Figures are written whole or not at all, with the same bytes for the same curves."""

import sys
from pathlib import Path

import matplotlib
import pytest

from mvcc.exceptions import StoreError
from mvcc.reporting.figures import FIGURES, plot

FROM_CURVES = ["difference", "4", "5", "6", "7"]  # what multi-view results alone give
FEW = {"bases": ("pck-means",), "fractions": (0.4, 1.0)}
NAMES = sorted(
    f"{name}.{end}"
    for name in ("figure_04", "figure_05", "figure_06", "figure_07", "difference")
    for end in ("pdf", "png")
)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def folder(tmp_path, curves, finish):
    return finish(tmp_path / "results", curves(**FEW))


@pytest.mark.slow
def test_figures_go_to_the_results_folder_without_pyplot(tmp_path, curves, finish, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)  # importing it fails
    finish(tmp_path / "one", curves(**FEW))
    written, figures = plot(tmp_path), tmp_path / "figures"
    assert list(written) == FROM_CURVES
    assert written["4"] == [figures / "figure_04.png", figures / "figure_04.pdf"]
    assert written["difference"][0] == figures / "difference.png"
    assert names(figures) == [".mvcc-files", *NAMES]


def test_figures_go_where_they_are_told(tmp_path, folder):
    plot(folder, figures=["6", "4"], out=tmp_path / "some" / "place")
    asked_for = [name for name in NAMES if name[-6:-4] in ("04", "06")]
    assert names(tmp_path / "some" / "place") == [".mvcc-files", *asked_for]
    assert names(folder) == ["curves.csv", "manifest.json", "scores.csv.gz"]


@pytest.mark.slow
def test_the_same_curves_give_the_same_bytes_whatever_the_users_settings(tmp_path, folder):
    def drawn(name):
        written = plot(folder, ["4", "difference"], tmp_path / name).values()
        return [path.read_bytes() for paths in written for path in paths]

    first = drawn("first")
    with matplotlib.rc_context({"font.size": 20, "savefig.dpi": 50, "lines.linewidth": 9}):
        assert drawn("second") == first
    assert len(first) == 4
    assert not any(word in file for file in first for word in (b"Date", b"Software", b"Producer"))


def test_a_failed_write_leaves_the_old_figure_and_no_rest(folder, monkeypatch):
    (folder / "figures").mkdir()
    (folder / "figures" / "figure_04.png").write_text("old")

    def full_disk(path, content):
        raise OSError(28, "No space left on device")

    with pytest.raises(StoreError, match=r"figure_04\.png exists\. .* or replace it with --fresh"):
        plot(folder, ["4"])
    monkeypatch.setattr(Path, "write_bytes", full_disk)
    why = r"figure_06\.png cannot be written: No space left on device\. Make room, or .*--out"
    with pytest.raises(StoreError, match=why):
        plot(folder, ["6"])
    assert names(folder / "figures") == ["figure_04.png"]
    assert (folder / "figures" / "figure_04.png").read_text() == "old"


@pytest.mark.parametrize("figures", [(), ["4"]])
def test_results_without_what_a_figure_shows_are_an_error(tmp_path, curves, finish, figures):
    finish(tmp_path, curves().assign(study="closure"))
    with pytest.raises(StoreError, match="only multi-view experiments of the study closure"):
        plot(tmp_path, figures=figures)
    assert not (tmp_path / "figures").exists()


def test_figures_without_results_are_skipped_unless_asked_for(folder, monkeypatch):
    for name in ("99", *FROM_CURVES[:-1]):
        monkeypatch.setitem(FIGURES, name, lambda results: None)
    assert list(plot(folder)) == ["7"]
    with pytest.raises(StoreError, match="Figure 99"):
        plot(folder, figures=["99"])
