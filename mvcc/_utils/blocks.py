"""Rows block by block, where a copy of all of them would take much memory."""

from __future__ import annotations

BLOCK_ROWS = 2**14


def blocks_of(n: int) -> list[slice]:
    """Return n rows as slices of at most ``BLOCK_ROWS``."""
    return [slice(first, min(first + BLOCK_ROWS, n)) for first in range(0, n, BLOCK_ROWS)]
