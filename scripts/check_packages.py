"""Build wheel and sdist, install them in empty environments, and use what is installed.

    python -m scripts.check_packages [PYTHON ...]        as `make packages` does

The wheel is used with every Python given, else with one of each version that the classifiers name
and that is at hand: on the PATH, or among those of pyenv. What the sdist installs must be the same
files.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import which

from scripts.command import parser
from scripts.tables import ROOT

UV = (sys.executable, "-m", "uv")
MOST_BYTES = 10**6  # of the wheel
NEEDED = (
    "mvcc/py.typed",
    "mvcc/configs/four_quadrants.yaml",
    "mvcc/tables/example/cluster.yaml",
    "mvcc/datasets/registry.yaml",
    "mvcc/reporting/claims/claims.yaml",
    "mvcc/reporting/claims/pages/claims.md.jinja",
)


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("pythons", nargs="*", help="3.11 or newer (default: all at hand)")
    pythons = asked.parse_args().pythons or list(interpreters(named_versions()).values())
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        wheel, sdist = build(Path(folder))
        compare(wheel, sdist, Path(folder) / "again")
        # most of the time one compiler works in each
        uses = [
            (python, wheel, Path(folder) / str(n), n + 1 == len(pythons))
            for n, python in enumerate(pythons)
        ]
        for outcome in pool.map(lambda arguments: use(*arguments), uses):
            print(outcome, flush=True)
    print(summary(map(version_of, pythons)))


def named_versions() -> list[str]:
    """Return the versions of Python that the classifiers name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return re.findall(r"Python :: (3\.\d+)$", "\n".join(project["classifiers"]), re.MULTILINE)


def interpreters(versions: Iterable[str]) -> dict[str, str]:
    """Return an interpreter at hand for each of these versions, this one before others."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    pythons = {}
    for version in versions:
        paths = [
            sys.executable,
            which(f"python{version}"),
            *sorted(pyenv.glob(f"{version}.*/bin/python{version}")),
        ]
        if works := [str(python) for python in paths if python and version_of(python) == version]:
            pythons[version] = works[0]
    return pythons


def version_of(python: str | Path) -> str:
    """Return the version of an interpreter that can make virtual environments, else nothing."""
    ask = "import ensurepip, sys; print(*sys.version_info[:2], sep='.')"
    return subprocess.run(
        [python, "-c", ask], capture_output=True, text=True, check=False
    ).stdout.strip()


def summary(tried: Iterable[str]) -> str:
    """Return the last line: which versions were tried, and which ones were not."""
    tried = list(tried)
    untried = [version for version in named_versions() if version not in tried]
    return f"Tried with Python {', '.join(tried)}; not tried: {', '.join(untried) or 'none'}."


def build(folder: Path) -> list[Path]:
    """Build both packages, and look into them."""
    run(*UV, "build", "--quiet", "--out-dir", folder / "dist", ROOT)
    (wheel,), (sdist,) = (
        list((folder / "dist").glob(pattern)) for pattern in ("*.whl", "*.tar.gz")
    )
    names = zipfile.ZipFile(wheel).namelist()
    assert wheel.stat().st_size < MOST_BYTES, f"{wheel.name} has {wheel.stat().st_size} bytes"
    for needed in NEEDED:
        assert needed in names, f"{needed} is missing in {wheel.name}"
    places = ("mvcc/", f"{wheel.name.split('-py3')[0]}.dist-info/")
    strange = [name for name in names if not name.startswith(places)]
    assert not strange, f"{wheel.name} holds {strange}"
    with tarfile.open(sdist) as archive:
        tops = {name.split("/")[1] for name in archive.getnames() if name.count("/") == 1}
    wanted = {"LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff", "pyproject.toml"}
    assert wanted <= tops, f"{sdist.name}: {tops}"
    for package in (wheel, sdist):
        print(f"{package.name}: {package.stat().st_size / 1000:.0f} kB")
    return [wheel, sdist]


def compare(wheel: Path, sdist: Path, folder: Path) -> None:
    """See that the sdist gives the files of the wheel."""
    run(*UV, "build", "--quiet", "--wheel", "--out-dir", folder, sdist)
    (again,) = folder.glob("*.whl")
    assert files(again) == files(wheel), f"{sdist.name} installs other files"


def use(python: str, wheel: Path, folder: Path, compared: bool) -> str:
    """Install a wheel in an empty environment, use it, and say how long that took.

    The comparison of methods compiles kernels for half a minute, which one Python shall show.
    """
    began = time.perf_counter()
    interpreter = environment(python, folder / "venv", str(wheel))
    installed = time.perf_counter()
    option = "--comparison" if compared else "--no-comparison"
    from_nothing_to_a_report(interpreter.with_name("mvcc"), folder, option)
    used = time.perf_counter()
    took = f"installed in {installed - began:.0f} s, used in {used - installed:.0f} s"
    version = subprocess.check_output([interpreter, "-V"], text=True).strip()
    return f"{version}, {wheel.name}: {took}"


def from_nothing_to_a_report(mvcc: Path, folder: Path, *options: str) -> None:
    """Go the way of a new user with the example."""
    for arguments in (
        ["--version"],
        ["run", "four_quadrants", "--dry-run"],
        ["init", "my-data"],
        ["cluster", "my-data/cluster.yaml", "--out", "results", *options],
        ["report", "results"],
    ):
        done = subprocess.run(
            [mvcc, *arguments], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (
            f"mvcc {arguments[0]}: {done.returncode}\n{done.stdout}{done.stderr}"
        )
    assert (folder / "results/report.html").stat().st_size > 0


def files(wheel: Path) -> list[str]:
    """Return the files of mvcc in a wheel, with their checksums."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/RECORD"))
        return sorted(
            line for line in archive.read(name).decode().splitlines() if line.startswith("mvcc/")
        )


def environment(python: str, folder: Path, *packages: str) -> Path:
    """Make a virtual environment with pip and some packages, and return its interpreter."""
    run(*UV, "venv", "--quiet", "--seed", "--python", python, folder)
    interpreter = folder / "bin/python"
    # what is imported is compiled then: it is a small part of all files
    run(*UV, "pip", "install", "--quiet", "--python", interpreter, *packages)
    return interpreter


def run(*command: object) -> None:
    subprocess.run(list(map(str, command)), check=True)


if __name__ == "__main__":
    main()
