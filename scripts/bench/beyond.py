"""Say what many rows on many machines would take, from parts that were measured on one.

python -m scripts.bench.beyond       # reads results/labelling.csv; prints the table and writes it
to the page

Each machine reads its share of the ids, from which a sample is drawn; a model is fitted to this on
one machine; each machine reads its share of all rows, labels them partition by partition, and
writes the labels. So N rows on M machines take

    T(N, M) = t_fit + N / M · (t_sample + t_label),

t_fit in seconds, the others in seconds for one row on one machine. ``results/labelling.csv`` has
the columns ``part``, ``rows`` and ``seconds``: a line for ``fit``, and one for every other part,
with the rows that it was measured with. It was written by hand, from the run of
``scripts.large_folder`` that docs/how-to/large-data.md describes.
"""

from __future__ import annotations

import pandas as pd

from mvcc._utils.messages import counted
from scripts.bench.page import replace_block
from scripts.command import no_options
from scripts.tables import RESULTS, markdown

ROWS, MACHINES = 10**9, (1, 100)


def seconds(measured: pd.DataFrame, n: float, machines: int) -> pd.Series:
    """Return the seconds of every part, all of which but the fit machines share."""
    parts = measured.set_index("part")
    shared = parts["seconds"] / parts["rows"] * n / machines
    return shared.where(shared.index != "fit", parts["seconds"])


def table(measured: pd.DataFrame) -> str:
    """Return the table of the page."""
    heads = [f"10⁹ rows on {counted(machines, 'machine')}" for machines in MACHINES]
    lines = []
    expected = [seconds(measured, ROWS, machines) for machines in MACHINES]
    for row in measured.itertuples():
        cost = f"{1e9 * row.seconds / row.rows:,.0f} ns for each row"
        if row.part == "fit":
            cost = f"{row.seconds:,.0f} s"
        cells = [_duration(parts[row.part]) for parts in expected]
        lines.append([row.part, f"{cost}, {row.rows:,} rows", *cells])
    lines.append(["together", "", *(_duration(parts.sum()) for parts in expected)])
    return markdown(["part", "measured", *heads], lines)


def _duration(seconds: float) -> str:
    for unit, size in (("h", 3_600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def stored() -> pd.DataFrame:
    """Return what was measured."""
    return pd.read_csv(RESULTS / "labelling.csv")


def main() -> None:
    """Print the table, and write it to the page."""
    no_options(__doc__)
    text = table(stored())
    print(text)
    replace_block("beyond", text)


if __name__ == "__main__":
    main()
