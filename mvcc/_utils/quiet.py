"""k-means within a fit, of which nobody who fits wants to hear that rows are too few."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from mvcc._utils.one_thread import SharedContext


@contextmanager
def _without_convergence_warnings() -> Iterator[None]:
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than clusters
        yield


quiet_k_means = SharedContext(_without_convergence_warnings)
