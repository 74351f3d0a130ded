"""``mvcc check``: verify that results are as they were written."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mvcc.cli._shared import Folder, below_help, output_options, print_json, say

if TYPE_CHECKING:
    from mvcc.experiments import Finding

DAMAGED = 1


@click.command("check", epilog=below_help("mvcc check results", terms=("results folder", "trial")))
@click.argument("paths", nargs=-1, required=True, metavar="FOLDER...", type=Folder())
@output_options("Print the findings as JSON.")
@click.pass_context
def command(context: click.Context, paths: tuple[Path, ...], as_json: bool) -> None:
    """Verify the checksums of all result files in and below each FOLDER; change nothing.

    If two folders have the same config and data but different curves (for example from two machines), the output lists
    the differences between their programs, libraries and processors.

    Exit status 1 if a file is damaged, or if curves differ that should be equal.
    """
    # pandas takes longer to import than `mvcc check --help` may take
    from mvcc.experiments import check_results

    findings, disagreements = check_results(paths)
    if as_json:
        rows = [asdict(finding) | {"folder": str(finding.folder)} for finding in findings]
        print_json({"folders": rows, "disagreements": disagreements})
    else:
        _print(findings)
        for line in disagreements:
            say(line)
    if disagreements or any(finding.status == "damaged" for finding in findings):
        context.exit(DAMAGED)


def _print(findings: list[Finding]) -> None:
    width = max(len(str(finding.folder)) for finding in findings)
    for finding in findings:
        own = f", {finding.stored} of them here" if finding.stored != finding.trials else ""
        facts = f"{finding.verified} files verified; {finding.trials} trials{own}" if finding.trials else ""
        say(f"{str(finding.folder).ljust(width)}  {finding.status:<10}  {facts}".rstrip())
        for note in finding.notes:
            say(f"{'':{width}}  {note}")
