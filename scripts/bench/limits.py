"""Measure what limits a fit: one pass over the data, and k-means' products of rows and centers.

python -m scripts.bench.limits    # prints the limits beside the times in results/growth.csv
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from mvcc.results import JOINT, K_MEANS
from scripts.bench.growth import stored
from scripts.bench.one_fit import COLUMNS, K, draw_problem
from scripts.command import no_options
from scripts.tables import RESULTS, markdown

ROWS, BLOCK_ROWS, TRIES = 10**6, 2**14, 9  # of one view
SIZES = (100_000, 300_000, 1_000_000)  # rows in each view


def seconds_of_a_pass() -> float:
    """Return the time of reading a million rows from memory once."""
    X = np.ones((ROWS, COLUMNS))
    return _shortest(X.sum)


def seconds_of_products() -> float:
    """Return the time of a million rows times ten centers, block by block in a cache."""
    block, centers = np.ones((BLOCK_ROWS, COLUMNS)), np.ones((COLUMNS, K))
    out = np.empty((BLOCK_ROWS, K))

    def multiply() -> None:
        for _ in range(ROWS // BLOCK_ROWS):
            np.matmul(block, centers, out=out)

    return _shortest(multiply)


def _shortest(work: Callable[[], object]) -> float:
    times = []
    for _ in range(TRIES):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


def main() -> None:
    """Print the table."""
    no_options(__doc__)
    measured = stored(RESULTS / "growth.csv").set_index(["n", "method"])["seconds"]
    titles = ["rows in each view", "one pass", "iterations of k-means", "their products"]
    titles += ["KMeans", "joint clustering"]
    lines = []
    with threadpool_limits(1):
        one_pass, products = seconds_of_a_pass(), seconds_of_products()
        for n in SIZES:
            iterations = [KMeans(K, random_state=0).fit(X).n_iter_ for X in draw_problem(n).views]
            limits = 2 * n / ROWS * one_pass, sum(iterations) * n / ROWS * products
            cells = [f"{limits[0]:.2g} s", " + ".join(map(str, iterations)), f"{limits[1]:.2g} s"]
            cells += [f"{measured[n, method]:.2g} s" for method in (K_MEANS, JOINT)]
            lines.append([f"{n:,}", *cells])
    print(markdown(titles, lines, "r" * len(titles)))


if __name__ == "__main__":
    main()
