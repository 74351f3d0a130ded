"""What each cluster is: its name, what sets it apart, and its typical, borderline and odd rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product, starmap
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from mvcc._utils.arrays import Floats, Ints, LazyRows, blocks_of
from mvcc._utils.messages import clipped, shown
from mvcc.embedding import means_of_clusters
from mvcc.results import Sureness, sureness_of
from mvcc.tables.explaining._distinguishing import distinguishing_columns, distinguishing_words
from mvcc.tables.fitting._fit import Fit
from mvcc.tables.reading._inputs import Answers
from mvcc.tables.reading._table import Table

MOST_ROWS = 5  # of each kind
Profile = dict[str, Any]
_LEAST = 0.2  # by which more rows inside than outside have what a name says
_MOST_PARTS = 3


class Places(NamedTuple):
    """The places of the rows of a view among the clusters."""

    own: Floats  # distances to the centers of their clusters
    silhouette: Floats
    nearest: Ints  # the other cluster whose center is nearest


def all_profiles(views: list[dict[str, Any]], tables: list[Table], fit: Fit) -> list[list[Profile]]:
    """Describe every cluster of every view with these facts."""
    k, every = fit.n_numbers, zip(tables, fit.labels, views, strict=True)
    return [
        profiles_of(table, places_of(fit.method.space(view), labels, k), labels, facts, k)
        for view, (table, labels, facts) in enumerate(every)
    ]


def profiles_of(
    table: Table, places: Places, labels: Ints, view: dict[str, Any], k: int
) -> list[Profile]:
    """Describe every cluster of a view with these facts.

    Without a ``second`` choice, that is the nearest center. ``typical`` rows are the sure ones
    nearest to the center, ``borderline`` ones come with their other cluster, and ``misfits`` fit
    nowhere. No row is in two of these lists.
    """
    keys = ("fit", "stability", "probability", "second_probability")
    sureness = sureness_of(*(view.get(name, []) for name in keys))
    fit = np.array(view["fit"] or np.ones(len(labels)))
    columns = distinguishing_columns(table, labels, k)
    words = distinguishing_words(table, labels, k)
    names = view["names"] or [""] * k
    other = np.array(view.get("second") or places.nearest)
    sure, between, nowhere = (np.array([kind is level for level in sureness]) for kind in Sureness)
    profiles = []
    for cluster in range(k):
        rows = np.flatnonzero(labels == cluster)
        typical, border, bad = (rows[mask[rows]] for mask in (sure, between, nowhere))
        border = border[np.argsort(places.silhouette[border], kind="stable")][:MOST_ROWS]
        nearest_first = np.argsort(places.own[typical], kind="stable")
        profiles.append(
            {
                "size": len(rows),
                "name": names[cluster] or name_of(columns[cluster], words[cluster]),
                "columns": columns[cluster],
                "words": words[cluster],
                "typical": typical[nearest_first][:MOST_ROWS].tolist(),
                "borderline": np.column_stack((border, other[border])).tolist(),
                "misfits": bad[np.argsort(fit[bad], kind="stable")][:MOST_ROWS].tolist(),
            }
        )
    return profiles


def places_of(X: Floats | LazyRows, labels: Ints, k: int) -> Places:
    """Return the places of rows (n, m), by a simplified silhouette (Hruschka et al. 2004)."""
    present = np.unique(labels)
    distances = np.full((len(X), k), np.inf)
    centers = means_of_clusters(X, labels, k)[present]
    for block in blocks_of(len(X)):  # all rows may take much memory
        distances[block, present] = cdist(X[block], centers)
    rows = np.arange(len(X))
    to_own = distances[rows, labels]
    distances[rows, labels] = np.inf
    nearest = distances.argmin(axis=1)
    if len(present) == 1:
        return Places(to_own, np.ones(len(X)), nearest)
    to_nearest = distances[rows, nearest]
    larger = np.maximum(to_own, to_nearest)
    silhouette = np.divide(to_nearest - to_own, larger, out=np.zeros(len(X)), where=larger > 0)
    return Places(to_own, silhouette, nearest)


def name_of(columns: list[dict[str, Any]], words: list[list[Any]]) -> str:
    """Name a cluster, such as "wool carpet": a category and a word, else its two best columns."""
    plain = _noun_phrase([{"columns": columns, "words": words}])
    if len(plain) > 1:
        return " ".join(plain[:2])
    others = [(col["inside"] - col["outside"], col["words"]) for col in columns if col["words"]]
    best = [text for _, text in sorted(others, key=lambda pair: -pair[0]) if text not in plain]
    return ", ".join([*plain, *best][:2])


def common_name(profiles: list[dict[str, Any]]) -> str:
    """Name a cluster after what sets it apart in all views, such as "red wool carpet"."""
    plain = _noun_phrase(profiles)
    if len(plain) > 1:
        return " ".join(plain)
    return " / ".join(dict.fromkeys(profile["name"] for profile in profiles if profile["name"]))


def names_in_all(names: list[list[str]], profiles: list[list[Profile]]) -> dict[str, list[str]]:
    """Return the names over all views, and titles, which tell what sets nameless clusters apart."""
    joined = [" / ".join(dict.fromkeys(filter(None, texts))) for texts in zip(*names, strict=True)]
    titles = [common_name(list(of_views)) for of_views in zip(*profiles, strict=True)]
    given = zip(joined or titles, titles, strict=True)
    return {"names": joined, "titles": [name or title for name, title in given]}


def _noun_phrase(of_views: list[Profile]) -> list[str]:
    """Return the best word of each view's categories, and the best of all texts, which is last."""
    nouns: list[tuple[float, int, str]] = []
    adjectives: dict[int, str] = {}
    for view, profile in enumerate(of_views):
        nouns += [(inside - outside, view, word) for word, inside, outside in profile["words"]]
        for col in profile["columns"]:
            is_clear = col["inside"] - col["outside"] >= _LEAST
            if col["kind"] == "category" and f"= {col['words']}" == col["rule"] and is_clear:
                adjectives.setdefault(view, col["words"])
    share, noun_view, noun = max(nouns, default=(0.0, -1, ""))
    # beside the noun is the word of its own view: the color of a photo behind a material
    words = [adjectives[v] for v in sorted(adjectives, key=lambda v: (v == noun_view, v))]
    if share >= _LEAST and noun not in map(str.casefold, words):
        words.append(noun)
    return words[-_MOST_PARTS:]


