"""What is here: the data sets (``mvcc data``), and what is installed (``mvcc doctor``)."""

from __future__ import annotations

import os
import platform
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

import click

from mvcc import datasets
from mvcc._utils.messages import padded
from mvcc._version import __version__
from mvcc.cli import _shared as shared
from mvcc.exceptions import DataError, MvccError


@click.group(
    name="data",
    epilog=shared.below_help(
        "mvcc data list", "mvcc data fetch protein", "mvcc data check --data-dir my-data"
    ),
)
def data() -> None:
    """List, fetch and check the data sets.

    Files are searched in --data-dir, then in $MVCC_DATA, then in the cache.
    """


def _options(function: Callable[..., None]) -> Callable[..., None]:
    return shared.data_dir_option(shared.output_options("Print JSON instead of a table.")(function))


def _complete_names(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    """Read names from the registry's file, since importing its package takes too long for a key."""
    import yaml

    registry = Path(__file__).parents[1] / "datasets" / "registry.yaml"
    document = yaml.safe_load(registry.read_text(encoding="utf-8"))
    return [name for name in document["datasets"] if name.startswith(incomplete)]


_names = click.argument("names", metavar="[NAME]...", nargs=-1, shell_complete=_complete_names)


@data.command(name="list", epilog=shared.below_help("mvcc data list", terms=("view", "mapping")))
@_options
def list_(data_dir: Path | None) -> None:
    """List the data sets, their sizes, and the paths of their files."""
    datasets.search_folders(data_dir)  # a folder that does not exist is one error, not one per file
    entries: list[dict[str, Any]] = []
    rows = [("NAME", "TITLE", "VIEWS", "RELATIONS", "OPTIONS", "FILE", "STATUS", "PATH")]
    for info in _selected(()):
        files = [_locate(file, data_dir) for file in info.files]
        options, status = dict[str, str](), "generated"
        try:
            options = info.options()
        except DataError as error:
            click.echo(f"Warning: {error}", err=True)
            status = "bad"
        entries.append(asdict(info) | {"files": files, "options": options})
        sizes, n_relations = "-", "-"
        if info.views:
            sizes = _sizes((view.name, view.instances, view.features) for view in info.views)
            n_relations = str(info.relations)
        defaults = ", ".join(map("=".join, options.items())) or "-"
        about = (info.name, info.title, sizes, n_relations, defaults)
        for file in files or [{"name": "-", "status": status, "path": None}]:
            rows.append((*about, file["name"], file["status"], file["path"] or ""))
            about = ("",) * 5
    _print(entries, rows)


@data.command(epilog=shared.below_help("mvcc data fetch protein rec_talk"))
@_names
@_options
def fetch(names: tuple[str, ...], data_dir: Path | None) -> None:
    """Download the files of data sets (default: all) into the cache.

    Files that are already in one of the folders are verified and stay there.
    """
    entries: list[dict[str, Any]] = []
    rows = [("NAME", "FILE", "PATH")]
    for info in _selected(names):
        files = {name: str(path) for name, path in datasets.fetch(info.name, data_dir).items()}
        entries.append({"name": info.name, "files": files})
        rows += [(info.name, name, path) for name, path in files.items()]
        if not files:
            rows.append((info.name, "-", "generated, no files"))
    _print(entries, rows)


@data.command(
    epilog=shared.below_help("mvcc data check", "mvcc data check protein --data-dir my-data")
)
@_names
@_options
@click.pass_context
def check(context: click.Context, names: tuple[str, ...], data_dir: Path | None) -> None:
    """Verify and load data sets (default: all); download nothing.

    Exit status 1 if a file is missing or damaged, or the data of another package cannot be used.
    """
    datasets.search_folders(data_dir)
    entries = [{"name": info.name, **_check(info, data_dir)} for info in _selected(names)]
    rows = [
        ("NAME", "STATUS", "DETAIL"),
        *((entry["name"], entry["status"], entry["detail"]) for entry in entries),
    ]
    _print(entries, rows)
    if any(entry["status"] != "ok" for entry in entries):
        context.exit(1)


def _selected(names: Sequence[str]) -> list[datasets.DatasetInfo]:
    """Look all names up before any work is done; no names are all names."""
    return [datasets.dataset_info(name) for name in dict.fromkeys(names or datasets.registry())]


def _locate(file: datasets.DataFile, data_dir: Path | None) -> dict[str, Any]:
    entry = asdict(file) | {"status": "missing", "path": None}
    try:
        if path := datasets.find_file(file, data_dir):
            entry |= {"status": "found", "path": str(path)}
    except DataError as error:
        click.echo(f"Warning: {error}", err=True)
        entry["status"] = "bad"
    return entry


def _check(info: datasets.DatasetInfo, data_dir: Path | None) -> dict[str, str]:
    try:
        missing = [file.name for file in info.files if datasets.find_file(file, data_dir) is None]
        if missing:
            detail = f"{', '.join(missing)}: run `mvcc data fetch {info.name}`"
            return {"status": "missing", "detail": detail}
        data = datasets.load_dataset(info.name, data_dir=data_dir, random_state=0)
    except MvccError as error:
        return {"status": "bad", "detail": str(error)}
    sizes = _sizes((name, *view.shape) for name, view in zip(data.names, data.views, strict=True))
    n_relations = sum(map(len, data.relations.values()))
    return {"status": "ok", "detail": f"{sizes}; {n_relations} relations"}


def _sizes(views: Any) -> str:
    return ", ".join(f"{name} {instances} x {features}" for name, instances, features in views)


def _print(entries: list[dict[str, Any]], rows: Sequence[Sequence[str]]) -> None:
    """Print JSON, or columns in which nothing is cut, so that paths can be copied."""
    shared.say_json(entries)
    for row in zip(*map(padded, zip(*rows, strict=True)), strict=True):
        shared.say("  ".join(row).rstrip())


@shared.command("mvcc doctor", "mvcc doctor --compile")
@shared.data_dir_option
@shared.flag("--compile", "compiling", help="Compile all kernels now.")
@shared.output_options("Print everything as JSON.")
def doctor(data_dir: Path | None, compiling: bool) -> None:
    """Print the versions of mvcc and its libraries, and where data and compiled kernels are.

    Changes nothing, except with --compile. Exit status 1 if mvcc cannot work as it is installed.
    """
    from numba import get_num_threads
    from threadpoolctl import threadpool_info

    pools = {pool["internal_api"]: str(pool["num_threads"]) for pool in threadpool_info()}
    facts = {
        "system": {
            "mvcc": f"{__version__} in {Path(__file__).parents[1]}",
            "python": f"{platform.python_version()} ({sys.executable})",
            "machine": platform.platform(),
        },
        "libraries": _libraries(),
        "threads": {"cores": str(os.cpu_count()), "numba": str(get_num_threads()), **pools},
        "data": {
            "registry": str(datasets.registry_version()),
            "searched in": ", ".join(map(str, datasets.search_folders(data_dir))),
        },
        "kernels": _kernels(compiling),
    }
    shared.say_json(facts)
    width = max(len(name) for section in facts.values() for name in section)
    for title, section in facts.items():
        shared.say(f"{title}:")
        for name, value in section.items():
            shared.say(f"  {name:>{width}}: {value}")


def _libraries() -> dict[str, str]:
    """Return the version of every library that mvcc needs or, for folders of files, can use."""
    try:
        required = metadata.requires("mvcc") or []
    except metadata.PackageNotFoundError:  # used from its source folder
        return {}
    versions = {}
    for requirement in required:
        needed_for = re.search(r'extra == "(.*?)"', requirement.replace("'", '"'))
        if needed_for and needed_for[1] not in ("dask", "parquet"):
            continue
        name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = f"not installed; pip install {name}"
    return versions


def _kernels(compiling: bool) -> dict[str, str]:
    from mvcc._utils.kernels import compiled
    from mvcc.multiview import compile_all_kernels

    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return {"compiler": "disabled by NUMBA_DISABLE_JIT: a hundred times slower"}
    began = time.perf_counter()
    if compiling:
        compile_all_kernels()
        return {"compiled": f"all, in {time.perf_counter() - began:.1f} s"}
    counts = compiled()
    return {"compiled": f"{sum(counts.values())} below {os.path.commonpath(counts)}"}
