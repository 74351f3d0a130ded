"""``mvcc report``: write the HTML report."""

from __future__ import annotations

from pathlib import Path

import click

from mvcc.cli._shared import (
    Folder,
    below_help,
    fresh_option,
    output_options,
    print_json,
    remark,
    say,
)

_HELP_END = below_help(
    "mvcc report results --out report.html", terms=("curve", "claim", "results folder")
)


@click.command("report", epilog=_HELP_END)
@click.argument("folder", type=Folder())
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Output file.  [default: FOLDER/report.html]",
)
@fresh_option
@output_options("Print the path as JSON.")
def command(folder: Path, out: Path | None, fresh: bool, as_json: bool) -> None:
    """Write the report of FOLDER: one HTML file that works offline.

    FOLDER is an output folder of `mvcc cluster`: the report shows the clusters, the constraints,
    and how far to trust them. Or FOLDER holds one experiment of `mvcc run` or several: the report
    shows learning curves, the paper's figures and claims, and what was run.
    """
    # jinja2, pydantic and pandas take longer to import than `mvcc report --help` may take
    from mvcc.reporting.html import write_report

    inputs: list[str] = []
    if out is not None:
        from mvcc.tables import inputs_of_clustering

        inputs = inputs_of_clustering(folder)
    written = write_report(folder, out, fresh=fresh, inputs=inputs)
    if as_json:
        print_json({"report": str(written)})
    else:
        say(str(written))
        remark("Next: open it in a browser, or send it to others: it needs no other file.")
