"""``mvcc init``: write a small example to start from, or draft a config for your own tables."""

from __future__ import annotations

from pathlib import Path

import click

from mvcc import tables
from mvcc._utils.messages import typed
from mvcc.cli import _shared as shared

_EXAMPLES = ("mvcc init my-data", "mvcc init --from texts.csv images.xlsx matches.csv")


@shared.command(*_EXAMPLES)
@click.argument("paths", nargs=-1, required=True, type=shared.FILE_NAME, metavar="FOLDER|TABLE...")
@shared.flag("--from", "draft", help="Draft a config for your own tables.")
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
) -> None:
    """Write a small example to start from into FOLDER, or draft a config for your own tables.

    The example has two tables, some matches between their rows, and some constraints.

    With --from, `mvcc` reads your TABLES and writes cluster.yaml, which clusters them as it is: it
    has every column (of thousands, at most 4,000, and doubtful ones) with its kind, two values, and
    what is doubtful. Columns that look like labels are left out. Files of matches and
    constraints are told by the ids that they hold.
    """
    if draft:
        known = shared.by_name(sheets, "--sheet"), shared.header_rows(headers)
        _print_draft(tables.draft_config(out or Path("cluster.yaml"), paths, *known))
        return
    if len(paths) > 1 or out is not None or sheets or headers:
        raise click.UsageError("to draft a config for your own tables, add --from.")
    folder = Path(paths[0])
    written = tables.write_example(folder)
    shared.say_json({"files": written})
    pictures = [path for path in written if path.parent != folder]
    for path in written:
        if path not in pictures:
            shared.say(str(path))
    shared.say(f"{pictures[0].parent} ({len(pictures)} pictures)")
    shared.say(f"Next: mvcc cluster {typed(folder / 'cluster.yaml')} --out results")


def _print_draft(drafted: tables.Draft) -> None:
    out, files = drafted.path, drafted.files
    shared.say_json(
        {
            "files": [out],
            "views": files.views,
            "matches": dict(files.matches),
            "constraints": dict(files.constraints),
            "doubts": drafted.doubts,
        }
    )
    shared.say(str(out))
    named = {"view": [*files.views.items()], "matches": files.matches}
    named["constraints"] = files.constraints
    for noun, entries in named.items():
        for name, path in entries:
            shared.say(f"  {noun} {name}: {path}")
    if drafted.doubts:
        shared.say("Doubtful:")
    for doubt in drafted.doubts:
        shared.say(f"  {doubt}")
    shared.say(f"Next: mvcc cluster {typed(out)}")
