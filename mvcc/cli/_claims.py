"""``mvcc claims``: test every claim of the paper."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from mvcc.cli._shared import (
    Folder,
    below_help,
    fresh_option,
    is_quiet,
    output_options,
    print_json,
    say,
)

CLAIM_DOES_NOT_HOLD = 3
_WIDTH = 100  # of the tables where there is no terminal to ask


@click.command(
    "claims",
    epilog=below_help("mvcc claims results", terms=("claim", "cell", "trial", "results folder")),
)
@click.argument("results_dir", type=Folder())
@fresh_option
@output_options("Print everything as JSON: claims, cells, effects, readings.")
@click.pass_context
def command(context: click.Context, results_dir: Path, fresh: bool, as_json: bool) -> None:
    """Test every claim of the paper on the results in RESULTS_DIR.

    Prints a table and writes it with all details to RESULTS_DIR/claims.md. RESULTS_DIR is the
    folder of one experiment, or contains such folders. A claim without enough results is not a
    failure: the page says what to run.

    Our own claims, about the study `beyond`, go to RESULTS_DIR/beyond.md and do not affect the exit
    status.

    Exit status 3 if a claim does not hold, or holds only in part.
    """
    # pandas and scipy take longer to import than `mvcc claims --help` may take
    from mvcc.reporting.claims import evaluate_claims, print_scorecard, to_json, write_markdown

    scorecard = evaluate_claims(results_dir)
    paths = write_markdown(scorecard, results_dir, fresh=fresh)
    if as_json:
        print_json(to_json(scorecard))
    elif not is_quiet():
        from rich.console import Console

        console = Console(highlight=False)
        if not sys.stdout.isatty():
            console = Console(highlight=False, width=_WIDTH)
        print_scorecard(scorecard, console)
        say(f"Details: {' and '.join(map(str, paths))}")
    if not scorecard.all_hold:
        context.exit(CLAIM_DOES_NOT_HOLD)
