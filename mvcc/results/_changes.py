"""What ``clustering.json`` holds of former clusterings and of people who answered, and in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pydantic import StrictBool, StrictStr

from mvcc._utils.messages import clipped, counted, enumerated
from mvcc.results._view import Count, Facts, Number


class Changes(Facts):
    """How the clusters of some views, numbered alike, follow from those of an earlier clustering.

    With ``by_model``, ``shared`` are all rows, and ``kept`` those in the cluster that the former
    model puts them into.
    """

    views: tuple[StrictStr, ...]  # names of the views whose clusters have one numbering
    shared: Count  # rows that both clusterings have
    kept: Count  # those of them with the same number
    by_model: StrictBool = False  # whether the former model decided, since few rows are shared
    split: tuple[tuple[Count, tuple[Count, ...]], ...] = ()  # a former cluster and its parts
    merged: tuple[tuple[Count, tuple[Count, ...]], ...] = ()  # a cluster and the former ones in it
    new: tuple[Count, ...] = ()  # clusters
    vanished: tuple[Count, ...] = ()  # former clusters

    def in_words(self) -> Iterator[str]:
        """Give a sentence for each change; the first one counts rows."""
        rows = f"{self.kept} of {counted(self.shared, 'row')}"
        if self.by_model:
            yield f"{rows} are in the cluster that the former model puts them into."
        else:
            yield f"{rows} kept their cluster."
        for former, parts in self.split:
            yield f"Cluster {former} was split into {enumerated(parts)}."
        for cluster, parts in self.merged:
            yield f"Clusters {enumerated(parts)} were merged into {cluster}."
        if self.new:
            yield f"Clusters that are new: {enumerated(self.new)}."
        if self.vanished:
            yield f"Clusters that have vanished: {enumerated(self.vanished)}."


class Continued(Facts):
    """The clustering whose numbers a clustering continues."""

    former: StrictStr  # path of the former clustering
    finished: StrictStr  # when that was made
    changes: tuple[Changes, ...]  # for each set of views with one numbering
    retired: tuple[Count, ...] = ()  # numbers of vanished clusters, never used again

    def in_words(self) -> list[str]:
        """Give a sentence for each change; of several sets of views, each begins with its views."""
        return in_words(self.changes)


class Corrected(Facts):
    """What people have corrected since the clusters were found."""

    sentences: tuple[StrictStr, ...]  # each correction that stands, in words
    # of every view: for each cluster that was found, the one that it was merged into
    into_of_views: tuple[tuple[Count, ...], ...] = ()
    into: tuple[Count, ...] = ()  # of former versions: the same in all views
    retired: tuple[Count, ...] = ()  # the numbers without a cluster


def in_words(changes: Iterable[Changes]) -> list[str]:
    """Give the sentences of several sets of views."""
    sets = list(changes)
    if len(sets) == 1:
        return list(sets[0].in_words())
    return [
        f"{clipped(' and '.join(change.views), 100)}: {sentence}"
        for change in sets
        for sentence in change.in_words()
    ]


class Said(NamedTuple):
    """What a person answered about an object."""

    who: StrictStr  # the person
    answer: StrictStr  # a group as the person calls it, or outlier
    group: StrictStr  # its common name; empty for an outlier


class PersonFacts(NamedTuple):
    """A person who answered."""

    name: StrictStr  # of the folder of answers, or in the column who
    n_answers: Count  # objects with an answer


class AgreementFacts(Facts):
    """How two people agree."""

    people: tuple[StrictStr, StrictStr]  # their names
    n_objects: Count  # objects that both put into a group or left out
    n_same: Count  # those of them with the same answer
    kappa: Number | None  # Cohen's; null if all are in one group


class Dispute(Facts):
    """An object that people put into different groups."""

    id: StrictStr  # view and first row
    rows: tuple[StrictStr, ...]  # all its rows, as view:id
    said: tuple[Said, ...]  # the answer of each person
    settled: int | None = None  # the cluster that `mvcc review` put it into; -1 if left out


class Together(Facts):
    """The answers of several people."""

    people: tuple[PersonFacts, ...]  # in the order of --asked
    agreements: tuple[AgreementFacts, ...]  # of each two people
    # groups of two people with different names and the same objects
    renamed: tuple[tuple[StrictStr, tuple[Said, ...]], ...] = ()
    alone: tuple[tuple[StrictStr, StrictStr], ...] = ()  # groups of one person: name, person
    disputed: tuple[Dispute, ...] = ()  # objects that were left out of groups and constraints

    @property
    def open(self) -> list[Dispute]:
        """The disputes that nobody has settled."""
        return [dispute for dispute in self.disputed if dispute.settled is None]

    def disputed_lines(self) -> list[list[object]]:
        """Return the disputes as a table: a line for each row and person."""
        lines: list[list[object]] = [["id", "who", "answer", "settled"]]
        for dispute in self.disputed:
            for row in dispute.rows:
                lines += [[row, who, answer, dispute.settled] for who, answer, _ in dispute.said]
        return lines

    def in_words(self) -> Iterator[str]:
        """Give sentences: who answered, how people agree, and what is disputed."""
        people = [f"{who} ({n})" for who, n in self.people]
        yield f"Answers of {enumerated(people)}."
        for agreement in self.agreements:
            common = f"{counted(agreement.n_objects, 'object')} that both answered"
            agreed = f"{' and '.join(agreement.people)} agree about {agreement.n_same} of {common}"
            if agreement.kappa is not None:
                agreed += f" (κ = {agreement.kappa:.2f})"
            yield f"{agreed}."
        for name, said in self.renamed:
            names = enumerated([f"“{clipped(entry.answer, 40)}” of {entry.who}" for entry in said])
            yield f"{names} are one group, “{clipped(name, 40)}”: most of their objects are common."
        if self.alone:
            groups = [f"“{clipped(name, 40)}” of {who}" for name, who in self.alone]
            yield (
                f"Groups that only one person has: {enumerated(groups)}. If two of them are the"
                " same, give them one name (`l` in `mvcc ask`)."
            )
        if self.disputed:
            objects = counted(len(self.disputed), "object")
            left_out = f"{objects} with different answers, left out of groups and constraints"
            if n_settled := len(self.disputed) - len(self.open):
                left_out += f"; {n_settled} settled in `mvcc review`"
            yield f"{left_out}."
