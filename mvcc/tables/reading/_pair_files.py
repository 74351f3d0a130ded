"""The files of matches and constraints as they were read, before it is known of which rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import pandas as pd

from mvcc._utils.messages import closest_id, counted, shown
from mvcc.constraints import ConstraintFile
from mvcc.tables._job import Job
from mvcc.tables.reading._files import read_frame
from mvcc.tables.reading._looks import as_texts
from mvcc.tables.reading._problems import Problems, option_for
from mvcc.tables.reading._table import Table

_MOST_SHOWN = 3  # unknown rows; to look for the most similar id takes time


@dataclass(frozen=True)
class PairFiles:
    """All files of matches and constraints of a job that could be read."""

    matches: dict[str, pd.DataFrame]  # by the two views
    constraints: dict[str, ConstraintFile]

    def named_in(self, view: str) -> list[set[str]]:
        """Return sets of ids, one or more of them of a view: those of the columns of its files."""
        named: list[set[str]] = []
        for pair, frame in self.matches.items():
            if view in pair.split(":"):
                named += [set(as_texts(frame.iloc[:, n])) for n in range(min(2, frame.shape[1]))]
        if view in self.constraints:
            records = self.constraints[view].records.values()
            named.append({name.strip() for record in records for name in record[:2]})
        return named


def read_pairs(
    job: Job, problems: Problems, drawn: Mapping[str, pd.DataFrame] = MappingProxyType({})
) -> PairFiles:
    """Read the files of matches and constraints, but those of matches whose lines were drawn."""
    files = PairFiles({}, {})
    for pair, path in job.matches.items():
        with problems.collecting():
            files.matches[pair] = drawn[pair] if pair in drawn else read_frame(path)
    for view, path in job.constraints.items():
        with problems.collecting():
            files.constraints[view] = ConstraintFile.read(path)
    return files


class Lacking:
    """The lines of a file that name rows which its views do not have."""

    def __init__(self, place: str, noun: str, n_all: int) -> None:
        self._place, self._noun, self._n_all = place, noun, n_all
        self._n = 0
        self._shown: list[str] = []
        self._tables: dict[str, Table] = {}  # that lack the rows

    def __bool__(self) -> bool:
        return self._n > 0

    def add(self, line: str, name: str, table: Table) -> None:
        """Note a line, and the first of its names that is not of a row of a table."""
        self._n += 1
        if len(self._shown) < _MOST_SHOWN:
            near = closest_id(name, table.ids)
            guess = "" if near is None else f"; did you mean {shown(near)}?"
            self._shown.append(f"{line}: {shown(name)} is not in {table.name}{guess}")
        self._tables[table.name] = table

    def problem(self) -> str:
        """Say what is wrong and what to do."""
        skip = "leave such lines out with --unknown skip"
        unnamed = next((one for one in self._tables.values() if one.id_column is None), None)
        if unnamed is None:
            files = " or ".join(one.path for one in self._tables.values())
            return f"{self._said()} Correct this file or {files}, or {skip}."
        option = option_for("--id-column", unnamed.name, ["COLUMN"])
        return (
            f"{self._said()} {unnamed.name} ({unnamed.path}) has no id column, so its rows are"
            f" numbered from 0. Name one with {option}, or {skip}."
        )

    def note(self) -> str:
        """Say that the lines were left out."""
        return f"{self._said()} {'It was' if self._n == 1 else 'They were'} left out."

    def _said(self) -> str:
        listed = ", ".join(self._shown)
        if self._n > len(self._shown):
            listed += f", and {self._n - len(self._shown)} more"
        what = "names an unknown row" if self._n == 1 else "name unknown rows"
        return f"{self._place}: {self._n} of {counted(self._n_all, self._noun)} {what} ({listed})."
