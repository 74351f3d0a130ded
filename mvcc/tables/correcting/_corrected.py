"""The facts of a clustering as corrections leave them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from mvcc._utils.arrays import Bools, Floats, Ints
from mvcc._utils.contexts import one_thread
from mvcc.exceptions import InvalidInputError
from mvcc.multiview import Answer, JointGraphClustering, match_clusters
from mvcc.results import ENDS, Clustering, Relation, left_out_in_words, parse_facts
from mvcc.tables.correcting._corrections import LEFT_OUT, with_matches
from mvcc.tables.correcting._draft import Draft
from mvcc.tables.explaining._profiles import Places, misnamed, names_in_all, profiles_of
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
        draft, facts = self.draft, self.draft.found
        ended = {
            caution
            for view, labels in zip(facts.views, draft.labels, strict=True)
            if not np.array_equal(view.labels, labels)
            for caution in view.cautions
        }
        warnings = [warning for warning in facts.warnings if warning not in ended]
        if not draft.sentences:
            relations = tuple(_without_undone(relation, draft) for relation in facts.relations)
            renewed = _left_out(facts, (relation.n_left_out for relation in relations))
            changes = {"warnings": (*draft.lost, *_renewed(warnings, renewed))}
            return facts.model_copy(update={"relations": relations} | changes)
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
        self._new = [{row: new for new, row in enumerate(rows.tolist())} for rows in self._kept]
        self._labels = [labels[rows] for labels, rows in zip(draft.labels, self._kept, strict=True)]
        self._tables = [table.on_rows(rows) for table, rows in zip(tables, self._kept, strict=True)]

    def facts(self, warnings: list[str]) -> Clustering:
        facts, draft = self._facts, self._draft
        fields = facts.to_dict()
        misnamed_before = _misnamed(fields)
        views = [self._view(view) for view in range(len(facts.views))]
        fields["views"] = views
        fields["n_clusters"] = draft.n_clusters
        fields["profiles"] = list(map(self._profiles, count(), views))
        fields |= names_in_all(draft.names, fields["profiles"])
        if not any(fields["names"]):
            fields["names"] = []
        fields["relations"] = [self._relation(relation) for relation in facts.relations]
        used = draft.present(range(len(views)))
        fields["corrected"] = {
            "sentences": draft.sentences,
            "into_of_views": [into.tolist() for into in draft.into],
            "retired": sorted({*range(draft.n_clusters)}.difference(used)),
        }
        misnamed_now = _misnamed(fields)
        renewed = {note: misnamed_now.get(name, "") for name, note in misnamed_before.items()}
        doubted = (relation["suspicious"] for relation in fields["relations"])
        renewed |= _left_out(facts, (sum(match[3] for match in matches) for matches in doubted))
        fields["warnings"] = _renewed(warnings, renewed)
        if facts.together:
            for dispute in fields["together"]["disputed"]:
                dispute["settled"] = draft.decided_cluster(dispute["rows"])
        return parse_facts(fields, "the corrected clustering")

    def _view(self, view: int) -> dict[str, Any]:
        facts, new, labels = self._facts.views[view], self._new[view], self._labels[view]
        fields = facts.model_dump(mode="json", exclude_unset=True)
        for name in ("ids", "x", "y", "fit", "reference", "stability"):
            if values := fields.setdefault(name, []):
                fields[name] = [values[row] for row in new]
        is_put = self._draft.put[view][self._kept[view]]
        for row in np.flatnonzero(is_put).tolist():
            if fields["stability"][row] is not None:
                fields["stability"][row] = 1.0
        fields |= self._choices(view, labels, is_put)
        names = self._draft.names[view]
        gone = [id for row, id in enumerate(facts.ids) if row not in new]
        return {
            **fields,
            **self._listed(view, fields),
            "n_rows": len(labels),
            "labels": labels.tolist(),
            "names": names if any(names) else [],
            "outliers": [*facts.outliers, *gone],
            **against_labels(fields["reference"], labels),
        }

    def _listed(self, view: int, fields: dict[str, Any]) -> dict[str, Any]:
        """Return what is listed of rows of a view that are left, and which constraints hold now."""
        facts, new, labels = self._facts.views[view], self._new[view], self._labels[view]
        fields["moved"] = [
            [row, without, why]
            for row, other, why in fields.get("moved", [])
            if (without := self._draft.without(view, row, other)) is not None
        ]
        listed = dict[str, Any]()
        for kind, n_rows in ENDS.items():
            listed[kind] = _left(fields.get(kind, []), *[new] * n_rows)
        for link in listed["given"]:
            link[4] = bool((labels[link[0]] == labels[link[1]]) == link[2])
        listed["violated"] = [[*link[:4], link[5]] for link in listed["given"] if not link[4]]
        positions = list(new)
        if facts.sample is not None:
            positions = [i for i, row in enumerate(facts.sample) if row in new]
            listed["sample"] = [new[facts.sample[i]] for i in positions]
        listed["values"] = [[name, [texts[i] for i in positions]] for name, texts in facts.values]
        return listed

    def _choices(self, view: int, labels: Ints, is_put: Bools) -> dict[str, Any]:
        """Return how likely the cluster of every row is, and its second choice, else the same."""
        facts, kept, into = self._facts.views[view], self._kept[view], self._draft.into[view]
        if not facts.probability:
            return {}
        p_top = np.array(facts.probability)[kept]
        p_second = np.array(facts.second_probability)[kept]
        second = into[np.array(facts.second)[kept]]
        present = self._draft.present(self._draft.alike_with(view))
        is_same = (second == labels) & ~is_put
        p_top = np.where(is_put, 1.0, np.where(is_same, np.minimum(p_top + p_second, 1), p_top))
        # of one cluster twice, or a second one without rows, only the first is known
        is_unknown = is_same | is_put | ~np.isin(second, present)
        return {
            "probability": p_top.round(4).tolist(),
            "second": np.where(is_unknown, labels, second).tolist(),
            "second_probability": np.where(is_unknown, 0.0, p_second).tolist(),
        }

    def _relation(self, relation: Relation) -> dict[str, Any]:
        fields = relation.model_dump(mode="json", exclude_unset=True)
        u, v = relation.views
        new_u, new_v = self._new[u], self._new[v]
        matches, doubted = self._draft.matches[u, v], _doubted(relation, self._draft)
        left_out = [match[:2] for match in doubted if match.dropped]
        former = [pair for pair in relation.pairs if pair in matches]
        added = sorted(matches.difference(former))
        fields["pairs"] = _left([*former, *added, *left_out], new_u, new_v)
        fields["suspicious"] = _left(doubted, new_u, new_v)
        if self._facts.co_em is not None:  # else matched rows are one object
            rows = np.array(fields["pairs"], np.int64).reshape(-1, 2)
            seed = self._facts.settings["seed"]
            fields |= agreement(self._labels, u, v, rows, self._draft.n_clusters, seed)
        if relation.held_out and relation.held_out.table:
            n_new = self._draft.n_clusters - self._facts.n_clusters
            fields["held_out"]["table"] = np.pad(relation.held_out.table, (0, n_new)).tolist()
        return fields

    def _profiles(self, view: int, fields: dict[str, Any]) -> list[dict[str, Any]]:
        """Describe every cluster of a view; those with the same rows as before list the same."""
        labels = self._labels[view]
        fit = np.array(fields["fit"] or np.ones(len(labels)))
        # in place of distances to centers, which the facts do not have
        places = Places(own=-fit, silhouette=fit, nearest=labels)
        profiles = profiles_of(self._tables[view], places, labels, fields, self._draft.n_clusters)
        new, before = self._new[view], np.array(self._facts.views[view].labels)
        former = self._facts.profiles[view] if self._facts.profiles else ()
        for cluster, profile in enumerate(profiles):
            if not fields.get("second"):
                profile["borderline"] = []
            rows = self._kept[view][labels == cluster]
            if cluster < len(former) and np.array_equal(rows, np.flatnonzero(before == cluster)):
                old, into = former[cluster], self._draft.into[view].tolist()
                profile["typical"] = [new[row] for row in old.typical]
                profile["borderline"] = [[new[row], into[other]] for row, other in old.borderline]
                profile["misfits"] = [new[row] for row in old.misfits]
        return profiles


def _left_out(facts: Clustering, n_now: Iterable[int]) -> dict[str, str]:
    """Return the warnings on matches that were left out, each with how it is now."""
    renewed = {}
    for relation, n in zip(facts.relations, n_now, strict=True):
        first, second = (facts.views[view].name for view in relation.views)
        before = left_out_in_words(first, second, relation.n_left_out)
        renewed[before] = left_out_in_words(first, second, n)
    return renewed


def _renewed(warnings: list[str], renewed: dict[str, str]) -> list[str]:
    """Return warnings as they are now, without those that have ended."""
    return [*filter(None, (renewed.get(warning, warning) for warning in warnings))]


def _misnamed(fields: dict[str, Any]) -> dict[tuple[str, int, str], str]:
    """Return the warnings on names, by view, cluster and name; former versions wrote less."""
    views = zip(fields["views"], fields.get("profiles", ()), strict=False)
    return {
        (view["name"], cluster, view["names"][cluster]): note
        for view, profiles in views
        for cluster, note in misnamed(view["name"], view.get("names", []), profiles).items()
    }


def _doubted(relation: Relation, draft: Draft) -> list[Any]:
    """Return the matches that seem to be wrong, but those that somebody has settled or undone."""
    matches, settled = draft.matches[relation.views], draft.settled[relation.views]
    given = set(relation.pairs)
    doubted = [match for match in relation.suspicious if match[:2] not in settled]
    return [match for match in doubted if match[:2] in (given if match.dropped else matches)]


def _without_undone(relation: Relation, draft: Draft) -> Relation:
    """Return a relation without the suspicious matches that a correction made, which is undone."""
    doubted = tuple(_doubted(relation, draft))
    if doubted == relation.suspicious:
        return relation
    return relation.model_copy(update={"suspicious": doubted})


def _left(entries: Iterable[Any], *new: dict[int, int]) -> list[list[Any]]:
    """Return entries that begin with rows of some views, of those that are left in all."""
    found = ([*map(dict.get, new, entry), *entry[len(new) :]] for entry in entries)
    return [entry for entry in found if None not in entry[: len(new)]]


def parts_of(
    draft: Draft, cluster: str, features: list[Floats], inputs: Inputs, seed: int
) -> dict[str, tuple[Ints, Ints]]:
    """Return parts of a cluster: per view its rows, and 0 (of the larger part) or 1 for each."""
    inputs, facts = with_matches(inputs, draft.lines), draft.found
    views, cluster_label = draft.cluster(cluster)
    rows = {}
    for view in views:
        labeled = zip(facts.views[view].ids, draft.labels[view].tolist(), strict=True)
        members = [inputs.tables[view].row[id] for id, label in labeled if label == cluster_label]
        if len(members) >= _FEWEST:
            rows[view] = np.sort(members)
    if not rows:
        raise InvalidInputError(
            f"Cluster {cluster} has fewer than {_FEWEST} rows of each view, too few to propose"
            " parts. Name the rows that are to leave it."
        )
    empty = np.empty(0, np.int64)
    inside = inputs.on_rows([rows.get(view, empty) for view in range(len(facts.views))])
    index = {view: i for i, view in enumerate(rows)}
    relations = {(index[u], index[v]): pairs for (u, v), pairs in inside.relations.items()}
    with one_thread():
        model = JointGraphClustering(2, features="none", random_state=seed)
        model.fit([features[view][members] for view, members in rows.items()], mappings=relations)
    parts = model.labels_
    if len(model.connected_views_) > 1:  # what matches there are tell which parts go together
        numbers = match_clusters(parts, relations, 2)
        parts = [new[part] for new, part in zip(numbers, parts, strict=True)]
    pooled = np.concatenate(parts)
    # of two equally large parts, 0 is that of the first row
    if (2 * pooled.sum(), pooled[0]) > (len(pooled), 0):
        parts = [1 - part for part in parts]
    split = zip(rows.items(), parts, strict=True)
    return {facts.views[view].name: (members, part) for (view, members), part in split}
