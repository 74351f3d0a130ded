"""One section for each cluster: what sets it apart in every view, and which rows are typical, borderline or odd."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mvcc.reporting.html._words import percent
from mvcc.results import Clustering, ClusterProfile, ColumnProfile, HeldOut, ViewFacts

_PART = 0.25  # of a cluster's matched rows; with two such parts it is split
_FEWEST = 5  # matched rows of a cluster, to speak of parts


@dataclass(frozen=True)
class Box:
    """Five quantiles in percent of the width of a picture."""

    low: float
    left: float
    middle: float
    right: float
    high: float


@dataclass(frozen=True)
class Distribution:
    """A column that sets a cluster apart, and for numbers their distributions in the cluster and outside."""

    column: ColumnProfile
    boxes: tuple[Box, Box] | None


@dataclass(frozen=True)
class OfView:
    """A cluster in one view."""

    number: int
    view: ViewFacts
    profile: ClusterProfile
    columns: list[Distribution]


@dataclass(frozen=True)
class ClusterSection:
    """A cluster in all views."""

    cluster: int
    views: list[OfView]


@dataclass(frozen=True)
class Confusion:
    """Matched rows by their clusters in two views, each clustered without its match."""

    summary: str
    sentences: list[str]
    rows: tuple[tuple[int, ...], ...]
    largest: int


def cluster_sections(facts: Clustering) -> list[ClusterSection]:
    """Describe all clusters; nothing where the facts hold no profiles."""
    if not facts.profiles:
        return []
    return [
        ClusterSection(
            cluster,
            [
                OfView(number, view, own[cluster], [_distribution(column) for column in own[cluster].columns])
                for number, (view, own) in enumerate(zip(facts.views, facts.profiles, strict=True))
            ],
        )
        for cluster in range(facts.n_clusters)
    ]


def cluster_names(facts: Clustering) -> list[str]:
    """Name clusters as a person did, else after what sets them apart in each view."""
    given = facts.names or ("",) * facts.n_clusters
    found = [
        " / ".join(dict.fromkeys(one.name for one in own if one.name)) for own in zip(*facts.profiles, strict=True)
    ]
    return [name or other for name, other in zip(given, found or given, strict=True)]


def _distribution(column: ColumnProfile) -> Distribution:
    if column.quantiles is None:
        return Distribution(column, None)
    least = min(five[0] for five in column.quantiles)
    width = max(five[-1] for five in column.quantiles) - least or 1.0
    inside, outside = (Box(*(round(100 * (q - least) / width, 1) for q in five)) for five in column.quantiles)
    return Distribution(column, (inside, outside))


def confusion(held_out: HeldOut, first: str, second: str) -> Confusion:
    """Say how the clusters of two views agree on rows whose matches were left out, and which are split or merged."""
    columns = tuple(zip(*held_out.table, strict=True))
    sentences = [
        f"Cluster {cluster} of {first} is split in {second}: {_listed(parts)}."
        for cluster, parts in _split(held_out.table)
    ]
    sentences += [
        f"Cluster {cluster} of {second} merges clusters of {first}: {_listed(parts)}."
        for cluster, parts in _split(columns)
    ]
    return Confusion(
        f"Where its match is left out, {percent(held_out.agreement)} of {held_out.n:,} matched rows are in the same "
        f"cluster in both views; by chance it would be {percent(held_out.by_chance)}.",
        sentences or ["No cluster of one view is split in the other."],
        held_out.table,
        max(map(max, held_out.table)),
    )


def _split(table: Sequence[Sequence[int]]) -> Iterator[tuple[int, list[tuple[int, float]]]]:
    """Give the clusters of which two others or more hold a quarter each, with these and their shares."""
    for cluster, counts in enumerate(table):
        if (total := sum(counts)) >= _FEWEST:
            parts = [(other, count / total) for other, count in enumerate(counts) if count >= _PART * total]
            if len(parts) > 1:
                yield cluster, sorted(parts, key=lambda part: -part[1])


def _listed(parts: list[tuple[int, float]]) -> str:
    words = [f"{other} ({percent(share)})" for other, share in parts]
    return f"{', '.join(words[:-1])} and {words[-1]}"
