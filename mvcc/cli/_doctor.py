"""``mvcc doctor``: check the installation."""

from __future__ import annotations

import os
import platform
import re
import shlex
import shutil
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import click

from mvcc._version import __version__
from mvcc.cli._shared import Folder, below_help, data_dir_option, output_options, print_json, say
from mvcc.exceptions import DataError

PROBLEM = 1

OK, NOTE, BAD = "ok", "note", "problem"
_EXTRAS = {"dask": ("dask", "distributed"), "parquet": ("pyarrow",)}
_SOURCE = Path(__file__).parents[2]  # where pyproject.toml is, when mvcc is not installed
_LEAST_DISK, _LEAST_MEMORY = 200 * 2**20, 2**30  # bytes
_COLORS = {OK: "green", NOTE: "yellow", BAD: "red"}


@dataclass(frozen=True)
class Line:
    """What was looked at, how it is, and what to do about it."""

    topic: str
    status: str
    found: str
    advice: str = ""


@click.command("doctor", epilog=below_help("mvcc doctor", "mvcc doctor --compile --out my-results"))
@data_dir_option
@click.option("--out", type=Folder(), metavar="FOLDER", default="results", help="Results folder to check.")
@click.option("--compile", "compiling", is_flag=True, help="Compile all kernels now.")
@output_options("Print the findings as JSON.")
@click.pass_context
def command(context: click.Context, data_dir: Path | None, out: Path, compiling: bool, as_json: bool) -> None:
    """Check the installation: versions, data, kernels, threads, disk and memory.

    Changes nothing, except with --compile. Each line is ok, a note or a problem, with advice.

    Exit status 1 if there is a problem.
    """
    lines = [*_versions(), *_extras(), *_data(data_dir), *_kernels(compiling), *_threads(), *_results(out), *_memory()]
    problems = sum(line.status == BAD for line in lines)
    if as_json:
        print_json({"problems": problems, "findings": [asdict(line) for line in lines]})
    else:
        _print(lines)
        say(f"{problems} problems." if problems else "No problems. Next: mvcc run CONFIG, or mvcc init FOLDER.")
    if problems:
        context.exit(PROBLEM)


def _versions() -> Iterator[Line]:
    yield Line("mvcc", OK, f"{__version__} in {Path(__file__).parents[1]}")
    yield Line("python", OK, f"{platform.python_version()} on {platform.platform()}")
    try:
        wanted = [text for text in metadata.requires("mvcc") or () if "extra" not in text.partition(";")[2]]
    except metadata.PackageNotFoundError:
        yield Line(
            "mvcc", NOTE, "not installed, used from its source folder", f"pip install {shlex.quote(str(_SOURCE))}"
        )
        return
    found, missing = [], []
    for package in (re.split(r"[^\w.-]", text, maxsplit=1)[0] for text in wanted):
        try:
            found.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            missing.append(package)
    yield Line("libraries", OK, ", ".join(found))
    if missing:
        yield Line("libraries", BAD, f"missing: {', '.join(missing)}", f"pip install {' '.join(missing)}")


def _extras() -> Iterator[Line]:
    for extra, modules in _EXTRAS.items():
        if missing := [module for module in modules if find_spec(module) is None]:
            command = f"pip install {' '.join(missing)}"
            yield Line(f"extra {extra}", NOTE, f"not installed: {', '.join(missing)}", command)
        else:
            versions = ", ".join(f"{module} {metadata.version(module)}" for module in modules)
            yield Line(f"extra {extra}", OK, versions)


def _data(data_dir: Path | None) -> Iterator[Line]:
    from mvcc.datasets import find_file, registry, registry_version, search_folders

    try:
        folders = search_folders(data_dir)
    except DataError as error:
        yield Line("data", BAD, str(error), "name a folder that exists, or unset it")
        return
    yield Line("data", OK, f"registry version {registry_version()}; searched in {', '.join(map(str, folders))}")
    for info in registry().values():
        if not info.files:
            yield Line(f"data {info.name}", OK, "needs no file")
            continue
        try:
            paths = {file.name: find_file(file, data_dir) for file in info.files}
        except DataError as error:
            yield Line(f"data {info.name}", BAD, str(error), f"mvcc data fetch {info.name}")
            continue
        if missing := [name for name, path in paths.items() if path is None]:
            yield Line(f"data {info.name}", NOTE, f"missing: {', '.join(missing)}", f"mvcc data fetch {info.name}")
        else:
            places = {str(path).removesuffix(name) for name, path in paths.items()}
            yield Line(f"data {info.name}", OK, f"{len(paths)} verified in {', '.join(sorted(places))}")


