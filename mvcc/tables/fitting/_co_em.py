"""The paper's method on the views of a job: co-EM, and what its views told each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mvcc._utils.arrays import Bools, Floats, Ints
from mvcc._utils.messages import for_reader
from mvcc.constraints import Constraints, kind_of
from mvcc.multiview import (
    MultiViewConstrainedClustering,
    make_base,
    match_clusters,
    takes_threshold,
    transfer_class,
    why_not_converged,
)
from mvcc.tables._job import Job
from mvcc.tables._layout import COLUMNS, PROPAGATED, RECEIVED
from mvcc.tables.fitting._chains import Flow, Reasons, propagated, received
from mvcc.tables.fitting._fit import (
    MOST_LISTED,
    Explained,
    Fit,
    Labels,
    Method,
    Rows,
    agreement,
    used_relations,
)
from mvcc.tables.reading._inputs import Inputs
from mvcc.tables.reading._table import Table


class CoEM(Method):
    """``MultiViewConstrainedClustering`` on the views of a job."""

    def __init__(self, job: Job, views: list[Floats], inputs: Inputs) -> None:
        super().__init__(job, views, inputs)
        self._used = used_relations(job, self.relations)
        self._transfer = transfer_class(job.transfer)()
        if takes_threshold(job.transfer):
            self._transfer.set_params(threshold=job.threshold)

    def fit(self) -> tuple[Any, list[Ints]]:
        model = self._fitted(self.given, self.job.seed)
        self._transfer = model.transfer_
        if takes_threshold(self.job.transfer):  # which was chosen perhaps
            self.job = self.job.model_copy(update={"threshold": self._transfer.threshold})
        return model, match_clusters(model.labels_, self.relations, self.job.k)

    def again(self, given: list[Constraints], seed: int) -> Labels:
        return self._fitted(given, seed).labels_

    def _fitted(self, given: list[Constraints], seed: int) -> MultiViewConstrainedClustering:
        job = self.job
        base = make_base(job.base, job.k).set_params(init="auto")
        model = MultiViewConstrainedClustering(
            base, self._transfer, closure=job.closure, random_state=seed
        )
        return model.fit(self.views, constraints=given, mappings=self._used)

    def explain(self, fit: Fit) -> Explained:
        job, model, tables = self.job, fit.model, self.tables
        reasons = Reasons([table.ids for table in tables], self.given, self.relations, job.closure)
        flows = propagated(model, reasons, self.views, job.transfer)
        arrived = received(model, reasons, flows)
        propagates = takes_threshold(job.transfer)
        facts = {
            "iterations": model.n_iter_,
            "converged": bool(model.converged_),
            "objectives": [[record.objective for record in records] for records in model.history_],
            "propagates": propagates,
            "threshold": model.transfer_.threshold if propagates else None,
            "transfer": job.transfer,
            "base": job.base,
        }
        views, files, n_inferred = [], [], 0
        for view, (flow, came) in enumerate(zip(flows, arrived, strict=True)):
            is_new = np.zeros(len(flow.constraints), np.bool_)  # it does not merely follow
            if len(is_new):  # else what was given may be too much to be listed
                is_new = ~flow.constraints.is_among(model.constraints_[view])
            n_inferred += int(is_new.sum())
            views.append(self._facts_of(fit, view, flow, is_new, came))
            by_file = {PROPAGATED: flow, RECEIVED: came}
            files.append({name: _lines(view, listed, tables) for name, listed in by_file.items()})
        n_passed = sum(len(flow.constraints) for flow in flows)
        cautions = list(self._cautions(fit, n_passed, n_inferred))
        agreements = {
            key: agreement(fit.labels, *key, rows, fit.n_numbers, self.job.seed)
            for key, rows in self.relations.items()
        }
        return Explained({"co_em": facts}, views, agreements, files, cautions)

    def _facts_of(self, fit: Fit, view: int, flow: Flow, new: Bools, came: Flow) -> dict[str, Any]:
        """Return what a view has passed on, those of a mask inferred, and what it received."""
        diagnosis = fit.model.diagnostics_[view]
        closest = diagnosis.closest and sorted(fit.numbers[view][list(diagnosis.closest)].tolist())
        none_first = np.zeros(len(came.constraints), np.bool_)
        return {
            "propagated": _listing(flow, new),
            "received": _listing(came, none_first, self.tables),
            "n_propagated": _count(flow.constraints),
            "n_inferred": _count(flow.constraints.select(new)),
            "n_received": _count(came.constraints),
            "disagreement": diagnosis.disagreement,
            "divergence": diagnosis.divergence if np.isfinite(diagnosis.divergence) else None,
            "closest": closest,
            "suspicious": diagnosis.suspicious,
        }

    def _cautions(self, fit: Fit, n_passed: int, n_inferred: int) -> Iterator[str]:
        """Say what must not be overlooked; `n_inferred` do not follow from what was given."""
        model = fit.model
        if said := why_not_converged(model.converged_, model.history_, model.max_iter):
            yield said
        several = len(self.tables) > 1
        if not any(map(len, self.given)):
            yield "No constraints were given: nothing is known of which rows belong together."
        elif several and not fit.model.mappings_:
            yield "No matches were used between the views: each was clustered by itself."
        elif takes_threshold(self.job.transfer):
            yield from _of_threshold(fit, several and not n_passed, n_inferred)
        elif several and not n_passed:
            yield (
                "No constraint was transferred: no constrained pair has both rows matched. Add"
                " matches for the rows that are constrained."
            )
        matched = {v for views, rows in fit.model.mappings_.items() if len(rows) for v in views}
        for view, table in enumerate(self.tables):
            if matched and view not in matched:
                yield (
                    f"{table.name}: no row is matched with one of another view; it was clustered by"
                    " itself."
                )


def _listing(flow: Flow, is_first: Bools, tables: list[Table] | None = None) -> list[list[Any]]:
    """List the heaviest of a flow, those of a mask first; with ``tables``, say who passed them."""
    order = np.lexsort((-flow.constraints.weights, ~is_first))[:MOST_LISTED].tolist()
    rows = list(flow.constraints.rows())
    why = [reason.because for reason in flow.reasons]
    if tables:
        why = [f"from {tables[reason.source[0]].name}: {reason.because}" for reason in flow.reasons]
    return [[*rows[position], why[position]] for position in order]


def _count(constraints: Constraints) -> dict[str, int]:
    must_links = constraints.n_must_links()
    return {"must_link": must_links, "cannot_link": len(constraints) - must_links}


def _lines(view: int, flow: Flow, tables: list[Table]) -> Rows:
    lines: Rows = [[*COLUMNS[PROPAGATED]]]
    ids, c = tables[view].ids, flow.constraints
    for (i, j, must_link, weight), reason in zip(c.rows(), flow.reasons, strict=True):
        source, u, v = reason.source
        source_table = tables[source]
        origin = [source_table.name, source_table.ids[u], source_table.ids[v]]
        lines.append([ids[i], ids[j], kind_of(must_link), repr(weight), *origin, reason.because])
    return lines


def _of_threshold(fit: Fit, none_passed: bool, n_inferred: int) -> Iterator[str]:
    """Say that constraints are below the threshold, or reach too few rows above it."""
    given, threshold = fit.method.given, fit.model.transfer_.threshold
    n_given, n_light = sum(map(len, given)), sum(int((c.weights < threshold).sum()) for c in given)
    option = for_reader("--threshold", "threshold")
    if n_light:
        yield (
            f"{n_light} of the {n_given} constraints weigh less than the threshold {threshold:g}:"
            " they count in their own view, but nothing is inferred from them or transferred. Give"
            f" them more weight, or lower the threshold ({option})."
        )
    if n_light < n_given and not n_inferred:
        said = (
            "Nothing was inferred for rows near constrained ones; only the constraints, and what"
            " follows from them, were used."
        )
        if none_passed:
            said = (
                "No constraint was transferred: none reached two rows that are matched. Matches for"
                " the rows that are constrained help most."
            )
        yield (
            f"{said} A threshold below {threshold:g} ({option}, or cv to have one chosen) lets"
            " constraints reach farther."
        )
