"""A cluster at a glance: its name, its size in every view, pictures or titles of typical rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from mvcc.results import Clustering, ClusterProfile, ViewFacts

_MOST_TITLES = 3
_MOST_PICTURES = 4
_MOST_APART = 3  # words that set a cluster apart

Titles = list[dict[int, str]]  # of rows of each view


@dataclass(frozen=True)
class Part:
    """A cluster's rows in one view: their number, the share of all rows, and what sets them apart.

    `bar` is the share in percent of the largest share of a cluster.
    """

    view: str
    size: int
    share: float
    bar: float
    apart: str


@dataclass(frozen=True)
class Picture:
    """A row of a cluster, and its picture as an address that holds it."""

    view: int
    row: int
    name: str
    source: str


@dataclass(frozen=True)
class Card:
    """A cluster at a glance."""

    cluster: int
    name: str
    titles: list[str]
    pictures: list[Picture]
    parts: list[Part]


def cards_of(facts: Clustering, names: list[str], titles: Titles) -> list[Card]:
    """Return a card for each cluster."""
    counts = [Counter(view.labels) for view in facts.views]
    largest = max(
        max(of_view.values()) / view.n_rows
        for view, of_view in zip(facts.views, counts, strict=True)
    )
    cards = []
    for cluster in facts.clusters:
        parts = []
        for number, view in enumerate(facts.views):
            share = counts[number][cluster] / view.n_rows
            apart = _apart(facts.profiles[number][cluster]) if facts.profiles else ""
            bar = round(100 * share / largest, 1)
            parts.append(Part(view.name, counts[number][cluster], share, bar, apart))
        own_titles = _titles_of(facts, cluster, titles)
        cards.append(Card(cluster, names[cluster], own_titles, _pictures_of(facts, cluster), parts))
    return cards


def _apart(profile: ClusterProfile) -> str:
    """Say in a line what sets a cluster apart: its first column, and its first words."""
    column = [f"{one.column} {one.rule}" for one in profile.columns[:1]]
    words = [one.value for one in profile.words[:_MOST_APART]]
    return "; ".join([*column, *([", ".join(words)] if words else [])])


def _titles_of(facts: Clustering, cluster: int, titles: Titles) -> list[str]:
    """Return titles of typical rows of a cluster, from the first view that has some."""
    for number, own in enumerate(titles):
        if own and facts.profiles:
            typical = facts.profiles[number][cluster].typical
            different = dict.fromkeys(own[row] for row in typical if row in own)
            return list(different)[:_MOST_TITLES]
    return []


def _pictures_of(facts: Clustering, cluster: int) -> list[Picture]:
    found: list[Picture] = []
    for number, view in enumerate(facts.views):
        found += [
            Picture(number, one.row, view.ids[one.row], one.source)
            for one in view.pictures
            if view.labels[one.row] == cluster
        ]
    return found[:_MOST_PICTURES]


def titles_of(clustering: Clustering, view: ViewFacts) -> dict[int, str]:
    """Return what `show` names first of the rows of a view, pictures aside; empty without it."""
    shown = (clustering.settings.get("show") or {}).get(view.name) or ()
    values = dict(view.values)
    column = next((name for name in shown if name in values and name != view.picture_column), None)
    if column is None:
        return {}
    return {
        row: title
        for row, title in zip(view.sample or range(view.n_rows), values[column], strict=True)
        if title
    }
