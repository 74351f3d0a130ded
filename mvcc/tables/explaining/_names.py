"""Names of clusters: those of the groups whose members they hold, or what sets them apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from mvcc._utils.messages import clipped, shown
from mvcc._utils.types import Ints
from mvcc.tables.reading._answers import Answers

_LEAST = 0.2  # by which more rows inside than outside have what a name says
_MOST_PARTS = 3


def name_of(columns: list[dict[str, Any]], words: list[list[Any]]) -> str:
    """Name a cluster of one view, such as "wool carpet": a category and a word of texts.

    If there are fewer, the two best columns, such as "low height, wool". Empty without any.
    """
    plain = _noun_phrase([(columns, words)])
    if len(plain) > 1:
        return " ".join(plain[:2])
    others = [(one["inside"] - one["outside"], one["words"]) for one in columns if one["words"]]
    best = [text for _, text in sorted(others, key=lambda part: -part[0]) if text not in plain]
    return ", ".join([*plain, *best][:2])


def common_name(profiles: list[dict[str, Any]]) -> str:
    """Name a cluster after what sets it apart in all views, such as "red wool carpet"."""
    plain = _noun_phrase([(one["columns"], one["words"]) for one in profiles])
    if len(plain) > 1:
        return " ".join(plain)
    return " / ".join(dict.fromkeys(one["name"] for one in profiles if one["name"]))


def _noun_phrase(of_views: list[tuple[list[dict[str, Any]], list[list[Any]]]]) -> list[str]:
    """Return the best word of each view's categories and the best of all texts, which is last.

    The category of the view with that text stands beside it: the color of a photo comes before the
    material of a catalog.
    """
    nouns: list[tuple[float, int, str]] = []
    adjectives: dict[int, str] = {}
    for view, (columns, words) in enumerate(of_views):
        nouns += [(inside - outside, view, word) for word, inside, outside in words]
        for one in columns:
            if one["kind"] == "category" and f"= {one['words']}" == one["rule"] and _is_clear(one):
                adjectives.setdefault(view, one["words"])
    share, own, noun = max(nouns, default=(0.0, -1, ""))
    order = sorted(adjectives, key=lambda view: (view == own, view))
    found = [adjectives[view] for view in order]
    if share >= _LEAST and noun not in found:
        found.append(noun)
    return found[-_MOST_PARTS:]


def _is_clear(one: dict[str, Any]) -> bool:
    return bool(one["inside"] - one["outside"] >= _LEAST)


def name_clusters(
    answers: Answers, labels: list[Ints], numbered_alike: list[list[int]], k: int
) -> list[list[str]]:
    """Give every group's name to the cluster with most of its members, one group per cluster.

    `labels` (n_v,): of all rows but outliers.
    `numbered_alike`: sets of views in which the same number is the same cluster.
    Returns: per view the name of every cluster, empty where it has none.
    """
    names = [[""] * k if answers.groups else [] for _ in labels]
    clusters = [np.full(len(table.ids), -1) for table in answers.tables]
    for of_view, found, outliers in zip(clusters, labels, answers.outliers, strict=True):
        of_view[np.delete(np.arange(len(of_view)), outliers)] = found
    for views in numbered_alike if answers.groups else ():
        counts = np.array(
            [
                sum(
                    np.bincount(clusters[view][rows[view]] + 1, minlength=k + 1)[1:]
                    for view in views
                )
                for rows in answers.groups.values()
            ]
        )
        for group, cluster in zip(*linear_sum_assignment(-counts), strict=True):
            for view in views if counts[group, cluster] else ():
                names[view][cluster] = list(answers.groups)[group]
    return names


def nameless(answers: Answers, names: list[list[str]]) -> list[str]:
    """Say which groups have no cluster of their own."""
    used = {name for of_view in names for name in of_view}
    groups = [shown(name) for name in answers.groups if name not in used]
    if not groups:
        return []
    return [
        f"No cluster is named after {clipped(', '.join(groups), 200)}: clusters of other groups"
        " hold the members."
    ]


def misnamed(view: str, names: list[str], profiles: list[dict[str, Any]]) -> Iterator[str]:
    """Say which clusters of a view people named with a word that sets another cluster apart."""
    words = [[word for word, *_ in own["words"]] for own in profiles]
    for cluster, name in enumerate(names):
        parts = re.findall(r"[^\W\d_]{3,}", name.lower())
        having = [
            other
            for other, own in enumerate(words)
            if any(_is_same(word, part) for word in own for part in parts)
        ]
        if words[cluster] and having and cluster not in having:
            yield (
                f"{view}: cluster {cluster} was named {shown(name)}, which is a word of cluster"
                f" {having[0]}; its own words are {', '.join(words[cluster][:3])}. Look at the"
                " answers of this group (`l` in `mvcc ask`), or rename it."
            )


def _is_same(one: str, other: str) -> bool:
    """Tell whether two words are the same but for their ending."""
    short, long = sorted((one, other), key=len)
    if len(short) <= 4:
        return long.removesuffix("s") == short.removesuffix("s")
    return len(long) - len(short) < 3 and long.startswith(short[:-1])