def _kernels(compiling: bool) -> Iterator[Line]:
    began = time.perf_counter()
    try:
        from mvcc._utils.kernels import compiled
        from mvcc.cluster import MPCKMeans  # noqa: F401, with the warm-up it declares all kernels: numba seeks a folder
        from mvcc.multiview import compile_all_kernels
    except RuntimeError as error:  # numba's word that it finds none
        yield Line("kernels", BAD, f"no folder for compiled kernels: {error}", "set NUMBA_CACHE_DIR to a folder")
        return
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        yield Line("kernels", NOTE, "compiler disabled by NUMBA_DISABLE_JIT: a hundred times slower", "unset it")
        return
    loaded = time.perf_counter() - began
    if compiling:
        began = time.perf_counter()
        compile_all_kernels()
        yield Line("kernels", OK, f"ready after {time.perf_counter() - began:.1f} s")
    counts = compiled()
    below = os.path.commonpath(counts)
    if missing := [str(folder.relative_to(below)) for folder, count in counts.items() if not count]:
        advice = "mvcc doctor --compile, or wait for the first run (less than a minute)"
        yield Line("kernels", NOTE, f"not compiled yet in {below}: {', '.join(missing)}", advice)
    else:
        yield Line("kernels", OK, f"compiled: {sum(counts.values())} below {below}, loaded in {loaded:.1f} s")


def _threads() -> Iterator[Line]:
    from numba import get_num_threads
    from threadpoolctl import threadpool_info

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    pools = [f"{pool['internal_api']} {pool.get('version') or ''}".strip() for pool in threadpool_info()]
    counts = sorted({pool["num_threads"] for pool in threadpool_info()})
    libraries = f"{', '.join(dict.fromkeys(pools))}: {' and '.join(map(str, counts))} threads, 1 in every trial"
    yield Line("threads", OK, f"{cores} cores; {libraries}; numba: {get_num_threads()}")


def _results(out: Path) -> Iterator[Line]:
    where = out.absolute()
    existing = next(folder for folder in (where, *where.parents) if folder.exists())
    if not existing.is_dir():
        yield Line("results", BAD, f"{existing} is a file", "choose another folder with --out")
        return
    if os.access(existing, os.W_OK | os.X_OK):
        yield Line("results", OK, f"{where} is writable" + ("" if existing == where else "; it does not exist yet"))
    else:
        yield Line("results", BAD, f"{existing} is not writable", "choose another folder with --out")
    free = shutil.disk_usage(existing).free
    enough = free >= _LEAST_DISK
    yield Line("disk", OK if enough else BAD, f"{_size(free)} free", "" if enough else "free about 200 MB")


def _memory() -> Iterator[Line]:
    if (free := _free_memory()) is not None:
        enough = free >= _LEAST_MEMORY
        yield Line("memory", OK if enough else NOTE, f"{_size(free)} free", "" if enough else "use few workers: -j 1")


def _free_memory() -> int | None:
    """Return what the system says that processes can still have; None where it does not say."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    entries = dict(line.split(":", 1) for line in lines)
    return int(entries["MemAvailable"].split()[0]) * 1024


def _size(count: int) -> str:
    return f"{count / 2**30:.1f} GB"


def _print(lines: list[Line]) -> None:
    width = max(len(line.topic) for line in lines)
    for line in lines:
        status = click.style(f"{line.status:<7}", fg=_COLORS[line.status])
        say(f"{status}  {line.topic:<{width}}  {line.found}")
        if line.advice:
            say(f"{'':7}  {'':{width}}  → {line.advice}")
