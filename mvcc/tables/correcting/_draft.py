"""A clustering while it is being corrected: its rows, clusters and matches."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import replace
from functools import cached_property

import numpy as np

from mvcc._utils.arrays import Bools, Ints
from mvcc._utils.messages import (
    agreeing,
    clipped,
    counted,
    for_reader,
    lacks_view,
    nearest_id,
    row_name,
    shown,
    view_and_id,
)
from mvcc.embedding import find_objects
from mvcc.exceptions import InvalidInputError
from mvcc.multiview import MERGE, NEW, OPENS, OUTLIER, RENAME, UNDO, Answer, answers_standing
from mvcc.results import Clustering
from mvcc.tables.correcting._corrections import (
    LEFT_OUT,
    MATCH,
    NO_MATCH,
    SPLIT,
    Corrections,
    extended,
    is_about_cluster,
    names_of,
    refuse_name,
    rows_in,
)
from mvcc.tables.reading._rows import RowsById

_MOST_NAMED = 3  # rows, in a sentence

Row = tuple[int, int]  # view and number


class Draft:
    """A clustering while it is being corrected."""

    def __init__(self, found: Clustering) -> None:
        self.found, self._replays = found, False  # the facts before the corrections
        self.lines: Corrections = ()
        self.absent = set[str]()  # rows of former corrections that are not there
        self.n_lost = 0  # corrections without effect
        self.n_clusters = found.n_clusters
        self.labels: list[Ints] = [np.array(view.labels) for view in found.views]
        # rows that a person has put where they are
        self.put: list[Bools] = [np.zeros(view.n_rows, np.bool_) for view in found.views]
        self.names = [list(view.names) or [""] * found.n_clusters for view in found.views]
        # of every view: the cluster that each one that was found was merged into, else its own
        self.into = [np.arange(found.n_clusters) for _ in found.views]
        self.matches = dict[tuple[int, int], set[tuple[int, int]]]()
        for relation in found.relations:  # those that were left out as suspicious do not count
            dropped = {match[:2] for match in relation.suspicious if match.dropped}
            self.matches[relation.views] = {(i, j) for i, j in relation.pairs} - dropped
        # pairs about which a person has said whether they are matches
        self.settled = {views: set[tuple[int, int]]() for views in self.matches}
        self.decided: set[Row] = set()  # rows that were named to be put somewhere
        self.sentences: list[str] = []  # what was corrected
        self._numbers = {view.name: position for position, view in enumerate(found.views)}
        self._alike = [[self._numbers[name] for name in names] for names in found.numbered_alike]
        self._rows = [RowsById((id, n) for n, id in enumerate(view.ids)) for view in found.views]

    @classmethod
    def of(cls, facts: Clustering, corrections: Corrections) -> Draft:
        """Return a clustering as corrections leave it whose rows and clusters may be gone."""
        draft = cls(facts)
        draft.lines, draft._replays = corrections, True
        for line in answers_standing(corrections):
            try:
                draft.correct(line)
            except InvalidInputError:
                draft.n_lost += 1
        draft._replays = False
        return draft

    def extended(self, line: Answer) -> Draft:
        """Return the clustering with one more correction, or refuse it."""
        if line.answer == UNDO:
            return self.of(self.found, extended(self.lines, line))
        draft = self._copy()
        draft.lines = extended(self.lines, draft.correct(line))
        return draft

    def _copy(self) -> Draft:
        draft = copy(self)
        draft.absent, draft.decided = self.absent.copy(), self.decided.copy()
        draft.sentences = self.sentences.copy()
        draft.labels = [labels.copy() for labels in self.labels]
        draft.put = [put.copy() for put in self.put]
        draft.names = [names.copy() for names in self.names]
        draft.into = [into.copy() for into in self.into]
        draft.matches = {views: pairs.copy() for views, pairs in self.matches.items()}
        draft.settled = {views: pairs.copy() for views, pairs in self.settled.items()}
        return draft

    @property
    def lost(self) -> list[str]:
        """A warning that counts earlier lines and rows without effect, if there are some."""
        lost = [counted(self.n_lost, "correction")] if self.n_lost else []
        if self.absent:
            lost.append(f"{counted(len(self.absent), 'row')} of corrections")
        if not lost:
            return []
        n = self.n_lost + len(self.absent)
        return [
            f"{' and '.join(lost)} {agreeing(n, 'names', 'name')} what is not in these tables,"
            f" clusters or matches; {agreeing(n, 'it has', 'they have')} no effect."
        ]

    def correct(self, line: Answer) -> Answer:
        """Do what a line says, or refuse it; return it as it is stored, by numbers of clusters."""
        answer = line.answer
        if is_about_cluster(answer):
            return self._correct_cluster(line)
        rows = self.rows(line.id)
        if answer in (MATCH, NO_MATCH):
            self._correct_match(rows, answer)
        else:
            answer = self._correct_rows(rows, answer)
        id = "\n".join(names_of(self.found.views, rows))
        return replace(line, id=id, answer=answer)

    def rows(self, id: str) -> list[Row]:
        """Return the rows that are named as "view:id", one below the other."""
        rows = [row for name in rows_in(id) if (row := self._find(name)) is not None]
        if not rows:
            raise InvalidInputError("no row is named; write VIEW:ID, several one below the other.")
        return list(dict.fromkeys(rows))

    def cluster(self, text: str, views: list[int] | None = None) -> tuple[list[int], int]:
        """Return the views of a cluster, by number, name or "view:number", and its number."""
        view, colon, rest = text.partition(":")
        has_view = bool(colon) and view in self._numbers
        if has_view:
            alike = self.alike_with(self._numbers[view])
            if views in (None, alike):
                views, text = alike, rest
        if views is None and len(self._alike) > 1:
            example = f"{self.found.views[0].name}:{text}"
            raise InvalidInputError(
                "Not all views are numbered alike, so the same number may be another cluster. Name"
                f" a view as well, such as {shown(example)}."
            )
        views = views or self._alike[0]
        present = self.present(views)
        names = enumerate(self.names[views[0]])
        cluster = named = next((index for index, name in names if name and name == text), None)
        if text.isdecimal() and len(text) < 16:
            cluster = int(text)
        is_known = has_view or self._replays or cluster == named
        if not is_known and {cluster, named} <= {*present}:
            example = f"{self.found.views[views[0]].name}:{text}"
            raise InvalidInputError(
                f"{shown(text)} is the number of a cluster, and the name of cluster {named}. Write"
                f" {shown(example)} for the first, or rename the other one before."
            )
        if cluster is None or cluster not in present:
            known = clipped(", ".join(self._id(views, label) for label in present), 200)
            raise InvalidInputError(f"There is no cluster {shown(text)} among {known}.")
        return views, cluster

    def moved_since(self, former: Draft) -> list[Row]:
        """Return the rows whose cluster is another one than before."""
        moved = map(np.not_equal, self.labels, former.labels)
        return [(v, i) for v, rows in enumerate(moved) for i in np.flatnonzero(rows).tolist()]

    def decided_cluster(self, names: Iterable[str]) -> int | None:
        """Return the cluster that rows of one object were put into; None if nobody has done so."""
        rows = filter(None, map(self._find, names))
        return next((int(self.labels[v][i]) for v, i in rows if (v, i) in self.decided), None)

    def without(self, view: int, row: int, cluster: int) -> int | None:
        """Return the cluster of a row without constraints; None if it is there, or put there."""
        now = int(self.into[view][cluster])
        if self.put[view][row] or now == self.labels[view][row]:
            return None
        return now

    def present(self, views: Iterable[int]) -> list[int]:
        """Return the clusters that have a row in some views."""
        labels = np.unique(np.concatenate([self.labels[view] for view in views]))
        return [int(label) for label in labels if label != LEFT_OUT]

    def called(self, views: list[int], number: int) -> str:
        called = self._id(views, number)
        if name := self.names[views[0]][number]:
            called += f" ({clipped(name, 40)})"
        return called

    def alike_with(self, view: int) -> list[int]:
        """Return the views in which the numbers of a view stand for the same clusters."""
        return next(views for views in self._alike if view in views)

    def _id(self, views: list[int], cluster: int) -> str:
        """Return the number of a cluster, behind a view if views are numbered apart."""
        if len(self._alike) == 1:
            return str(cluster)
        return f"{self.found.views[views[0]].name}:{cluster}"

    def _find(self, name: str) -> Row | None:
        view, id = view_and_id(name)
        if view in self._numbers and (row := self._rows[self._numbers[view]].find(id)) >= 0:
            return self._numbers[view], row
        if self._replays:
            self.absent.add(name)
            return None
        if view not in self._numbers:
            raise InvalidInputError(lacks_view(name, self._numbers))
        view_facts = self.found.views[self._numbers[view]]
        if id in view_facts.outliers:
            raise InvalidInputError(f"{name} was answered to be an outlier, and has no cluster.")
        guess = nearest_id(id, view_facts.ids)
        raise InvalidInputError(f"{view} has no row with the id {shown(id)}{guess}")

    def _correct_cluster(self, line: Answer) -> Answer:
        views, cluster = self.cluster(line.id)
        before, answer = self.called(views, cluster), line.answer
        if answer.startswith(RENAME):
            name = answer.removeprefix(RENAME)
            self._refuse_name(name, views, but_for=cluster)
            for view in views:
                self.names[view][cluster] = name
            self.sentences.append(f"Cluster {before} is now called {clipped(name, 40)}.")
        else:
            _, kept = self.cluster(answer.removeprefix(MERGE), views)
            if kept == cluster:
                raise InvalidInputError(f"Cluster {before} cannot be merged into itself.")
            for view in views:
                self.labels[view][self.labels[view] == cluster] = kept
                self.names[view][cluster] = ""
                self.into[view][self.into[view] == cluster] = kept
            self.sentences.append(f"Cluster {before} was merged into {self.called(views, kept)}.")
            answer = f"{MERGE}{kept}"
        return replace(line, id=self._id(views, cluster), answer=answer)

    def _correct_match(self, rows: list[Row], answer: str) -> None:
        if self._replays and len(rows) < 2:
            return
        if len(rows) != 2 or rows[0][0] == rows[1][0]:
            how = for_reader("one below the other", "as {view: id, view: id}")
            raise InvalidInputError(f"a match is of two rows of two views, {how}.")
        first, second = sorted(rows)
        views = first[0], second[0]
        pairs = self.matches.get(views)
        said = f"{self.called_row(first)} and {self.called_row(second)}"
        pair, is_match = (first[1], second[1]), answer == MATCH
        if pairs is None and not is_match:
            raise InvalidInputError(f"{said} are of views that were clustered without matches.")
        if pairs is None:
            raise InvalidInputError(
                f"{said} cannot be matched: their views were clustered without matches. Cluster"
                " them with this match, in a file for `mvcc cluster --match`, or in matches=."
            )
        self.settled[views].add(pair)
        pairs.discard(pair)
        if is_match:
            pairs.add(pair)
        are = {MATCH: "are the same", NO_MATCH: "are not the same"}[answer]
        self.sentences.append(f"{said} {are}.")
        self.__dict__.pop("_objects", None)  # they followed from the former matches
        if is_match and first[0] in self.alike_with(second[0]):
            self._move([rows[0]], int(self.labels[rows[0][0]][rows[0][1]]))

    def _correct_rows(self, rows: list[Row], answer: str) -> str:
        """Move rows; return the answer with the number of a cluster."""
        views = sorted({view for of_row in rows for view in self.alike_with(of_row[0])})
        if len({tuple(self.alike_with(view)) for view, _ in rows}) > 1:
            raise InvalidInputError("these rows are of views that are numbered apart; move each.")
        said = ", ".join(map(self.called_row, rows[:_MOST_NAMED]))
        if len(rows) > _MOST_NAMED:
            said += f" and {counted(len(rows) - _MOST_NAMED, 'more row')}"
        is_split = answer == NEW or answer.startswith((OPENS, SPLIT))
        if answer == OUTLIER:
            cluster, became = LEFT_OUT, "left out"
        elif is_split:
            cluster, name = self._opened(answer, views)
            answer = f"{SPLIT}{cluster}:{name}"
            became = f"split off as {self.called(views, cluster)}"
        else:
            _, cluster = self.cluster(answer, views)
            answer, became = str(cluster), f"moved to {self.called(views, cluster)}"
        self._move(rows, cluster, by_hand=not is_split)
        self.decided.update(rows)
        self.sentences.append(f"{said} {agreeing(len(rows), 'was', 'were')} {became}.")
        return answer

    def _opened(self, answer: str, views: list[int]) -> tuple[int, str]:
        """Open a cluster, and return its number and name; an earlier line has its number."""
        cluster, name = self.n_clusters, answer.removeprefix(NEW).removeprefix(":")
        if answer.startswith(SPLIT):
            digits, _, name = answer.removeprefix(SPLIT).partition(":")
            if not digits.isdecimal() or len(digits) > 9:
                raise InvalidInputError(f"{shown(answer)} has no number of a cluster.")
            cluster = int(digits)
        if name:
            self._refuse_name(name, views)
        if cluster > self.n_clusters and not self._replays:
            raise InvalidInputError(f"The next cluster is {self.n_clusters}, not {cluster}.")
        self.n_clusters = max(self.n_clusters, cluster + 1)
        for names in self.names:
            names += [""] * (self.n_clusters - len(names))
        for view in views:
            self.names[view][cluster] = name
        return cluster, name

    def _move(self, rows: list[Row], cluster: int, *, by_hand: bool = True) -> None:
        """Move rows, and all that are matched with them where they have the same clusters."""
        moved = np.unique([self._objects[view][row] for view, row in rows])
        moves = [np.isin(objects, moved) for objects in self._objects]
        for labels, is_moved, view in zip(self.labels, moves, self.found.views, strict=True):
            if cluster == LEFT_OUT and np.count_nonzero((labels != LEFT_OUT) & ~is_moved) < 2:
                raise InvalidInputError(f"{view.name} would be left with fewer than two rows.")
        for labels, put, is_moved in zip(self.labels, self.put, moves, strict=True):
            labels[is_moved] = cluster
            put[is_moved] = by_hand

    @cached_property
    def _objects(self) -> list[Ints]:
        """The object of every row: matched rows of views that are numbered alike are one."""
        relations = {
            (u, v): np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
            for (u, v), pairs in self.matches.items()
            if u in self.alike_with(v)
        }
        return find_objects([len(labels) for labels in self.labels], relations)[1]

    def _refuse_name(self, name: str, views: list[int], but_for: int | None = None) -> None:
        if self._replays:  # groups of newer answers may have taken it
            return
        if ":" in name and view_and_id(name)[0] in self._numbers:
            raise InvalidInputError(
                f"{shown(name)} must not be the name of a cluster: it names a view as well."
            )
        refuse_name(name, {other for n, other in enumerate(self.names[views[0]]) if n != but_for})

    def called_row(self, row: Row) -> str:
        view = self.found.views[row[0]]
        return row_name(view.name, clipped(view.ids[row[1]], 40))
