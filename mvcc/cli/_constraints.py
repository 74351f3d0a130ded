"""``mvcc constraints``: check a list of constraints before it is used."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mvcc.cli._shared import below_help, output_options, print_json, say
from mvcc.exceptions import InvalidInputError

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
    help="Stop at constraints that contradict each other, or leave out those that contradict heavier ones.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Write the constraints that are kept to this CSV file.")
@output_options("Print the numbers and what was dropped as JSON.")
def command(file: Path, on_conflict: str, out: Path | None, as_json: bool) -> None:
    """Check a list of constraints and say what follows from it.

    FILE is a CSV file with the columns i, j, kind (must-link or cannot-link) and, optionally, weight; rows are numbered
    from 0. A contradiction is shown as the shortest chain of constraints, with their lines.
    """
    # numba takes longer to import than `mvcc constraints --help` may take
    from mvcc.constraints import Constraints

    given = Constraints.read_csv(file)
    kept, dropped = given.drop_conflicts() if on_conflict == "drop" else (given, Constraints([], []))
    closed = kept.closure()
    if out is not None:
        try:
            kept.to_csv(out)
        except OSError as error:
            raise InvalidInputError(f"{out} cannot be written: {error.strerror}. Choose another file.") from error
    if as_json:
        facts = {"given": _counts(given), "kept": _counts(kept), "closed": _counts(closed), "dropped": _listed(dropped)}
        print_json(facts)
    else:
        _print(file, given, kept, dropped, closed, out)


def _print(
    file: Path, given: Constraints, kept: Constraints, dropped: Constraints, closed: Constraints, out: Path | None
) -> None:
    say(f"{file}: {_worded(given)}.")
    if len(dropped):
        say(f"{len(dropped)} contradict heavier ones, or must-links of their weight, and are dropped:")
        for entry in _listed(dropped)[:_MOST_SHOWN]:
            say("  {where}: {i} and {j}, {kind}, weight {weight:g}".format(**entry))
        if len(dropped) > _MOST_SHOWN:
            say(f"  … and {len(dropped) - _MOST_SHOWN} more; --json lists them all.")
    rest = "The others contain" if len(dropped) else "They contain"
    say(f"{rest} no contradiction. With all that follows from them they are {_worded(closed)}.")
    if out is not None:
        say(f"Written to {out}: {_worded(kept)}.")


def _counts(constraints: Constraints) -> dict[str, int]:
    n_must_links = int(constraints.must_link.sum())
    return {"must-link": n_must_links, "cannot-link": len(constraints) - n_must_links}


def _worded(constraints: Constraints) -> str:
    return " and ".join(f"{count} {kind}{'s' * (count != 1)}" for kind, count in _counts(constraints).items())


def _listed(constraints: Constraints) -> list[dict[str, Any]]:
    rows = zip(constraints.pairs.tolist(), constraints.must_link, constraints.weights.tolist(), strict=True)
    return [
        {
            "where": constraints.where(position),
            "i": i,
            "j": j,
            "kind": "must-link" if must_link else "cannot-link",
            "weight": weight,
        }
        for position, ((i, j), must_link, weight) in enumerate(rows)
    ]
