"""Timers change nothing but the time, are taken off again, and the stages add up to the trial."""

import gc
from pkgutil import resolve_name

import numba
import numpy as np
import pandas as pd
import pytest

from mvcc.experiments import _trial, load_config
from scripts.bench import stages
from scripts.bench.stages import STAGES, TOTALS, Stopwatch, measure, shown, timers

NARROWED = ["trials=1", "multi_view.mapped=[0.4]", "multi_view.constraints=[50]"]
NARROWED += ["single_view.constraints=[10]"]


def wrapped():
    return [
        vars(resolve_name(owner))[attribute] for _, places in STAGES for owner, attribute in places
    ]


@pytest.fixture(scope="module")
def config():
    return load_config(stages.CONFIGS[0], NARROWED)


@pytest.fixture(scope="module")
def table(config):
    return measure(1, [config])


def test_the_stages_add_up_to_the_trial(table):
    names = [stage for stage, _ in STAGES]
    assert list(table.columns) == ["dataset", "stage", "ms_per_trial", "share"]
    assert list(table["stage"]) == [*names, *TOTALS]
    assert set(table["dataset"]) == {"four_quadrants"}
    assert table["share"].sum() == pytest.approx(1)
    ms = table.set_index("stage")["ms_per_trial"]
    assert ms[names].sum() == pytest.approx(ms[TOTALS[0]])
    assert (ms > 0).all(), "a function of this stage is not called where it is looked up"


def test_a_stage_is_not_charged_with_another_one_in_it(monkeypatch):
    clock = iter([0, 1, 11, 12, 100, 103])
    monkeypatch.setattr(stages, "process_time_ns", lambda: next(clock))
    watch = Stopwatch()

    def fail():
        raise ValueError

    inner, failing = watch.timed("inner", lambda: "result"), watch.timed("inner", fail)
    assert watch.timed("outer", inner)() == "result"
    assert watch.spent == {"outer": 1 + 1, "inner": 10}
    with pytest.raises(ValueError):
        failing()
    assert watch.spent == {"outer": 1 + 1, "inner": 10 + 3}


def test_timers_do_not_change_the_results_and_are_taken_off(config):
    before = wrapped()
    plain = _trial.run_trial(config, 0)
    with timers() as spent:
        assert all(now is not former for now, former in zip(wrapped(), before, strict=True))
        timed = _trial.run_trial(config, 0)
    assert spent.total() > 0
    pd.testing.assert_frame_equal(timed, plain, check_exact=True)
    assert all(now is former for now, former in zip(wrapped(), before, strict=True))


@pytest.mark.parametrize(
    "owner", ["mvcc.multiview.co_em._loop", "mvcc.multiview.co_em._loop.CoEM", "mvcc.no_module"]
)
def test_a_name_that_does_not_exist_fails_and_leaves_no_timer(owner):
    before = wrapped()
    with (
        pytest.raises(AttributeError, match=r"no_name|no_module"),
        timers([*STAGES, ("new", [(owner, "no_name")])]),
    ):
        pass
    assert all(now is former for now, former in zip(wrapped(), before, strict=True))


def test_one_thread_and_no_collection_only_while_it_measures(config, monkeypatch):
    seen, before = [], numba.get_num_threads()

    def rows(config, trials):
        seen.append((numba.get_num_threads(), gc.isenabled()))
        return []

    monkeypatch.setattr(stages, "_rows", rows)
    measure(1, [config])
    assert seen == [(1, False)]
    assert (numba.get_num_threads(), gc.isenabled()) == (before, True)


def test_a_data_set_without_its_files_is_left_out(monkeypatch, capsys):
    monkeypatch.setattr(stages, "find_file", lambda file: None)
    assert measure(1, stages.CONFIGS[1:2]).empty
    said = capsys.readouterr().err
    assert said.startswith("protein is left out; missing: protein")
    assert said.endswith(". Set MVCC_DATA.\n")


def test_it_prints_a_line_per_stage_and_stores_the_table(table, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(stages, "measure", lambda: table)
    monkeypatch.setattr(stages, "ROOT", tmp_path)
    stages.main()
    assert shown(table) in capsys.readouterr().out
    lines = shown(table).splitlines()
    assert lines[0].split()[-1] == "four_quadrants"
    assert [line.split("  ")[0] for line in lines[1:]] == list(table["stage"])
    stored = pd.read_csv(tmp_path / "results" / "stages.csv")
    pd.testing.assert_frame_equal(stored, table, check_dtype=False, rtol=1e-5)
    assert np.isnan(stored["share"]).sum() == len(TOTALS)
