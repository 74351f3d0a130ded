"""What all tests share: tiers, the data they may need, a last line of what was left out."""

import gc
import os
import re
import warnings
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

# threads of libraries that wait for more to do sleep: beside other work, they took most of the time
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "16")  # waits for 2 to the power of it

import numba
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings

from tests import tried
from tests.browser.chromium import CHROMIUM

# what imports make stays to the end, and is looked through as rarely as in the command line
gc.set_threshold(500_000)

# no test waits for the disk: what a process has written outlives its kill, and none cuts the power
os.fsync = os.fstat  # of a handle that is none, an error as well

# how many examples a property is tried on: in `make test`, `make test-all` and `make reliability`;
# numba compiles at the first call, so that a deadline would measure the compiler
for _profile, _examples in {"quick": 15, "thorough": 100, "exhaustive": 2500}.items():
    settings.register_profile(
        _profile,
        max_examples=_examples,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
# the same examples at every run, and no time spent on making a failing one smaller
settings.register_profile(
    "mutation",
    settings.get_profile("thorough"),
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
)
settings.load_profile("quick")

# what a run may leave out by its marker, and the command that runs it
_TIERS = {"reliability": "make reliability", "slow": "make test-all", "exact_bits": "make test"}
_NEEDS = {"data": "MVCC_DATA", "reference": "MVCC_REFERENCE"}


def pytest_addoption(parser):
    parser.addoption(
        "--first-parameters",
        action="store_true",
        help="run every test with its first parameters alone",
    )


def pytest_make_parametrize_id(val):
    """Name a text by its letters; pytest does not find a test by a name with a backslash."""
    if isinstance(val, list) and val:
        val = val[0]
    if isinstance(val, bytes):
        val = val.decode("latin-1")
    if not isinstance(val, str):
        return None
    return re.sub(r"[^\w./,:=-]+", " ", val, flags=re.ASCII).strip()[:40]


def pytest_configure(config):
    config.pluginmanager.register(tried)
    for variable in _NEEDS.values():
        if os.environ.get(variable):
            os.environ[variable] = str(Path(os.environ[variable]).resolve())


@pytest.fixture
def rng():
    """Draw the same numbers whichever tests ran before."""
    return np.random.default_rng(0)


def is_worker(config):
    return hasattr(config, "workerinput")


@pytest.hookimpl(tryfirst=True)  # what xdist returns ends the call of this hook
def pytest_collection(session):
    """Fill numba's cache while workers collect, which would all compile the same kernels."""
    config = session.config
    starts_workers = getattr(config.option, "numprocesses", None) and not is_worker(config)
    if starts_workers and not numba.config.DISABLE_JIT:
        from mvcc.multiview import compile_all_kernels

        with warnings.catch_warnings(action="ignore"):  # of fits of a dozen rows
            compile_all_kernels()


@pytest.hookimpl(tryfirst=True)  # before the tests are shuffled
def pytest_collection_modifyitems(config, items):
    if config.getoption("first_parameters"):
        first = {item.nodeid.split("[")[0]: item for item in reversed(items)}
        items[:] = [item for item in items if first[item.nodeid.split("[")[0]] is item]
    missing = {marker: name for marker, name in _NEEDS.items() if not os.environ.get(name)}
    if numba.config.DISABLE_JIT:
        missing["compiled"] = "numba's compiler"
    if CHROMIUM is None or find_spec("playwright") is None:
        missing["browser"] = "Chromium and playwright"
    for marker, need in missing.items():
        for item in items:
            if item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=f"needs {need}"))


def pytest_deselected(items):
    for item in items:
        markers = [marker for marker in _TIERS if item.get_closest_marker(marker)]
        item.config.stash.setdefault(_LEFT_OUT, Counter()).update(markers[:1])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    # every worker of xdist collects, and so leaves out, the same tests
    node.config.stash[_LEFT_OUT] = Counter(getattr(node, "workeroutput", {}).get("left out", {}))


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left out"] = dict(
            session.config.stash.get(_LEFT_OUT, Counter())
        )


def pytest_terminal_summary(terminalreporter, config):
    skipped = terminalreporter.stats.get("skipped", [])
    config.stash[_SKIPPED] = Counter(
        str(report.longrepr[-1]).removeprefix("Skipped: ") for report in skipped
    )
    # how many fits equal those of the reference implementation
    agreement = {
        line
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, [])
        for name, line in report.user_properties
        if name == "agreement"
    }
    for line in sorted(agreement):
        terminalreporter.write_line(line)


_SKIPPED = pytest.StashKey[Counter[str]]()
_LEFT_OUT = pytest.StashKey[Counter[str]]()


def pytest_unconfigure(config):
    """Say in the very last line what was not tested, and what it takes to test it."""
    if is_worker(config):
        return
    tiers, skipped = config.stash.get(_LEFT_OUT, Counter()), config.stash.get(_SKIPPED, Counter())
    parts = [f"{count:,} {marker} tests ({_TIERS[marker]})" for marker, count in tiers.items()]
    parts += [f"{count:,} skipped: {reason}" for reason, count in skipped.most_common()]
    if parts:
        print(f"Left out: {'; '.join(parts)}.")
