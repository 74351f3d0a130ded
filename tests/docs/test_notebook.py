"""The notebook is the page of the gallery, and runs."""

import json
import tempfile

import matplotlib
import pytest

from scripts.notebook import NOTEBOOK, notebook


@pytest.mark.exact_bits
def test_the_notebook_is_the_page_of_the_gallery():
    assert NOTEBOOK.read_text(encoding="utf-8") == notebook(), (
        "make it anew: python -m scripts.notebook"
    )


@pytest.mark.slow
def test_the_cells_of_the_notebook_run(tmp_path, monkeypatch):
    matplotlib.use("agg")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    names = {}
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert {path.name for path in names["folder"].iterdir()} == {
        "minerals.csv",
        "phenols.csv",
        "report.html",
    }
    assert (names["folder"] / "report.html").stat().st_size > 10**5
