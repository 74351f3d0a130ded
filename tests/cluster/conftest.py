from __future__ import annotations

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests have recorded as "agreement": how many fits equal those of the reference implementation."""
    reports = [report for outcome in ("passed", "failed") for report in terminalreporter.stats.get(outcome, [])]
    lines = [line for report in reports for name, line in report.user_properties if name == "agreement"]
    for line in sorted(set(lines)):
        terminalreporter.write_line(line)
