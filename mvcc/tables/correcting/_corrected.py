"""The facts of a clustering as corrections leave them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from mvcc._utils.arrays import Bools, Floats, Ints
from mvcc._utils.one_thread import one_thread
from mvcc.exceptions import InvalidInputError
from mvcc.multiview import Answer, JointGraphClustering, match_clusters
from mvcc.results import Clustering, Relation, parse_facts
from mvcc.tables.correcting._corrections import LEFT_OUT, with_matches
from mvcc.tables.correcting._draft import Draft
from mvcc.tables.explaining._profiles import Places, names_in_all, profiles_of
from mvcc.tables.fitting._fit import against_labels, agreement
from mvcc.tables.reading._inputs import Inputs
from mvcc.tables.reading._table import Table

_FEWEST = 4  # rows of a view, to be split


@dataclass(frozen=True, eq=False)
class Reviewed:
    """A clustering as its corrections leave it, which never changes."""

    draft: Draft
    tables: list[Table]  # the rows as they were found, in the same order

    @cached_property
    def facts(self) -> Clustering:
        """After the corrections that stand, made when first looked at; a warning counts others."""
        draft, found = self.draft, self.draft.found
        ended = {
            caution
            for view, labels in zip(found.views, draft.labels, strict=True)
            if not np.array_equal(view.labels, labels)
            for caution in view.cautions
        }
        warnings = [warning for warning in found.warnings if warning not in ended]
        if not draft.sentences:
            relations = tuple(_without_undone(relation, draft) for relation in found.relations)
            told = {"warnings": (*draft.lost, *warnings), "relations": relations}
            return found.model_copy(update=told)
        return _Rewriting(draft, self.tables).facts([*draft.lost, *warnings])

    def extended(self, line: Answer) -> Reviewed:
        """Return the clustering with one more correction, or refuse it."""
        return replace(self, draft=self.draft.extended(line))


class _Rewriting:
    """The facts of a clustering, written anew from a draft."""

    def __init__(self, draft: Draft, tables: list[Table]) -> None:
        self._facts, self._draft = draft.found, draft
        self._kept = [np.flatnonzero(labels != LEFT_OUT) for labels in draft.labels]
        # of every view: the numbers of the rows that are left, by their former ones
        self._new = [{row: new for new, row in enumerate(own.tolist())} for own in self._kept]
        self._labels = [own[rows] for own, rows in zip(draft.labels, self._kept, strict=True)]
        self._tables = [own.on_rows(rows) for own, rows in zip(tables, self._kept, strict=True)]

    def facts(self, warnings: list[str]) -> Clustering:
        facts, draft = self._facts, self._draft
        told = facts.to_dict()
        views = [self._view(number) for number in range(len(facts.views))]
        told["views"] = views
        told["n_clusters"] = draft.n_clusters
        told["profiles"] = list(map(self._profiles, count(), views))
        told |= names_in_all(draft.names, told["profiles"])
        if not any(told["names"]):
            told["names"] = []
        told["relations"] = [self._relation(relation) for relation in facts.relations]
        used = draft.present(range(len(views)))
        told["corrected"] = {
            "sentences": draft.sentences,
            "into_of_views": [own.tolist() for own in draft.into],
            "retired": sorted({*range(draft.n_clusters)}.difference(used)),
        }
        told["warnings"] = warnings
        if facts.together:
            for dispute in told["together"]["disputed"]:
                dispute["settled"] = draft.decided_cluster(dispute["rows"])
        return parse_facts(told, "the corrected clustering")

    def _view(self, number: int) -> dict[str, Any]:
        facts, new, labels = self._facts.views[number], self._new[number], self._labels[number]
        told = facts.model_dump(mode="json", exclude_unset=True)
        for name in ("ids", "x", "y", "fit", "reference", "stability"):
            if values := told.setdefault(name, []):
                told[name] = [values[row] for row in new]
        put = self._draft.put[number][self._kept[number]]
        for row in np.flatnonzero(put).tolist():
            if told["stability"][row] is not None:
                told["stability"][row] = 1.0
        told |= self._choices(number, labels, put)
        names = self._draft.names[number]
        gone = [id for row, id in enumerate(facts.ids) if row not in new]
        return {
            **told,
            **self._links(number, told),
            **self._listed_rows(number, told),
            "n_rows": len(labels),
            "labels": labels.tolist(),
            "names": names if any(names) else [],
            "outliers": [*facts.outliers, *gone],
            **against_labels(told["reference"], labels),
        }

    def _links(self, number: int, told: dict[str, Any]) -> dict[str, Any]:
        """Return the constraints of rows of a view that are left, and which are satisfied now."""
        new, labels = self._new[number], self._labels[number]
        kinds = ("given", "dropped", "propagated", "received")
        links = {name: _left(told.get(name, []), new, new) for name in kinds}
        for link in links["given"]:
            link[4] = bool((labels[link[0]] == labels[link[1]]) == link[2])
        links["violated"] = [[*link[:4], link[5]] for link in links["given"] if not link[4]]
        return links

    def _listed_rows(self, number: int, told: dict[str, Any]) -> dict[str, Any]:
        """Return what is listed of some rows of a view alone, of those that are left."""
        facts, new = self._facts.views[number], self._new[number]
        listed: dict[str, Any] = {
            "moved": [
                [new[row], without, why]
                for row, other, why in told.get("moved", [])
                if row in new and (without := self._draft.without(number, row, other)) is not None
            ],
            "pictures": [
                [new[row], *rest] for row, *rest in told.get("pictures", []) if row in new
            ],
        }
        left = list(new)
        if facts.sample is not None:
            left = [place for place, row in enumerate(facts.sample) if row in new]
            listed["sample"] = [new[facts.sample[place]] for place in left]
        listed["values"] = [[name, [texts[one] for one in left]] for name, texts in facts.values]
        return listed

    def _choices(self, number: int, labels: Ints, put: Bools) -> dict[str, Any]:
        """Return how likely the cluster of every row is, and its second choice, else the same."""
        facts, kept, into = self._facts.views[number], self._kept[number], self._draft.into[number]
        if not facts.probability:
            return {}
        first = np.array(facts.probability)[kept]
        other = np.array(facts.second_probability)[kept]
        second = into[np.array(facts.second)[kept]]
        present = self._draft.present(self._draft.alike_with(number))
        one = (second == labels) & ~put
        first = np.where(put, 1.0, np.where(one, np.minimum(first + other, 1), first))
        # of one cluster twice, or a second one without rows, only the first is known
        unknown = one | put | ~np.isin(second, present)
        return {
            "probability": first.round(4).tolist(),
            "second": np.where(unknown, labels, second).tolist(),
            "second_probability": np.where(unknown, 0.0, other).tolist(),
        }

    def _relation(self, relation: Relation) -> dict[str, Any]:
        told = relation.model_dump(mode="json", exclude_unset=True)
        u, v = relation.views
        own, others = self._new[u], self._new[v]
        matches, doubted = self._draft.matches[u, v], _doubted(relation, self._draft)
        left_out = [one[:2] for one in doubted if one.dropped]
        former = [pair for pair in relation.pairs if pair in matches]
        added = sorted(matches.difference(former))
        told["pairs"] = _left([*former, *added, *left_out], own, others)
        told["suspicious"] = _left(doubted, own, others)
        if self._facts.co_em is not None:  # else matched rows are one object
            rows = np.array(told["pairs"], np.int64).reshape(-1, 2)
            seed = self._facts.settings["seed"]
            told |= agreement(self._labels, u, v, rows, self._draft.n_clusters, seed)
        if relation.held_out and relation.held_out.table:
            n_new = self._draft.n_clusters - self._facts.n_clusters
            told["held_out"]["table"] = np.pad(relation.held_out.table, (0, n_new)).tolist()
        return told

    def _profiles(self, number: int, view: dict[str, Any]) -> list[dict[str, Any]]:
        """Describe every cluster of a view; those with the same rows as before list the same."""
        labels = self._labels[number]
        fit = np.array(view["fit"] or np.ones(len(labels)))
        # in place of distances to centers, which the facts do not have
        places = Places(own=-fit, silhouette=fit, nearest=labels)
        told = profiles_of(self._tables[number], places, labels, view, self._draft.n_clusters)
        new, before = self._new[number], np.array(self._facts.views[number].labels)
        former = self._facts.profiles[number] if self._facts.profiles else ()
        for cluster, found in enumerate(told):
            if not view.get("second"):
                found["borderline"] = []
            rows = self._kept[number][labels == cluster]
            if cluster < len(former) and np.array_equal(rows, np.flatnonzero(before == cluster)):
                own, into = former[cluster], self._draft.into[number].tolist()
                found["typical"] = [new[row] for row in own.typical]
                found["borderline"] = [[new[row], into[other]] for row, other in own.borderline]
                found["misfits"] = [new[row] for row in own.misfits]
        return told


def _doubted(relation: Relation, draft: Draft) -> list[Any]:
    """Return the matches that seem to be wrong, but those that somebody has confirmed or undone."""
    matches, confirmed = draft.matches[relation.views], draft.confirmed[relation.views]
    given = set(relation.pairs)
    doubted = [one for one in relation.suspicious if one[:2] not in confirmed]
    return [one for one in doubted if one[:2] in (given if one.dropped else matches)]


def _without_undone(relation: Relation, draft: Draft) -> Relation:
    """Return a relation without the suspicious matches that a correction made, which is undone."""
    doubted = tuple(_doubted(relation, draft))
    if doubted == relation.suspicious:
        return relation
    return relation.model_copy(update={"suspicious": doubted})


def _left(pairs: Iterable[Any], new: dict[int, int], others: dict[int, int]) -> list[list[Any]]:
    """Return pairs, and what stands beside them, of rows that are left in both views."""
    return [[new[i], others[j], *rest] for i, j, *rest in pairs if i in new and j in others]


def parts_of(
    draft: Draft, cluster: str, features: list[Floats], inputs: Inputs, seed: int
) -> dict[str, tuple[Ints, Ints]]:
    """Return parts of a cluster: per view its rows, and 0 (of the larger part) or 1 for each."""
    inputs, facts = with_matches(inputs, draft.lines), draft.found
    views, number = draft.cluster(cluster)
    rows = {}
    for view in views:
        told = zip(facts.views[view].ids, draft.labels[view].tolist(), strict=True)
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
        model = JointGraphClustering(2, features="none", random_state=seed)
        model.fit([features[view][own] for view, own in rows.items()], mappings=relations)
    labels = model.labels_
    if len(model.connected_views_) > 1:  # what matches there are tell which parts go together
        numbers = match_clusters(labels, relations, 2)
        labels = [new[own] for new, own in zip(numbers, labels, strict=True)]
    ones = np.concatenate(labels)
    if (2 * ones.sum(), ones[0]) > (len(ones), 0):
        labels = [1 - own for own in labels]
    found = zip(rows.items(), labels, strict=True)
    return {facts.views[view].name: (own, part) for (view, own), part in found}
