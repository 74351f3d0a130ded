"""Values and texts as messages call them: short, on one line, without what a terminal would act on."""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from typing import Any


def clipped(text: str, length: int = 60) -> str:
    """Return `text` without its end if it is long, and without characters that a terminal would act on."""
    text = text[: length + 1]
    text = text if text.isprintable() else repr(text)
    return text if len(text) <= length else f"{text[: length - 1]}…"


def shown(value: Any) -> str:
    """Return `value` as Python writes it, clipped."""
    try:
        return clipped(" ".join(reprlib.repr(value).split()))
    except ValueError:  # Python does not write an integer of thousands of digits
        return f"<{type(value).__name__}>"


def called(view: int, names: Sequence[str] | None) -> str:
    """Return what messages call a view: its name, or its number where views have no names."""
    return str(view) if names is None else shown(names[view])
