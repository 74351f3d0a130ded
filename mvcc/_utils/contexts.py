"""Contexts of computations: one thread of BLAS, LAPACK and OpenMP, and no warnings of libraries.

Several threads sum in another order, and wait for each other.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

from mvcc.exceptions import PropagationWarning


class SharedContext:
    """A context of the whole process: the first thread to enter opens it, the last one closes it.

    If each thread opened its own, the first to leave would close it for the others, and the last
    one would bring back what it found, that of the first.
    """

    def __init__(self, opened: Callable[[], AbstractContextManager[Any]]) -> None:
        self._opened, self._lock, self._inside = opened, Lock(), 0
        self._context: AbstractContextManager[Any]

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._context = self._opened()
                self._context.__enter__()
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._context.__exit__(None, None, None)


@cache
def _libraries(kind: str) -> ThreadpoolController:
    """Look for the libraries once, since this reads the map of the whole process."""
    # those of a package are found only once it is imported
    import sklearn.base  # noqa: F401

    # chosen here: a limit of one kind alone would bring back all kinds in the end
    return ThreadpoolController().select(user_api=kind)


@contextmanager
def _one_thread_of_blas() -> Iterator[None]:
    """Limit BLAS for all threads, whichever of them ends it."""
    _release_blas()
    limit = _libraries("blas").limit(limits=1)
    try:
        yield
    finally:
        _release_blas()
        limit.restore_original_limits()
        _release_blas()


def _release_blas() -> None:
    """Let this thread set the limit: new versions let only the one that has set it before."""
    for library in _libraries("blas").lib_controllers:
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread(force=True)


_one_of_blas = SharedContext(_one_thread_of_blas)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let the libraries of NumPy, SciPy and scikit-learn use one thread."""
    # OpenMP counts by thread
    with _libraries("openmp").limit(limits=1), _one_of_blas:
        yield


_filters_kept = SharedContext(warnings.catch_warnings)  # filters are those of the whole process


@contextmanager
def without_warnings(*categories: type[Warning]) -> Iterator[None]:
    """Ignore these warnings; whichever thread is the last brings back the filters that were."""
    with _filters_kept:
        for category in categories:
            warnings.simplefilter("ignore", category)
        yield


@contextmanager
def quiet_fit() -> Iterator[None]:
    """Compute on one thread, for BLAS to sum alike, without warnings that the results repeat."""
    from sklearn.exceptions import ConvergenceWarning

    with one_thread(), without_warnings(ConvergenceWarning, PropagationWarning):
        yield


def quiet_k_means() -> AbstractContextManager[None]:
    """Run k-means of scikit-learn on fewer distinct rows than clusters, too."""
    from sklearn.exceptions import ConvergenceWarning

    return without_warnings(ConvergenceWarning)
