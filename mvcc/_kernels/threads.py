"""Several threads for large data: fixed blocks, whose results are put together in order."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from numba import get_num_threads

BLOCK = 8192  # rows; data of one block are never shared out
_PROCESS = os.getpid()

Result = TypeVar("Result")


def may_share(n: int) -> bool:
    """Tell whether work on n rows is worth several threads, and may use them.

    Threads are for the main thread of a process that was not forked: elsewhere some threading layers of numba abort
    the process. ``numba.set_num_threads`` and ``NUMBA_NUM_THREADS`` limit them.
    """
    return (
        n > BLOCK
        and threading.current_thread() is threading.main_thread()
        and os.getpid() == _PROCESS
        and get_num_threads() > 1
    )


def for_blocks(function: Callable[[slice], Result], n: int, size: int, *, shared: bool) -> list[Result]:
    """Return what the function returns for every block of ``size`` of n items; on several threads where ``shared``.

    No items are one empty block.
    """
    blocks = [slice(first, min(first + size, n)) for first in range(0, max(n, 1), max(size, 1))]
    if not shared:
        return list(map(function, blocks))
    with ThreadPoolExecutor(get_num_threads()) as pool:
        return list(pool.map(function, blocks))
