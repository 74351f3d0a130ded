"""``mvcc review``: correct a result."""

from __future__ import annotations

from pathlib import Path

import click

from mvcc import tables
from mvcc._utils.messages import counted
from mvcc.cli import _shared as shared

_EXAMPLES = (
    "mvcc review results",
    "mvcc review results --json -n 10 > to-review.json",
    "mvcc review results --parts 3",
    "mvcc review results --answers corrections.csv",
)


@shared.command(*_EXAMPLES, terms=("view", "match"))
@click.argument("folder", type=shared.Folder())
@click.option(
    "--answers",
    type=shared.FILE,
    metavar="FILE",
    help="Record a table of corrections: columns id,answer.",
)
@click.option("--parts", metavar="CLUSTER", help="Print how a cluster may be split, as JSON.")
@shared.number_option("-n", "n_rows", help="Rows of each list of --json.  [default: 20]")
@click.option("--port", type=click.IntRange(0, 65535), help="Port.  [default: any that is free]")
@click.option("--no-open", is_flag=True, help="Print the address of the page, and open nothing.")
@shared.output_options("Print clusters, doubtful rows and matches, and corrections as JSON.")
def review(
    folder: Path,
    answers: Path | None,
    parts: str | None,
    n_rows: int | None,
    port: int | None,
    no_open: bool,
) -> None:
    """Correct a result in a page of the browser: FOLDER is an output folder of `mvcc cluster`.

    Rename, merge and split clusters, move rows, leave out those that fit nowhere, confirm matches
    or refuse them. Each correction is stored at once in corrections.csv of FOLDER, which labels,
    report and all other commands follow, and can be taken back. `mvcc cluster --continue FOLDER`
    makes the result anew, and corrects it in the same way.

    With --json, --parts or --answers, programs do the same. In a table of corrections, id is a
    cluster, or rows as VIEW:ID, one below the other; answer is rename:NAME, merge:CLUSTER or split
    for a cluster, and CLUSTER, new:NAME, outlier, match or "no match" for rows; or undo.
    """
    for_program = shared.is_json() or answers is not None or parts is not None
    if n_rows is not None and not shared.is_json():
        raise click.UsageError("-n is the number of rows of --json; add --json, or leave it out.")
    if parts is not None and (shared.is_json() or answers):
        raise click.UsageError("--parts prints JSON of its own; leave out --json and --answers.")
    if for_program and (port is not None or no_open):
        raise click.UsageError(
            "--port and --no-open go with the page; leave them out, or --json, --parts, --answers."
        )
    with tables.ReviewSession(folder, shared.remark) as session:
        if parts is not None:
            shared.print_json({"parts": session.parts(parts)})
        if answers is not None:
            before = session.labels()
            recorded = tables.record_table(session, answers)
            after = session.labels()
            moved = sum(before.get(row) != after.get(row) for row in {*before, *after})
            said = f"{counted(len(recorded), 'correction')} recorded"
            shared.say(f"{said}; {counted(moved, 'row')} moved.")
        if shared.is_json():
            shared.print_json(session.document(n_rows or 20))
        elif not for_program:
            page = tables.ReviewPage(session)
            shared.in_browser(page, session.base, "Correct", port=port or 0, opens=not no_open)
        if parts is None:
            shared.say(f"{counted(len(session.corrections), 'correction')} of {folder}.")
            again = f"mvcc cluster CONFIG --continue {folder} --out NEW"
            shared.say(f"Made anew, it keeps them: {again}", err=True)
