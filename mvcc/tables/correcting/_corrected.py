"""The facts of a clustering as corrections leave them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mvcc._utils.messages import counted
from mvcc._utils.one_thread import one_thread
from mvcc._utils.types import Floats, Ints
from mvcc.exceptions import InvalidInputError
from mvcc.multiview import UNDO, Answer, JointGraphClustering, match_clusters
from mvcc.results import Clustering, Relation, Sureness, ViewFacts, parse_facts, sureness_of
from mvcc.tables.correcting._corrections import LEFT_OUT, Corrections
from mvcc.tables.correcting._draft import Draft
from mvcc.tables.explaining._distinguishing import distinguishing_columns, distinguishing_words
from mvcc.tables.explaining._profiles import MOST_ROWS, common_name, name_of
from mvcc.tables.fitting._fit import against_labels
from mvcc.tables.reading._inputs import Inputs
from mvcc.tables.reading._table import Table

_FEWEST = 4  # rows of a view, to be split
_PAIRS = ("given", "dropped", "propagated", "received")


@dataclass(frozen=True, eq=False)
class Reviewed:
    """A clustering and its corrections, which never change."""

    found: Clustering  # the facts as the clusters were found
    tables: list[Table]  # their rows, in the same order
    corrections: Corrections
    # after the corrections that stand. A warning counts those whose rows or clusters are gone.
    facts: Clustering

    @classmethod
    def of(cls, found: Clustering, tables: list[Table], corrections: Corrections) -> Reviewed:
        """Return a clustering with the corrections that it already has."""
        draft = Draft(found)
        for line in corrections.standing:
            draft.replay(line)
        return cls(found, tables, corrections, _facts(found, draft, tables))

    def extended(self, line: Answer) -> Reviewed:
        """Return the clustering with one more correction, or refuse it."""
        if line.answer == UNDO:
            return self.of(self.found, self.tables, self.corrections.extended(line))
        draft = Draft(self.found)
        for former in self.corrections.standing:
            draft.replay(former)
        corrections = self.corrections.extended(draft.correct(line))
        return replace(self, corrections=corrections, facts=_facts(self.found, draft, self.tables))


def _facts(found: Clustering, draft: Draft, tables: list[Table]) -> Clustering:
    warnings = list(found.warnings)
    if draft.n_lost or draft.absent:
        warnings.append(
            f"{counted(draft.n_lost, 'correction')} and {counted(len(draft.absent), 'row')} of"
            " corrections name what is not in these tables or clusters; they have no effect."
        )
    if not draft.sentences:
        return found.model_copy(update={"warnings": tuple(warnings)})
    return _Rewriting(found, draft, tables).facts(warnings)


@dataclass(frozen=True)
class Rows:
    """The rows of a view that are left, and their new numbers."""

    kept: Ints  # ascending
    number: Ints  # of every former row; -1 for those that were left out

    @classmethod
    def of(cls, labels: Ints) -> Rows:
        kept = np.flatnonzero(labels != LEFT_OUT)
        number = np.full(len(labels), -1)
        number[kept] = np.arange(len(kept))
        return cls(kept, number)

    def pairs(self, pairs: Iterable[Any], other: Rows | None = None) -> list[list[Any]]:
        """Return pairs, and what stands beside them, of rows that are left in both views."""
        other = other or self
        renumbered = ([self.number[i], other.number[j], *rest] for i, j, *rest in pairs)
        return [[int(i), int(j), *rest] for i, j, *rest in renumbered if i >= 0 and j >= 0]

    def rows(self, entries: Iterable[Any]) -> list[list[Any]]:
        """Return rows that are left, and what stands beside them."""
        renumbered = ([self.number[row], *rest] for row, *rest in entries)
        return [[int(row), *rest] for row, *rest in renumbered if row >= 0]

    def some(self, values: Sequence[Any] | None) -> list[Any] | None:
        """Return the values of the rows that are left."""
        return None if not values else [values[row] for row in self.kept.tolist()]


class _Rewriting:
    """The facts of a clustering, written anew from a draft."""

    def __init__(self, facts: Clustering, draft: Draft, tables: list[Table]) -> None:
        self._facts, self._draft = facts, draft
        self._rows = [Rows.of(labels) for labels in draft.labels]
        self._labels = [
            labels[own.kept] for labels, own in zip(draft.labels, self._rows, strict=True)
        ]
        for view, rows in zip(facts.views, self._rows, strict=True):
            if len(rows.kept) < 2:
                raise InvalidInputError(f"{view.name} would be left with fewer than two rows.")
        self._tables = [
            table.on_rows(own.kept) for table, own in zip(tables, self._rows, strict=True)
        ]

    def facts(self, warnings: list[str]) -> Clustering:
        """Return them."""
        facts, draft = self._facts, self._draft
        told = facts.to_dict()
        views = [self._view(number) for number in range(len(facts.views))]
        told["views"] = views
        told["n_clusters"] = draft.n_clusters
        told["profiles"] = profiles = [
            self._profiles(number, view) for number, view in enumerate(views)
        ]
        names = zip(*(view["names"] or [""] * draft.n_clusters for view in views), strict=True)
        joined = [" / ".join(dict.fromkeys(filter(None, own))) for own in names]
        told["names"] = joined if any(joined) else []
        told["titles"] = [
            given or common_name(list(own))
            for given, own in zip(joined, zip(*profiles, strict=True), strict=True)
        ]
        told["relations"] = [self._relation(relation) for relation in facts.relations]
        used = draft.present(range(len(views)))
        unused = sorted(set(range(draft.n_clusters)) - set(used))
        told["corrected"] = {
            "sentences": draft.sentences,
            "into": draft.into.tolist(),
            "retired": unused,
        }
        told["warnings"] = warnings
        for dispute in told["together"]["disputed"] if facts.together else ():
            dispute["settled"] = draft.decided_cluster(dispute["rows"])
        return parse_facts(told, "the corrected clustering")

    def _view(self, number: int) -> dict[str, Any]:
        facts, rows, labels = self._facts.views[number], self._rows[number], self._labels[number]
        told = facts.model_dump(mode="json", exclude_unset=True)
        for name in ("ids", "x", "y", "fit", "reference", "stability"):
            told[name] = rows.some(told.get(name)) or told.get(name, [])
        put = self._draft.put[number][rows.kept]
        told["stability"] = [
            1.0 if own and share is not None else share
            for own, share in zip(put, told["stability"], strict=True)
        ]
        told |= self._choices(facts, rows, labels, put)
        for name in _PAIRS:
            told[name] = rows.pairs(told.get(name, []))
        for link in told["given"]:
            link[4] = bool((labels[link[0]] == labels[link[1]]) == link[2])
        told["violated"] = [[*link[:4], link[5]] for link in told["given"] if not link[4]]
        told["moved"] = rows.rows(told.get("moved", []))
        if facts.sample is not None:
            left = [place for place, row in enumerate(facts.sample) if rows.number[row] >= 0]
            told["sample"] = [int(rows.number[facts.sample[place]]) for place in left]
        else:
            left = rows.kept.tolist()
        told["values"] = [[name, [texts[one] for one in left]] for name, texts in facts.values]
        names = self._draft.names[number]
        gone = [facts.ids[row] for row in np.flatnonzero(rows.number < 0)]
        return told | {
            "n_rows": len(labels),
            "labels": labels.tolist(),
            "names": names if any(names) else [],
            "outliers": [*facts.outliers, *gone],
            **against_labels(told["reference"], labels),
        }

    def _choices(self, facts: ViewFacts, rows: Rows, labels: Ints, put: Any) -> dict[str, Any]:
        """Return how likely the cluster of every row is, and its second choice.

        A row that a person has put somewhere is there for certain. If both choices are one
        cluster now, the second one is not known: it is the cluster itself, with nothing left.
        """
        if not facts.probability:
            return {}
        first = np.array(facts.probability)[rows.kept]
        other = np.array(facts.second_probability)[rows.kept]
        second = self._draft.into[np.array(facts.second)[rows.kept]]
        one = (second == labels) & ~put
        first = np.where(put, 1.0, np.where(one, np.minimum(first + other, 1), first))
        unknown = one | put
        return {
            "probability": first.round(4).tolist(),
            "second": np.where(unknown, labels, second).tolist(),
            "second_probability": np.where(unknown, 0.0, other).tolist(),
        }

    def _relation(self, relation: Relation) -> dict[str, Any]:
        told = relation.model_dump(mode="json", exclude_unset=True)
        u, v = relation.views
        own, others = self._rows[u], self._rows[v]
        matches = self._draft.matches[u, v]
        confirmed = {
            (one[1], other[1])
            for one, other in self._draft.confirmed
            if (one[0], other[0]) == (u, v)
        }
        suspected = {(one.i, one.j): one for one in relation.suspicious}
        doubted = [
            one
            for pair, one in suspected.items()
            if pair not in confirmed and (one.dropped or pair in matches)
        ]
        left_out = [(one.i, one.j) for one in doubted if one.dropped]
        former = [pair for pair in relation.pairs if tuple(pair) in matches]
        known = set(map(tuple, former))
        added = sorted(pair for pair in matches if pair not in known)
        told["pairs"] = own.pairs([*former, *added, *left_out], others)
        told["suspicious"] = own.pairs(doubted, others)
        if relation.agreement is not None and told["pairs"]:
            differing = [
                pair
                for pair in told["pairs"]
                if self._labels[u][pair[0]] != self._labels[v][pair[1]]
            ]
            told["differing"] = differing
            told["agreement"] = 1 - len(differing) / len(told["pairs"])
        if relation.held_out and relation.held_out.table:
            table = np.zeros((self._draft.n_clusters,) * 2, np.int64)
            former_k = self._facts.n_clusters
            table[:former_k, :former_k] = relation.held_out.table
            told["held_out"]["table"] = table.tolist()
        return told

    def _profiles(self, number: int, view: dict[str, Any]) -> list[dict[str, Any]]:
        """Describe every cluster of a view.

        The lists of rows of clusters that have the same rows as before stay as they were.
        """
        table, labels, k = self._tables[number], self._labels[number], self._draft.n_clusters
        columns = distinguishing_columns(table, labels, k)
        words = distinguishing_words(table, labels, k)
        facts, rows = self._facts.views[number], self._rows[number]
        before = np.array(facts.labels)
        doubts = ("fit", "stability", "probability", "second_probability")
        sureness = np.array(sureness_of(*(view.get(name, []) for name in doubts)))
        fit = np.array(view["fit"] or np.ones(len(labels)))
        profiles = []
        for cluster in range(k):
            own = np.flatnonzero(labels == cluster)
            former = np.flatnonzero(before == cluster)
            found: dict[str, Any]
            known = self._facts.profiles and cluster < self._facts.n_clusters
            if known and np.array_equal(rows.kept[own], former):
                profile = self._facts.profiles[number][cluster]
                found = profile.model_dump(mode="json")
                for name in ("typical", "misfits"):
                    found[name] = [int(rows.number[row]) for row in found[name]]
                found["borderline"] = [
                    [row, int(self._draft.into[other])]
                    for row, other in rows.rows(found["borderline"])
                ]
            else:
                found = _listed(own, sureness, fit, view.get("second") or [])
            name = view["names"][cluster] if view["names"] else ""
            found |= {
                "size": len(own),
                "columns": columns[cluster],
                "words": words[cluster],
                "name": name or name_of(columns[cluster], words[cluster]),
            }
            profiles.append(found)
        return profiles


def _listed(rows: Ints, sureness: Any, fit: Any, second: Sequence[int]) -> dict[str, Any]:
    """Return the rows of a cluster that are typical, between two clusters, or fit nowhere."""
    typical, between, nowhere = (
        rows[sureness[rows] == kind][np.argsort(sign * fit[rows[sureness[rows] == kind]])]
        for kind, sign in zip(Sureness, (-1, 1, 1), strict=True)
    )
    pairs = [[row, second[row]] for row in between.tolist()] if second else []
    return {
        "typical": typical[:MOST_ROWS].tolist(),
        "borderline": pairs[:MOST_ROWS],
        "misfits": nowhere[:MOST_ROWS].tolist(),
    }


def parts_of(
    facts: Clustering, cluster: str, features: list[Floats], inputs: Inputs
) -> dict[str, tuple[Ints, Ints]]:
    """Return two parts of a cluster: per view its rows in the tables, and 0 or 1 for each.

    Views of which the cluster has too few rows have none. The larger part is 0. `features` are
    those of all rows of every view.
    """
    views, number = Draft(facts).cluster(cluster)
    rows = {}
    for view in views:
        told = zip(facts.views[view].ids, facts.views[view].labels, strict=True)
        own = [inputs.tables[view].row[id] for id, label in told if label == number]
        if len(own) >= _FEWEST:
            rows[view] = np.sort(own)
    if not rows:
        raise InvalidInputError(
            f"Cluster {cluster} has fewer than {_FEWEST} rows of each view, too few to propose"
            " parts. Name the rows that are to leave it."
        )
    empty = np.empty(0, np.int64)
    inside = inputs.on_rows([rows.get(view, empty) for view in range(len(facts.views))])
    place = {view: number for number, view in enumerate(rows)}
    relations = {(place[u], place[v]): pairs for (u, v), pairs in inside.relations.items()}
    with one_thread():
        model = JointGraphClustering(2, features="none")
        model.fit([features[view][own] for view, own in rows.items()], mappings=relations)
    labels = model.labels_
    if len(model.connected_views_) > 1:  # what matches there are tell which parts go together
        numbers = match_clusters(labels, relations, 2)
        labels = [new[own] for new, own in zip(numbers, labels, strict=True)]
    if 2 * np.concatenate(labels).sum() > sum(map(len, labels)):
        labels = [1 - own for own in labels]
    found = zip(rows.items(), labels, strict=True)
    return {facts.views[view].name: (own, part) for (view, own), part in found}
