"""Corrections of a clustering: lines like those of answers, in their order."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mvcc._utils.environment import now
from mvcc._utils.messages import shown
from mvcc.exceptions import InvalidInputError, StoreError
from mvcc.multiview import MERGE, OPENS, OUTLIER, RENAME, Answer, answers_standing
from mvcc.tables._layout import CORRECTIONS
from mvcc.tables.reading._people import Record, read_log

if TYPE_CHECKING:
    from mvcc.tables.reading._inputs import Inputs

LEFT_OUT = -1  # in place of a cluster
MATCH, NO_MATCH = "match", "no match"
SPLIT = "split:"  # with the number of the new cluster, and its name

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


@dataclass(frozen=True)
class Corrections:
    """All corrections in their order, also those that were taken back. They never change."""

    lines: tuple[Answer, ...] = ()

    @property
    def standing(self) -> tuple[Answer, ...]:
        """Those that were not taken back."""
        return answers_standing(self.lines)

    def extended(self, line: Answer) -> Corrections:
        """Return the corrections with one more; refuse to take back what is not there."""
        found = Corrections((*self.lines, replace(line, when=line.when or now())))
        answers_standing(found.lines)
        return found

    def rows(self) -> list[list[str]]:
        """Return the fields of all lines, as they are stored."""
        return [[line.id, line.answer, line.when] for line in self.lines]

    @classmethod
    def of(cls, records: Iterable[Record], place: str) -> Corrections:
        """Return what the records of a log say; messages call it `place`."""
        found = cls()
        for number, (id, answer, when) in records:
            try:
                found = found.extended(Answer(id, answer, when))
            except InvalidInputError as error:
                raise StoreError(f"{place}:{number}: {error}") from error
        return found


NONE = Corrections()


def read_corrections(folder: Path) -> Corrections:
    """Return the corrections of the clustering in a folder; none if there is no log."""
    path = folder / CORRECTIONS
    if not path.exists():
        return NONE
    records, _ = read_log(path, StoreError)
    return Corrections.of(records, str(path))


def rows_in(id: str) -> list[str]:
    """Return the rows that a line names; other programs may have changed its line ends."""
    return list(dict.fromkeys(filter(None, id.splitlines())))


def refuse_line_breaks(ids: Iterable[str], where: str) -> None:
    """Refuse ids that cannot stand below each other, as a line names its rows."""
    for id in ids:
        if len(id.splitlines()) != 1:
            raise InvalidInputError(
                f"{where}: the id {shown(id)} contains a line break; rename it."
            )


def with_matches(inputs: Inputs, corrections: Corrections, but: Collection[str] = ()) -> Inputs:
    """Return inputs with the matches that corrections leave; rows that are gone have none.

    Those that name a row of a view of ``but`` do not count.
    """
    changes = [line for line in corrections.standing if line.answer in (MATCH, NO_MATCH)]
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
    if not is_text or len(name) > 200:
        raise InvalidInputError(
            "The name of a cluster must be a text of at most 200 letters, without blanks at its"
            f" ends, got {shown(name)}."
        )
    words = (OUTLIER, MATCH, NO_MATCH, "new", "undo", "unsure", "split")
    if name.isdecimal() or name in words or name.startswith((OPENS, MERGE, RENAME, SPLIT)):
        raise InvalidInputError(
            f"{shown(name)} must not be the name of a cluster: it is an answer of its own."
        )
    if name in others:
        raise InvalidInputError(f"There is a cluster {shown(name)} already; give another name.")
