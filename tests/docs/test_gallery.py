"""Every example of the gallery runs as it is, without a warning, and ends with a figure."""

from __future__ import annotations

import runpy

import matplotlib
import pytest

from tests.docs.blocks import ROOT

pytestmark = pytest.mark.slow

EXAMPLES = sorted(ROOT.glob("examples/gallery/plot_*.py"))


def test_there_are_four_examples():
    assert len(EXAMPLES) == 4


@pytest.mark.compiled
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_ends_with_a_figure(example, tmp_path, monkeypatch):
    matplotlib.use("agg")
    from matplotlib import pyplot

    shown = []
    monkeypatch.setattr(pyplot, "show", lambda: shown.extend(pyplot.get_fignums()))
    monkeypatch.chdir(tmp_path)
    try:
        runpy.run_path(str(example), run_name="__main__")
    finally:
        pyplot.close("all")
    assert shown
    assert not list(tmp_path.iterdir())
