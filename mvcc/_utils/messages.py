"""Values and texts in messages: short, on one line, without what a terminal would act on.

Names of rows, such as texts:17, and of two views, such as texts:images.
"""

from __future__ import annotations

import errno
import os
import re
import reprlib
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from itertools import islice
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from mvcc.exceptions import MvccError

if TYPE_CHECKING:
    from pydantic import ValidationError

_IN_PYTHON = ContextVar("_IN_PYTHON", default=False)  # whether `cluster_views` runs
_MOST_COMPARED = 20_000  # words, in search of the most similar one
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(e[+-]?\d+)?", re.IGNORECASE)
_UNWRITTEN = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "Make room, or "),
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), "Make it writable, or "),
    **dict.fromkeys((errno.EEXIST, errno.ENOTDIR), "A file is where a folder must be: "),
    errno.EISDIR: "A folder is where a file must be: ",
}


def clipped(text: str, length: int = 60) -> str:
    """Shorten a long text, and escape characters that a terminal would act on."""
    text = text[: length + 1]
    if not text.isprintable():
        text = repr(text)
    if len(text) > length:
        text = f"{text[: length - 1]}…"
    return text


def with_its_end(name: str, length: int) -> str:
    """Shorten a name in its middle, since its end may tell it from others; see ``clipped``."""
    if len(name) <= length:
        return clipped(name)
    return clipped(f"{name[: length // 2]}…{name[-((length - 1) // 2) :]}")


