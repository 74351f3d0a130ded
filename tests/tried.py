"""A plugin of pytest that sums up how often each promise was tried, prints it, and writes it where
MVCC_TRIED says.

A test that passes says by the fixture ``tried`` which promise it has tried and how often; a promise
that was broken fails its test.
"""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Callable

import pytest


@pytest.fixture
def tried(record_property: Callable[[str, object], None]) -> Callable[[str, int], None]:
    """Count tries of a promise."""
    return lambda promise, times: record_property("tried", [promise, times])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    counts: Counter[str] = Counter()
    for report in terminalreporter.stats.get("passed", []):
        for name, value in report.user_properties:
            if name == "tried":
                counts[value[0]] += value[1]
    for promise, times in sorted(counts.items()):
        terminalreporter.write_line(f"{promise}: {times:,}")
    if path := os.environ.get("MVCC_TRIED"):
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([("tried", "times"), *sorted(counts.items())])
