"""Do one piece of work in a process of its own, and print its seconds and peak memory as JSON.

python -m scripts.bench.alone propagate problem.npz

The file holds ``X``, ``pairs`` and ``must_link``, for ``propagate`` also ``labels`` and
``threshold``, for fits ``k``. The peak is what the process took above what it held when mvcc was
imported and its kernels loaded, data included; it is NaN where there is no /proc.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from mvcc import Constraints, MPCKMeans, PCKMeans, propagate_constraints
from scripts.memory import memory

Problem = dict[str, Any]


def propagate(problem: Problem) -> tuple[int, int]:
    """Return the number of propagated constraints and the bytes of data and output."""
    X, labels, constraints = problem["X"], problem["labels"], _constraints(problem)
    output = propagate_constraints(X, labels, constraints, float(problem["threshold"]))
    arrays = (X, labels, output.pairs, output.must_link, output.weights)
    return len(output), sum(array.nbytes for array in arrays)


def fit(estimator: Any, problem: Problem) -> tuple[int, int]:
    """Return the number of closed constraints and the bytes of data."""
    closed = _constraints(problem).closure()
    model = estimator(int(problem["k"]), init="neighborhoods", random_state=0)
    model.fit(problem["X"], constraints=closed)
    return len(closed), problem["X"].nbytes


WORK: dict[str, Callable[[Problem], tuple[int, int]]] = {
    "propagate": propagate,
    "pck": partial(fit, PCKMeans),
    "mpck": partial(fit, MPCKMeans),
}


def _constraints(problem: Problem) -> Constraints:
    return Constraints(problem["pairs"], problem["must_link"])


def main() -> None:
    """Do the work and print the result."""
    work = WORK[sys.argv[1]]
    X, pairs = np.random.default_rng(0).normal(size=(20, 2)), np.array([[0, 1], [2, 3]])
    small = {"X": X, "labels": np.arange(20) % 2, "k": 2, "threshold": 0.9}
    work(small | {"pairs": pairs, "must_link": np.array([True, False])})
    before = memory("VmRSS")
    problem = dict(np.load(sys.argv[2]))
    began = time.perf_counter()
    count, size = work(problem)
    seconds = time.perf_counter() - began
    sizes = {"peak_mb": (memory("VmHWM") - before) / 1e6, "size_mb": size / 1e6}
    print(json.dumps({"ms": 1e3 * seconds, "found": count, **sizes}))


if __name__ == "__main__":
    main()
