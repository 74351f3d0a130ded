"""``mvcc data``: list, fetch and check the data sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mvcc.cli._shared import below_help, data_dir_option, output_options, print_json, say
from mvcc.exceptions import DataError

if TYPE_CHECKING:
    from mvcc.datasets import DataFile, DatasetInfo

# mvcc.datasets is imported inside the commands, since it imports numpy.


@click.group(
    name="data",
    epilog=below_help(
        "mvcc data list", "mvcc data fetch protein", "mvcc data check --data-dir my-data"
    ),
)
def data() -> None:
    """List, fetch and check the data sets.

    Files are searched in --data-dir, then in $MVCC_DATA, then in the cache.
    """


def _options(function: Callable[..., None]) -> Callable[..., None]:
    return data_dir_option(output_options("Print JSON instead of a table.")(function))


def _complete_names(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    """Read names from the registry's file, since importing its package takes too long for a key."""
    import yaml

    registry = Path(__file__).parents[1] / "datasets" / "registry.yaml"
    document = yaml.safe_load(registry.read_text(encoding="utf-8"))
    return [name for name in document["datasets"] if name.startswith(incomplete)]


_names = click.argument("names", metavar="[NAME]...", nargs=-1, shell_complete=_complete_names)


@data.command(name="list", epilog=below_help("mvcc data list", terms=("view", "mapping")))
@_options
def list_(data_dir: Path | None, as_json: bool) -> None:
    """List the data sets, their sizes, and the paths of their files."""
    from mvcc.datasets import search_folders

    search_folders(data_dir)  # a folder that does not exist is one error, not one per file
    entries: list[dict[str, Any]] = []
    rows = [("NAME", "TITLE", "VIEWS", "RELATIONS", "OPTIONS", "FILE", "STATUS", "PATH")]
    for info in _selected(()):
        files = [_locate(file, data_dir) for file in info.files]
        entries.append(asdict(info) | {"files": files, "options": info.options()})
        sizes = _sizes((view.name, view.instances, view.features) for view in info.views)
        for i, file in enumerate(files or [{"name": "-", "status": "generated", "path": None}]):
            defaults = [f"{option}={default}" for option, default in info.options().items()]
            options = ", ".join(defaults) or "-"
            known = (sizes, str(info.relations)) if info.views else ("-", "-")
            about = (info.name, info.title, *known, options) if i == 0 else ("",) * 5
            rows.append((*about, file["name"], file["status"], file["path"] or ""))
    _print(entries, rows, as_json)


@data.command(epilog=below_help("mvcc data fetch protein rec_talk"))
@_names
@_options
def fetch(names: tuple[str, ...], data_dir: Path | None, as_json: bool) -> None:
    """Download the files of data sets (default: all) into the cache.

    Files that are already in one of the folders are verified and stay there.
    """
    from mvcc.datasets import fetch as fetch_files

    entries: list[dict[str, Any]] = []
    rows = [("NAME", "FILE", "PATH")]
    for info in _selected(names):
        files = {name: str(path) for name, path in fetch_files(info.name, data_dir).items()}
        entries.append({"name": info.name, "files": files})
        rows += [(info.name, name, path) for name, path in files.items()]
        if not files:
            rows.append((info.name, "-", "generated, no files"))
    _print(entries, rows, as_json)


@data.command(epilog=below_help("mvcc data check", "mvcc data check protein --data-dir my-data"))
@_names
@_options
@click.pass_context
def check(
    context: click.Context, names: tuple[str, ...], data_dir: Path | None, as_json: bool
) -> None:
    """Verify and load data sets (default: all); download nothing.

    Exit status 1 if a file is missing or damaged.
    """
    from mvcc.datasets import search_folders

    search_folders(data_dir)
    entries = [{"name": info.name, **_check(info, data_dir)} for info in _selected(names)]
    rows = [
        ("NAME", "STATUS", "DETAIL"),
        *((entry["name"], entry["status"], entry["detail"]) for entry in entries),
    ]
    _print(entries, rows, as_json)
    if any(entry["status"] != "ok" for entry in entries):
        context.exit(1)


def _selected(names: Sequence[str]) -> list[DatasetInfo]:
    """Look all names up before any work is done; no names are all names."""
    from mvcc.datasets import dataset_info, registry

    return [dataset_info(name) for name in dict.fromkeys(names or registry())]


def _locate(file: DataFile, data_dir: Path | None) -> dict[str, Any]:
    from mvcc.datasets import find_file

    entry = {"name": file.name, "size": file.size, "sha256": file.sha256, "url": file.url}
    entry |= {"licence": file.licence, "citation": file.citation}
    try:
        path = find_file(file, data_dir)
    except DataError as error:
        click.echo(f"Warning: {error}", err=True)
        return {**entry, "status": "bad", "path": None}
    return {**entry, "status": "found" if path else "missing", "path": str(path) if path else None}


def _check(info: DatasetInfo, data_dir: Path | None) -> dict[str, str]:
    from mvcc.datasets import find_file, load_dataset

    try:
        missing = [file.name for file in info.files if find_file(file, data_dir) is None]
        if missing:
            return {
                "status": "missing",
                "detail": f"{', '.join(missing)}: run `mvcc data fetch {info.name}`",
            }
        data = load_dataset(info.name, data_dir=data_dir, random_state=0)
    except DataError as error:
        return {"status": "bad", "detail": str(error)}
    sizes = _sizes((name, *view.shape) for name, view in zip(data.names, data.views, strict=True))
    return {
        "status": "ok",
        "detail": f"{sizes}; {sum(map(len, data.relations.values()))} relations",
    }


def _sizes(views: Any) -> str:
    return ", ".join(f"{name} {instances} x {features}" for name, instances, features in views)


def _print(entries: list[dict[str, Any]], rows: Sequence[Sequence[str]], as_json: bool) -> None:
    """Print JSON, or columns in which nothing is cut, so that paths can be copied."""
    if as_json:
        print_json(entries)
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
