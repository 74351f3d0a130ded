"""``mvcc constraints``: check a list of constraints before it is used."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mvcc._utils.messages import shown
from mvcc._utils.outputs import write_output
from mvcc.cli._shared import below_help, fresh_option, output_options, print_json, say

if TYPE_CHECKING:
    from mvcc.constraints import Constraints

_MOST_SHOWN = 20

_HELP_END = below_help(
    "mvcc constraints pairs.csv",
    "mvcc constraints pairs.csv --on-conflict drop --out consistent.csv",
    terms=("must-link", "cannot-link", "closure"),
)


@click.command("constraints", epilog=_HELP_END)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--on-conflict",
    type=click.Choice(["error", "drop"]),
    default="error",
    show_default=True,
    help="Stop at contradictory constraints, or drop those that contradict heavier ones.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Write the remaining constraints to this CSV file.")
@fresh_option
@output_options("Print the counts and the dropped constraints as JSON.")
def command(file: Path, on_conflict: str, out: Path | None, fresh: bool, as_json: bool) -> None:
    """Check a list of constraints and count the constraints that follow from it.

    FILE is a CSV file with the columns i, j, kind (must-link or cannot-link) and, optionally, weight. If i and j are
    all integers, they are row numbers from 0; otherwise they are row ids. A contradiction is shown as the shortest
    chain of constraints, with their lines.
    """
    # numba takes longer to import than `mvcc constraints --help` may take
    from mvcc.constraints import ConstraintFile, Constraints

    listed = ConstraintFile.read(file)
    ids = listed.ids()
    given = Constraints._of_file(listed, ids)
    kept, dropped = given.drop_conflicts() if on_conflict == "drop" else (given, Constraints.empty())
    closed = kept.closure() if ids is None else kept._closed(lambda row: shown(ids[row]))
    if out is not None:
        write_output(out, kept._as_csv(ids), "checked constraints", fresh=fresh, inputs=[file])
    if as_json:
        counts = {name: _counts(c) for name, c in (("given", given), ("kept", kept), ("closed", closed))}
        print_json(counts | {"dropped": _entries(dropped, ids)})
        return
    among = "" if ids is None else f" among {len(ids)} ids"
    say(f"{file}: {_worded(given)}{among}.")
    _print_dropped(_entries(dropped, ids))
    rest = "The others contain" if len(dropped) else "They contain"
    say(f"{rest} no contradiction. With all that follows from them they are {_worded(closed)}.")
    if out is not None:
        say(f"Written to {out}: {_worded(kept)}.")


def _print_dropped(entries: list[dict[str, Any]]) -> None:
    if not entries:
        return
    say(f"{len(entries)} contradict heavier ones, or must-links of their weight, and are dropped:")
    for entry in entries[:_MOST_SHOWN]:
        i, j = (shown(entry[end]) for end in ("i", "j"))
        say(f"  {entry['where']}: {i} and {j}, {entry['kind']}, weight {entry['weight']:g}")
    if len(entries) > _MOST_SHOWN:
        say(f"  … and {len(entries) - _MOST_SHOWN} more; --json lists them all.")


def _counts(constraints: Constraints) -> dict[str, int]:
    n_must_links = constraints.n_must_links()
    return {"must-link": n_must_links, "cannot-link": len(constraints) - n_must_links}


def _worded(constraints: Constraints) -> str:
    return " and ".join(f"{count} {kind}{'s' * (count != 1)}" for kind, count in _counts(constraints).items())


def _entries(constraints: Constraints, ids: list[str] | None) -> list[dict[str, Any]]:
    from mvcc.constraints import kind_of

    return [
        {
            "where": constraints.source_of(position),
            "i": i if ids is None else ids[i],
            "j": j if ids is None else ids[j],
            "kind": kind_of(must_link),
            "weight": weight,
        }
        for position, (i, j, must_link, weight) in enumerate(constraints.rows())
    ]
