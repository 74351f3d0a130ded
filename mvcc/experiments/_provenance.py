"""Where results come from: versions, commit, machine, command, and the data's checksums."""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from llvmlite.binding import get_host_cpu_name
from threadpoolctl import threadpool_info

from mvcc._messages import clipped
from mvcc._version import __version__
from mvcc.datasets import file_checksums
from mvcc.experiments._config import Config
from mvcc.experiments._manifest import Manifest, Run

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pandas", "joblib")


def describe_run(config: Config, data_dir: str | os.PathLike[str] | None) -> Manifest:
    """Collect what a manifest says of a run that starts now: config, data, and a list with the run itself.

    Raises
    ------
    DataError
        When a data file is missing or damaged.
    """
    return Manifest(
        config=config.resolved(), data=file_checksums(config.dataset, data_dir), runs=[this_run()], checksums={}
    )


def this_run() -> Run:
    """Describe the program, the machine and the time."""
    return Run(
        command=command_line(),
        commit=_commit(),
        versions={"mvcc": __version__, "python": platform.python_version()}
        | {name: version(name) for name in _PACKAGES},
        machine={
            "system": platform.platform(),
            "processor": platform.machine(),
            "family": get_host_cpu_name(),  # the one that kernels are compiled for
            "blas": sorted({f"{lib['internal_api']} {lib['version']} ({lib.get('architecture')})" for lib in _blas()}),
            "libc": " ".join(platform.libc_ver()),
            "cores": os.cpu_count(),
        },
        started=now(),
    )


def command_line() -> str:
    """Return the command that this process was started by, ready to be pasted into a shell."""
    return shlex.join(["mvcc", *sys.argv[1:]])


def now() -> str:
    """Return the time as text, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def differences(stored: Manifest, current: Manifest) -> list[str]:
    """List in what a stored run and the current one differ, one line each; trials may be added at any time."""
    lines: list[str] = []
    for part in ("config", "data"):
        old, new = _flat(getattr(stored, part)), _flat(getattr(current, part))
        lines += [
            f"{part}: {clipped(key)}: {_in_brief(old, key)} in the folder, {_in_brief(new, key)} now"
            for key in sorted({*old, *new} - {"trials"})
            if old.get(key) != new.get(key)
        ]
    ours = current.runs[0].versions["mvcc"]
    for theirs in sorted({run.versions.get("mvcc", "unknown") for run in stored.runs} - {ours}):
        lines.append(f"mvcc: version {clipped(theirs)} in the folder, {ours} now")
    return lines


def environment_differences(one: Run, other: Run) -> list[str]:
    """List what may give two runs of one config other bits: versions of the program and its libraries, processor."""
    lines = []
    for part in ("versions", "machine"):
        old, new = getattr(one, part), getattr(other, part)
        keys = sorted({*old, *new} - {"system", "cores"})
        lines += [
            f"{clipped(key)}: {_worded(old, key)} and {_worded(new, key)}"
            for key in keys
            if old.get(key) != new.get(key)
        ]
    return lines


def _worded(facts: dict[str, Any], key: str) -> str:
    value = facts.get(key, "not recorded")
    return clipped(", ".join(map(str, value)) if isinstance(value, list) else str(value), 200)


def _in_brief(leaves: dict[str, Any], key: str) -> str:
    return clipped(str(leaves.get(key, "not set")), 200)


def _blas() -> list[dict[str, Any]]:
    return [library for library in threadpool_info() if library["user_api"] == "blas"]


def _flat(tree: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    leaves: dict[str, Any] = {}
    for key, value in tree.items():
        leaves |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return leaves


def _commit() -> str | None:
    """Return the commit of the checkout that mvcc runs from, marked when files differ from it; None elsewhere."""
    checkout = Path(__file__).parents[2]
    if not (checkout / ".git").exists():
        return None
    try:
        commit = _git(checkout, "rev-parse", "HEAD")
        changed = _git(checkout, "status", "--porcelain", "--", "mvcc")
    except (OSError, subprocess.CalledProcessError):
        return None
    return f"{commit} (with uncommitted changes)" if changed else commit


def _git(checkout: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=checkout, capture_output=True, text=True, check=True)
    return done.stdout.strip()
