"""``mvcc export``: your own tables with the cluster of every row."""

from __future__ import annotations

from pathlib import Path

import click

from mvcc._utils.messages import counted
from mvcc.cli._shared import Folder, below_help, fresh_option, output_options, print_json, say

_EXAMPLES = (
    "mvcc export results --out with-clusters",
    "mvcc export results --out with-clusters --format parquet",
    "mvcc export results --out clusters.xlsx",
)


@click.command("export", epilog=below_help(*_EXAMPLES, terms=("view",)))
@click.argument("folder", type=Folder())
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    help="A folder, with a file for each view; or a file: .xlsx has a sheet for each view, .csv "
    "and .parquet one view.",
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["csv", "parquet", "xlsx"]),
    help="Format of the files in a folder.  [default: csv]",
)
@fresh_option
@output_options("Print the files as JSON.")
def command(folder: Path, out: Path, kind: str | None, fresh: bool, as_json: bool) -> None:
    """Write your own tables, as they are, with the cluster of every row beside them.

    FOLDER is an output folder of `mvcc cluster`. The new columns are cluster, cluster_name (if
    clusters have names), stability and fit, as in labels.csv; where the table has a column of that
    name, the new one ends in _2. Outliers have the cluster -1.

    Texts that a spreadsheet program would take for formulas get a leading ' in CSV; in .xlsx they
    are marked as text.
    """
    # pandas takes longer to import than `mvcc export --help` may take
    from mvcc.tables import export_tables

    written = export_tables(folder, out, kind, fresh=fresh)
    if as_json:
        print_json({"files": [{"path": str(path), "rows": rows} for path, rows in written.items()]})
        return
    for path, rows in written.items():
        say(f"{path}: {counted(rows, 'row')}")
