"""What the system tells of memory, where it has /proc."""

from __future__ import annotations

from pathlib import Path


def memory(field: str, file: str = "self/status") -> float:
    """Return the bytes of a field: by default of this process, VmRSS now and VmHWM at most so far.

    It is NaN where nothing is told. ``resource.getrusage`` would not do: its peak is that of the
    parent where that was larger.
    """
    try:
        lines = Path("/proc", file).read_text("ascii").splitlines()
    except OSError:
        return float("nan")
    return next((1024.0 * int(line.split()[1]) for line in lines if line.startswith(field)), 0.0)
