"""One thread of BLAS, LAPACK and OpenMP: several sum in another order, and wait for each other."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[Any]:
    """Return a context in which the libraries of NumPy, SciPy and scikit-learn use one thread."""
    return _libraries().limit(limits=1)


@cache
def _libraries() -> ThreadpoolController:
    """Look for the libraries once, since this reads the map of the whole process."""
    # those of a package are found only once it is imported
    import sklearn.base  # noqa: F401

    return ThreadpoolController()
