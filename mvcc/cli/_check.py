"""``mvcc check``: verify that results are as they were written."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from mvcc.experiments import Finding

DAMAGED = 1


@click.command("check", epilog="Example: mvcc check results")
@click.argument("paths", nargs=-1, required=True, metavar="FOLDER...", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.pass_context
def command(context: click.Context, paths: tuple[Path, ...], as_json: bool) -> None:
    """Verify the checksum of every file of the results in and below each FOLDER; nothing is changed.

    Where two folders have the same config and data but other curves (from two machines, say), the difference between
    their programs, libraries and processors is named.

    Exit status 1 when something is damaged, or curves differ that should not.
    """
    # pandas takes longer to import than `mvcc check --help` may take
    from mvcc.experiments import check_results

    findings, disagreements = check_results(paths)
    if as_json:
        rows = [asdict(finding) | {"folder": str(finding.folder)} for finding in findings]
        click.echo(json.dumps({"folders": rows, "disagreements": disagreements}, indent=2, ensure_ascii=False))
    else:
        _print(findings)
        for line in disagreements:
            click.echo(line)
    if disagreements or any(finding.status == "damaged" for finding in findings):
        context.exit(DAMAGED)


def _print(findings: list[Finding]) -> None:
    width = max(len(str(finding.folder)) for finding in findings)
    for finding in findings:
        own = f", {finding.stored} of them here" if finding.stored != finding.trials else ""
        facts = f"{finding.verified} files verified; {finding.trials} trials{own}" if finding.trials else ""
        click.echo(f"{str(finding.folder).ljust(width)}  {finding.status:<10}  {facts}".rstrip())
        for note in finding.notes:
            click.echo(f"{'':{width}}  {note}")
