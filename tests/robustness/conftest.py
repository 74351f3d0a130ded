"""Every test says how many cases of bad input it has tried, and how they ended."""

import pytest

from tests.robustness.cases import tally


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    before = tally.copy()
    try:
        return (yield)
    finally:
        counts = tally - before
        pyfuncitem.user_properties.append(("bad input", (counts["refused"], counts["valid"])))
        pyfuncitem.user_properties.append(("tried", ["input spoilt", counts.total()]))
