"""Every test says how many cases of bad input it has tried."""

import pytest

from tests.robustness.cases import tally


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    before = tally.total()
    try:
        return (yield)
    finally:
        tries = tally.total() - before
        pyfuncitem.user_properties.append(("tried", ["input spoilt", tries]))
