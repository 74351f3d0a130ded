"""``mvcc predict``: clusters of new rows."""

from __future__ import annotations

from pathlib import Path

import click

from mvcc._utils.messages import counted
from mvcc.cli._shared import (
    Folder,
    below_help,
    by_name,
    fresh_option,
    output_options,
    print_json,
    remark,
    rows_by_name,
    say,
    scheduler_option,
    shown_steps,
)


@click.command(
    "predict",
    epilog=below_help(
        "mvcc predict results --view texts=new.csv --out labels.csv",
        "mvcc predict results --view texts=a.parquet --view images=b.npz --out labels",
        "mvcc predict results --view texts=folder --out labels",
        terms=("view",),
    ),
)
@click.argument("folder", type=Folder())
@click.option(
    "--view",
    "views",
    multiple=True,
    required=True,
    metavar="NAME=FILE",
    help="New rows of a view, a file or a folder of Parquet files; may be repeated.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="Output file, .csv or .parquet; for a folder or several views, the output folder.",
)
@click.option(
    "--sheet",
    "sheets",
    multiple=True,
    metavar="VIEW=NAME",
    help="Excel: the sheet.  [default: that of the view that was clustered]",
)
@click.option(
    "--header",
    "headers",
    multiple=True,
    metavar="VIEW=ROW",
    help="Excel: the row of the sheet that names the columns.  [default: likewise]",
)
@scheduler_option
@fresh_option
@output_options("Print the outcome as JSON.")
def command(
    folder: Path,
    views: tuple[str, ...],
    out: Path,
    sheets: tuple[str, ...],
    headers: tuple[str, ...],
    scheduler: str | None,
    fresh: bool,
    as_json: bool,
) -> None:
    """Put new rows into the clusters of FOLDER, the output folder of `mvcc cluster`.

    A table needs the columns that its view was clustered by, in any order; others are ignored.
    Formats and ids are those of `mvcc cluster`. CSV and Parquet files may be larger than memory.
    Written are the columns id, cluster and, where clusters have names, name; for several views to
    labels.csv in a folder for each. The rows of a folder of Parquet files are predicted in
    parallel, and written to a folder of Parquet files.
    """
    new = by_name(views, "--view")
    # pandas and scikit-learn take longer to import than a usage error may take
    from mvcc.tables import predict_files

    with shown_steps() as on_step:
        found = predict_files(
            folder,
            new,
            out,
            sheets=by_name(sheets, "--sheet"),
            headers=rows_by_name(headers, "--header"),
            fresh=fresh,
            scheduler=scheduler,
            on_step=on_step,
        )
    if as_json:
        rows = [
            {
                "name": one.view,
                "rows": sum(one.sizes),
                "sizes": one.sizes,
                "labels": str(one.path),
                "notes": one.notes,
            }
            for one in found
        ]
        print_json({"views": rows})
        return
    for one in found:
        sizes = ", ".join(map(str, one.sizes))
        say(
            f"{one.view}: {counted(sum(one.sizes), 'row')}; in clusters 0 to {len(one.sizes) - 1}: "
            f"{sizes} ({one.path})"
        )
        for note in one.notes:
            remark(f"Note: {note}")
