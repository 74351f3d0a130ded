"""What became of the clusters of an earlier clustering, in ``clustering.json`` and in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pydantic import StrictBool, StrictStr

from mvcc._utils.messages import clipped, counted
from mvcc.results._profile import Count, Facts

_MOST_NAMED = 12  # clusters, in a sentence


class Changes(Facts):
    """How the clusters of some views, numbered alike, follow from those of an earlier clustering.

    ``kept`` of the ``shared`` rows have the same number. ``by_model`` is set where too few rows
    are shared: `shared` are then all rows, and `kept` those in the cluster that the stored model
    puts them into. ``split`` and ``merged`` list a former cluster with its parts, and a cluster
    with the former ones that it is made of.
    """

    views: tuple[StrictStr, ...]
    shared: Count
    kept: Count
    by_model: StrictBool = False
    split: tuple[tuple[Count, tuple[Count, ...]], ...] = ()
    merged: tuple[tuple[Count, tuple[Count, ...]], ...] = ()
    new: tuple[Count, ...] = ()
    vanished: tuple[Count, ...] = ()

    def in_words(self) -> Iterator[str]:
        """Give a sentence for each change; the first one counts rows."""
        rows = f"{self.kept} of {counted(self.shared, 'row')}"
        if self.by_model:
            yield f"{rows} are in the cluster that the former model puts them into."
        else:
            yield f"{rows} kept their cluster."
        for former, parts in self.split:
            yield f"Cluster {former} was split into {_listed(parts)}."
        for cluster, parts in self.merged:
            yield f"Clusters {_listed(parts)} were merged into {cluster}."
        if self.new:
            yield f"Clusters that are new: {_listed(self.new)}."
        if self.vanished:
            yield f"Clusters that have vanished: {_listed(self.vanished)}."


class Continued(Facts):
    """The clustering whose numbers a clustering continues.

    ``retired`` are the numbers of all clusters that have vanished so far; none is used again.
    """

    former: StrictStr
    finished: StrictStr
    changes: tuple[Changes, ...]
    retired: tuple[Count, ...] = ()

    def in_words(self) -> list[str]:
        """Give a sentence for each change; of several sets of views, each begins with its views."""
        return in_words(self.changes)


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


def _listed(numbers: tuple[int, ...]) -> str:
    texts = [str(number) for number in numbers[:_MOST_NAMED]]
    if len(numbers) > _MOST_NAMED:
        return f"{', '.join(texts)} and {len(numbers) - _MOST_NAMED} more"
    return " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))
