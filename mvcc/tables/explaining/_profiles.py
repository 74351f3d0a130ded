"""What each cluster is: its name, what sets it apart, and its typical, borderline and odd rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from mvcc._utils.blocks import blocks_of
from mvcc._utils.messages import clipped, shown
from mvcc._utils.types import Floats, Ints
from mvcc.metrics import pairwise_f_measure
from mvcc.results import Sureness, sureness_of
from mvcc.tables.explaining._distinguishing import (
    distinguishing_columns,
    distinguishing_words,
)
from mvcc.tables.fitting._fit import Fit, Method
from mvcc.tables.reading._answers import Answers
from mvcc.tables.reading._table import Table

MOST_ROWS = 5  # of each kind
Profile = dict[str, Any]
_LEAST = 0.2  # by which more rows inside than outside have what a name says
_MOST_PARTS = 3


def all_profiles(
    facts: dict[str, Any], tables: list[Table], method: Method, fit: Fit
) -> list[list[Profile]]:
    """Describe every cluster of every view."""
    views = zip(tables, fit.labels, facts["views"], strict=True)
    return [
        profiles_of(
            table,
            method.space(number)[:],  # of one view at a time, which may take much memory
            labels,
            np.array(view["fit"]),
            *_doubts(view),
            view["names"],
            fit.n_numbers,
        )
        for number, (table, labels, view) in enumerate(views)
    ]


def _doubts(view: dict[str, Any]) -> tuple[list[Sureness], list[int]]:
    """Return how sure the cluster of every row is, and its second choice."""
    told = (view[name] for name in ("fit", "stability", "probability", "second_probability"))
    return sureness_of(*told), view["second"]


def profiles_of(
    table: Table,
    X: Floats,
    labels: Ints,
    fit: Floats,
    sureness: Sequence[Sureness],
    second: Sequence[int],
    names: list[str],
    k: int,
) -> list[Profile]:
    """Describe every cluster of a view.

    Shapes: `labels, fit` (n,).

    `table`: its columns, as they were read.
    `X` (n, m): the space in which the rows were clustered.
    `sureness` (n,): how sure the cluster of every row is.
    `second` (n,): the second choice of every row; if empty, that with the nearest other center.
    `names`: of the clusters, where a person gave them; empty, or empty where there is none.
    Returns: size, name, distinguishing columns and words; ``typical`` rows, the sure ones that
    are nearest to the center; ``borderline`` rows, between two clusters, each with the other one;
    and ``misfits``, which fit nowhere. No row is in two of these lists.
    """
    columns, words = (
        distinguishing_columns(table, labels, k),
        distinguishing_words(table, labels, k),
    )
    own, silhouette, nearest = _places(X, labels, k)
    other = np.array(second) if len(second) else nearest
    sure, between, nowhere = (np.array([kind is one for one in sureness]) for kind in Sureness)
    profiles = []
    for cluster in range(k):
        rows = np.flatnonzero(labels == cluster)
        typical, border, bad = (rows[kind[rows]] for kind in (sure, between, nowhere))
        border = border[np.argsort(silhouette[border], kind="stable")][:MOST_ROWS]
        given = names[cluster] if names else ""
        profiles.append(
            {
                "size": len(rows),
                "name": given or name_of(columns[cluster], words[cluster]),
                "columns": columns[cluster],
                "words": words[cluster],
                "typical": typical[np.argsort(own[typical], kind="stable")][:MOST_ROWS].tolist(),
                "borderline": np.column_stack((border, other[border])).tolist(),
                "misfits": bad[np.argsort(fit[bad], kind="stable")][:MOST_ROWS].tolist(),
            }
        )
    return profiles


def _places(X: Floats, labels: Ints, k: int) -> tuple[Floats, Floats, Ints]:
    """Return the distance of every row to its center, its simplified silhouette, and the nearest
    other cluster.

    The simplified silhouette (Hruschka et al. 2004) has distances to centers in place of means of
    distances to rows.
    """
    there = np.unique(labels)
    distances = np.full((len(X), k), np.inf)
    centers = np.stack([X[labels == cluster].mean(axis=0) for cluster in there])
    for block in blocks_of(len(X)):  # which cdist copies to double precision
        distances[block, there] = cdist(X[block], centers)
    every = np.arange(len(X))
    own = distances[every, labels].copy()
    distances[every, labels] = np.inf
    other = distances.argmin(axis=1)
    nearest = distances[every, other]
    if len(there) == 1:
        return own, np.ones(len(X)), other
    larger = np.maximum(own, nearest)
    return own, np.divide(nearest - own, larger, out=np.zeros(len(X)), where=larger > 0), other


def against_labels(reference: Sequence[str] | None, labels: Ints) -> dict[str, float | None]:
    """Compare clusters with true labels, where there are some; rows without one are left out."""
    from sklearn.metrics import adjusted_rand_score

    known = [row for row, label in enumerate(reference or ()) if label]
    if reference is None or len(known) < 2:
        return {"reference_f": None, "reference_ari": None}
    true, found = [reference[row] for row in known], labels[known]
    return {
        "reference_f": float(pairwise_f_measure(true, found)),
        "reference_ari": float(adjusted_rand_score(true, found)),
    }


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
