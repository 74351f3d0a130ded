"""Loaders of a few lines each: of tables in files, and of data that are drawn.

Files hold Protein, Letters/Digits (§6.1) and the benchmarks of multi-view clustering. Their
checksums are verified, so that nothing else is checked here. Drawn are Four Quadrants (§6.1),
shapes (§6.3), and rows of tables of scikit-learn.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_circles, make_moons

from mvcc._utils.arrays import Floats, Ints
from mvcc._utils.reading import content_of
from mvcc._utils.text import decoded, nominal_values, parse_arff
from mvcc._utils.validation import check_number
from mvcc.datasets._dataset import Dataset, check_choice, check_instances, pair_at_random, relate
from mvcc.datasets._registry import registry
from mvcc.exceptions import DataError

# quadrants I, II, III, IV
_CENTERS = np.array([[3.0, 3.0], [-3.0, 3.0], [-3.0, -3.0], [3.0, -3.0]])
_MOST = 20_000  # instances of a view: those of each quadrant are matched by all their distances
_CLUSTERS = np.array([0, 1, 1, 0], dtype=np.int64)


def read_arff(path: Path) -> tuple[Floats, Ints]:
    """Read features, and the last attribute as classes, numbered as declared, from an ARFF file."""
    attributes, rows, _ = parse_arff(decoded(content_of(path), str(path), DataError), str(path))
    classes = nominal_values(attributes[-1])
    labels = [classes.index(row.pop()) for row in rows]
    return np.array(rows, dtype=np.float64), np.array(labels, dtype=np.int64)


def protein(rng: np.random.Generator, proteins: Path, *, n_views: int = 2) -> Dataset:
    """Load Protein: classes c1, c2, c3 in one view, paired with c4, c5, c6 in the other."""
    # In three views (§5.3) there are c1 and c2, c3 and c4, c5 and c6; c1, c3, c5 are joined, and
    # c2, c4, c6. These have 35, 47 and 34 rows, and 33 relations between any two.
    count = check_choice(n_views, "n_views", (2, 3))
    X, y = read_arff(proteins)
    size = 6 // count  # classes of a view
    view_of_row, classes = np.divmod(y, size)
    labels = [classes[view_of_row == view] for view in range(count)]
    views = [X[view_of_row == view] for view in range(count)]
    names = tuple(f"c{size * view + 1}-c{size * (view + 1)}" for view in range(count))
    return Dataset(views, labels, pair_at_random(labels, rng), names)


def letters_digits(rng: np.random.Generator, letters: Path, digits: Path) -> Dataset:
    """Load Letters/Digits; I & 3, J & 8, L & 9 are paired, as the files list their classes."""
    (X_letters, y_letters), (X_digits, y_digits) = read_arff(letters), read_arff(digits)
    labels = [y_letters, y_digits]
    relations = pair_at_random(labels, rng)
    return Dataset([X_letters, X_digits], labels, relations, ("letters", "digits"))


def field(rng: np.random.Generator, file: Path) -> Dataset:
    """Read all tables of a Matlab file, whose rows match where they are of the same object."""
    # Files have ``X`` and ``y``, objects as rows, or ``data`` and ``truelabel``, objects as
    # columns. ``index`` has the numbers, from 1, of the objects that each table has.
    from scipy.io import loadmat

    content = loadmat(file)
    if "X" in content:
        tables, classes = list(content["X"].ravel()), content["y"].ravel()
    else:
        tables = [columns.T for columns in content["data"].ravel()]
        classes = content["truelabel"].ravel()[0].ravel()
    seen = [np.arange(len(classes))] * len(tables)
    if "X" not in content and "index" in content:
        seen = [index.ravel().astype(np.int64) - 1 for index in content["index"].ravel()]
    y = np.unique(classes, return_inverse=True)[1].astype(np.int64)
    matches = {}
    for u, v in combinations(range(len(tables)), 2):
        _, *rows = np.intersect1d(seen[u], seen[v], assume_unique=True, return_indices=True)
        matches[u, v] = np.column_stack(rows).astype(np.int64)
    infos = {Path(f.name).name: info for info in registry().values() for f in info.files}
    views = [np.array(X[rows], np.float64, order="C") for X, rows in zip(tables, seen, strict=True)]
    names = tuple(view.name for view in infos[file.name].views)
    return Dataset(views, [y[rows] for rows in seen], matches, names)


def four_quadrants(
    rng: np.random.Generator, *, instances_per_view: int = 200, n_views: int = 2
) -> Dataset:
    """Draw Four Quadrants: standard Gaussians at (±3, ±3), quadrants I, IV against II, III."""
    # The default is that of Table 1, which fits the results of §6.3 better than that of the text of
    # §6.1, 200 in both views together. A third view (§5.3) is drawn after the other two, which it
    # does not change, and matched to the first as the second is.
    n = check_instances(instances_per_view, 4, _MOST)
    count = check_choice(n_views, "n_views", (2, 3))
    quadrants = np.repeat(np.arange(4), n // 4)
    views = [_CENTERS[quadrants] + rng.standard_normal((n, 2)) for _ in range(count)]
    partners = [_match(views[0], view, quadrants) for view in views[1:]]
    labels = [_CLUSTERS[quadrants] for _ in views]
    relations = relate(np.column_stack([np.arange(n), *partners]))
    return Dataset(views, labels, relations, ("A", "B", "C")[:count])


def _match(first: Floats, other: Floats, quadrants: Ints) -> Ints:
    """Match the rows of each quadrant one to one so that the sum of distances is least."""
    # taking the closest free pair again and again would leave distant ones to each other at the end
    partners = np.empty(len(first), dtype=np.int64)
    for quadrant in range(4):
        rows = np.flatnonzero(quadrants == quadrant)
        left, right = linear_sum_assignment(cdist(first[rows], other[rows]))
        partners[rows[left]] = rows[right]
    return partners


def draw_shape(
    shape: Callable[..., Any], rng: np.random.Generator, instances_per_view: int, noise: float
) -> Dataset:
    """Draw both views alike, and relations at random within the classes, as in §6.1."""
    # ``noise`` is the standard deviation of both coordinates. Every instance has one partner.
    n = check_instances(instances_per_view, 2, 10**6)
    spread = check_number(noise, "noise", high=1e100)
    # what scikit-learn takes; it draws from the same stream
    legacy = np.random.RandomState(rng.bit_generator)
    drawn = [shape(n_samples=n, shuffle=False, noise=spread, random_state=legacy) for _ in range(2)]
    labels = [y.astype(np.int64) for _, y in drawn]
    return Dataset([X for X, _ in drawn], labels, pair_at_random(labels, rng), ("A", "B"))


def half_moons(
    rng: np.random.Generator, *, instances_per_view: int = 200, noise: float = 0.05
) -> Dataset:
    """Draw Half-Moons: two half circles of radius 1, each open around an end of the other."""
    # they are ten times the default noise apart, so that their shape matters, and not an overlap
    return draw_shape(make_moons, rng, instances_per_view, noise)


def rings(
    rng: np.random.Generator, *, instances_per_view: int = 200, noise: float = 0.05
) -> Dataset:
    """Draw Rings: circles of radius 1 and 0.5 around the origin, the outer one first."""
    return draw_shape(partial(make_circles, factor=0.5), rng, instances_per_view, noise)


_PARTS = (0.5, 0.6)  # of the rows of every class, in the first view and in the second


def split_table(
    rng: np.random.Generator, columns: tuple[Floats, Floats], y: Ints, names: tuple[str, str]
) -> Dataset:
    """Draw half of the rows of every class for the first view, and a tenth more for the second."""
    first, second = [], []
    for label in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == label))
        few, many = (int(part * len(rows)) for part in _PARTS)
        first.append(rows[:few])
        second.append(rng.permutation(rows[:many]))
    drawn = [np.concatenate(rows) for rows in (first, second)]
    _, *related = np.intersect1d(drawn[0], drawn[1], assume_unique=True, return_indices=True)
    views = [np.asarray(X[rows], np.float64) for X, rows in zip(columns, drawn, strict=True)]
    labels = [y[rows].astype(np.int64) for rows in drawn]
    return Dataset(views, labels, relate(np.column_stack(related)), names)


def wine(rng: np.random.Generator) -> Dataset:
    """Draw wines; alcohol to phenols are one view, flavanoids to proline the other."""
    wine = load_wine()
    return split_table(rng, (wine.data[:, :6], wine.data[:, 6:]), wine.target, ("first", "second"))


def breast_cancer(rng: np.random.Generator) -> Dataset:
    """Draw samples; means and standard errors are one view, the worst values the other."""
    cancer = load_breast_cancer()
    return split_table(
        rng, (cancer.data[:, :20], cancer.data[:, 20:]), cancer.target, ("mean", "worst")
    )


def digits_halves(rng: np.random.Generator) -> Dataset:
    """Draw images of 8 × 8 pixels and cut them in the middle."""
    digits = load_digits()
    left, right = (half.reshape(len(half), -1) for half in np.split(digits.images, 2, axis=2))
    return split_table(rng, (left, right), digits.target, ("left", "right"))
