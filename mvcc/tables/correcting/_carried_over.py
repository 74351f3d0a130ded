"""Corrections of an earlier clustering, as they hold for one that continues it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

from mvcc._utils.messages import counted, view_and_id
from mvcc.multiview import MERGE, Answer
from mvcc.tables.correcting._corrections import (
    MATCH,
    NO_MATCH,
    SPLIT,
    Corrections,
    is_about_cluster,
    rows_in,
)

_OTHER_CLUSTERS = "by numbers of clusters that are not used any more."
_OTHER_ROWS = "by numbers of rows that may be other ones now."


@dataclass(frozen=True)
class CarryingOver:
    """Views of a clustering that continues another one, by their names."""

    before: list[list[str]]  # sets of views that were numbered alike
    alike: list[list[str]]  # those that are so here
    held: Collection[str]  # views whose clusters have kept their numbers
    strange: Collection[str]  # views whose rows are numbered, and may be other ones

    def of(self, former: Corrections) -> tuple[Corrections, list[str]]:
        """Return the corrections that hold here, and warnings that count the others.

        A line is divided into one for each set of views that are numbered alike.
        """
        opened = set(map(str, opened_in(former)))
        opened_here: dict[str, set[int]] = {number: set() for number in opened}  # in which sets
        lines = list[Answer]()
        lost: dict[str, list[set[str]]] = {_OTHER_CLUSTERS: [], _OTHER_ROWS: []}
        for line in former.standing:
            # no other cluster gets a number that a correction opened
            by_found = not _numbers_of(line) <= opened
            if is_about_cluster(line.answer):
                within = None if by_found else opened_here[line.id.rpartition(":")[2]]
                ids, views = self._clusters(line, within, former)
                lost[_OTHER_CLUSTERS].append(views)
            else:
                named = {view_and_id(row)[0] for row in rows_in(line.id)}
                others = named.intersection(self.strange)
                views = self._numbered_anew(named - others) if by_found else set()
                ids = self._rows(line, others | views)
                if number := _opened_by(line):
                    opened_here[number] |= {self._set_of_rows(id) for id in ids}
                lost[_OTHER_ROWS].append(others)
                lost[_OTHER_CLUSTERS].append(views)
            lines += [replace(line, id=id) for id in ids]
        warnings = []
        for why, of_lines in lost.items():
            if views := set().union(*of_lines):
                n = counted(sum(map(bool, of_lines)), "correction")
                called = " and ".join(view for view in self._set_of if view in views)
                warnings.append(f"Without effect: {n} of {called}, {why}")
        if tuple(lines) != former.standing:
            former = Corrections(tuple(lines))
        return former, warnings

    @cached_property
    def _set_of(self) -> dict[str, int]:
        """The number of the set of every view here."""
        return {view: number for number, own in enumerate(self.alike) for view in own}

    def _clusters(
        self, line: Answer, within: set[int] | None, former: Corrections
    ) -> tuple[list[str], set[str]]:
        """Return the clusters here that a line is about, and the views for which it is lost.

        A cluster that a correction opened is there ``within`` some sets alone.
        """
        view, _, number = line.id.rpartition(":")
        views = {name for own in self.before if not view or view in own for name in own} or {view}
        if not views.intersection(self._set_of):
            return [line.id], set()
        ids, lost = list[str](), set[str]()
        for place, own in enumerate(self.alike):
            if not views.intersection(own) or (within is not None and place not in within):
                continue
            # one of several views that were numbered apart gives the numbers and their corrections
            first = next((name for name in own if name in self.held), "")
            is_twin = replace(line, id=f"{first}:{number}") in former.standing
            if first in views or not (within is None or is_twin):
                ids.append(f"{first or own[0]}:{number}" if len(self.alike) > 1 else number)
            elif not is_twin:
                lost |= views.intersection(own)
        return ids, lost

    def _numbered_anew(self, named: set[str]) -> set[str]:
        """Return the views, of those whose rows a line names, for which its number is lost."""
        # a line names rows of views that were numbered alike, also of those that were away since
        away = named.difference(*self.before)
        told = {self._set_of.get(view) for view in named.intersection(self.held)}
        back = {view for view in away if self._set_of.get(view) in told}
        return named.intersection(self._set_of).difference(self.held, back)

    def _rows(self, line: Answer, dropped: set[str]) -> list[str]:
        """Return the rows that a line names, for each set of views, but those of some views."""
        rows = [(row, view_and_id(row)[0]) for row in rows_in(line.id)]
        if line.answer in (MATCH, NO_MATCH):
            return [] if dropped else [line.id]
        parts, any_set = dict[int, list[str]](), self._set_of_rows(line.id)
        for row, view in rows:
            if view not in dropped:
                parts.setdefault(self._set_of.get(view, any_set), []).append(row)
        return ["\n".join(part) for part in parts.values()]

    def _set_of_rows(self, id: str) -> int:
        """Return the set of the first row of a table that is here; those of others stay with it."""
        views = (view_and_id(row)[0] for row in rows_in(id))
        return next((self._set_of[view] for view in views if view in self._set_of), 0)


def opened_in(corrections: Corrections) -> set[int]:
    """Return the numbers of the clusters that corrections open; no other cluster gets them."""
    return {int(number) for line in corrections.standing if (number := _opened_by(line))}


def _opened_by(line: Answer) -> str:
    """Return the number of the cluster that a line opens, if any."""
    if is_about_cluster(line.answer) or not line.answer.startswith(SPLIT):
        return ""
    return line.answer.split(":")[1]


def _numbers_of(line: Answer) -> set[str]:
    """Return the numbers of clusters that a line names."""
    numbers = {line.answer.removeprefix(MERGE)}
    if is_about_cluster(line.answer):
        numbers.add(line.id.rpartition(":")[2])
    return {number for number in numbers if number.isdecimal()}