def _columns(text: str) -> int:
    """Return the width of a text in a terminal, where some letters are two columns wide."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # hardly ever needed

    return cell_len(text)


def padded(texts: Sequence[str], least: int = 0, most: int = sys.maxsize) -> list[str]:
    """Fill texts up to the widest in a terminal; what is wider than ``most`` is clipped."""
    texts = [_cut(text, most) for text in texts]
    width = max(least, *map(_columns, texts))
    return [text + " " * (width - _columns(text)) for text in texts]


def _cut(text: str, most: int) -> str:
    if _columns(text) <= most:
        return text
    return next(f"{text[:n]}…" for n in range(len(text), -1, -1) if _columns(text[:n]) < most)


def wrapped(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """Break a text into lines of a terminal; words, such as paths, stay whole."""
    # a mark beside each letter that is two columns wide counts as its second one
    start, marked = (
        "".join(char + "\0" * (_columns(char) - 1) for char in part) for part in (first, text)
    )
    lines = wrap(
        marked,
        width,
        initial_indent=start,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace("\0", "") for line in lines]


def typed(path: str | os.PathLike[str]) -> str:
    """Return a path as it is typed in a command: quoted, and no option or home folder."""
    return quoted(re.sub("^(?=[-~])", "./", os.fspath(path)))


def quoted(text: str) -> str:
    """Quote a word of a command, so that bash gets each of its characters and no terminal does."""
    if text.isprintable():
        return shlex.quote(text)
    escaped = ""
    for char in re.sub(r"[\\']", r"\\\g<0>", text):
        if not char.isprintable():  # the second are bytes of paths that are no UTF-8
            char = repr(char)[1:-1].replace("\\x", "\\u00").replace("\\udc", "\\x")
        escaped += char
    return f"$'{escaped}'"


def shown(value: Any) -> str:
    """Return `value` as Python writes it, clipped."""
    try:
        return clipped(" ".join(reprlib.repr(value).split()))
    except ValueError:  # Python does not write an integer of thousands of digits
        return f"<{type(value).__name__}>"


def words_of(error: Exception) -> str:
    """Return what another package says of a file, on one line."""
    words = " ".join(str(error).split())
    for beginning in (
        "Error tokenizing data. C error: ",
        "Could not open Parquet input source '<Buffer>': ",
    ):
        words = words.removeprefix(beginning)
    return clipped(words or type(error).__name__, 300).rstrip(".")


def in_brief(error: Exception, length: int) -> str:
    """Return what an error says, on one line."""
    return clipped(" ".join(str(error).split()), length)


def first_problem(error: ValidationError) -> str:
    """Return the first thing that is wrong with data from a file, and where."""
    problem = error.errors(include_url=False)[0]
    message = str(problem.get("ctx", {}).get("error", problem["msg"]))
    return clipped(": ".join(filter(None, (".".join(map(str, problem["loc"])), message))), 300)


def counted(n: int, noun: str) -> str:
    """Return a number with what is counted, such as "1 row" and "2 rows"."""
    plural = f"{noun}es" if noun.endswith("ch") else f"{noun}s"
    return f"{n} {agreeing(n, noun, plural)}"


def agreeing(n: int, singular: str, plural: str) -> str:
    """Return the word that agrees with a number, such as "is" or "are"."""
    return singular if n == 1 else plural


def enumerated(values: Iterable[object], most: int = 12) -> str:
    """Return values as a sentence lists them, such as "a, b and c" or "a, b and 3 more"."""
    texts = list(map(str, values))
    if len(texts) > most:
        return f"{', '.join(texts[:most])} and {len(texts) - most} more"
    return " and ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


def percent(share: float | None) -> str:
    """Write a share as a percentage; what is not quite all is never written as all of it."""
    if share is None:
        return "–"
    text = f"{100 * share:.0f}"
    if (text == "100" and share < 1) or (text == "0" and share > 0):
        text = f"{min(max(100 * share, 0.1), 99.9):.1f}"
    return f"{text} %"


def with_point(text: str) -> str | None:
    """Write a number with a decimal comma with a point instead; None for all other texts."""
    match = _DECIMAL_COMMA.fullmatch(text.strip())
    return match and match[0].replace(",", ".")


def why_unwritten(error: OSError, elsewhere: str) -> str:
    """Say why something cannot be written and what to do; ``elsewhere`` is always a way out."""
    advice = _UNWRITTEN.get(error.errno or 0, "") + elsewhere
    return f"{error.strerror or error}. {advice[0].upper()}{advice[1:]}."


def called(view: int, names: Sequence[str] | None) -> str:
    """Return what messages call a view: its name, or its number where views have no names."""
    return str(view) if names is None else shown(names[view])


@contextmanager
def naming_settings() -> Iterator[None]:
    """Let messages name settings of Python in the place of options of the command line."""
    token = _IN_PYTHON.set(True)
    try:
        yield
    finally:
        _IN_PYTHON.reset(token)


def for_reader(option: str, setting: str) -> str:
    """Return an option as it is typed, or what stands for it in Python if that is read there."""
    return setting if _IN_PYTHON.get() else option


@contextmanager
def about(place: str = "", advice: str = "", kind: type[MvccError] = MvccError) -> Iterator[None]:
    """Begin the message of an error with the place of what it is about, and end it with advice."""
    try:
        yield
    except kind as error:
        error.args = (f"{place}{error}{advice}",)
        raise


@contextmanager
def naming(view: int, names: Sequence[str] | None) -> Iterator[None]:
    """Name the view in the message of an error, or in a note if another package raised it."""
    try:
        yield
    except MvccError as error:
        error.args = (f"view {called(view, names)}: {error}",)
        raise
    except Exception as error:
        error.add_note(f"This is about view {called(view, names)}.")
        raise


def _most_like(word: Any, known: Iterable[Any], cutoff: float) -> list[str]:
    """Return the known word that is most like a word, whatever the case, as it is shown."""
    plain = {str(name).strip().casefold(): name for name in islice(known, _MOST_COMPARED)}
    near = get_close_matches(str(word)[:60].strip().casefold(), list(plain), 1, cutoff)
    return [shown(plain[name]) for name in near]


def nearest_of(word: Any, known: Iterable[Any], cutoff: float = 0.6) -> str:
    """Ask whether the known word was meant that is most like a word, if one is."""
    return "".join(f" Did you mean {guess}?" for guess in _most_like(word, known, cutoff))


def nearest_id(name: Any, known: Iterable[Any]) -> str:
    """End a sentence with an offer of a known id with the same numbers and similar letters."""
    return nearest(without_fraction(str(name)), ids_like(name, known), cutoff=0.7)


def ids_like(name: Any, known: Iterable[Any]) -> Iterator[Any]:
    """Give the known ids with the same numbers as one that is not known."""
    # for LAB-2 it may be "lab 002", and 7 for 7.0, but LAB 100 is another thing than LAB 200
    numbers = _numbers_in(name)
    return (id for id in islice(known, _MOST_COMPARED) if _numbers_in(id) == numbers)


def _numbers_in(name: Any) -> list[str]:
    return [digits.lstrip("0") for digits in re.findall(r"\d+", without_fraction(str(name)))]


def without_fraction(id: str) -> str:
    """Return 7 for 7.0, which pandas makes of it in a column with empty cells."""
    return re.sub(r"(?<=\d)\.0$", "", id)


def nearest(word: Any, known: Iterable[Any], cutoff: float = 0.6) -> str:
    """End a sentence with an offer of the known word that is most like a word, if one is."""
    return "".join(f"; did you mean {guess}?" for guess in _most_like(word, known, cutoff)) or "."


def row_name(view: str, id: object) -> str:
    return f"{view}:{id}"


def view_and_id(name: str) -> tuple[str, str]:
    """Return the view and the id of the row of a name; only ids may have colons themselves."""
    view, _, id = name.partition(":")
    return view, id


def lacks_view(name: str, views: Iterable[str]) -> str:
    """Say that the name of a row begins with none of the views."""
    known = ", ".join(row_name(view, "…") for view in views)
    return f"an id must be a view and a row, such as {known}; got {shown(name)}."


def pair_name(view: str, other: str) -> str:
    return f"{view}:{other}"


def views_of_pair(pair: str) -> tuple[str, ...]:
    """Return the views of a name of two; a wrong name has more or fewer."""
    return tuple(pair.split(":"))
