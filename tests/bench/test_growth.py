"""What the benchmark of growing views draws, measures alone, leaves out, keeps and writes."""

import numpy as np
import pandas as pd
import pytest

from scripts.bench import beyond, growth, one_fit, page

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


def test_a_third_of_the_rows_match_and_the_data_are_the_same_every_time():
    problem, again = one_fit.draw_problem(90), one_fit.draw_problem(90)
    first, second = problem.matches.T
    assert len(problem.matches) == len(np.unique(first)) == len(np.unique(second)) == 30
    assert (problem.labels[0][first] == problem.labels[1][second]).all()
    assert (problem.labels[0] != problem.labels[1]).any()
    assert [X.shape for X in problem.views] == [(90, 32)] * 2
    assert all(np.array_equal(*both) for both in zip(problem.views, again.views, strict=True))
    assert len(problem.judged) == 160


def test_data_drawn_in_blocks_are_curved_clusters(monkeypatch):
    monkeypatch.setattr(one_fit, "BLOCK", 64)
    problem = one_fit.draw_problem(4_000)
    X, y = problem.views[0], problem.labels[0]
    own = X[y == 3] - X[y == 3].mean(axis=0)
    spreads = np.linalg.svd(own, compute_uv=False) ** 2 / len(own)
    assert spreads[2] > 2 * 0.8**2, "three dimensions stand out of the noise"
    assert np.median(spreads) < 2 * 0.8**2


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


@pytest.fixture
def table(calls):
    return growth.with_ratios(list(growth.measure([1_000, 3_000, 10_000], 120)))


def test_ratios_exponents_and_the_memory_beside_the_data(table):
    ran = table[table["stopped"] == ""].set_index(["method", "n"])
    for number, method in enumerate(METHODS, 1):
        assert ran.loc[method, "times_kmeans"].to_numpy() == pytest.approx(number)
        assert ran.loc[method, "exponent"].to_numpy()[1:] == pytest.approx(2)
    assert np.isnan(ran["exponent"].xs(1_000, level="n")).all()
    assert ran["times_data"].xs(10_000, level="n").to_numpy() == pytest.approx(1)


def test_tables_have_what_was_measured_stopped_and_left_out(table):
    text = growth.tables(table)
    assert "| 1,000 | 1 s | 2 s, 2 × | 3 s, 3 × | 4 s, 4 × |" in text
    assert "| 3,000 | 9 s, n^2.00 | 18 s, 2 ×, n^2.00 | 27 s, 3 ×, n^2.00 | > 120 s |" in text
    assert "| 10,000 | 100 s, n^2.00 | 200 s, 2 ×, n^2.00 | 300 s, 3 ×, n^2.00 | – |" in text
    assert "| 3,000 | 0.500 | 0.500 | 0.500 | – |" in text
    assert "| 1,000 | 5.1 MB, 10 × | 5.1 MB, 10 × | 5.1 MB, 10 × | 5.1 MB, 10 × |" in text


def test_a_short_run_writes_nothing(calls, folder, capsys):
    growth.main([])
    assert {n for n, _ in calls} == set(growth.SHORT)
    assert "| 30,000 |" in capsys.readouterr().out
    assert [path.name for path in folder.iterdir()] == ["page.md"]
    assert "old" in page.PAGE.read_text("utf-8")


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


def test_machines_share_all_parts_but_the_fit():
    parts = pd.DataFrame(
        {"part": ["label", "fit", "read", "write"], "rows": [10**6, 10**5, 10**6, 10**7]}
    )
    parts["seconds"] = [20.0, 60.0, 2.0, 5.0]
    expected = beyond.seconds(parts, 10**9, 100)
    assert expected.to_dict() == pytest.approx({"fit": 60, "read": 20, "label": 200, "write": 5})
    text = beyond.table(parts)
    assert "| fit | 60 s, 100,000 rows | 60 s | 60 s |" in text
    assert "| label | 20,000 ns for each row, 1,000,000 rows | 5.56 h | 3.33 min |" in text
    assert "| together | | 6.27 h | 4.75 min |" in text
    assert "not measured yet" in beyond.table(None)
