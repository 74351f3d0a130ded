"""``mvcc claims``: put every claim of the paper to the test."""

from __future__ import annotations

import json
from pathlib import Path

import click

CLAIM_DOES_NOT_HOLD = 3
_WIDTH = 100  # of the tables where there is no terminal to ask


@click.command("claims", epilog="Example: mvcc claims results")
@click.argument("results_dir", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON: claims, cells, effects, readings.")
@click.pass_context
def command(context: click.Context, results_dir: Path, as_json: bool) -> None:
    """Test every claim of the paper on the results in RESULTS_DIR.

    Prints a table, and writes it with all details to RESULTS_DIR/claims.md. RESULTS_DIR is the folder of one
    experiment or any folder above some. A claim without enough results is no failure: the page says what to run.

    Exit status 3 when a claim does not hold, or holds in part only.
    """
    # pandas and scipy take longer to import than `mvcc claims --help` may take
    from mvcc.reporting.claims import evaluate_claims, print_scorecard, to_json, write_markdown

    scorecard = evaluate_claims(results_dir)
    path = write_markdown(scorecard, results_dir)
    if as_json:
        click.echo(json.dumps(to_json(scorecard), indent=2, ensure_ascii=False))
    else:
        from rich.console import Console

        console = Console(highlight=False)
        if not console.is_terminal:
            console = Console(highlight=False, width=_WIDTH)
        print_scorecard(scorecard, console)
        click.echo(f"In full: {path}")
    if not scorecard.all_hold:
        context.exit(CLAIM_DOES_NOT_HOLD)
