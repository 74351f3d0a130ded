"""What terminal and report say of a clustering: its table of columns, and what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from mvcc._utils.messages import (
    agreeing,
    clipped,
    counted,
    padded,
    percent,
    with_its_end,
    wrapped,
)
from mvcc.results._schema import Clustering, Relation
from mvcc.results._view import ColumnFacts

_MANY_ALIKE = 4  # side by side, which share a row
_LONGEST_NAME, _LONGEST_EXAMPLE = 40, 20
_WIDTH = 78  # of a terminal, less the indent of the table
_NO_BREAK = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True)
class ColumnsRow:
    """A column, or many side by side that are used alike."""

    name: str
    used_as: str
    why: str  # it is left out, or how it was read
    missing: str
    written: str  # the first values, as they are in the file
    read: str  # the same values as they are used; empty if they are the same

    @property
    def examples(self) -> str:
        """The first values, as they are in the file and as they are used."""
        return f"{self.written} → {self.read}" if self.read else self.written


def columns_table(columns: Sequence[ColumnFacts]) -> list[ColumnsRow]:
    """Return the rows of the table of columns, in the order of the file."""
    rows: list[ColumnsRow] = []
    for _, some in groupby(columns, lambda column: (column.kind, column.note)):
        alike = list(some)
        if len(alike) < _MANY_ALIKE:
            rows += [_row(column.name, [column]) for column in alike]
        else:
            ends = f"{with_its_end(alike[0].name, 18)} … {with_its_end(alike[-1].name, 18)}"
            rows.append(_row(f"{ends} ({len(alike)})", alike))
    return rows


def columns_used(columns: Sequence[ColumnFacts]) -> str:
    """Count the columns that are used, among all."""
    n_used = sum(column.kind is not None for column in columns)
    return f"{n_used} of {counted(len(columns), 'column')} used"


def column_lines(columns: Sequence[ColumnFacts]) -> Iterator[str]:
    """Give the table of columns as lines of text, as wide as a terminal."""
    rows = columns_table(columns)
    blank, *names = padded(["", *(row.name for row in rows)], most=_LONGEST_NAME)
    for row, name in zip(rows, names, strict=True):
        said = [row.why]
        if row.missing:
            said.append(f"{row.missing} missing")
        # a line may break before the values as they are read, but nowhere else in them
        said.append(row.examples.replace(" ", _NO_BREAK).replace(f"{_NO_BREAK}→", " →"))
        start = f"{name}  {row.used_as:<8}  "
        lines = wrapped("; ".join(filter(None, said)), _WIDTH, start, f"{blank}  {'':8}  ")
        yield from (line.replace(_NO_BREAK, " ") for line in lines or [start.rstrip()])


def _row(name: str, alike: Sequence[ColumnFacts]) -> ColumnsRow:
    first = alike[0]
    missing = [column.n_missing for column in alike]
    ends = "–".join(map(str, dict.fromkeys((min(missing), max(missing)))))
    written, read = (
        [clipped(pair[side], _LONGEST_EXAMPLE) for pair in first.examples] for side in (0, 1)
    )
    return ColumnsRow(
        name=clipped(name, _LONGEST_NAME),
        used_as=first.kind or "left out",
        why=first.note,
        missing=ends if max(missing) else "",
        written=" | ".join(written),
        read=" | ".join(read) if first.kind and read != written else "",
    )


def found_in_words(clustering: Clustering) -> str:
    """Say in one sentence what was found: how many clusters, and whether matched rows agree."""
    rows = " and ".join(f"{view.name} ({counted(view.n_rows, 'row')})" for view in clustering.views)
    agreements = [_agreement(clustering, relation) for relation in clustering.relations]
    # a view may lack those of others that are numbered apart
    sets = Counter(c.views[0] for c in listed_clusters(clustering, clustering.numbered_as_one))
    n = max(sets.values(), default=0)
    parts = [f"{counted(n, 'cluster')} in {rows}", *filter(None, agreements)]
    return f"{'; '.join(parts)}."


def left_out_in_words(first: str, second: str, n: int) -> str:
    """Say how many matches of two views were left out as they seem to be wrong; empty if none."""
    if not n:
        return ""
    seem = agreeing(n, "seems to be wrong and was", "seem to be wrong and were")
    return f"{counted(n, 'match')} of {first} and {second} {seem} left out; see the report."


def _agreement(clustering: Clustering, relation: Relation) -> str:
    """Say how many matched rows share their cluster, if the method lets them differ."""
    if relation.agreement is not None:
        n, shared, cut, chance = len(relation.pairs), relation.agreement, "", relation.by_chance
    elif relation.held_out is not None:
        held_out = relation.held_out
        n, shared, chance = held_out.n, held_out.agreement, held_out.by_chance
        cut = " even without their match"
        first_labels, second_labels = (clustering.views[index].labels for index in relation.views)
        same = [first_labels[i] == second_labels[j] for i, j in relation.pairs]
        # fewer where many matches were left out of the result
        if same and (in_result := sum(same) / len(same)) < shared:
            n, shared, cut = len(same), in_result, ""
    else:
        return ""
    of_which = ""
    if len(clustering.views) > 2:
        names = " and ".join(clustering.views[index].name for index in relation.views)
        of_which = f" of {names}"
    return (
        f"{percent(shared)} of {n} matched rows{of_which} share their cluster{cut} "
        f"({percent(chance)} by chance)"
    )


class ListedCluster(NamedTuple):
    """A cluster of views that are numbered alike."""

    id: str  # its number, behind the first of its views if others are numbered apart
    title: str  # as a person named it, else after what sets it apart
    number: int
    views: list[int]  # their numbers


def listed_clusters(facts: Clustering, sets: list[list[str]]) -> Iterator[ListedCluster]:
    """Give each cluster of sets of views that are numbered alike; those of sets apart have rows."""
    for alike in sets:
        indices = [i for i, view in enumerate(facts.views) if view.name in alike]
        apart = f"{alike[0]}:" if len(sets) > 1 else ""
        for cluster in facts.clusters:
            profiles = [facts.profiles[i][cluster] for i in indices] if facts.profiles else []
            if apart and profiles and not any(profile.size for profile in profiles):
                continue
            title = _title_in(facts, indices, cluster)
            yield ListedCluster(f"{apart}{cluster}", title, cluster, indices)


def _title_in(facts: Clustering, indices: list[int], cluster: int) -> str:
    """Return what a cluster is called in views that are numbered alike."""
    if len(indices) == len(facts.views):
        return dict(enumerate(facts.titles or facts.names)).get(cluster, "")
    given_names = facts.views[indices[0]].names
    if given_names and given_names[cluster]:
        return given_names[cluster]
    names = (facts.profiles[i][cluster].name for i in indices if facts.profiles)
    return " / ".join(dict.fromkeys(filter(None, names)))
