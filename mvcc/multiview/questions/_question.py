"""A question and its parts, and what the answers amount to."""

from __future__ import annotations

from dataclasses import dataclass

Rows = tuple[tuple[int, ...], ...]  # of one object, per view


@dataclass(frozen=True)
class Group:
    """Objects that the person put together."""

    number: int  # from 1, in the order in which groups were opened; it stays when others are merged
    name: str
    members: tuple[str, ...]  # ids of the objects, in the order of the answers

    @property
    def size(self) -> int:
        """The number of members."""
        return len(self.members)

    @property
    def handle(self) -> str:
        """What stands for the group whatever its name, such as "g1"."""
        return f"g{self.number}"


@dataclass(frozen=True)
class Offer:
    """A group that an object may be like."""

    group: Group
    # rows of one or two members, per view: first in views of the object, then matched, then nearest
    exemplars: tuple[Rows, ...]

    @property
    def exemplar(self) -> Rows:
        """The first of them."""
        return self.exemplars[0]


@dataclass(frozen=True)
class Question:
    """An object, and the groups that it may be like."""

    id: str  # view and first row of the object, such as "texts:17"; it stays the same
    rows: Rows  # all rows of the object, per view
    offers: tuple[Offer, ...]  # all groups, the likeliest first
    # the approximate number of rows of every view that an answer covers and no given answer does
    speaks_for: tuple[int, ...]
    # the names of the two likeliest groups, where the second is more than half as likely; or empty
    undecided_between: tuple[str, ...]


@dataclass(frozen=True)
class SecondLook:
    """An answer that what is near contradicts."""

    question: Question
    said: str  # the name of the group that was the answer
    # the name of the group that is nearest; empty where a group has had one member for long
    near: str


@dataclass(frozen=True)
class Neighbor:
    """A row near an object in the graph of all views."""

    row: int
    group: str  # the group that it was put into, or else is most like; empty where there is none
    answered: bool  # whether it was asked about


@dataclass(frozen=True)
class ClustersHint:
    """How many clusters the answers propose."""

    # of groups; from 60 answers on without those of one or two members to which less than a third
    # as many rows are nearest as to the mean group: these are likely wrong answers
    n_clusters: int
    settled: bool  # whether the last ten answers that name a group opened none
    counted: tuple[int, ...]  # the numbers of the groups that count


@dataclass(frozen=True)
class Progress:
    """What was answered so far."""

    answered: int  # objects, also those that are unsure or outliers
    groups: int
    # how many of the last ten answers named the group that was offered first
    guessed_of_last_ten: int


@dataclass(frozen=True)
class Untold:
    """What no constraint of one view can say, until a matched object is answered."""

    must_link: bool  # whether the two belong together, or apart
    ids: tuple[str, str]  # of both objects
