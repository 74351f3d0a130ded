"""What is wrong with the files of a job: collected, and told at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mvcc._utils.environment import command_line
from mvcc._utils.messages import clipped, for_reader, quoted, words_of
from mvcc.exceptions import DataError, InvalidInputError, MvccError

if TYPE_CHECKING:
    import pandas as pd

_MOST_TOLD = 20
_MOST_WORDS = 3  # instead of numbers or dates, which may all mean missing


@contextmanager
def reading_as(noun: str, path: str) -> Iterator[None]:
    """Say why a file cannot be read as what its name says."""
    try:
        yield
    except DataError:
        raise
    except Exception as error:  # a damaged file raises whatever its first odd byte leads to
        raise DataError(f"{path}: cannot be read as {noun}: {words_of(error)}.") from error


@dataclass(frozen=True)
class Mistake:
    """The first value of a column that cannot be used: its row, what it is, and what to do."""

    row: int
    what: str
    remedy: str
    n: int  # values like it
    may_be_missing: bool = False  # whether no value at all is a remedy, too
    words: tuple[str, ...] = ()  # all values like it, if these are a few words

    @classmethod
    def of(
        cls, texts: pd.Series[Any], bad: Any, why: str, remedy: str, *, may_be_missing: bool = True
    ) -> Mistake:
        """Say of the first bad text of a column why it is, and what to do."""
        row = int(np.argmax(bad))
        description = f"{clipped(repr(str(texts.iloc[row])))}, {why},"
        words = tuple(texts[bad].astype(str).unique()) if may_be_missing else ()
        if len(words) > _MOST_WORDS or any(map(re.compile(r"\d|.{30}").search, words)):
            words = ()
        return cls(row, description, remedy, int(np.sum(bad)), may_be_missing, words)

    def remedies(self, without: str = "leave the cell empty") -> str:
        """Return all that may be done; ``without`` says how a table does without a value."""
        if not self.may_be_missing:
            return self.remedy
        return f"{self.remedy}, or {without}"


class SeveralProblems(DataError):
    """All that is wrong, a line for each."""

    def __init__(self, errors: Sequence[MvccError], way_out: Sequence[str] = ()) -> None:
        lines = [f"  {error}" for error in errors[:_MOST_TOLD]]
        if more := max(0, len(errors) - _MOST_TOLD):
            lines.append(f"  and {more} more")
        super().__init__("\n".join([f"{len(errors)} problems:", *lines, *way_out]))
        self.errors, self._way_out = list(errors), list(way_out)

    def __reduce__(self) -> tuple[Any, ...]:
        """Be made again from the errors, not from the words, in another process."""
        return SeveralProblems, (self.errors, self._way_out)


class Problems:
    """Errors in the order in which they were found, and columns without which there are none."""

    def __init__(self) -> None:
        self._errors: list[MvccError] = []
        self._n_avoidable = 0
        # of every view, columns that may be left out instead, and the problem of each
        self.columns: dict[str, dict[str, str]] = {}
        self._without_words: dict[str, dict[str, None]] = {}  # those that must be
        self.words: dict[str, list[str]] = {}  # of every view, those that may mean missing

    def __bool__(self) -> bool:
        return bool(self._errors)

    def add(self, error: MvccError | str) -> None:
        if isinstance(error, str):
            error = DataError(error)
        self._errors += getattr(error, "errors", [error])

    def add_avoidable(self, error: str, view: str, columns: list[str], words: list[str]) -> None:
        """Note an error that leaving out some columns avoids, or that some words mean missing."""
        self.add(error)
        self._n_avoidable += 1
        self.columns.setdefault(view, {}).update(dict.fromkeys(columns, error))
        if words:
            self.words[view] = list(dict.fromkeys([*self.words.get(view, ()), *words]))
        else:
            self._without_words.setdefault(view, {}).update(dict.fromkeys(columns))

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Note an error in a file and go on."""
        try:
            yield
        except (DataError, InvalidInputError) as error:
            self.add(error)

    def raise_any(self) -> None:
        """Raise the only error, or all, with the command that leaves out columns if it helps."""
        if len(self._errors) == 1:
            raise self._errors[0]
        if self._errors:
            raise SeveralProblems(self._errors, self._way_out())

    def _way_out(self) -> list[str]:
        if self._n_avoidable < len(self._errors):
            return []
        ignored = {view: [*columns] for view, columns in self.columns.items()}
        options = _options("--ignore", ignored)
        command = command_line()
        if not command.startswith(("mvcc cluster ", "mvcc ask ")):
            setting = clipped(f"ignore={ignored}", 2000)
            return [f"To leave these columns out: {for_reader(options, setting)}"]
        lines = ["To go on without these columns:", f"  {command} {options}"]
        if self.words:
            others = {view: [*columns] for view, columns in self._without_words.items()}
            as_missing = f"{_options('--missing', self.words)} {_options('--ignore', others)}"
            lines = ["If these words mean missing:", f"  {command} {as_missing.rstrip()}", *lines]
        return lines


def _options(flag: str, values: Mapping[str, Sequence[str]]) -> str:
    return " ".join(option_for(flag, view, value) for view, value in values.items())


def is_in_memory(view: str, path: str) -> bool:
    """Tell whether a table has a name in the place of a path, as `cluster_views` has it."""
    return path == f"views[{view!r}]"


def option_for(flag: str, view: str, value: str | Sequence[str]) -> str:
    """Return an option of a view as it is typed, or a setting of Python if that is read there."""
    key = flag.removeprefix("--").replace("-", "_")
    setting = clipped(f"{key}={{{view!r}: {value!r}}}", 2000)
    if not isinstance(value, str):
        need = re.compile('^($| )|[",\r\n]')
        value = ",".join(
            '"{}"'.format(name.replace('"', '""')) if need.search(name) else name for name in value
        )
    text = f"{view}={value}"
    option = f"{flag} {quoted(text if len(text) <= 2000 else f'{text[:1999]}…')}"
    return for_reader(option, setting)


def title_above(header: int) -> str:
    """Ask whether a title stands where the names of columns are expected."""
    return f"Does line {header} name the columns? Delete the lines above their names"
