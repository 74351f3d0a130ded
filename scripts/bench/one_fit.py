"""Fit one method to generated views in a process of its own, and print its time, memory and F as
JSON.

python -m scripts.bench.one_fit joint 10000 [SECONDS BYTES]

The memory is what a fit took at its peak above what the process held before: imports, loaded
kernels and data. A process that takes more processor time than SECONDS is killed, and one that asks
for more memory than BYTES fails.
"""

from __future__ import annotations

import ctypes
import json
import resource
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import KMeans, SpectralClustering

from mvcc import Constraints, JointGraphClustering, MPCKMeans, MultiViewConstrainedClustering
from mvcc._utils.arrays import Floats, Ints
from mvcc.embedding import GraphKind
from mvcc.results import JOINT, K_MEANS
from scripts.memory import memory
from scripts.studies import mean_f

K, COLUMNS, LATENT, PAIRS = 10, 32, 3, 160
WARM_UP = 300  # rows in each view of the fits that load the kernels
BLOCK = 10_000  # rows drawn at a time, so that drawing the data takes no memory beside them
# seconds; a fit that takes less is done again, since processor time comes in steps of some
# milliseconds
REPEAT = 1.0

Labels = Sequence[Ints]


@dataclass(frozen=True)
class Problem:
    """Two views of n rows each, of which a third match, and constraints of the first."""

    views: list[Floats]
    labels: list[Ints]
    judged: Constraints
    matches: Ints

    def given(self) -> dict[str, Any]:
        """Return the arguments of a fit of both views."""
        constraints, mappings = [self.judged, None], {(0, 1): self.matches}
        return {"views": self.views, "constraints": constraints, "mappings": mappings}


def draw_problem(n: int) -> Problem:
    """Draw ten curved clusters in two views of n rows, a third of them matched, and 160 pairs."""
    rng = np.random.default_rng(0)
    n_matched = n // 3
    y = rng.integers(K, size=2 * n - n_matched)
    labels = [y[:n], y[n - n_matched :]]
    views = [_curved(classes, rng) for classes in labels]
    matches = np.column_stack((np.arange(n - n_matched, n), np.arange(n_matched)))
    return Problem(views, labels, Constraints.from_labels(labels[0], PAIRS, 0), matches)


def _curved(y: Ints, rng: np.random.Generator) -> Floats:
    """Return center + tanh(z W) + noise for every row, with a center and a W for each cluster."""
    centers, bends = rng.normal(scale=0.7, size=(K, COLUMNS)), rng.normal(size=(K, LATENT, COLUMNS))
    X = np.empty((len(y), COLUMNS))
    for first in range(0, len(y), BLOCK):
        block = y[first : first + BLOCK]
        curve = np.tanh(
            np.einsum("nz,nzd->nd", rng.normal(size=(len(block), LATENT)), bends[block])
        )
        X[first : first + BLOCK] = centers[block] + curve + rng.normal(scale=0.8, size=curve.shape)
    return X


def _joint(problem: Problem, graph: GraphKind = "auto") -> Labels:
    model = JointGraphClustering(K, graph=graph, random_state=0, features="none")
    return model.fit(**problem.given()).labels_


def _paper(problem: Problem) -> Labels:
    model = MultiViewConstrainedClustering(MPCKMeans(K), random_state=0)
    return model.fit(**problem.given()).labels_


def _k_means(problem: Problem) -> Labels:
    return [KMeans(K, random_state=0).fit_predict(X) for X in problem.views]


def _spectral(problem: Problem) -> Labels:
    model = SpectralClustering(K, affinity="nearest_neighbors", random_state=0)
    return [model.fit_predict(X) for X in problem.views]


# by the names of the figures
FITS: dict[str, Callable[[Problem], Labels]] = {
    K_MEANS: _k_means,
    JOINT: _joint,
    "constraint-propagation": _paper,
    "spectral-clustering": _spectral,
}


def measure(method: str, n: int) -> dict[str, float]:
    """Return mean processor time, shortest elapsed time, first peak in MB, and mean F."""
    fit = FITS[method]
    fit(draw_problem(WARM_UP))
    if method == JOINT:  # so few rows are not tied to anchors by themselves
        _joint(draw_problem(WARM_UP), "anchors")
    problem = draw_problem(n)
    _forget()
    before = memory("VmRSS")
    labels, *times = _timed(fit, problem)
    peak_mb = (memory("VmHWM") - before) / 1e6
    tries = [times]
    while sum(elapsed for _, elapsed in tries) < REPEAT:
        _, *times = _timed(fit, problem)
        tries.append(times)
    seconds, elapsed = zip(*tries, strict=True)
    times = {"seconds": float(np.mean(seconds)), "elapsed": min(elapsed)}
    return {**times, "peak_mb": peak_mb, "f": mean_f(problem.labels, labels)}


def _forget() -> None:
    """Give back freed memory, and let the peak start anew, where that works."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5", "ascii")


def _timed(fit: Callable[[Problem], Labels], problem: Problem) -> tuple[Labels, float, float]:
    began, cpu_began = time.perf_counter(), time.process_time()
    labels = fit(problem)
    return labels, time.process_time() - cpu_began, time.perf_counter() - began


def main() -> None:
    """Measure and print."""
    method, n, *limits = sys.argv[1:]
    kinds = resource.RLIMIT_CPU, resource.RLIMIT_DATA
    for kind, limit in zip(kinds, map(int, limits), strict=False):
        resource.setrlimit(kind, (limit, resource.getrlimit(kind)[1]))
    print(json.dumps(measure(method, int(n))))


if __name__ == "__main__":
    main()
