"""Draw the tasks: digits as two half-matched collections with a few constraints in one of them.

Run by ``compare.py task``. View 0 is the left half of 900 images, view 1 the right half of 1,100;
300 images are in both, and it is known which row is which. Classes are balanced. ``task_S.npz`` is
all that a package gets to see, the classes are in ``truth_S.npz``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from trying import SEEDS

from mvcc import Constraints, spectral_features

MATCHED, ONLY_0, ONLY_1 = 30, 60, 80  # images per class
N_CONSTRAINTS = 160
N_COMPONENTS = 10


def drawn_rows(y: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the images of view 0 and those of view 1, each in random order."""
    of_0, of_1 = [], []
    for digit in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == digit))
        matched, rest = rows[:MATCHED], rows[MATCHED:]
        of_0 += [matched, rest[:ONLY_0]]
        of_1 += [matched, rest[ONLY_0 : ONLY_0 + ONLY_1]]
    return rng.permutation(np.concatenate(of_0)), rng.permutation(np.concatenate(of_1))


def write_task(folder: Path, seed: int) -> None:
    """Write what the packages see of one seed, and the truth beside it."""
    digits = load_digits()
    images, y = digits.images / 16, digits.target
    rows_0, rows_1 = drawn_rows(y, np.random.default_rng(seed))
    left = images[rows_0, :, :4].reshape(len(rows_0), -1)
    right = images[rows_1, :, 4:].reshape(len(rows_1), -1)
    _, matched_0, matched_1 = np.intersect1d(rows_0, rows_1, return_indices=True)
    judged = Constraints.from_labels(y[rows_0], N_CONSTRAINTS, random_state=seed)
    np.savez(
        folder / f"task_{seed}.npz",
        pixels_0=left,
        pixels_1=right,
        spectral_0=spectral_features(left, N_COMPONENTS),
        spectral_1=spectral_features(right, N_COMPONENTS),
        matched=np.column_stack([matched_0, matched_1]),
        pairs=judged.pairs,
        must_link=judged.must_link,
    )
    np.savez(folder / f"truth_{seed}.npz", y_0=y[rows_0], y_1=y[rows_1])


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for seed in SEEDS:
        write_task(folder, seed)
    print(f"{len(SEEDS)} tasks written to {folder}")
