"""Compiled kernels that more than one room calls: plain arrays in, plain arrays out.

Numba recompiles a cached kernel when its own file changes, but not when a kernel that it calls from another file does.
A checkout that is updated would go on with the old numbers. Hence, before the first kernel is loaded, whatever was
compiled before the newest of their sources is forgotten.
"""

from __future__ import annotations

from pathlib import Path


def _forget_stale_kernels() -> None:
    package = Path(__file__).parents[1]
    folders = [package / "_kernels", package / "cluster" / "_kernels"]
    newest = max(source.stat().st_mtime for folder in folders for source in folder.glob("*.py"))
    for folder in folders:
        for index in (folder / "__pycache__").glob("*.nbi"):
            if index.stat().st_mtime < newest:
                index.unlink(missing_ok=True)


_forget_stale_kernels()
