"""What the benchmark of growing views draws, measures alone, leaves out, keeps and writes."""

import pytest

from scripts.bench import growth, one_fit, page

METHODS = list(growth.NAMES)


def measured(n, method, seconds=1.0, stopped=""):
    values = (
        {} if stopped else {"seconds": seconds, "elapsed": 2 * seconds, "peak_mb": 5.12, "f": 0.5}
    )
    return {"n": n, "method": method, "stopped": stopped} | values


@pytest.fixture
def calls(monkeypatch):
    """Replace processes by times that grow with n²; spectral clustering stops at 3,000 rows."""
    made = []

    def alone(method, n, bound):
        made.append((n, method))
        stopped = "> 120 s" if (n, method) == (3_000, "spectral-clustering") else ""
        return measured(n, method, 1e-6 * n**2 * (1 + METHODS.index(method)), stopped)

    monkeypatch.setattr(growth, "measured_alone", alone)
    monkeypatch.setattr(growth, "compile_all_kernels", lambda: None)
    return made


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setattr(growth, "RESULTS", tmp_path)
    monkeypatch.setattr(page, "PAGE", tmp_path / "page.md")
    page.PAGE.write_text(
        "before\n\n<!-- growth -->\nold\n<!-- end of growth -->\n\nafter\n", "utf-8"
    )
    return tmp_path


@pytest.mark.filterwarnings("ignore::mvcc.exceptions.PropagationWarning")
def test_fits_of_every_method_label_both_views():
    problem = one_fit.draw_problem(120)
    assert list(one_fit.FITS) == METHODS
    for fit in one_fit.FITS.values():
        assert [len(labels) for labels in fit(problem)] == [120, 120]


@pytest.mark.slow
def test_a_measurement_alone_has_its_time_and_its_own_memory():
    small, large = (growth.measured_alone("k-means", n, 60) for n in (1_000, 20_000))
    assert 0 < small["seconds"] < large["seconds"]
    data = 20_000 * 32 * 8e-6  # of one view, which KMeans copies
    assert small["peak_mb"] < 4
    assert 0.9 * data < large["peak_mb"] < 3 * data
    assert 0 < large["f"] <= 1


def test_an_interrupted_run_goes_on_and_a_finished_one_starts_anew(calls, folder, monkeypatch):
    alone = growth.measured_alone

    def interrupted(method, n, bound):
        if len(calls) == 6:
            raise KeyboardInterrupt
        return alone(method, n, bound)

    monkeypatch.setattr(growth, "measured_alone", interrupted)
    with pytest.raises(KeyboardInterrupt):
        growth.main(["--store"])
    assert not (folder / "growth.csv").exists()
    monkeypatch.setattr(growth, "measured_alone", alone)
    growth.main(["--store"])
    assert len(calls) == len(set(calls)) == 4 * 4 - 2
    assert page.block("growth") == growth.tables(growth.stored(folder / "growth.csv"))
    assert page.PAGE.read_text("utf-8").startswith("before\n\n<!-- growth -->\n")
    assert page.PAGE.read_text("utf-8").endswith("<!-- end of growth -->\n\nafter\n")
    assert (folder / "growth.png").stat().st_size > 10_000
    growth.main(["--store"])
    assert len(calls) == 2 * (4 * 4 - 2)
