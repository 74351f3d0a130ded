"""``mvcc compare``: what differs between two clusterings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mvcc._utils.messages import clipped, counted
from mvcc.cli._shared import (
    Folder,
    below_help,
    fresh_option,
    output_options,
    print_json,
    remark,
    say,
)

_MOST_SHOWN = 10
_WIDEST = 24  # clusters of a table that fits a terminal
_OUTLIER = -1
_CORNER = "A \\ B"

_EXAMPLES = ("mvcc compare results results-2", "mvcc compare results results-2 --out moved.csv")


@click.command("compare", epilog=below_help(*_EXAMPLES, terms=("view", "match", "constraint")))
@click.argument("first", metavar="A", type=Folder())
@click.argument("second", metavar="B", type=Folder())
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the rows that moved to a CSV file.",
)
@fresh_option
@output_options("Print everything as JSON.")
def command(first: Path, second: Path, out: Path | None, fresh: bool, as_json: bool) -> None:
    """Compare two clusterings: A and B are output folders of `mvcc cluster`.

    For each view: how many rows of each cluster of A are in which cluster of B, the adjusted Rand
    index (1: the same; 0: as by chance), the rows that moved, and the constraints and matches that
    are new in B or gone. Clusters of B are numbered as those of A that they share most rows with;
    clusters that were split or merged, are new or have vanished are named. Only rows and views that
    both have are compared.
    """
    # pandas takes longer to import than `mvcc compare --help` may take
    from mvcc.tables import compare_clusterings, write_moved

    found = compare_clusterings(first, second)
    if out is not None:
        write_moved(found, out, fresh=fresh)
    if as_json:
        print_json(found)
        return
    for note in found["notes"]:
        remark(f"Note: {note}")
    for sentence in found["in_words"]:
        say(sentence)
    for view in found["views"]:
        _print_view(view)
    for matches in found["matches"]:
        _print_difference(f"matches of {' and '.join(matches['views'])}", matches)
    if out is not None:
        say(f"Rows that moved: {out}")


def _print_view(view: dict[str, Any]) -> None:
    alike = (
        ""
        if view["adjusted_rand"] is None
        else f"; adjusted Rand index {view['adjusted_rand']:.2f}"
    )
    say(f"{view['name']}: {len(view['moved'])} of {counted(view['rows'], 'row')} moved{alike}")
    rows, columns = view["clusters"]
    if max(len(rows), len(columns)) <= _WIDEST:
        first = [_CORNER, *(_called(row, view["names"][0]) for row in rows)]
        lines = [[*map(_label, columns)], *([*map(str, counts)] for counts in view["table"])]
        width = max(map(len, first))
        for name, entries in zip(first, lines, strict=True):
            say("  ".join([f"  {name:{width}}", *(f"{entry:>5}" for entry in entries)]))
    other = [f"{own} is {new}" for own, new in enumerate(view["numbers"]) if own != new]
    if other:
        say(f"  numbers of B: {', '.join(other)}")
    listed = [
        f"{clipped(row['id'], 30)} {_label(row['from'])} → {_label(row['to'])}"
        for row in view["moved"]
    ]
    _print_some("moved", listed)
    _print_difference("constraints", view["judgments"])


def _label(cluster: int) -> str:
    return "none" if cluster == _OUTLIER else str(cluster)


def _called(cluster: int, names: list[str]) -> str:
    name = names[cluster] if names and cluster != _OUTLIER else ""
    return f"{_label(cluster)} {clipped(name, 20)}".rstrip()


def _print_difference(what: str, found: dict[str, Any]) -> None:
    for kind in ("new", "gone"):
        _print_some(
            f"{kind} {what}", [clipped(" ".join(said.values()), 90) for said in found[kind]]
        )


def _print_some(what: str, lines: list[str]) -> None:
    if lines:
        more = f", and {len(lines) - _MOST_SHOWN} more" if len(lines) > _MOST_SHOWN else ""
        say(f"  {what} ({len(lines)}): {', '.join(lines[:_MOST_SHOWN])}{more}")
