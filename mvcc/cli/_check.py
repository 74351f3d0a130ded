"""``mvcc check``: verify results on disk."""

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
    """Verify the results in and below each FOLDER; change nothing.

    Of `mvcc run`, the checksums of all files. If two folders have the same config and data but
    different curves (for example from two machines), the output lists the differences between their
    programs, libraries and processors.

    Of `mvcc cluster`, that labels, tables and model agree with clustering.json, and whether an
    input has changed since.

    Exit status 1 if a file is damaged, or if curves differ that should be equal.
    """
    # pandas takes longer to import than `mvcc check --help` may take
    from mvcc.experiments import check_results
    from mvcc.results import CLUSTERING, MANIFEST

    clusterings = {facts.parent for path in paths for facts in path.rglob(CLUSTERING)}
    findings = [_clustering(folder) for folder in sorted(clusterings)]
    disagreements: list[str] = []
    if not findings or any(file for path in paths for file in path.rglob(MANIFEST)):
        of_runs, disagreements = check_results(paths)
        findings += of_runs
    if as_json:
        rows = [asdict(finding) | {"folder": str(finding.folder)} for finding in findings]
        print_json({"folders": rows, "disagreements": disagreements})
    else:
        _print(findings)
        for line in disagreements:
            say(line)
    if disagreements or any(finding.status == "damaged" for finding in findings):
        context.exit(DAMAGED)


def _clustering(folder: Path) -> Finding:
    from mvcc.exceptions import MvccError
    from mvcc.experiments import Finding
    from mvcc.tables import check_clustering

    try:
        verified, wrong, notes = check_clustering(folder)
    except MvccError as error:
        return Finding(folder, "damaged", 0, 0, 0, [str(error)])
    return Finding(folder, "damaged" if wrong else "ok", verified, 0, 0, [*wrong, *notes])


def _print(findings: list[Finding]) -> None:
    width = max(len(str(finding.folder)) for finding in findings)
    for finding in findings:
        own = f", {finding.stored} of them here" if finding.stored != finding.trials else ""
        facts = f"{finding.verified} files verified" if finding.verified or finding.trials else ""
        facts += f"; {finding.trials} trials{own}" if finding.trials else ""
        say(f"{str(finding.folder).ljust(width)}  {finding.status:<10}  {facts}".rstrip())
        for note in finding.notes:
            say(f"{'':{width}}  {note}")
