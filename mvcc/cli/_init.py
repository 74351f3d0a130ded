"""``mvcc init``: write a small example to start from."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from mvcc.cli._shared import below_help, output_options, print_json, say


@click.command("init", epilog=below_help("mvcc init my-data"))
@click.argument("folder", type=click.Path(path_type=Path))
@output_options("Print the paths of the files as JSON.")
def command(folder: Path, as_json: bool) -> None:
    """Write a small example to start from into FOLDER, with a commented configuration.

    Two tables of unequal size, some matches between their rows, and some constraints: run `mvcc
    cluster` on them as they are, or replace them by your own tables.
    """
    # numpy takes longer to import than `mvcc init --help` may take
    from mvcc.tables import write_example

    paths = write_example(folder)
    if as_json:
        print_json({"files": [str(path) for path in paths]})
        return
    pictures = [path for path in paths if path.parent != folder]
    for path in paths:
        if path not in pictures:
            say(str(path))
    say(f"{pictures[0].parent} ({len(pictures)} pictures)")
    config = shlex.quote(str(folder / "cluster.yaml"))
    say(f"Next: mvcc cluster {config} --out {shlex.quote(str(folder / 'results'))}")
