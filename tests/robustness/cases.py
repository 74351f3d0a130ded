"""What the tests of bad input share: how many cases there are, and what counts as an answer.

The promise is one for all: whatever comes in, either it is understood, or it is refused in one clear message, at once.
"""

from __future__ import annotations

import inspect
import re
import sys
import time
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings

from mvcc.cli import main
from mvcc.exceptions import InvalidInputError

SLOW = 25  # times as many cases in the slow tests
MOST_SECONDS = 5.0  # of a processor, for one case
MOST_CHARACTERS = 8000
LEAST_WORDS = 3

tally = Counter()  # of the cases of this process: refused, valid

# what a fit may say of a result that is valid
with_warnings = pytest.mark.filterwarnings(
    "ignore::mvcc.exceptions.PropagationWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)

_deterministic = settings(
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
_efforts = [pytest.param(1, id="fast"), pytest.param(SLOW, id="slow", marks=pytest.mark.slow)]


def many(number, /, **strategies):
    """Test a property on so many cases, and on ``SLOW`` times as many in a test that is marked slow.

    Arguments of the property that have no strategy are fixtures, the same ones for all cases.
    """

    def decorate(test):
        def run(effort, **fixtures):
            settings(_deterministic, max_examples=number * effort)(given(**strategies)(test))(**fixtures)

        signature = inspect.signature(test)
        fixtures = [parameter for name, parameter in signature.parameters.items() if name not in strategies]
        effort = inspect.Parameter("effort", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        run.__signature__ = signature.replace(parameters=[effort, *fixtures])
        run.__name__, run.__doc__, run.__module__ = test.__name__, test.__doc__, test.__module__
        return pytest.mark.parametrize("effort", _efforts)(run)

    return decorate


def answer(call, *names, error=InvalidInputError):
    """Return what a call gives, or None where it is refused in a message that has one of the names.

    A name is a word, or a regular expression. Any other exception fails the test, and so does a warning.
    """

    def attempt():
        try:
            return call(), ""
        except error as refusal:
            return None, str(refusal) or "(no message)"

    value, refusal = _at_once(attempt)
    if refusal:
        assert_clear(refusal, *names)
    else:
        assert value is not None
    tally["refused" if refusal else "valid"] += 1
    return value


def command(*arguments, codes, names):
    """Run ``mvcc`` and return what it prints, or None where it ends with one of the codes and a message."""

    def attempt():
        # as Python opens them: what cannot be encoded is an error in one, and escaped in the other
        out, err = (TextIOWrapper(BytesIO(), "utf-8", errors=errors) for errors in ("strict", "backslashreplace"))
        arguments_given = patch.object(sys, "argv", ["mvcc", *map(str, arguments)])
        with arguments_given, redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
            main()
        for stream in (out, err):
            stream.flush()
        return ended.value.code, out.buffer.getvalue().decode(), err.buffer.getvalue().decode()

    code, printed, said = _at_once(attempt)
    assert "Traceback" not in printed + said
    complaint = "".join(line for line in said.splitlines(keepends=True) if not line.startswith("Next: "))
    assert bool(complaint) == (code in codes), complaint
    assert bool(printed) == (code not in codes)
    assert code in (0, 3, *codes)
    if complaint:
        assert_clear(complaint, *names)
    tally["refused" if complaint else "valid"] += 1
    return printed or None


def assert_clear(message, *names):
    """Check that a message is short and can be shown, and that it says where and what is wrong."""
    assert len(message) <= MOST_CHARACTERS, f"{len(message)} characters: {message[:300]}"
    assert message.replace("\n", "").isprintable(), ascii(message)
    assert any(re.search(rf"\b{name}\b" if name.isidentifier() else name, message) for name in names), message
    assert len(re.findall(r"[a-zA-Z]{2,}", message)) >= LEAST_WORDS, message


def _at_once(attempt):
    """Return what an attempt gives, if it takes no time; the first one may import modules and compile kernels."""
    for _ in range(2):
        began = time.process_time()
        result = attempt()
        seconds = time.process_time() - began
        if seconds < MOST_SECONDS:
            return result
    raise AssertionError(f"this took {seconds:.1f} seconds")
