"""``mvcc report``: make the page that people look at."""

from __future__ import annotations

import json
from pathlib import Path

import click


@click.command("report", epilog="Example: mvcc report results --out report.html")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="File to write. Default: FOLDER/report.html.")
@click.option("--json", "as_json", is_flag=True, help="Print the path as JSON.")
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
        click.echo(json.dumps({"report": str(written)}))
    else:
        click.echo(written)
        click.echo("Open it in a browser; it can be mailed or archived as it is.", err=True)
