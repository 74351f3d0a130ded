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

from scripts.bench.page import RESULTS, replace_block

ROWS, MACHINES = 10**9, (1, 100)


def seconds(measured: pd.DataFrame, n: float, machines: int) -> pd.Series:
    """Return the seconds of every part.

    The fit takes what it takes, the others are shared among the machines.
    """
    parts = measured.set_index("part")
    shared = parts["seconds"] / parts["rows"] * n / machines
    return shared.where(shared.index != "fit", parts["seconds"])


def table(measured: pd.DataFrame | None) -> str:
    """Return the table of the page."""
    if measured is None:
        return "The parts are not measured yet."
    heads = [f"10⁹ rows on {machines} machine{'s' * (machines > 1)}" for machines in MACHINES]
    lines = [f"| part | measured | {' | '.join(heads)} |", "|---|--:|--:|--:|"]
    expected = [seconds(measured, ROWS, machines) for machines in MACHINES]
    for row in measured.itertuples():
        cost = (
            f"{row.seconds:,.0f} s"
            if row.part == "fit"
            else f"{1e9 * row.seconds / row.rows:,.0f} ns for each row"
        )
        cells = [_duration(parts[row.part]) for parts in expected]
        lines.append(f"| {row.part} | {cost}, {row.rows:,} rows | {' | '.join(cells)} |")
    lines.append(f"| together | | {' | '.join(_duration(parts.sum()) for parts in expected)} |")
    return "\n".join(lines)


def _duration(seconds: float) -> str:
    for unit, size in (("h", 3_600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def stored() -> pd.DataFrame | None:
    """Return what was measured, if it was."""
    path = RESULTS / "labelling.csv"
    return pd.read_csv(path) if path.exists() else None


def main() -> None:
    """Print the table, and write it to the page."""
    text = table(stored())
    print(text)
    replace_block("beyond", text)


if __name__ == "__main__":
    main()
