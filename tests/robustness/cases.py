"""What counts as an answer to bad input: it is understood, or refused clearly."""

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from mvcc.exceptions import InvalidInputError
from tests.command_line import mvcc

# eight rows of four classes
X = np.array(
    [[0.0, 0.1], [0.2, 0.0], [0.1, 0.3], [4.0, 4.1], [4.2, 4.0], [0.0, 4.0], [0.3, 4.2], [4.1, 0.2]]
)
LABELS = [0, 0, 0, 1, 1, 2, 2, 3]

MOST_CHARACTERS = 8000
LEAST_WORDS = 3

tally = Counter()  # of the cases of this process: refused, valid

# what a fit may say of a result that is valid
with_warnings = pytest.mark.filterwarnings(
    "ignore::mvcc.exceptions.PropagationWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)


def many(number, /, **strategies):
    """Test a property on so many cases with the profile "thorough", on others by other profiles.

    Arguments of the property that have no strategy are fixtures, the same ones for all cases.
    """
    share = settings.default.max_examples / settings.get_profile("thorough").max_examples
    cases = settings(
        max_examples=max(2, round(number * share)),
        derandomize=True,
        database=None,
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
            HealthCheck.filter_too_much,
            HealthCheck.function_scoped_fixture,
        ],
    )
    return lambda test: cases(given(**strategies)(test))


def answer(call, *names, error=InvalidInputError):
    """Return what a call gives, or None where a message refuses it that has a name or pattern."""
    value, refusal = None, ""
    try:
        value = call()
    except error as refused:
        refusal = str(refused) or "(no message)"
    if refusal:
        assert_clear(refusal, *names)
    else:
        assert value is not None
    tally["refused" if refusal else "valid"] += 1
    return value


def command(*arguments, codes, names):
    """Run ``mvcc``; return what it prints, or None where it ends with a code and a message."""
    code, printed, said = mvcc(*arguments)
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


def assert_clustering(fitted, n):
    k = fitted.n_clusters
    assert fitted.labels_.shape == (n,)
    assert set(fitted.labels_) <= set(range(k))
    assert len(fitted.cluster_centers_) == k
    assert np.isfinite(fitted.cluster_centers_).all()
    assert np.isfinite(getattr(fitted, "metrics_", 0.0)).all()
    assert np.isfinite(fitted.objective_)
