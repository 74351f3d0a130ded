"""``mvcc match``: propose matches of unmatched rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mvcc import tables
from mvcc._utils.messages import counted
from mvcc._utils.outputs import check_output
from mvcc.cli import _shared as shared
from mvcc.cli._job_options import TABLES, job_options, settings

_EXAMPLES = (
    "mvcc match cluster.yaml --show texts=title --out proposals.csv",
    "mvcc match --from results --out proposals.csv -n 20 --candidates 5",
)


@shared.command(*_EXAMPLES, terms=("view", "match"))
@job_options([*TABLES, "asked"])
@shared.folder_option("--from", "clustering", help="A clustering: its tables and its clusters.")
@click.option("--between", metavar="VIEW:VIEW", help="The two views, where there are more.")
@shared.number_option("-n", "n_rows", default=100, show_default=True, help="Rows to propose for.")
@shared.number_option(
    "--candidates", "n_candidates", default=1, show_default=True, help="Proposals for each row."
)
@click.option(
    "--with-known",
    is_flag=True,
    help="Write the known matches below the proposals, as one file of matches.",
)
@shared.out_file_option(help="Write the proposals to this CSV file.")
@shared.fresh_option
@shared.output_options("Print the proposals as JSON.")
def match(
    config: Path | None,
    clustering: Path | None,
    between: str | None,
    n_rows: int,
    n_candidates: int,
    with_known: bool,
    out: Path | None,
    fresh: bool,
    **given: Any,
) -> None:
    """Propose matches of rows that have none, for you to confirm; mvcc never applies them itself.

    Learns from the matches that are known, 20 or more, how rows of two views go together, and looks
    for the likeliest counterparts of the others. It says how often it finds known matches again.
    Each row is in one proposal at most. Its probability is how many of such proposals were right
    when known matches were cut; it counts on the row having a counterpart. Expect most proposals to
    be wrong where views show different things.

    Delete the wrong lines of the file of --out; --match reads the rest. --show adds columns to
    decide by.
    """
    if config is not None and clustering is not None:
        raise click.UsageError("--from brings its own settings; leave out CONFIG, or --from.")
    if config is None and clustering is None and not given["views"]:
        raise click.UsageError(
            "there are no tables; give a CONFIG file, --from FOLDER, or --view NAME=FILE."
        )
    if out is None and not shared.has_flag("json"):
        raise click.UsageError(
            "the output file is missing; give it with --out, or print the proposals with --json."
        )
    source = clustering / "cluster.yaml" if clustering else config
    job = tables.load_job(source, settings(given), defaults={"n_clusters": "auto"})
    if out is not None:
        check_output(out, tables.PROPOSALS, fresh=fresh, inputs=tables.inputs_of(job))
    found = tables.propose_matches(
        job,
        clustering=clustering,
        between=between,
        n_rows=n_rows,
        n_candidates=n_candidates,
        with_known=with_known,
    )
    if out is not None:
        tables.write_proposals(found, out, job, fresh=fresh)
    shared.say_json(found)
    first, second = found["views"]
    n_first, n_second = found["n_unmatched"]
    shared.say(
        f"{counted(found['n_matches'], 'match')}; without one are {n_first} of {first} and "
        f"{n_second} of {second}"
    )
    measured = (
        "How often known matches are found again was not measured: there are too few matches, or "
        "too many rows."
    )
    if found["found_first"] is not None:
        measured = (
            f"Known matches that were cut for a test: found first {found['found_first']:.0%}, "
            f"among the first five {found['found_in_five']:.0%}"
        )
    shared.say(measured)
    shared.say(f"Proposals: {out} ({counted(found['n_proposals'], 'line')})")
    rest = ", and add the rest to your matches; --with-known makes it one file."
    if with_known:
        rest = f"; --match {first}:{second}={out} takes the rest in place of your matches."
    shared.say(f"Next: delete the wrong lines{rest}", err=True)
