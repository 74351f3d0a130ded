"""One thread of BLAS, LAPACK and OpenMP: several sum in another order, and wait for each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController


@contextmanager
def one_thread() -> Iterator[None]:
    """Let the libraries of NumPy, SciPy and scikit-learn use one thread."""
    with _libraries("openmp").limit(limits=1), _blas:
        yield


class _OneOfBLAS:
    """The limit of BLAS: threads of Python share it, and the last to leave takes it away.

    If each had its own, the first to leave would free the others, and the last one would bring back
    what it found, the limit of the first. That of OpenMP is each thread's own.
    """

    def __init__(self) -> None:
        self._lock, self._inside = Lock(), 0
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._limit = _libraries("blas").limit(limits=1)
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._limit.restore_original_limits()


_blas = _OneOfBLAS()


@cache
def _libraries(kind: str) -> ThreadpoolController:
    """Look for the libraries once, since this reads the map of the whole process."""
    # those of a package are found only once it is imported
    import sklearn.base  # noqa: F401

    # chosen here: a limit of one kind alone would bring back all kinds in the end
    return ThreadpoolController().select(user_api=kind)
