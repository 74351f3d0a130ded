"""Compiled kernels that more than one room calls: plain arrays in, plain arrays out.

Numba compiles a cached kernel anew when its own file changes, but not when a kernel that it calls
from another file does: an updated checkout would go on with the old numbers. Hence the names of all
kernels carry a digest of the sources of all kernels, and with them the files that numba keeps,
wherever it keeps them. What comes from other sources is not found, even while a process that began
before an update still writes it.

Large data are shared among threads: fixed shares of the work, whose results are put together in
order. These are threads of Python around kernels that let go of its lock. Numba's own would do as
well, but a cached kernel that calls a cached parallel one crashes, and some of its threading layers
abort in forked processes and other threads.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache, wraps
from inspect import signature
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numba import get_num_threads, njit
from numba.core.event import Listener, install_listener
from numba.extending import overload

_PACKAGE = Path(__file__).parents[1]
_WORTH_SHARING = 2**17  # rows: for fewer the threads cost more than they save

Result = TypeVar("Result")

_folders: set[Path] = set()  # where numba keeps the kernels that are declared
_INPUTS = {"X", "pairs", "must_link", "weights"}  # what no kernel writes to has these names


def _digest_of_sources() -> str:
    digest = hashlib.sha256()
    for source in sorted([*_PACKAGE.rglob("*kernels.py"), *_PACKAGE.rglob("_kernels/*.py")]):
        digest.update(f"{source.relative_to(_PACKAGE).as_posix()}\n".encode() + source.read_bytes())
    return digest.hexdigest()[:16]


_DIGEST = _digest_of_sources()


def kernel(function: Any) -> Any:
    """Let numba compile a function, once for those who call it from Python and once for the kernels
    that call it.

    What is called from Python is kept by numba for other processes. A kernel that only kernels call
    becomes a part of these, which spares the time to compile a way in from Python, and a file.

    Arrays that nobody may write to are another type for numba, for which it would compile anew: all
    inputs are passed as such.
    """
    name = function.__qualname__
    function.__qualname__ = f"{name}-{_DIGEST}"
    entry: Any = njit(cache=True, nogil=True)(function)
    if entry is function:  # NUMBA_DISABLE_JIT
        return function
    _use(Path(entry.stats.cache_path))
    positions = [
        position
        for position, parameter in enumerate(signature(function).parameters)
        if parameter in _INPUTS
    ]

    @wraps(function)
    def call(*arguments: Any) -> Any:
        passed = list(arguments)
        for position in positions:
            passed[position] = passed[position].view()
            passed[position].flags.writeable = False
        return entry(*passed)

    call.__qualname__ = name
    call.entry = entry  # type: ignore[attr-defined]
    overload(call, strict=False)(lambda *arguments: function)
    return call


def _use(folder: Path) -> None:
    """Note where kernels are kept, and remove those of other sources there."""
    if folder in _folders:
        return
    _folders.add(folder)
    for path in folder.glob("*.nb[ci]"):
        if _DIGEST not in path.name:
            with suppress(OSError):  # it takes room, no more
                path.unlink()


def compiled() -> dict[Path, int]:
    """Return the folders where numba keeps the declared kernels, and the compiled ones in each."""
    return {folder: len(list(folder.glob(f"*{_DIGEST}*.nbi"))) for folder in sorted(_folders)}


class _Watch(Listener):
    """Tells when numba begins to compile; it does not tell when it loads."""

    def __init__(self, begin: Callable[[], None], end: Callable[[], None]) -> None:
        self._begin, self._end = begin, end
        self._outermost: Any = None  # what is compiled; it has kernels within

    def on_start(self, event: Any) -> None:
        kernel = event.data["dispatcher"]
        if self._outermost is None and kernel.py_func.__module__.startswith("mvcc."):
            self._outermost = kernel
            self._begin()

    def on_end(self, event: Any) -> None:
        if event.data["dispatcher"] is self._outermost:
            self._outermost = None
            self._end()


@contextmanager
def watched_compiler(begin: Callable[[], None], end: Callable[[], None]) -> Iterator[None]:
    """Call ``begin`` when this process begins to compile a kernel, ``end`` when it is done."""
    with install_listener("numba:compile", _Watch(begin, end)):
        yield


def may_share(n: int) -> bool:
    """Tell whether n rows are worth several threads, as ``numba.set_num_threads`` allows."""
    return n >= _WORTH_SHARING and get_num_threads() > 1


def for_blocks(
    function: Callable[[slice], Result], n: int, size: int, *, shared: bool
) -> list[Result]:
    """Return what the function returns for every block of ``size`` of n items, in order."""
    blocks = [slice(first, min(first + size, n)) for first in range(0, max(n, 1), max(size, 1))]
    if not shared:
        return list(map(function, blocks))
    return list(_pool(os.getpid(), get_num_threads()).map(function, blocks))


@cache
def _pool(process: int, n_threads: int) -> ThreadPoolExecutor:
    """Return threads to share work among; a forked process has none of its parent's."""
    return ThreadPoolExecutor(n_threads)


@kernel
def build_links(n, pairs, must_link, weights):
    """Return the constraints as links of every point: (start, partner, weight).

    The links of point i are the entries start[i] to start[i+1], partners ascending; a must-link has
    weight w and a cannot-link −w.
    """
    start = np.zeros(n + 1, np.int64)
    for c in range(len(pairs)):
        start[pairs[c, 0] + 1] += 1
        start[pairs[c, 1] + 1] += 1
    for i in range(n):
        start[i + 1] += start[i]
    next_entry = start[:-1].copy()
    partner = np.empty(2 * len(pairs), np.int64)
    weight = np.empty(2 * len(pairs))
    for c in range(len(pairs)):
        signed = weights[c] if must_link[c] else -weights[c]
        for point, other in ((pairs[c, 0], pairs[c, 1]), (pairs[c, 1], pairs[c, 0])):
            partner[next_entry[point]] = other
            weight[next_entry[point]] = signed
            next_entry[point] += 1
    return start, partner, weight


@kernel
def inverse_cholesky(S, floor):
    """Return whether S (d, d) is positive definite, and the lower triangular W with S⁻¹ = Wᵀ W.

    S counts as definite when every pivot exceeds its ``floor`` (d,).
    """
    d = len(S)
    L = np.zeros((d, d))
    W = np.zeros((d, d))
    for a in range(d):
        for b in range(a + 1):
            rest = S[a, b]
            for c in range(b):
                rest -= L[a, c] * L[b, c]
            if a > b:
                L[a, b] = rest / L[b, b]
            elif rest > floor[a]:
                L[a, a] = np.sqrt(rest)
            else:
                return False, W
    for a in range(d):
        W[a, a] = 1 / L[a, a]
        for b in range(a):
            total = 0.0
            for c in range(b, a):
                total += L[a, c] * W[c, b]
            W[a, b] = -total / L[a, a]
    return True, W


@kernel
def add_gram(starts, columns, values, weights, gram):
    """Add Σ_i w_i b_i b_iᵀ to a dense matrix, where b_i are the rows of a sparse one."""
    for i in range(len(starts) - 1):
        for a in range(starts[i], starts[i + 1]):
            weighted = weights[i] * values[a]
            for b in range(starts[i], starts[i + 1]):
                gram[columns[a], columns[b]] += weighted * values[b]
