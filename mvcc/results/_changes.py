"""What became of the clusters of an earlier clustering, in ``clustering.json`` and in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pydantic import StrictBool, StrictStr

from mvcc._utils.messages import clipped, counted, enumerated
from mvcc.results._profile import Count, Facts


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
    into: tuple[Count, ...]  # for each cluster that was found, the one that it was merged into
    retired: tuple[Count, ...] = ()  # the numbers without a cluster


def in_words(changes: Iterable[Changes]) -> list[str]:
    """Give the sentences of several sets of views."""
    sets = list(changes)
    if len(sets) == 1:
        return list(sets[0].in_words())
    return [
        f"{clipped(' and '.join(one.views), 100)}: {sentence}"
        for one in sets
        for sentence in one.in_words()
    ]
