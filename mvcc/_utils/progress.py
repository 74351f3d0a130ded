"""How far a long computation is, and how long the rest may take."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from mvcc._utils.messages import counted, percent

Item = TypeVar("Item")

LOGGER = logging.getLogger("mvcc.progress")
_MANY = 50_000  # rows; steps of what is done with fewer take no time worth telling
_PAUSE = 5.0  # seconds


def teller(n_rows: int) -> Callable[[str], None]:
    """Return what tells a logger of each step with so many rows, where they are many."""
    return (lambda step: LOGGER.info("%s …", step)) if n_rows >= _MANY else lambda step: None


def numbered(step: str, items: Sequence[Item], on_step: Callable[[str], None]) -> Iterator[Item]:
    """Yield the items, telling the number of each and the minutes that are left."""
    began = time.monotonic()
    for done, item in enumerate(items):
        message = f"{step} {done + 1} of {len(items)}"
        if done and (left := _left(began, done / len(items))):
            message += f", {left}"
        on_step(message)
        yield item


class Progress:
    """Tell what is being done and, every few seconds, how far it is and what it still takes."""

    def __init__(self, step: str, on_step: Callable[[str], None]) -> None:
        self._what, self._on_step = step, on_step
        self._began = self._told = time.monotonic()
        on_step(step)

    def __call__(self, share: float) -> None:
        now = time.monotonic()
        if 0 < share < 1 and now >= self._told + _PAUSE:
            self._told = now
            left = _left(self._began, share) or "less than a minute left"
            self._on_step(f"{self._what}: {percent(share)}, {left}")


def _left(began: float, share: float) -> str:
    """Return the time that is left, in words; nothing below a minute, which would vary."""
    minutes = (time.monotonic() - began) * (1 - share) / share / 60
    return f"about {counted(round(minutes), 'minute')} left" if minutes >= 1 else ""
