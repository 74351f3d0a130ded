"""The joint method on the views of a job, and which rows the constraints have moved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from mvcc._utils.arrays import Floats, Ints, LazyRows
from mvcc._utils.messages import counted
from mvcc.constraints import Constraints
from mvcc.multiview import JointGraphClustering, hardly_agree, seem_wrong
from mvcc.results import left_out_in_words
from mvcc.tables._job import Job
from mvcc.tables._layout import COLUMNS, MOVED
from mvcc.tables.fitting._chains import judged
from mvcc.tables.fitting._features import drawn, plane_of
from mvcc.tables.fitting._fit import MOST_LISTED, Explained, Fit, Labels, Method, Rows, renumbered
from mvcc.tables.reading._inputs import Inputs

_MANY = 20  # constraints, of which some are expected to move a row; or rows of one object


class Joint(Method):
    """``JointGraphClustering`` on the views of a job."""

    def __init__(self, job: Job, views: list[Floats], inputs: Inputs) -> None:
        super().__init__(job, views, inputs)
        self._model = JointGraphClustering(
            job.k, features="none", on_conflict=job.on_conflict, random_state=job.seed
        )

    def fit(self) -> tuple[Any, list[Ints]]:
        model = self._model.fit(self.views, constraints=self.given, mappings=self.relations)
        return model, [np.arange(self.job.k)] * len(self.views)

    @property
    def numbered_alike(self) -> list[list[int]]:
        return self._model.connected_views_

    def space(self, view: int) -> Floats | LazyRows:
        return self._model._embedded_rows(view)

    @property
    def probabilities(self) -> list[Any]:
        return self._model.probabilities_

    def again(self, given: list[Constraints], seed: int) -> Labels:
        return self._model.labels_by(given, random_state=seed)

    def explain(self, fit: Fit) -> Explained:
        model, moved, tables = self._model, self._moved(fit), self.tables
        views = [dict[str, Any](moved=rows[:MOST_LISTED], n_moved=len(rows)) for rows in moved]
        for connected in model.connected_views_:
            plane, axes = plane_of(*map(self.space, connected))
            for view, points in self._by_view(plane, connected):
                views[view] |= drawn(points, axes)
        files = [
            {MOVED: [[*COLUMNS[MOVED]], *([table.ids[row], *more] for row, *more in rows)]}
            for table, rows in zip(tables, moved, strict=True)
        ]
        facts = {
            "objective": model.objective_,
            "n_objects": model.n_objects_,
            "connected": model.connected_views_,
            "anchors": model.n_anchors_ if any(model.n_anchors_) else [],
            "residual": model.eigen_residual_,
        }
        matches = {key: self._suspicious(key, rows) for key, rows in self.relations.items()}
        cautions = list(self._cautions(moved, matches))
        return Explained({"joint": facts, "co_em": None}, views, matches, files, cautions)

    def _by_view(self, values: Any, views: list[int]) -> Iterable[tuple[int, Any]]:
        """Return the values of the rows of several views, one after the other, by view."""
        ends = np.cumsum([len(self.views[view]) for view in views])[:-1]
        return zip(views, np.split(values, ends), strict=True)

    def _suspicious(self, key: tuple[int, int], rows: Ints) -> dict[str, Any]:
        """List the matches that seem to be wrong, and whether each was left out."""
        suspicions, distinct = self._model.suspicions_[key], np.unique(rows, axis=0)
        dropped = set(map(tuple, self._model.dropped_matches_[key].tolist()))
        n_listed = max(np.count_nonzero(seem_wrong(suspicions)), len(dropped))
        worst = np.argsort(-suspicions, kind="stable")[:n_listed]
        listed = zip(distinct[worst].tolist(), suspicions[worst].tolist(), strict=True)
        # that matched rows agree says nothing here: they are one object
        return {
            "agreement": None,
            "by_chance": None,
            "differing": [],
            "suspicious": [[i, j, suspicion, (i, j) in dropped] for (i, j), suspicion in listed],
            "hardly_agree": hardly_agree(suspicions),
        }

    def _cautions(
        self, moved: list[Rows], matches: dict[tuple[int, int], dict[str, Any]]
    ) -> Iterator[str]:
        """Warn of constraints that move no row, of doubtful matches and of views that are apart."""
        names = [table.name for table in self.tables]
        if sum(map(len, self.given)) >= _MANY and not any(moved):
            yield "The constraints move no row: the clusters are the same without them."
        for (u, v), relation in matches.items():
            if relation["hardly_agree"]:
                yield (
                    f"{names[u]} and {names[v]} agree little on which single rows are alike,"
                    " so wrong matches cannot be told from right ones."
                )
            # so few that they are kept may well be right: the report lists them
            n_left_out = sum(match[3] for match in relation["suspicious"])
            if note := left_out_in_words(names[u], names[v], n_left_out):
                yield note
        for views in self._model._sets:
            held = np.array(
                [np.bincount(of_view, minlength=views.n_objects) for of_view in views.objects]
            )
            largest = held[:, held.sum(axis=0).argmax()]
            if (largest > 0.1 * held.sum(axis=1)).any() and (largest >= _MANY).sum() > 1:
                rows = [
                    f"{counted(n, 'row')} of {names[view]}"
                    for view, n in zip(views.numbers, largest.tolist(), strict=True)
                    if n
                ]
                yield (
                    f"Matches join {' and '.join(rows)} into one object, which is in one cluster:"
                    " match rows of the same object only, or take the method co-EM."
                )
        sets = self._model.connected_views_
        if len(sets) > 1:
            named = [" and ".join(names[view] for view in connected) for connected in sets]
            yield (
                f"No three matches connect {' with '.join(named)}: each was clustered by itself,"
                " and the numbers of their clusters mean nothing to each other."
            )

    def _moved(self, fit: Fit) -> list[Rows]:
        """List rows of each view with another cluster without the constraints, that, and why."""
        if not any(map(len, self.given)):
            return [[] for _ in self.tables]
        # with numbers of clusters as those of the result
        without = self.again([Constraints.empty() for _ in self.given], self.job.seed)
        for connected in self._model.connected_views_:
            theirs, mine = (
                np.concatenate([labels[v] for v in connected]) for labels in (without, fit.labels)
            )
            for v, labels in self._by_view(renumbered(theirs, mine, fit.n_numbers), connected):
                without[v] = labels
        ids = [table.ids for table in self.tables]
        heaviest, nearest = _heaviest(self.given, ids), self._model.nearest_constrained(self.given)
        moved: list[Rows] = [[] for _ in ids]
        for view, (mine, other) in enumerate(zip(fit.labels, without, strict=True)):
            for row in np.flatnonzero(other != mine).tolist():
                near_view, near_row, is_match = nearest[view][row].tolist()
                why = "the constraints changed which columns count (no constrained row is near)"
                if (view, row) in heaviest:
                    why = f"because {heaviest[view, row]}"
                elif near_row >= 0:
                    near = f"{'matched with' if is_match else 'near'} {ids[near_view][near_row]}"
                    why = f"because {ids[view][row]} is {near}, {heaviest[near_view, near_row]}"
                moved[view].append([row, int(other[row]), why])
        return moved


def _heaviest(given: list[Constraints], ids: list[list[str]]) -> dict[tuple[int, int], str]:
    """Return the heaviest constraint of every constrained row, by view and row, in words."""
    heaviest: dict[tuple[int, int], str] = {}
    for view, constraints in enumerate(given):
        rows = list(constraints.rows())
        order = np.argsort(-constraints.weights, kind="stable")
        for position in order[constraints.weights[order] > 0].tolist():
            i, j, must_link, _ = rows[position]
            said = judged(ids[view][i], ids[view][j], must_link, constraints.source_of(position))
            heaviest.setdefault((view, i), said)
            heaviest.setdefault((view, j), said)
    return heaviest
