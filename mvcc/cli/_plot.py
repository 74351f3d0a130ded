"""``mvcc plot``: draw the paper's figures from finished experiments."""

from __future__ import annotations

import json
from pathlib import Path

import click

from mvcc.reporting import FIGURES, plot


@click.command("plot", epilog="Example: mvcc plot results --figure 4 --out figures")
@click.argument("results_dir", type=click.Path(path_type=Path))
@click.option(
    "--figure",
    "figures",
    type=click.Choice(list(FIGURES)),
    multiple=True,
    help="Number or name of a figure; may be repeated. Default: every figure for which there are results.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Folder to write to. Default: RESULTS_DIR/figures.")
@click.option("--json", "as_json", is_flag=True, help="Print the paths as JSON, by figure.")
def command(results_dir: Path, figures: tuple[str, ...], out: Path | None, as_json: bool) -> None:
    """Draw the paper's figures from the results in RESULTS_DIR, as PNG and PDF.

    RESULTS_DIR is the folder of one experiment or any folder above some. The paths of the files written are printed,
    one per line.
    """
    written = plot(results_dir, figures=figures or None, out=out)
    if as_json:
        click.echo(json.dumps({"figures": {name: [str(path) for path in paths] for name, paths in written.items()}}))
    else:
        for paths in written.values():
            for path in paths:
                click.echo(path)
