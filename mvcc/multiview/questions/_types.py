"""The parts of questions to a person, and the state of the answers."""

from __future__ import annotations

from dataclasses import dataclass

Rows = tuple[tuple[int, ...], ...]  # of one object, per view


@dataclass(frozen=True)
class Group:
    """Objects that the person put together.

    Attributes
    ----------
    number : int
        From 1, in the order in which groups were opened; it stays when others are merged.
    name : str
    members : tuple of str
        Ids of the objects, in the order of the answers.
    """

    number: int
    name: str
    members: tuple[str, ...]

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
    """A group that an object may be like.

    Attributes
    ----------
    group : Group
    exemplars : tuple of Rows
        The rows of one or two of its members, per view; the one that is most like the object first.
    """

    group: Group
    exemplars: tuple[Rows, ...]

    @property
    def exemplar(self) -> Rows:
        """The first of them."""
        return self.exemplars[0]


@dataclass(frozen=True)
class Question:
    """An object, and the groups that it may be like.

    Attributes
    ----------
    id : str
        View and first row of the object, such as "texts:17"; it stays the same.
    rows : tuple of tuple of int
        All rows of the object, per view.
    offers : tuple of Offer
        All groups, the likeliest first.
    speaks_for : tuple of int
        The approximate number of rows of every view that an answer covers and no given answer does.
    undecided_between : tuple of str
        The names of the two likeliest groups, where they are nearly as likely; else empty.
    """

    id: str
    rows: Rows
    offers: tuple[Offer, ...]
    speaks_for: tuple[int, ...]
    undecided_between: tuple[str, ...]


@dataclass(frozen=True)
class SecondLook:
    """An answer that what is near contradicts.

    Attributes
    ----------
    question : Question
    said : str
        The name of the group that was the answer.
    near : str
        The name of the group that is nearest; empty where a group has had one member for long.
    """

    question: Question
    said: str
    near: str


@dataclass(frozen=True)
class Neighbor:
    """A row near an object in the graph of all views.

    Attributes
    ----------
    row : int
    group : str
        The group that it was put into, or else is most like; empty where there is none.
    answered : bool
        Whether it was asked about.
    """

    row: int
    group: str
    answered: bool


@dataclass(frozen=True)
class ClustersHint:
    """How many clusters the answers propose.

    Attributes
    ----------
    n_clusters : int
        The number of groups. From 60 answers on, a group of one or two members does not count where
        less than a third as many rows are nearest to it as to the mean group: it is likely a wrong
        answer.
    settled : bool
        Whether the last ten answers that name a group opened none.
    counted : tuple of int
        The numbers of the groups that count.
    """

    n_clusters: int
    settled: bool
    counted: tuple[int, ...]


@dataclass(frozen=True)
class Progress:
    """What was answered so far.

    Attributes
    ----------
    answered : int
        Objects, also those that are unsure or outliers.
    groups : int
    guessed_of_last_ten : int
        How many of the last ten answers named the group that was offered first.
    """

    answered: int
    groups: int
    guessed_of_last_ten: int


@dataclass(frozen=True)
class Untold:
    """What no constraint of one view can say, until a matched object is answered.

    Attributes
    ----------
    must_link : bool
        Whether the two belong together, or apart.
    ids : tuple of str
        Of both objects.
    """

    must_link: bool
    ids: tuple[str, str]