def name_clusters(
    answers: Answers, labels: list[Ints], numbered_alike: list[list[int]], k: int
) -> list[list[str]]:
    """Give each group's name to the cluster with most of its members, in a list for each view."""
    if not answers.groups:
        return [[] for _ in labels]
    names = [[""] * k for _ in labels]
    # outliers have no label: they stay -1, which is not counted
    clusters = [np.full(len(table.ids), -1) for table in answers.tables]
    for of_view, view_labels, outliers in zip(clusters, labels, answers.outliers, strict=True):
        of_view[np.delete(np.arange(len(of_view)), outliers)] = view_labels
    for views in numbered_alike:
        counts = np.zeros((len(answers.groups), k), dtype=np.int64)
        for count, rows in zip(counts, answers.groups.values(), strict=True):
            for view in views:
                count += np.bincount(clusters[view][rows[view]] + 1, minlength=k + 1)[1:]
        for group, cluster in zip(*linear_sum_assignment(-counts), strict=True):
            if counts[group, cluster]:
                for view in views:
                    names[view][cluster] = list(answers.groups)[group]
    return names


def nameless(answers: Answers, names: list[list[str]]) -> Iterator[str]:
    """Say which groups have no cluster of their own."""
    used = {name for of_view in names for name in of_view}
    groups = [shown(name) for name in answers.groups if name not in used]
    if groups:
        yield (
            f"No cluster is named after {clipped(', '.join(groups), 200)}: clusters of other groups"
            " hold the members."
        )


def misnamed(view: str, names: list[str], profiles: list[dict[str, Any]]) -> dict[int, str]:
    """Say of clusters of a view that people named them with a word that sets another one apart.

    A word that both names have, as white wine and red wine, says nothing beside another one.
    """
    words = [[word for word, *_ in profile["words"]] for profile in profiles]
    name_words = [set(re.findall(r"[^\W\d_]{3,}", name.lower())) for name in names]
    notes = dict[int, str]()
    for cluster, name in enumerate(names):
        alone = [(name_words[cluster] - others) or name_words[cluster] for others in name_words]
        pairs = map(product, words, alone)
        having = [other for other, both in enumerate(pairs) if any(starmap(_is_same, both))]
        if words[cluster] and having and cluster not in having:
            notes[cluster] = (
                f"{view}: cluster {cluster} was named {shown(name)}, which is a word of cluster"
                f" {having[0]}; its own words are {', '.join(words[cluster][:3])}. Look at the"
                " answers of this group (`l` in `mvcc ask`), or rename it."
            )
    return notes


def _is_same(word: str, other: str) -> bool:
    """Tell whether two words are the same but for their ending."""
    short, long = sorted((word, other), key=len)
    if len(short) <= 4:
        return long.removesuffix("s") == short.removesuffix("s")
    return len(long) - len(short) < 3 and long.startswith(short[:-1])
