"""The joint method on the views of a job, and which rows the constraints have moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mvcc._utils.blocks import LazyRows
from mvcc._utils.messages import counted
from mvcc._utils.types import Floats, Ints
from mvcc.constraints import Constraints, kind_of
from mvcc.multiview import JointGraphClustering, hardly_agree, seem_wrong
from mvcc.results import ViewFacts
from mvcc.tables._job import Job
from mvcc.tables._layout import COLUMNS, MOVED, SUSPICIOUS
from mvcc.tables.fitting._features import drawn, plane_of
from mvcc.tables.fitting._fit import MOST_LISTED, Explained, Fit, Labels, Method, Rows, renumbered
from mvcc.tables.reading._table import Table

_MANY = 20  # constraints, of which some are expected to move a row


class Joint(Method):
    """``JointGraphClustering`` on the views of a job."""

    def __init__(self, job: Job, *inputs: Any) -> None:
        super().__init__(job, *inputs)
        self._model = JointGraphClustering(
            job.k, features="none", on_conflict=job.on_conflict, random_state=job.seed
        )

    def fit(self) -> tuple[Any, list[Ints]]:
        model = self._model.fit(self.views, constraints=self.given, mappings=self.relations)
        return model, [np.arange(self.job.k)] * len(self.views)

    @property
    def numbered_alike(self) -> list[list[int]]:
        return [list(numbers) for numbers in self._model.connected_views_]

    def space(self, view: int) -> Floats | LazyRows:
        return self._model._embedded_rows(view)

    @property
    def probabilities(self) -> list[Any]:
        return self._model.probabilities_

    def again(self, given: list[Constraints], seed: int) -> Labels:
        return self._model.labels_by(given, random_state=seed)

    def explain(self, tables: list[Table], fit: Fit) -> Explained:
        moved = self._moved(tables, fit)
        sets = self._model.connected_views_
        views: list[dict[str, Any]] = [{} for _ in tables]
        for numbers in sets:
            plane, axes = plane_of(*map(self.space, numbers))
            ends = np.cumsum([len(self.views[n]) for n in numbers])[:-1]
            for number, points in zip(numbers, np.split(plane, ends), strict=True):
                views[number] |= drawn(points, axes)
        for of_view, rows in zip(views, moved, strict=True):
            of_view |= {"moved": rows[:MOST_LISTED], "n_moved": len(rows)}
        files = [{MOVED: [[*COLUMNS[MOVED]]]} for _ in tables]
        for file, rows, table in zip(files, moved, tables, strict=True):
            file[MOVED] += [[table.ids[row], other, why] for row, other, why in rows]
        facts = {
            "objective": self._model.objective_,
            "n_objects": self._model.n_objects_,
            "connected": [list(numbers) for numbers in sets],
            "anchors": self._model.n_anchors_ if any(self._model.n_anchors_) else [],
            "residual": self._model.eigen_residual_,
        }
        matches = {key: self._suspicious(key, rows) for key, rows in self.relations.items()}
        for number, lines in suspicious_lines(tables, matches).items():
            files[number][SUSPICIOUS] = lines
        cautions = self._cautions(tables, moved, matches)
        return Explained({"joint": facts, "co_em": None}, views, matches, files, cautions)

    def _suspicious(self, key: tuple[int, int], rows: Ints) -> dict[str, Any]:
        """List the matches that seem to be wrong, and whether each was left out."""
        suspicions, distinct = self._model.suspicions_[key], np.unique(rows, axis=0)
        dropped = set(map(tuple, self._model.dropped_matches_[key].tolist()))
        listed = [
            [i, j, suspicion, (i, j) in dropped]
            for (i, j), suspicion, wrong in zip(
                distinct.tolist(), suspicions.tolist(), seem_wrong(suspicions), strict=True
            )
            if wrong
        ]
        listed.sort(key=lambda match: -match[2])
        # that matched rows agree says nothing here: they are one object
        return {
            "agreement": None,
            "by_chance": None,
            "differing": [],
            "suspicious": listed,
            "hardly_agree": hardly_agree(suspicions),
        }

    def _cautions(
        self, tables: list[Table], moved: list[Rows], matches: dict[tuple[int, int], dict[str, Any]]
    ) -> list[str]:
        """Warn of constraints that move no row, of doubtful matches and of views that are apart."""
        said = []
        if sum(map(len, self.given)) >= _MANY and not any(moved):
            said.append("The constraints move no row: the clusters are the same without them.")
        for (u, v), found in matches.items():
            if found["hardly_agree"]:
                said.append(
                    f"{tables[u].name} and {tables[v].name} agree little on which rows are alike,"
                    " so wrong matches cannot be told from right ones."
                )
            # so few that they are kept may well be right: the report lists them
            if left_out := sum(match[3] for match in found["suspicious"]):
                seem = "seem to be wrong and were" if left_out > 1 else "seems to be wrong and was"
                said.append(
                    f"{counted(left_out, 'match')} of {tables[u].name} and {tables[v].name} {seem}"
                    " left out; see the report."
                )
        sets = self._model.connected_views_
        if len(sets) > 1:
            named = [" and ".join(tables[number].name for number in numbers) for numbers in sets]
            said.append(
                f"No three matches connect {' with '.join(named)}: each was clustered by itself,"
                " and the numbers of their clusters mean nothing to each other."
            )
        return said

    def _moved(self, tables: list[Table], fit: Fit) -> list[Rows]:
        """List rows of each view with another cluster without the constraints, that, and why."""
        if not any(map(len, self.given)):
            return [[] for _ in tables]
        without = self._without(fit)
        reasons = _Reasons(self._model, self.given, tables)
        return [
            [
                [row, int(other[row]), reasons.of(view, row)]
                for row in np.flatnonzero(other != mine).tolist()
            ]
            for view, (mine, other) in enumerate(zip(fit.labels, without, strict=True))
        ]

    def _without(self, fit: Fit) -> Labels:
        """Cluster without constraints, with numbers of clusters as those of the result."""
        free = self.again([Constraints.empty() for _ in self.given], self.job.seed)
        for numbers in self._model.connected_views_:
            ends = np.cumsum([len(fit.labels[n]) for n in numbers])[:-1]
            found, mine = (np.concatenate([one[n] for n in numbers]) for one in (free, fit.labels))
            for number, rows in zip(
                numbers, np.split(renumbered(found, mine, fit.n_numbers), ends), strict=True
            ):
                free[number] = rows
        return free


class _Reasons:
    """Which constraint is nearest to a row in the graph, in words."""

    def __init__(
        self, model: JointGraphClustering, given: list[Constraints], tables: list[Table]
    ) -> None:
        self._ids = [table.ids for table in tables]
        self._nearest = [rows.tolist() for rows in model.nearest_constrained(given)]
        self._heaviest: dict[tuple[int, int], str] = {}
        for view, constraints in enumerate(given):
            rows = list(constraints.rows())
            ids = self._ids[view]
            for place in np.argsort(-constraints.weights, kind="stable").tolist():
                i, j, must_link, weight = rows[place]
                if weight > 0:
                    said = f"{ids[i]} and {ids[j]} have a {kind_of(must_link)}"
                    if where := constraints.source_of(place):
                        said += f" ({where})"
                    self._heaviest.setdefault((view, i), said)
                    self._heaviest.setdefault((view, j), said)

    def of(self, view: int, row: int) -> str:
        """Name the constraint, and the way from it to the row."""
        if (view, row) in self._heaviest:
            return f"because {self._heaviest[view, row]}"
        near_view, near_row, same = self._nearest[view][row]
        if near_row < 0:
            return "the constraints changed which columns count (no constrained row is near)"
        own, near = self._ids[view][row], self._ids[near_view][near_row]
        way = f"{own} is {'matched with' if same else 'near'} {near}"
        return f"because {way}, {self._heaviest[near_view, near_row]}"


def suspicious_lines(
    tables: Sequence[Table | ViewFacts], matches: Mapping[tuple[int, int], Mapping[str, Any]]
) -> dict[int, Rows]:
    """Return the matches that seem to be wrong for each of their views, its own rows first."""
    lines: dict[int, Rows] = {}
    for views, found in matches.items():
        for *rows, suspicion, left_out in found["suspicious"]:
            for side, (here, there) in enumerate((views, views[::-1])):
                own, other = tables[here].ids[rows[side]], tables[there].ids[rows[1 - side]]
                line = [own, tables[there].name, other, round(suspicion, 4)]
                listed = lines.setdefault(here, [[*COLUMNS[SUSPICIOUS]]])
                listed.append([*line, "yes" if left_out else "no"])
    return lines
