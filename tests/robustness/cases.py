"""What the tests of bad input share: how many cases there are, and what counts as an answer.

The promise is one for all: whatever comes in, either it is understood, or it is refused in one
clear message, at once.
"""

from __future__ import annotations

import inspect
import re
import time
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings

from mvcc.exceptions import InvalidInputError
from tests.command_line import mvcc

MOST_SECONDS = 5.0  # of a processor, for one case
MOST_CHARACTERS = 8000
LEAST_WORDS = 3

tally = Counter()  # of the cases of this process: refused, valid

# what a fit may say of a result that is valid
with_warnings = pytest.mark.filterwarnings(
    "ignore::mvcc.exceptions.PropagationWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)


def many(number, /, **strategies):
    """Test a property on so many cases with the profile "thorough", on fewer or more of them with
    others.

    Arguments of the property that have no strategy are fixtures, the same ones for all cases.
    """

    def decorate(test):
        def run(**fixtures):
            share = settings.default.max_examples / settings.get_profile("thorough").max_examples
            cases = settings(
                max_examples=max(2, round(number * share)),
                derandomize=True,
                database=None,
                suppress_health_check=[
                    HealthCheck.too_slow,
                    HealthCheck.data_too_large,
                    HealthCheck.filter_too_much,
                ],
            )
            cases(given(**strategies)(test))(**fixtures)

        signature = inspect.signature(test)
        fixtures = [
            parameter for name, parameter in signature.parameters.items() if name not in strategies
        ]
        run.__signature__ = signature.replace(parameters=fixtures)
        run.__name__, run.__doc__, run.__module__ = test.__name__, test.__doc__, test.__module__
        return run

    return decorate


def answer(call, *names, error=InvalidInputError):
    """Return what a call gives, or None where it is refused in a message that has one of the names.

    A name is a word, or a regular expression. Any other exception fails the test, and so does a
    warning.
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
    """Run ``mvcc`` and return what it prints, or None where it ends with one of the codes and a
    message.
    """
    code, printed, said = _at_once(lambda: mvcc(*arguments))
    assert "Traceback" not in printed + said
    complaint = "".join(
        line for line in said.splitlines(keepends=True) if not line.startswith("Next: ")
    )
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
    assert any(
        re.search(rf"\b{name}\b" if name.isidentifier() else name, message) for name in names
    ), message
    assert len(re.findall(r"[a-zA-Z]{2,}", message)) >= LEAST_WORDS, message


def _at_once(attempt):
    """Return what an attempt gives, if it takes no time.

    The first one may import modules and compile kernels.
    """
    for _ in range(2):
        began = time.process_time()
        result = attempt()
        seconds = time.process_time() - began
        if seconds < MOST_SECONDS:
            return result
    raise AssertionError(f"this took {seconds:.1f} seconds")
