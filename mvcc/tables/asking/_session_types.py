"""What a session of questions tells: plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Said:
    """What came of an answer.

    Attributes
    ----------
    id : str
    answer : str
        The name of the group, "unsure" or "outlier".
    guessed : bool or None
        Whether it is the group that was offered first; None where it names none that was there, or
        a second look.
    moved : float or None
        As in ``Status``, after each ten answers.
    """

    id: str
    answer: str
    guessed: bool | None
    moved: float | None


@dataclass(frozen=True)
class Status:
    """How far a session is.

    Attributes
    ----------
    n_answers, n_groups, guessed_of_last_ten : int
    moved : float or None
        Share of the rows whose likeliest group was changed by the last ten answers before the last
        multiple of ten.
    n_clusters_hint : int
    settled : bool
    version : int
        Number of things said, also of those that were taken back.
    """

    n_answers: int
    n_groups: int
    guessed_of_last_ten: int
    moved: float | None
    n_clusters_hint: int
    settled: bool
    version: int


@dataclass(frozen=True)
class NearRow:
    """A row near an object.

    Its id, the group that it is in or most like, and whether it was asked about.
    """

    id: str
    group: str
    answered: bool


@dataclass(frozen=True)
class NearRows:
    """The rows of a view that are near an object, the nearest first."""

    view: str
    rows: tuple[NearRow, ...]
