"""Several threads for large data.

Fixed shares of the work, whose results are put together in order.

These are threads of Python around kernels that let go of its lock. Numba's own would do as well,
but a cached kernel that calls a cached parallel one crashes, and some of its threading layers abort
in forked processes and other threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

from numba import get_num_threads

_WORTH_SHARING = 2**17  # rows: for fewer the threads cost more than they save

Result = TypeVar("Result")


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
