"""Values and texts as messages call them: short, on one line, without what a terminal would act on."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from itertools import islice
from typing import Any

from mvcc.exceptions import MvccError

_MOST_COMPARED = 20_000  # words, in search of the most similar one


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


@contextmanager
def naming(view: int, names: Sequence[str] | None) -> Iterator[None]:
    """Have an error say which view it is of: in its message, or in a note where it is of another package."""
    try:
        yield
    except MvccError as error:
        error.args = (f"view {called(view, names)}: {error}",)
        raise
    except Exception as error:
        error.add_note(f"This is about view {called(view, names)}.")
        raise


def most_like(word: Any, known: Iterable[Any], cutoff: float = 0.6) -> Any | None:
    """Return what is most like a word among what is known, whatever the case; None where nothing is like it."""
    plain = {str(one).strip().casefold(): one for one in islice(known, _MOST_COMPARED)}
    near = get_close_matches(str(word)[:60].strip().casefold(), list(plain), 1, cutoff)
    return plain[near[0]] if near else None


def nearest(word: Any, known: Iterable[Any], cutoff: float = 0.6) -> str:
    """Return the end of a sentence that offers what is most like a word, if something is like it."""
    near = most_like(word, known, cutoff)
    return "." if near is None else f"; did you mean {shown(near)}?"
