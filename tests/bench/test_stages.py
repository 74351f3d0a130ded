"""Timers change nothing but the time, are taken off again, and the stages add up to the trial."""

from pkgutil import resolve_name

import pandas as pd
import pytest

from mvcc.experiments import _trial, load_config
from scripts.bench import stages
from scripts.bench.stages import STAGES, TOTALS, Stopwatch, measure, timers

NARROWED = ["trials=1", "multi_view.mapped=[0.4]", "multi_view.constraints=[50]"]
NARROWED += ["single_view.constraints=[10]"]


def wrapped():
    return [resolve_name(name) for names in STAGES.values() for name in names]


@pytest.fixture(scope="module")
def config():
    return load_config(stages.CONFIGS[0], NARROWED)


@pytest.fixture(scope="module")
def table(config):
    return measure(1, [config])


def test_the_stages_add_up_to_the_trial(table):
    names = [*STAGES]
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
