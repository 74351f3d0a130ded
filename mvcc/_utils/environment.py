"""What a result was computed by: versions, commit, machine, command and time."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mvcc._utils.messages import quoted
from mvcc._version import __version__

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pandas", "joblib")


def versions() -> dict[str, str]:
    """Return the versions of the program, of Python and of the libraries that numbers come from."""
    return {"mvcc": __version__, "python": platform.python_version()} | {
        name: version(name) for name in _PACKAGES
    }


def machine() -> dict[str, Any]:
    """Describe what the bits of a result may depend on beside the versions."""
    # who only compares results needs none of this
    import numpy  # noqa: F401, its BLAS is found only once it is loaded
    import scipy.linalg  # noqa: F401, which has one of its own
    from llvmlite.binding import get_host_cpu_name
    from threadpoolctl import threadpool_info

    libraries = {
        f"{library['internal_api']} {library['version']} ({library.get('architecture')})"
        for library in threadpool_info()
        if library["user_api"] == "blas"
    }
    return {
        "system": platform.platform(),
        "processor": platform.machine(),
        "family": get_host_cpu_name(),  # the one that kernels are compiled for
        "blas": sorted(libraries),
        "libc": " ".join(platform.libc_ver()),
        "cores": os.cpu_count(),
    }


def command_line() -> str:
    """Return the command that this process was started by, ready to be pasted into a shell."""
    return " ".join(map(quoted, ["mvcc", *sys.argv[1:]]))


def now() -> str:
    """Return the time as text, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def commit() -> str | None:
    """Return the commit of mvcc's checkout, marked when files differ from it, or None."""
    checkout = Path(__file__).parents[2]
    if not (checkout / ".git").exists():
        return None
    try:
        head = _git(checkout, "rev-parse", "HEAD")
        changes = _git(checkout, "status", "--porcelain", "--", "mvcc")
    except (OSError, subprocess.CalledProcessError):
        return None
    return f"{head} (with uncommitted changes)" if changes else head


def _git(checkout: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=checkout, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()
