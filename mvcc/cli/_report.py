"""``mvcc report``: make the page that people look at."""

from __future__ import annotations

from pathlib import Path

import click

from mvcc.cli._shared import Folder, below_help, output_options, print_json, remark, say

_HELP_END = below_help("mvcc report results --out report.html", terms=("curve", "claim", "results folder"))


@click.command("report", epilog=_HELP_END)
@click.argument("folder", type=Folder())
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", help="File to write. Default: FOLDER/report.html."
)
@output_options("Print the path as JSON.")
def command(folder: Path, out: Path | None, as_json: bool) -> None:
    """Make the report of FOLDER: one HTML file that needs nothing else, and no network.

    FOLDER is what `mvcc cluster` wrote to; then the report shows the clusters, the constraints, and how far to trust
    them. Or it is the folder of one experiment of `mvcc run`, or any folder above some; then it shows learning curves,
    the paper's figures and claims, and what was run.
    """
    # jinja2, pydantic and pandas take longer to import than `mvcc report --help` may take
    from mvcc.reporting.html import write_report

    written = write_report(folder, out)
    if as_json:
        print_json({"report": str(written)})
    else:
        say(str(written))
        remark("Next: open it in a browser; it is complete in itself and can be sent to others as it is.")
