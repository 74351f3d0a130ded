"""Warnings of libraries and estimators that nobody wants to hear, in one thread or in several."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from mvcc._utils.one_thread import SharedContext, one_thread
from mvcc.exceptions import PropagationWarning

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


@contextmanager
def quiet_k_means() -> Iterator[None]:
    """Run k-means of scikit-learn on fewer distinct rows than clusters, too."""
    from sklearn.exceptions import ConvergenceWarning

    with without_warnings(ConvergenceWarning):
        yield
