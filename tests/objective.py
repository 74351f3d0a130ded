"""A plugin of pytest that watches every fit of PCKMeans in the tests: its objective never rises (Eq. 1, §3.1).

A fit is repeated one iteration at a time from the same start. That must end at the same bits, and nowhere on the way
may the objective be higher than before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

import numpy as np
import pytest

from mvcc import PCKMeans
from mvcc.cluster._kernels.pck import pck_fit

# a rise within rounding, as a share of the objective: each of its terms, and each cost of a sweep, is rounded
ROUNDING = 1e-12

_MOST_ROWS = 5000  # for more rows a repeated fit takes too long
_checked: list[int] = []  # one entry for each fit of this process


def watched(iterate: Callable[..., None]) -> Callable[..., None]:
    """Return ``PCKMeans._iterate`` with the check behind it."""

    @wraps(iterate)
    def and_check(self: PCKMeans, X: Any, centers: Any, labels: Any, constraints: Any, *limits: Any) -> None:
        start = centers.copy(), labels.copy()
        iterate(self, X, centers, labels, constraints, *limits)
        if len(X) <= _MOST_ROWS:
            check_descent(self, X, *start, constraints)
            _checked.append(1)

    return and_check


def check_descent(model: PCKMeans, X: Any, centers: Any, labels: Any, constraints: Any) -> None:
    """Repeat a fit from its start, both changed in place, and hold every iteration against the one before."""
    objectives = np.array([pck_fit(X, centers, labels, *constraints, 1, 0.0)[0] for _ in range(model.n_iter_)])
    np.testing.assert_array_equal(labels, model.labels_)
    np.testing.assert_array_equal(centers, model.cluster_centers_)
    np.testing.assert_equal(objectives[-1], model.objective_)
    with np.errstate(invalid="ignore"):  # data too large to square
        rises = np.diff(objectives)
    # a mean is rounded as well: its points are farther from what is stored, by the square of that
    allowed = ROUNDING * np.abs(objectives[:-1]) + X.size * (np.finfo(float).eps * np.abs(X).max()) ** 2
    assert not (rises > allowed).any(), f"the objective of PCK-Means rises: {objectives.tolist()}"


@pytest.fixture(scope="session", autouse=True)
def every_fit_descends() -> Iterator[None]:
    """Watch from before the first fixture that fits."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PCKMeans, "_iterate", watched(PCKMeans._iterate))
        yield


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """Count the fits of every test."""
    before = len(_checked)
    try:
        return (yield)
    finally:
        if fits := len(_checked) - before:
            pyfuncitem.user_properties.append(("tried", ["fit of PCK-Means watched: its objective never rises", fits]))
