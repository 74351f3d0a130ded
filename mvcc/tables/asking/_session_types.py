"""What a session of questions tells: plain values."""

from __future__ import annotations

from dataclasses import dataclass


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
