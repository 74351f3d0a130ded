"""Where results come from: versions, commit, machine, command, and the data's checksums."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mvcc._version import __version__
from mvcc.datasets import file_checksums
from mvcc.experiments._config import Config

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pandas", "joblib")


def describe_run(config: Config, data_dir: str | os.PathLike[str] | None) -> dict[str, Any]:
    """Collect what a manifest says of a run that starts now: config, data, and a list with the run itself.

    Raises
    ------
    DataError
        When a data file is missing or damaged.
    """
    return {
        "config": config.resolved(),
        "data": file_checksums(config.dataset, data_dir),
        "runs": [
            {
                "command": " ".join(["mvcc", *sys.argv[1:]]),
                "commit": _commit(),
                "versions": {"mvcc": __version__, "python": platform.python_version()}
                | {name: version(name) for name in _PACKAGES},
                "machine": {"system": platform.platform(), "processor": platform.machine(), "cores": os.cpu_count()},
                "started": now(),
            }
        ],
    }


def now() -> str:
    """Return the time as text, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def differences(stored: dict[str, Any], current: dict[str, Any]) -> list[str]:
    """List in what a stored run and the current one differ, one line each; trials may be added at any time."""
    lines: list[str] = []
    for part in ("config", "data"):
        old, new = _flat(stored.get(part, {})), _flat(current[part])
        lines += [
            f"{part}: {key}: {old.get(key, 'not set')} in the folder, {new.get(key, 'not set')} now"
            for key in sorted({*old, *new} - {"trials"})
            if old.get(key) != new.get(key)
        ]
    ours = current["runs"][0]["versions"]["mvcc"]
    for theirs in sorted({run["versions"]["mvcc"] for run in stored.get("runs", [])} - {ours}):
        lines.append(f"mvcc: version {theirs} in the folder, {ours} now")
    return lines


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
