"""What all tests share: the data they may need, and a count of those skipped without it."""

from __future__ import annotations

import os
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import numba
import pytest
from hypothesis import Phase, settings

from tests import objective, tried
from tests.browser.chromium import CHROMIUM

# the same examples at every run, and no time spent on making a failing one smaller
settings.register_profile("mutation", derandomize=True, database=None, phases=[Phase.explicit, Phase.generate])

_NEEDS = {"data": "MVCC_DATA", "reference": "MVCC_REFERENCE"}


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(objective)
    config.pluginmanager.register(tried)
    for variable in _NEEDS.values():
        if os.environ.get(variable):
            os.environ[variable] = str(Path(os.environ[variable]).resolve())
    if getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput"):
        _compile_once()


def _compile_once() -> None:
    """Fill numba's cache before workers start: they would all compile the same kernels at the same time."""
    from mvcc.experiments import Config
    from mvcc.experiments._trial import warm_up

    warm_up(
        Config.model_validate(
            {
                "name": "warm_up",
                "dataset": "four_quadrants",
                "multi_view": {"threshold": 0.75, "mapped": (1.0,), "constraints": (0,)},
            }
        )
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = {marker: variable for marker, variable in _NEEDS.items() if not os.environ.get(variable)}
    if numba.config.DISABLE_JIT:
        missing["compiled"] = "numba's compiler"
    if CHROMIUM is None or find_spec("playwright") is None:
        missing["browser"] = "Chromium and playwright"
    for marker, need in missing.items():
        for item in items:
            if item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=f"needs {need}"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    config.stash[_SKIPPED] = Counter(str(report.longrepr[-1]).removeprefix("Skipped: ") for report in skipped)
    # how many fits equal those of the reference implementation
    reports = [report for outcome in ("passed", "failed") for report in terminalreporter.stats.get(outcome, [])]
    agreement = {line for report in reports for name, line in report.user_properties if name == "agreement"}
    for line in sorted(agreement):
        terminalreporter.write_line(line)
    # what became of bad input; a failed test has met a traceback
    answers = [
        (report.failed, *counts) for report in reports for name, counts in report.user_properties if name == "bad input"
    ]
    if answers:
        tracebacks, refused, valid = map(sum, zip(*answers, strict=True))
        terminalreporter.write_line(
            f"{refused + valid:,} cases of bad input: {refused:,} refused with a message, {valid:,} valid, "
            f"{tracebacks} tracebacks"
        )


_SKIPPED = pytest.StashKey[Counter[str]]()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Say in the very last line how much was not tested, and what it takes to test it."""
    skipped = config.stash.get(_SKIPPED, Counter())
    if skipped:
        reasons = ", ".join(f"{reason} ({count})" for reason, count in skipped.most_common())
        print(f"Skipped tests: {skipped.total()}; {reasons}.")
