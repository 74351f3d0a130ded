"""A session that corrects a clustering: its log is in the folder of the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from mvcc._utils.arrays import Floats
from mvcc._utils.messages import about, counted, nearest_id, row_name, shown, view_and_id
from mvcc._utils.outputs import OutputFolder, put_back
from mvcc.exceptions import InvalidInputError, StoreError
from mvcc.multiview import NEW, UNDO, Answer
from mvcc.reporting.html import REPORT, REPORT_KIND, clustering_page
from mvcc.results import CLUSTERING, Clustering, Sureness, ViewFacts, listed_clusters, read_facts
from mvcc.tables._layout import CORRECTIONS, FOUND
from mvcc.tables.asking._card import ShownRow
from mvcc.tables.asking._log import LoggedSession
from mvcc.tables.correcting._corrected import Reviewed, parts_of
from mvcc.tables.correcting._corrections import (
    MATCH,
    NO_MATCH,
    corrections_in,
    is_about_cluster,
    names_of,
)
from mvcc.tables.correcting._draft import Draft, Row
from mvcc.tables.explaining._distinguishing import with_likely_labels
from mvcc.tables.fitting._features import features_before_clusters
from mvcc.tables.output._folder import KIND, inputs_of, labels_of
from mvcc.tables.output._stored import (
    has_changed,
    job_of_clustering,
    moved_perhaps,
    n_lacking,
    read_found,
    refuse_samples,
    same_tables,
)
from mvcc.tables.reading._inputs import Inputs
from mvcc.tables.reading._read_inputs import read_inputs

PROPOSED_SPLIT = "split"  # an answer about a cluster: its parts are those that are proposed

# the answer about a row, by view and number, or about two that match or not
_Said = dict[tuple[Row, ...], str]


class ReviewSession(LoggedSession):
    """Corrections of the clustering in a folder; a context manager that holds the folder.

    Facts, labels and report follow from its corrections, also where a session before was killed;
    `on_note` gets notes on it.
    """

    kinds: ClassVar[Mapping[str, str]] = {REPORT: REPORT_KIND}

    def __init__(self, folder: Path, on_note: Callable[[str], None] = lambda note: None) -> None:
        self.folder = folder
        put_back(folder, on_note)
        self._found = read_found(folder)
        self._job = job_of_clustering(folder, self._found)
        inputs, read = self._read(), inputs_of(self._job)
        advice = "correct a copy of the folder"
        out = OutputFolder(folder, KIND, fresh=True, inputs=read, elsewhere=advice, on_note=on_note)
        out.kept = "restore it; labels and a report that are moved away are written anew"
        super().__init__(out, CORRECTIONS, inputs)

    def _begin(self) -> None:
        if read_found(self.folder) != self._found:  # it was read before the folder was held
            raise StoreError(f"{self.folder} was clustered anew meanwhile. Run the command again.")
        draft = Draft.of(self._found, corrections_in(self._records, self._log))
        self._reviewed = Reviewed(draft, self._used.tables)
        stored = read_facts(self.folder)
        if not self._out.was_used():  # the folder was copied without hidden files
            self._out.adopt(self._files(stored), self.kinds)
        self._out.refuse_taken(labels_of(self.facts, self._inputs.tables, self._found))
        self._out.refuse_taken([REPORT], REPORT_KIND)
        for warning in draft.lost:
            if warning not in stored.warnings:
                self.on_note(f"{self._log}: {warning}")
        if n := n_lacking(self._found, draft.lines, stored.corrections):
            lost = counted(n, "correction")
            self.on_note(f"{self._log} does not have {lost} of {CLUSTERING} any more; dropped.")
        if draft.lines or (self.folder / FOUND).exists():
            self._keep(self._reviewed)

    @property
    def facts(self) -> Clustering:
        """The facts of the clustering as it is corrected now."""
        return self._reviewed.facts

    @property
    def draft(self) -> Draft:
        """The rows and their clusters as they are corrected now, also rows that were left out."""
        return self._reviewed.draft

    def record(self, answers: list[tuple[str, str]], *, where: Sequence[str] = ()) -> list[Answer]:
        """Store several corrections, all of them or none.

        "split" for a cluster becomes the proposed rows. None may contradict another one of these.
        Errors begin with `where` a line comes from.
        """
        reviewed, said = self._reviewed, _Said()
        locations, n_former = where or [""] * len(answers), len(reviewed.draft.lines)
        for location, (id, answer) in zip(locations, answers, strict=True):
            with about(location):
                line, former = Answer(id, answer), reviewed.draft
                if answer == PROPOSED_SPLIT:
                    parts = self.parts(id, reviewed.draft).items()
                    rows = [row_name(v, id) for v, part in parts for id in part if part[id] == 1]
                    line = Answer("\n".join(rows), NEW)
                reviewed = reviewed.extended(line)
                if answer == UNDO:
                    said.clear()
                elif answer != PROPOSED_SPLIT:
                    _refuse_contradiction(reviewed.draft, former, said, line)
        _ = reviewed.facts  # they take a while, and what fails or is stopped there leaves nothing
        self._keep(reviewed)
        self._reviewed = reviewed
        return list(reviewed.draft.lines[n_former:])

    def parts(self, cluster: str, draft: Draft | None = None) -> dict[str, dict[str, int]]:
        """Propose two parts of a cluster: by view, 0 or 1 for the id of every row."""
        draft = draft or self.draft
        parts = parts_of(draft, cluster, self._features, self._used, self._job.seed)
        tables = {table.name: table for table in self._used.tables}
        return {
            view: {tables[view].ids[row]: int(part) for row, part in zip(rows, split, strict=True)}
            for view, (rows, split) in parts.items()
        }

    def find(self, text: str) -> list[str]:
        """Return the rows with an id, alone or as "view:id", else those whose title begins so."""
        text, inputs = text.strip(), self._inputs
        names = [text, *(row_name(view, text) for view in inputs.numbers)]
        found = dict.fromkeys(filter(None, map(inputs.find, names))) or self._shower.titled(text)
        if found:
            return names_of(inputs.tables, found)
        if view_and_id(text)[0] in inputs.numbers:
            raise InvalidInputError(inputs.lacks(text))
        guess = max((nearest_id(text, table.ids) for table in inputs.tables), key=len)
        raise InvalidInputError(f"No row has the id {shown(text)}{guess}")

    def entries(self, is_wanted: Callable[[ViewFacts, int], bool]) -> list[dict[str, Any]]:
        """Return rows that have a cluster: first those between two, then those that fit none."""
        entries = []
        for view in self.facts.views:
            columns: dict[str, Sequence[Any]] = {"kind": view.sureness, "cluster": view.labels}
            for name in ("second", "probability", "second_probability"):
                columns[name] = getattr(view, name) or [None] * view.n_rows
            for row, id in enumerate(view.ids):
                if is_wanted(view, row):
                    facts = {name: values[row] for name, values in columns.items()}
                    entries.append({"id": row_name(view.name, id), **facts})
        order = [Sureness.BETWEEN, Sureness.NOWHERE, Sureness.SURE]
        return sorted(entries, key=lambda row: (order.index(row["kind"]), row["probability"] or 0))

    def doubts(self) -> list[dict[str, Any]]:
        """Return the rows between clusters, the least likely first, then those that fit none."""
        return self.entries(lambda view, row: view.sureness[row] is not Sureness.SURE)

    def rows(self, ids: Sequence[str]) -> list[ShownRow]:
        """Return what a person sees of rows, given as "view:id"."""
        return [self._shower.row(*row) for row in map(self._inputs.find, ids) if row]

    def document(self, n: int | None = None) -> dict[str, Any]:
        """Return the clusters and what to look at, n rows of each kind, as a program takes them."""
        facts, clusters = self.facts, []
        for id, name, label, views in listed_clusters(facts, facts.numbered_alike):
            rows = {}
            for view in views:
                profile, ids = facts.profiles[view][label], facts.views[view].ids
                typical = [ids[row] for row in profile.typical]
                rows[facts.views[view].name] = {"size": profile.size, "typical": typical}
            if any(in_view["size"] for in_view in rows.values()):
                called = int(id) if id.isdecimal() else id
                clusters.append({"cluster": called, "name": name, "rows": rows})
        doubts = self.doubts()
        listed = {
            kind.value: [doubt for doubt in doubts if doubt["kind"] is kind][:n]
            for kind in (Sureness.BETWEEN, Sureness.NOWHERE)
        }
        return {
            "clusters": clusters,
            **listed,
            "disputed": self.disputes()[:n],
            "violated": self.violated()[:n],
            "matches": self.doubted_matches()[:n],
            "corrections": facts.corrections,
        }

    def disputes(self) -> list[dict[str, Any]]:
        """Return open disputes; with each answer goes the cluster of its group, if any."""
        if not self.facts.together:
            return []
        clusters_by_view, disputes = dict[str, dict[str, int]](), []
        # by the names that groups gave, which corrections may have changed
        for view, into in zip(self._found.views, self.draft.into, strict=True):
            clusters_by_view[view.name] = dict(zip(view.names, into.tolist(), strict=False))
        for dispute in self.facts.together.open:
            cluster_of = clusters_by_view.get(view_and_id(dispute.id)[0], {})
            said = [
                {"who": who, "answer": answer, "cluster": cluster_of.get(group) if group else None}
                for who, answer, group in dispute.said
            ]
            disputes.append({"id": "\n".join(dispute.rows), "said": said})
        return disputes

    def violated(self) -> list[dict[str, Any]]:
        """Return the constraints that the clusters violate, with the clusters of their rows."""
        constraints = []
        for index, view in enumerate(self.facts.views):
            for link in view.violated:
                id = "\n".join(names_of(self.facts.views, [(index, link.i), (index, link.j)]))
                clusters = [view.labels[link.i], view.labels[link.j]]
                facts = {"must_link": link.must_link, "clusters": clusters, "source": link.reason}
                constraints.append({"id": id, **facts})
        return constraints

    def doubted_matches(self) -> list[dict[str, Any]]:
        """Return the matches that seem to be wrong, the most suspicious first."""
        matches = []
        for relation in self.facts.relations:
            for match in relation.suspicious:
                both = zip(relation.views, (match.i, match.j), strict=True)
                id = "\n".join(names_of(self.facts.views, both))
                matches.append({"id": id, "suspicion": match.suspicion, "used": not match.dropped})
        return sorted(matches, key=lambda match: -match["suspicion"])

    def matches_of(self, rows: Set[str]) -> list[dict[str, Any]]:
        """Return the matches of some rows, also those that were left out as suspicious."""
        matches = []
        for relation in self.facts.relations:
            left_out = {match[:2] for match in relation.suspicious if match.dropped}
            for pair in relation.pairs:
                both = names_of(self.facts.views, zip(relation.views, pair, strict=True))
                if not rows.isdisjoint(both):
                    matches.append({"id": "\n".join(both), "used": pair not in left_out})
        return matches

    def _read(self) -> Inputs:
        """Read the tables that were clustered, and refuse others."""
        why = "what is corrected would not reach the other rows. Cluster it with more answers; "
        refuse_samples(self.folder, self._found, why)
        with moved_perhaps(self.folder):
            inputs = read_inputs(self._job.model_copy(update={"n_clusters": "auto"}))
        same, rows = same_tables(self._found, inputs), []
        for view, table in zip(self._found.views, inputs.tables, strict=True):
            if view.name not in same or {*view.ids, *view.outliers} != set(table.ids):
                raise has_changed(table.path, self.folder)
            rows.append(np.array([table.row[id] for id in view.ids]))
        used = inputs.on_rows(rows)
        of_views = zip(used.tables, self._found.views, strict=True)
        tables = [with_likely_labels(table, np.array(view.labels)) for table, view in of_views]
        self._used = replace(used, tables=tables)
        return inputs

    @cached_property
    def _features(self) -> list[Floats]:
        return [of_view.X for of_view in features_before_clusters(self._used.tables, self._job)]

    def _files(self, facts: Clustering) -> dict[str, bytes]:
        """Return what follows from facts: labels, report and the facts, which come last."""
        return labels_of(facts, self._inputs.tables, self._found) | {
            REPORT: clustering_page(facts),
            CLUSTERING: facts.to_json(),
        }

    def _keep(self, reviewed: Reviewed) -> None:
        """Store the clusters as they were found, the log, and what follows from it."""
        if not (self.folder / FOUND).exists():
            self._out.write({FOUND: self._found.to_json()})
        self._store(reviewed.draft.lines, self._files(reviewed.facts))


def _refuse_contradiction(draft: Draft, former: Draft, said: _Said, line: Answer) -> None:
    """Refuse a line that changes what others said at once; matched rows are moved together."""
    answer = line.answer
    if is_about_cluster(answer):
        return
    rows = tuple(sorted(draft.rows(line.id)))
    changed, named = [rows], [rows]
    if answer not in (MATCH, NO_MATCH):
        changed = [(row,) for row in draft.moved_since(former)]
        named = [(row,) for row in rows]
    for key in changed:
        if said.get(key, answer) != answer:
            raise InvalidInputError(
                f"{' and '.join(map(draft.called_row, key))}: the answer is {shown(answer)} here,"
                f" and {shown(said[key])} above. Leave one of them out."
            )
    said |= dict.fromkeys(named, answer)
