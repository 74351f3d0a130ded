"""Why a constraint was inferred: the chain of what was given and matched, and transferred."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from math import inf
from typing import NamedTuple

import numpy as np

from mvcc._utils.arrays import Floats
from mvcc._utils.messages import agreeing
from mvcc.constraints import (
    Constraints,
    Relations,
    Strengths,
    kind_of,
    mapped_rows,
    relations_between,
)
from mvcc.multiview import Cause, MultiViewConstrainedClustering, ViewState

_MOST_STEPS = 6  # of a chain that are named in full

Node = tuple[int, int]  # view, row


class Step(NamedTuple):
    """A given constraint or a match, from one of its rows to the other."""

    start: Node
    end: Node
    weight: float  # inf for a match
    apart: bool  # a cannot-link
    where: str  # it was read

    def back(self) -> Step:
        return self._replace(start=self.end, end=self.start)


Chain = list[Step]


@dataclass
class Reasons:
    """The given constraints and matches of all views, and the chains in them."""

    ids: Sequence[Sequence[str]]  # name of every row, per view
    given: Sequence[Constraints]
    relations: Relations  # (r, 2)
    closure: str  # chains run through all views, inside each, or there are none
    _steps: dict[Node, Chain] = field(default_factory=lambda: defaultdict(list))
    _known: dict[tuple[Node, Node, bool, float], Chain] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for view, constraints in enumerate(self.given):
            for position, (i, j, must_link, weight) in enumerate(constraints.rows()):
                where = constraints.source_of(position)
                step = Step((view, i), (view, j), weight, not must_link, where)
                self._add(step, self.closure != "none")
        for (u, v), related in self.relations.items():
            for i, j in related.tolist():
                self._add(Step((u, i), (v, j), inf, False, ""), self.closure == "full")

    def _add(self, step: Step, chained: bool) -> None:
        for link in (step, step.back()):
            self._known.setdefault((link.start, link.end, link.apart, link.weight), [link])
            if chained:
                self._steps[link.start].append(link)

    def chain(self, start: Node, goal: Node, apart: bool, weight: float) -> Chain:
        """Return the steps that put two rows apart, or else together, by this weight, if any.

        What was given itself is a single step, for it keeps its own weight. Else it is the
        shortest chain whose weakest link is as heavy; the weight of a sure relation is ``inf``.
        """
        key = start, goal, apart, weight
        if key not in self._known:
            if weight == inf:
                weight = 1.0
            chain: Chain = []
            # matches weaken no chain, and what follows from them alone weighs 1
            if weight == 1 and not apart:
                chain = self._search(start, goal, apart, inf)
            self._known[key] = chain or self._search(start, goal, apart, weight)
        return self._known[key]

    def _search(self, start: Node, goal: Node, apart: bool, lightest: float) -> Chain:
        """Search breadth first, over nodes and whether a cannot-link was crossed on the way."""
        begin, end = (start, False), (goal, apart)
        came_from: dict[tuple[Node, bool], tuple[tuple[Node, bool], Step] | None] = {begin: None}
        queue = deque([begin])
        while queue and end not in came_from:
            node, crossed = state = queue.popleft()
            for step in self._steps.get(node, ()):
                successor = step.end, crossed or step.apart
                is_usable = step.weight >= lightest and not (step.apart and (crossed or not apart))
                if is_usable and successor not in came_from:
                    came_from[successor] = state, step
                    queue.append(successor)
        steps = []
        while (last := came_from.get(end)) is not None:
            end, step = last
            steps.append(step)
        return steps[::-1]

    def words(self, chain: Chain) -> str:
        """Name every step of a chain; of a long one, only the lines of those in its middle."""
        phrases = [self._say(step) for step in chain]
        if len(chain) > _MOST_STEPS + 1:  # to leave out a single step would save nothing
            middle = chain[_MOST_STEPS - 1 : -1]
            summary = f"{len(middle)} more steps"
            if lines := _lines([step.where for step in middle if step.where]):
                summary += f" ({lines})"
            phrases[_MOST_STEPS - 1 : -1] = [f"… {summary} …"]
        return ", ".join(phrases)

    def _say(self, step: Step) -> str:
        start, end = (self.ids[view][row] for view, row in (step.start, step.end))
        if step.start[0] != step.end[0]:
            return f"{start} is matched with {end}"
        return judged(start, end, not step.apart, step.where)


def judged(one: str, other: str, must_link: bool, where: str) -> str:
    """Say which constraint two rows have, and where it was read, if from a file."""
    location = where and f" ({where})"
    return f"{one} and {other} have a {kind_of(must_link)}{location}"


def _lines(locations: list[str]) -> str:
    """Put "line 3 of a.csv" and "line 5 of a.csv" together: "lines 3, 5 of a.csv"."""
    line_numbers = defaultdict(list)
    for location in locations:
        line, _, file = location.removeprefix("line ").partition(" of ")
        line_numbers[file].append(line)
    return ", ".join(
        f"{agreeing(len(lines), 'line', 'lines')} {', '.join(lines)} of {file}"
        for file, lines in line_numbers.items()
    )


def without_loops(chain: Chain) -> Chain:
    """Leave out all steps between two visits of a node."""
    step_from: dict[Node, Step] = {}
    for step in chain:
        step_from[step.start] = step
        if step.end in step_from:
            while step_from.popitem()[0] != step.end:
                pass
    return list(step_from.values())


class Reason(NamedTuple):
    """Why a view inferred or received a constraint."""

    because: str
    # the view, and the two rows in it, that it comes from: the constraint that was propagated to
    # it, or that which another view passed on
    source: tuple[int, int, int]
    # from one row to the other, if it was passed on as it follows from what was given; else empty
    chain: Chain


class Flow(NamedTuple):
    """Constraints that one view inferred, or received, in its rows, each with its reason."""

    constraints: Constraints
    reasons: list[Reason]


def propagated(
    model: MultiViewConstrainedClustering, reasons: Reasons, views: list[Floats], transfer: str
) -> list[Flow]:
    """Return what each view (n_v, d_v) passed on at the end, with where each came from."""
    flows = []
    for view, (X, inferred) in enumerate(zip(views, model.propagated_, strict=True)):
        mapped = mapped_rows(model.mappings_, view)
        state = ViewState(
            view, len(views), X, model.constraints_[view], mapped, model.clusterers_[view]
        )
        causes = zip(inferred.rows(), model.transfer_.explain(state, inferred), strict=True)
        view_reasons = [_because(reasons, view, pair, cause, transfer) for pair, cause in causes]
        flows.append(Flow(inferred, view_reasons))
    return flows


def _because(
    reasons: Reasons, view: int, pair: tuple[int, int, bool, float], cause: Cause, transfer: str
) -> Reason:
    i, j, must_link, _ = pair
    u, v = cause.rows
    ids = reasons.ids[view]
    if cause.weight is None:
        names = f"{ids[i]} and {ids[j]}"
        said = f"{names}: inferred by {transfer}"
        if cause.words:
            said = f"because {names} {cause.words}"
        return Reason(said, (view, u, v), [])
    chain = reasons.chain((view, u), (view, v), not must_link, cause.weight)
    near = [f"{ids[row]} is near {ids[end]}" for row, end in ((i, u), (j, v)) if row != end]
    because = f"because {', '.join([*near, reasons.words(chain)])}"
    if near:
        chain = []
    return Reason(because, (view, u, v), chain)


def received(
    model: MultiViewConstrainedClustering, reasons: Reasons, flows: list[Flow]
) -> list[Flow]:
    """Return what each view received: what the others passed on, in its own rows (Eq. 12)."""
    arrived = []
    for target in range(len(flows)):
        ways = _ways(model, reasons.relations, flows, target)
        # as Constraints are sorted: must-links before cannot-links
        keys = sorted(ways, key=lambda key: (key[0], key[1], not key[2]))
        came = [ways[key] for key in keys]
        constraints = Constraints(
            [key[:2] for key in keys], [key[2] for key in keys], [way.weight for way in came]
        )
        arrived.append(Flow(constraints, [_by_way(reasons, flows, target, way) for way in came]))
    return arrived


class _Way(NamedTuple):
    """How a constraint came to a view."""

    weight: float
    source: int  # the view that passed it on
    place: int  # which of its constraints it was
    # of both rows, ascending: the row, its counterpart there, and how sure that relation is
    ends: list[tuple[int, int, float]]


def _ways(
    model: MultiViewConstrainedClustering, given: Relations, flows: list[Flow], target: int
) -> dict[tuple[int, int, bool], _Way]:
    """Return the heaviest of each pair and type, as max-union does; the first view's if equal."""
    best: dict[tuple[int, int, bool], _Way] = {}
    others = [source for source in range(len(flows)) if source != target]
    # a match that was given explains more than one that follows from others
    every = [(given, {}), (model.mappings_, model.mapping_weights_)]
    for source, (relations, strengths) in product(others, every):
        counterparts = _counterparts(relations, strengths, source, target)
        for position, (i, j, must_link, weight) in enumerate(flows[source].constraints.rows()):
            pairs = product(counterparts.get(i, ()), counterparts.get(j, ()))
            for (first, sure_first), (second, sure_second) in pairs:
                key = min(first, second), max(first, second), must_link
                strength = min(weight, sure_first, sure_second)
                if first != second and (key not in best or best[key].weight < strength):
                    ends = sorted([(first, i, sure_first), (second, j, sure_second)])
                    best[key] = _Way(strength, source, position, ends)
    return best


