"""``mvcc plot``: draw the paper's figures from finished experiments."""

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
from mvcc.reporting.figures import FIGURES, plot

_HELP_END = below_help(
    "mvcc plot results --figure 4 --out figures", terms=("curve", "results folder")
)


@click.command("plot", epilog=_HELP_END)
@click.argument("results_dir", type=Folder())
@click.option(
    "--figure",
    "figures",
    type=click.Choice(list(FIGURES)),
    multiple=True,
    help="Number or name of a figure; may be repeated.  [default: all figures that have results]",
)
@click.option(
    "--out", type=Folder(), metavar="FOLDER", help="Output folder.  [default: RESULTS_DIR/figures]"
)
@fresh_option
@output_options("Print the paths as JSON, by figure.")
def command(
    results_dir: Path, figures: tuple[str, ...], out: Path | None, fresh: bool, as_json: bool
) -> None:
    """Draw the paper's figures from the results in RESULTS_DIR, as PNG and PDF.

    RESULTS_DIR is the folder of one experiment, or contains such folders. Prints the paths of the
    files, one per line.
    """
    written = plot(results_dir, figures=figures or None, out=out, fresh=fresh)
    if as_json:
        print_json(
            {"figures": {name: [str(path) for path in paths] for name, paths in written.items()}}
        )
    else:
        for paths in written.values():
            for path in paths:
                say(str(path))
        remark(f"Next: mvcc claims {results_dir}")
