"""Corrections of a clustering, lines like those of answers, also for one that continues it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from mvcc._utils.environment import now
from mvcc._utils.messages import counted, row_name, shown, view_and_id
from mvcc.exceptions import InvalidInputError, StoreError
from mvcc.multiview import MERGE, OPENS, OUTLIER, RENAME, Answer, answers_standing
from mvcc.results import ViewFacts
from mvcc.tables._layout import CORRECTIONS
from mvcc.tables.reading._inputs import Inputs
from mvcc.tables.reading._people import Record, read_log
from mvcc.tables.reading._table import Table

LEFT_OUT = -1  # in place of a cluster
MATCH, NO_MATCH = "match", "no match"
SPLIT = "split:"  # with the number of the new cluster, and its name
MOST_LETTERS = 200  # of a name
_OTHER_CLUSTERS = "by numbers of clusters that are not used any more."
_OTHER_ROWS = "by numbers of rows that may be other ones now."

# What a line says, by its answer:
#
#   id              answer        what it does
#   a cluster       rename:NAME   names the cluster
#   a cluster       merge:NUMBER  puts its rows into another one, whose number and name stay
#   rows            NUMBER        moves them, with all rows matched to them
#   rows            new:NAME      splits them off into a new cluster; stored as split:NUMBER:NAME
#   rows            outlier       leaves them out: they fit nowhere
#   rows of 2 views match         says that they are the same object
#   rows of 2 views no match      says that a match is wrong
#                   undo          takes back the line before
#
# Rows are written as "view:id", one below the other; a cluster is its number, or "view:number"
# where matches do not connect all views, so that the same number is not the same cluster.


Corrections = tuple[Answer, ...]  # in their order, also those that were taken back


def extended(corrections: Corrections, line: Answer) -> Corrections:
    """Return corrections with one more; refuse to take back what is not there."""
    lines = (*corrections, replace(line, when=line.when or now()))
    answers_standing(lines)
    return lines


def corrections_in(records: Iterable[Record], log: Path) -> Corrections:
    corrections: Corrections = ()
    for line_number, (id, answer, when) in records:
        try:
            corrections = extended(corrections, Answer(id, answer, when))
        except InvalidInputError as error:
            raise StoreError(f"{log}:{line_number}: {error}") from error
    return corrections


def read_corrections(folder: Path) -> Corrections:
    """Return the corrections of the clustering in a folder; none if there is no log."""
    path = folder / CORRECTIONS
    if not path.exists():
        return ()
    return corrections_in(read_log(path, StoreError)[0], path)


def rows_in(id: str) -> list[str]:
    """Return the rows that a line names; other programs may have changed its line ends."""
    return list(dict.fromkeys(filter(None, id.splitlines())))


def names_of(views: Sequence[Table | ViewFacts], rows: Iterable[tuple[int, int]]) -> list[str]:
    """Return rows, by view and number, as lines name them."""
    return [row_name(views[view].name, views[view].ids[row]) for view, row in rows]


def refuse_line_breaks(ids: Iterable[str], where: str) -> None:
    """Refuse ids that cannot stand below each other, as a line names its rows."""
    for id in ids:
        if len(id.splitlines()) != 1:
            raise InvalidInputError(
                f"{where}: the id {shown(id)} contains a line break; rename it."
            )


def with_matches(inputs: Inputs, corrections: Corrections, but: Collection[str] = ()) -> Inputs:
    """Return inputs with the matches that corrections leave, but those by rows of some views."""
    changes = [line for line in answers_standing(corrections) if line.answer in (MATCH, NO_MATCH)]
    if not changes:
        return inputs
    matches = {views: set(map(tuple, rows.tolist())) for views, rows in inputs.relations.items()}
    for line in changes:
        rows = list(filter(None, map(inputs.find, rows_in(line.id))))
        if len(rows) != 2:
            continue
        (u, i), (v, j) = sorted(rows)
        if (u, v) in matches and not {inputs.tables[u].name, inputs.tables[v].name} & {*but}:
            matches[u, v].discard((i, j))
            if line.answer == MATCH:
                matches[u, v].add((i, j))
    relations = {
        views: np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)
        for views, pairs in matches.items()
    }
    return replace(inputs, relations=relations)


def is_about_cluster(answer: str) -> bool:
    """Tell whether a line is about a cluster, not about rows."""
    return answer.startswith((MERGE, RENAME))


def refuse_name(name: str, others: Iterable[str] = ()) -> None:
    """Refuse what may not be the name of a cluster, or is that of another one."""
    is_text = isinstance(name, str) and name == name.strip() != "" and name.isprintable()
    if not is_text or len(name) > MOST_LETTERS:
        raise InvalidInputError(
            f"The name of a cluster must be a text of at most {MOST_LETTERS} letters, without"
            f" blanks at its ends or invisible characters, got {shown(name)}."
        )
    words = (OUTLIER, MATCH, NO_MATCH, "new", "undo", "unsure", "split")
    if name.isdecimal() or name in words or name.startswith((OPENS, MERGE, RENAME, SPLIT)):
        raise InvalidInputError(
            f"{shown(name)} must not be the name of a cluster: it is an answer of its own."
        )
    if name in others:
        raise InvalidInputError(f"There is a cluster {shown(name)} already; give another name.")


@dataclass(frozen=True)
class CarryingOver:
    """Views of a clustering that continues another one, by their names."""

    before: list[list[str]]  # sets of views that were numbered alike
    alike: list[list[str]]  # those that are so here
    held: Collection[str]  # views whose clusters have kept their numbers
    strange: Collection[str]  # views whose rows are numbered, and may be other ones

    def of(self, former: Corrections) -> tuple[Corrections, list[str]]:
        """Return the corrections that hold here, one per set of views, and warnings on others."""
        opened, standing = set(map(str, opened_in(former))), answers_standing(former)
        opened_here: dict[str, set[int]] = {cluster: set() for cluster in opened}  # in which sets
        lines = list[Answer]()
        lost: dict[str, list[set[str]]] = {_OTHER_CLUSTERS: [], _OTHER_ROWS: []}
        for line in standing:
            # no other cluster gets a number that a correction opened
            by_found = not _numbers_of(line) <= opened
            if is_about_cluster(line.answer):
                within = None if by_found else opened_here[line.id.rpartition(":")[2]]
                ids, views = self._clusters(line, within, standing)
                lost[_OTHER_CLUSTERS].append(views)
            else:
                named = {view_and_id(row)[0] for row in rows_in(line.id)}
                strange = named.intersection(self.strange)
                views = self._numbered_anew(named - strange) if by_found else set()
                ids = self._rows(line, strange | views)
                if cluster := _opened_by(line):
                    opened_here[cluster] |= {self._set_of_rows(id) for id in ids}
                lost[_OTHER_ROWS].append(strange)
                lost[_OTHER_CLUSTERS].append(views)
            lines += [replace(line, id=id) for id in ids]
        warnings = []
        for why, of_lines in lost.items():
            if views := set().union(*of_lines):
                n = counted(sum(map(bool, of_lines)), "correction")
                called = " and ".join(view for view in self._set_of if view in views)
                warnings.append(f"Without effect: {n} of {called}, {why}")
        if tuple(lines) != standing:
            former = tuple(lines)
        return former, warnings

    @cached_property
    def _set_of(self) -> dict[str, int]:
        """The number of the set of every view here."""
        return {view: position for position, views in enumerate(self.alike) for view in views}

    def _clusters(
        self, line: Answer, within: set[int] | None, standing: Corrections
    ) -> tuple[list[str], set[str]]:
        """Return the clusters here of a line, ``within`` some sets, and the views that lose it."""
        view, _, cluster = line.id.rpartition(":")
        views = {v for alike in self.before if not view or view in alike for v in alike} or {view}
        if not views.intersection(self._set_of):
            return [line.id], set()
        ids, lost = list[str](), set[str]()
        for position, alike in enumerate(self.alike):
            if not views.intersection(alike) or (within is not None and position not in within):
                continue
            # one of several views that were numbered apart gives the numbers and their corrections
            first = next((name for name in alike if name in self.held), "")
            is_twin = replace(line, id=f"{first}:{cluster}") in standing
            if first in views or not (within is None or is_twin):
                ids.append(f"{first or alike[0]}:{cluster}" if len(self.alike) > 1 else cluster)
            elif not is_twin:
                lost |= views.intersection(alike)
        return ids, lost

    def _numbered_anew(self, named: set[str]) -> set[str]:
        """Return the views, of those whose rows a line names, for which its number is lost."""
        # a line names rows of views that were numbered alike, also of those that were away since
        away = named.difference(*self.before)
        held_sets = {self._set_of.get(view) for view in named.intersection(self.held)}
        back = {view for view in away if self._set_of.get(view) in held_sets}
        return named.intersection(self._set_of).difference(self.held, back)

    def _rows(self, line: Answer, dropped: set[str]) -> list[str]:
        """Return the rows that a line names, for each set of views, but those of some views."""
        if line.answer in (MATCH, NO_MATCH):
            return [] if dropped else [line.id]
        parts, any_set = dict[int, list[str]](), self._set_of_rows(line.id)
        for row in rows_in(line.id):
            if (view := view_and_id(row)[0]) not in dropped:
                parts.setdefault(self._set_of.get(view, any_set), []).append(row)
        return ["\n".join(part) for part in parts.values()]

    def _set_of_rows(self, id: str) -> int:
        """Return the set of the first row of a table that is here; those of others stay with it."""
        views = (view_and_id(row)[0] for row in rows_in(id))
        return next((self._set_of[view] for view in views if view in self._set_of), 0)


def opened_in(corrections: Corrections) -> set[int]:
    """Return the numbers of the clusters that corrections open; no other cluster gets them."""
    return {int(cluster) for cluster in map(_opened_by, answers_standing(corrections)) if cluster}


def _opened_by(line: Answer) -> str:
    """Return the number of the cluster that a line opens, if any."""
    if is_about_cluster(line.answer) or not line.answer.startswith(SPLIT):
        return ""
    return line.answer.split(":")[1]


def _numbers_of(line: Answer) -> set[str]:
    """Return the numbers of clusters that a line names."""
    texts = {line.answer.removeprefix(MERGE)}
    if is_about_cluster(line.answer):
        texts.add(line.id.rpartition(":")[2])
    return {text for text in texts if text.isdecimal()}
