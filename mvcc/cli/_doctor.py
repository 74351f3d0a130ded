"""``mvcc doctor``: what a report of a problem should contain."""

from __future__ import annotations

import os
import platform
import re
import sys
import time
from importlib import metadata
from pathlib import Path

import click

from mvcc import datasets
from mvcc._version import __version__
from mvcc.cli._shared import command, data_dir_option, output_options, say, say_json
from mvcc.exceptions import MvccError


@command("mvcc doctor", "mvcc doctor --compile")
@data_dir_option
@click.option("--compile", "compiling", is_flag=True, help="Compile all kernels now.")
@output_options("Print everything as JSON.")
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
    say_json(facts)
    width = max(len(name) for section in facts.values() for name in section)
    for title, section in facts.items():
        say(f"{title}:")
        for name, value in section.items():
            say(f"  {name:>{width}}: {value}")


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
    try:
        from mvcc._utils.kernels import compiled
        from mvcc.multiview import compile_all_kernels
    except RuntimeError as error:  # numba finds no folder that it may write to
        raise MvccError(
            f"there is no folder for compiled kernels: {error}. Set NUMBA_CACHE_DIR to a folder."
        ) from None
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return {"compiler": "disabled by NUMBA_DISABLE_JIT: a hundred times slower"}
    began = time.perf_counter()
    if compiling:
        compile_all_kernels()
        return {"compiled": f"all, in {time.perf_counter() - began:.1f} s"}
    counts = compiled()
    return {"compiled": f"{sum(counts.values())} below {os.path.commonpath(counts)}"}
