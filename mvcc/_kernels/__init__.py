"""Compiled kernels that more than one room calls: plain arrays in, plain arrays out.

Numba compiles a cached kernel anew when its own file changes, but not when a kernel that it calls from another file
does: an updated checkout would go on with the old numbers. Hence the files that numba keeps, wherever it keeps them,
carry a digest of the sources of all kernels in their names. What comes from other sources is not found, even while a
process that began before an update still writes it.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba import config
from numba.core.caching import CacheImpl

_PACKAGE = Path(__file__).parents[1]
_ROOMS = ("_kernels", "cluster/_kernels")
_MODULES = tuple(f"mvcc.{room.replace('/', '.')}." for room in _ROOMS)

_folders: set[Path] = set()  # where numba keeps the kernels that are declared


def _digest_of_sources() -> str:
    digest = hashlib.sha256()
    for source in sorted(path for room in _ROOMS for path in (_PACKAGE / room).glob("*.py")):
        digest.update(f"{source.relative_to(_PACKAGE).as_posix()}\n".encode() + source.read_bytes())
    return digest.hexdigest()[:16]


_DIGEST = _digest_of_sources()


def _with_digest(kind: Any) -> Any:
    """Make one of numba's locators into one for kernels of mvcc alone: the same folder, but names with the digest."""

    class KernelLocator(kind):  # type: ignore[misc]
        @classmethod
        def from_function(cls, py_func: Callable[..., Any], py_file: str) -> Any:
            if not py_func.__module__.startswith(_MODULES):
                return None
            locator = super().from_function(py_func, py_file)
            if locator is not None:
                _use(Path(locator.get_cache_path()))
            return locator

        def get_disambiguator(self) -> str:
            return f"{super().get_disambiguator()}-{_DIGEST}"

    return KernelLocator


def _use(folder: Path) -> None:
    """Note where kernels are kept, and remove those of other sources there, since nobody would do it later."""
    if folder in _folders:
        return
    _folders.add(folder)
    for path in folder.glob("*.nb[ci]"):
        if _DIGEST not in path.name:
            with suppress(OSError):  # it takes room, no more
                path.unlink()


def compiled() -> dict[Path, int]:
    """Return the folders where numba keeps the kernels that are declared, and how many are compiled in each."""
    return {folder: len(list(folder.glob(f"*{_DIGEST}*.nbi"))) for folder in sorted(_folders)}


_locators = getattr(CacheImpl, "_locator_classes", None)  # not a promise of numba
_others = getattr(config, "CACHE_LOCATOR_CLASSES", "")  # if there are some, numba asks these alone
if _locators is None or _others:
    warnings.warn(
        f"mvcc cannot tell its compiled kernels from those of another version, whose numbers may differ: "
        f"{'NUMBA_CACHE_LOCATOR_CLASSES is set' if _others else 'this version of numba keeps them in another way'}. "
        f"Remove what is compiled with every update of mvcc.",
        RuntimeWarning,
        stacklevel=2,
    )
else:
    _locators[:0] = map(_with_digest, tuple(_locators))
