"""``mvcc init``: write a small example to start from, or draft a config for your own tables."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mvcc.cli import _shared as shared

if TYPE_CHECKING:
    from mvcc.tables import Draft

_EXAMPLES = ("mvcc init my-data", "mvcc init --from texts.csv images.xlsx matches.csv")


@click.command(epilog=shared.below_help(*_EXAMPLES))
@click.argument("paths", nargs=-1, required=True, type=click.Path(), metavar="FOLDER|TABLE...")
@click.option("--from", "draft", is_flag=True, help="Draft a config for your own tables.")
@click.option(
    "--out", type=shared.FILE, help="--from: the file of the config.  [default: cluster.yaml]"
)
@shared.sheet_option(help="--from: the sheet of a workbook.")
@shared.header_option(help="--from: the row of a workbook's sheet that names the columns.")
@shared.output_options("Print the paths of the files as JSON; with --from, also what is doubtful.")
def init(
    paths: tuple[str, ...],
    draft: bool,
    out: Path | None,
    sheets: tuple[str, ...],
    headers: tuple[str, ...],
    as_json: bool,
) -> None:
    """Write a small example to start from into FOLDER, or draft a config for your own tables.

    The example has two tables of unequal size, some matches between their rows, and some
    constraints: run `mvcc cluster` on them as they are, or replace them by your own tables.

    With --from, `mvcc` reads your TABLES and writes cluster.yaml, which clusters them as it is: it
    has every column with its kind, two values, and what is doubtful. Columns that look like labels
    are left out. Files of matches and constraints are told by the ids that they hold.
    """
    if draft:
        from mvcc.tables import draft_config

        known = shared.by_name(sheets, "--sheet"), shared.header_rows(headers)
        _print_draft(draft_config(out or Path("cluster.yaml"), paths, *known), as_json)
        return
    if len(paths) > 1 or out is not None or sheets or headers:
        raise click.UsageError("to draft a config for your own tables, add --from.")
    # numpy takes longer to import than `mvcc init --help` may take
    from mvcc.tables import write_example

    folder = Path(paths[0])
    written = write_example(folder)
    if as_json:
        shared.print_json({"files": [str(path) for path in written]})
        return
    pictures = [path for path in written if path.parent != folder]
    for path in written:
        if path not in pictures:
            shared.say(str(path))
    shared.say(f"{pictures[0].parent} ({len(pictures)} pictures)")
    config = shlex.quote(str(folder / "cluster.yaml"))
    shared.say(f"Next: mvcc cluster {config} --out {shlex.quote(str(folder / 'results'))}")


def _print_draft(drafted: Draft, as_json: bool) -> None:
    out, files = drafted.path, drafted.files
    if as_json:
        shared.print_json(
            {
                "files": [str(out)],
                "views": files.views,
                "matches": dict(files.matches),
                "constraints": dict(files.constraints),
                "doubts": drafted.doubts,
            }
        )
        return
    shared.say(str(out))
    for what, named in (
        ("view", files.views.items()),
        ("matches", files.matches),
        ("constraints", files.constraints),
    ):
        for name, path in named:
            shared.say(f"  {what} {name}: {path}")
    if drafted.doubts:
        shared.say("Doubtful:")
    for doubt in drafted.doubts:
        shared.say(f"  {doubt}")
    shared.say(f"Next: mvcc cluster {shlex.quote(str(out))}")
