"""Telling when numba begins to compile; it does not tell when it loads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.event import Listener, install_listener


class _Watch(Listener):
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