def _counterparts(
    relations: Relations, strengths: Strengths, source: int, target: int
) -> dict[int, list[tuple[int, float]]]:
    pairs = relations_between(relations, source, target)
    every_sure = np.full(len(pairs), inf)
    sure = strengths.get((min(source, target), max(source, target)), every_sure)
    counterparts: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for (row, counterpart), strength in zip(pairs.tolist(), sure.tolist(), strict=True):
        counterparts[row].append((counterpart, strength))
    return counterparts


def _by_way(reasons: Reasons, flows: list[Flow], target: int, way: _Way) -> Reason:
    """Say by which matches a constraint came, and why it was passed on."""
    reason = flows[way.source].reasons[way.place]
    first, last = (
        reasons.chain((target, row), (way.source, counterpart), False, sure)
        for row, counterpart, sure in way.ends
    )
    (_, i, _), (_, j, _) = way.ends
    source = way.source, i, j
    if inner := reason.chain:
        if i > j:  # as its pairs are sorted
            inner = _back(inner)
        chain = without_loops(first + inner + _back(last))
        weights = (step.weight for step in chain if step.weight < inf)
        if chain and min(weights, default=1.0) == way.weight:  # 1 if it is of matches alone
            return Reason(f"because {reasons.words(chain)}", source, chain)
    passed_on = reason.because.removeprefix("because ")
    because = f"because {reasons.words(first)}, {reasons.words(last)}, and there: {passed_on}"
    return Reason(because, source, [])


def _back(chain: Chain) -> Chain:
    return [step.back() for step in reversed(chain)]
