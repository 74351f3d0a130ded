"""What a session of questions tells, how far it is, and which names its groups may have."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mvcc._utils.messages import shown
from mvcc._utils.types import Floats, Ints
from mvcc.exceptions import InvalidInputError
from mvcc.multiview import OPENS, RENAME, Answer, ClustersHint, Questions

_STEP = 10  # answers after which the share of rows that they moved is reported
MOST_LETTERS = 200  # of a name
_HANDLE = re.compile("g[0-9]+")

_Guesses = tuple[Ints, Floats]  # groups, and the rows each stands for


@dataclass(frozen=True)
class Status:
    """How far a session is."""

    n_answers: int
    n_groups: int
    guessed_of_last_ten: int
    # share of the rows whose likeliest group the ten answers before the last multiple of ten
    # changed
    moved: float | None
    n_clusters_hint: int
    settled: bool
    version: int  # the number of lines of the log


@dataclass(frozen=True)
class GivenAnswer:
    """The present answer to a question: the name of a group, "unsure" or "outlier"."""

    id: str
    title: str
    answer: str


@dataclass(frozen=True)
class NearRow:
    """A row near an object, and the group that it is in or most like."""

    id: str
    title: str
    group: str
    answered: bool


@dataclass(frozen=True)
class NearRows:
    """The rows of a view that are near an object, the nearest first."""

    view: str
    rows: tuple[NearRow, ...]


class ProgressMeter:
    """Measure how far a session is; the last guesses are kept, since every card needs them."""

    def __init__(self) -> None:
        self._guesses: dict[int, tuple[tuple[Answer, ...], _Guesses | None]] = {}

    def status(self, questions: Questions, hint: ClustersHint) -> Status:
        """Return the status of a session."""
        progress = questions.progress
        return Status(
            progress.answered,
            progress.groups,
            progress.guessed_of_last_ten,
            self._moved(questions),
            hint.n_clusters,
            hint.settled,
            len(questions.history.lines),
        )

    def _moved(self, questions: Questions) -> float | None:
        """Return the share of rows whose group changed between the last two multiples of ten."""
        last = questions.progress.answered // _STEP * _STEP
        if last < 2 * _STEP:
            return None
        before, now = self._guesses_at(questions, last - _STEP), self._guesses_at(questions, last)
        if before is None or now is None:
            return None
        groups, n_rows = now
        return float(n_rows[groups != before[0]].sum() / n_rows.sum())

    def _guesses_at(self, questions: Questions, n: int) -> _Guesses | None:
        """Return the likeliest groups with n objects answered; None without a group."""
        then = questions.as_of(n)
        answers = then.history.standing
        if n not in self._guesses or self._guesses[n][0] != answers:
            self._guesses[n] = answers, then.guesses() if then.groups else None
        return self._guesses[n][1]


def n_since_second_look(answers: tuple[Answer, ...]) -> int:
    """Return the number of answers since an object was last answered once more."""
    n, seen = 0, set[int | None]()
    for answer in answers:
        if answer.is_about_object:
            n = 0 if answer.object in seen else n + 1
            seen.add(answer.object)
    return n


def looks_like_handle(name: str) -> bool:
    """Tell whether a name would take the answers that are meant for the group with this handle."""
    return _HANDLE.fullmatch(name) is not None


def check_new_name(answer: str) -> None:
    """Refuse an answer that gives a group a name that is too long, or looks like a handle.

    Logs may hold such names from before they were refused; these stay.
    """
    if not answer.startswith((OPENS, RENAME)):
        return
    name = answer.partition(":")[2]
    if looks_like_handle(name):
        raise InvalidInputError(
            f"{shown(name)} must not be the name of a group: g with a number stands for the group "
            f"of this number. Choose another name."
        )
    if len(name) > MOST_LETTERS:
        raise InvalidInputError(
            f"The name {shown(name)} has {len(name)} letters; a group's name has at most "
            f"{MOST_LETTERS}."
        )
