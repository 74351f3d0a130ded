"""Score what the packages found, and print the table of figures of ``docs/compared.md``.

Run by ``compare.py table``. F is the pairwise F-measure (Eq. 19) on the rows of view 0, on those of
view 1, and on the matched rows (where an entry labels both views: the mean of both). A row left out
as noise counts as a cluster of its own. Kept constraints are shares of those given in view 0.
Medians over the tasks; seconds are those of both views together, by the clock and of processor
time.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from mvcc import pairwise_f_measure

Arrays = Mapping[str, np.ndarray]
SHARES = ["view 0", "view 1", "matched", "must-links satisfied", "cannot-links satisfied", "noise"]


def scored(labels: dict[str, list[int]], truth: Arrays, task: Arrays) -> dict[str, float]:
    """Return F where there are labels, and the shares of kept constraints and of noise."""
    matched = task["matched"]
    clusters = {where: alone_where_noise(np.array(rows)) for where, rows in labels.items()}
    noise = float(np.mean(np.concatenate(list(labels.values())) == -1))
    if "matched" in clusters:
        f = pairwise_f_measure(truth["y_0"][matched[:, 0]], clusters["matched"])
        return {"matched": f, "noise": noise}
    ys = {"0": truth["y_0"], "1": truth["y_1"]}
    at_matched = [
        pairwise_f_measure(ys[v][rows], clusters[v][rows])
        for v, rows in zip("01", matched.T, strict=True)
    ]
    whole = {f"view {v}": pairwise_f_measure(ys[v], clusters[v]) for v in "01"}
    is_together = clusters["0"][task["pairs"][:, 0]] == clusters["0"][task["pairs"][:, 1]]
    kept = {
        "must-links satisfied": float(np.mean(is_together[task["must_link"]])),
        "cannot-links satisfied": float(np.mean(~is_together[~task["must_link"]])),
    }
    return {**whole, "matched": float(np.mean(at_matched)), **kept, "noise": noise}


def alone_where_noise(labels: np.ndarray) -> np.ndarray:
    """Give every row labeled -1 a cluster of its own."""
    noise = np.flatnonzero(labels == -1)
    labels[noise] = labels.max() + 1 + np.arange(len(noise))
    return labels


def rows_of(path: Path) -> list[dict[str, object]]:
    """Return one row per task of an outcome file."""
    written = json.loads(path.read_text())
    rows = []
    for outcome in written["outcomes"]:
        row = {key: written[key] for key in ("package", "entry")}
        row |= {key: outcome[key] for key in ("space", "seed", "seconds", "cpu_seconds", "error")}
        row["failed"] = bool(outcome["error"])
        if outcome["labels"]:
            truth = np.load(path.parent / f"truth_{outcome['seed']}.npz")
            task = np.load(path.parent / f"task_{outcome['seed']}.npz")
            row.update(scored(outcome["labels"], truth, task))
        rows.append(row)
    return rows


def main(folder: Path) -> None:
    """Print one Markdown table per space, and what went wrong."""
    paths = sorted(folder.glob("outcome_*.json"))
    table = pd.DataFrame([row for path in paths for row in rows_of(path)])
    for space, rows in table.groupby("space"):
        groups = rows.groupby(["package", "entry"], sort=False)
        shown = groups[[*SHARES, "seconds", "cpu_seconds"]].median()
        shown["failed"] = groups["failed"].sum().astype(str) + "/" + groups.size().astype(str)
        print(f"\n### {space}\n")
        print(f"| package | entry | {' | '.join(shown.columns)} |")
        print("|---|---|" + "--:|" * len(shown.columns))
        for (package, entry), row in shown.iterrows():
            numbers = ["" if pd.isna(row[name]) else f"{row[name]:.2f}" for name in SHARES]
            numbers += [f"{row[name]:.3f}" for name in ["seconds", "cpu_seconds"]]
            print(f"| {package} | {entry} | {' | '.join(numbers)} | {row['failed']} |")
    print("\n### errors\n")
    failed = table[table["failed"]].groupby(["package", "entry", "error"])
    for (package, entry, error), rows in failed:
        print(f"- {package}, {entry}, {len(rows)} times: {error.splitlines()[0]}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
