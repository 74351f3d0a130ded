"""Constraints and relations over all views: closed, dropped, held out (§4, §5.2, §6.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import ArrayLike

from mvcc._utils.arrays import Bools, Floats, Ints
from mvcc._utils.validation import as_list, check_choice
from mvcc.constraints._arrays import MAX_ROW, Listed
from mvcc.constraints._closure import CALL_BY_NUMBER, CallRow, Graph, conflict, without_conflicts
from mvcc.constraints._constraints import Constraints, closed_constraints, with_weights_of
from mvcc.constraints._given import Relations, check_constraints, check_mappings
from mvcc.constraints._kernels import components
from mvcc.exceptions import ConstraintConflictError, InvalidInputError

N_FOLDS = 10  # a cannot-link has two ends: with fewer folds far fewer of them are left to train on
# how sure relations are that follow from must-links lighter than others; none: as sure as can be
Strengths = dict[tuple[int, int], Floats]


def close_views(
    constraints: Sequence[Constraints | None], mappings: Mapping[tuple[int, int], ArrayLike] | None
) -> tuple[list[Constraints], Relations]:
    """Close constraints and relations over all views at once (Algorithm 2, steps 1–2).

    Relations act as must-links between views. They weaken no chain; what follows from relations
    alone weighs 1.

    Parameters
    ----------
    constraints : list of Constraints or None, one per view
    mappings : dict {(u, v): array-like of shape (r, 2)} or None
        Rows of view u and of view v that are the same object.

    Returns
    -------
    constraints : list of Constraints
        The closed constraints of every view, in rows of that view.
    mappings : dict {(u, v): (r, 2) array}, u < v
        All relations that follow, also through a third view.

    Raises
    ------
    ConstraintConflictError
        When a cannot-link contradicts a chain of must-links and relations; the message names the
        shortest chain.
    InvalidInputError
        For relations of views that are not there, or no views at all.

    See Also
    --------
    Constraints.closure : The closure of one view.
    drop_conflicts : What to call before if constraints contradict each other.

    Examples
    --------
    >>> from mvcc import Constraints, close_views
    >>> pairs = Constraints.from_pairs(must_link=[(0, 1)], cannot_link=[(1, 2)])
    >>> closed, matches = close_views([pairs, None], {(0, 1): [(0, 0), (2, 1)]})
    >>> closed[1].pairs.tolist(), closed[1].must_link.tolist()
    ([[0, 1]], [False])
    >>> matches[0, 1].tolist()
    [[0, 0], [1, 0], [2, 1]]
    """
    closed, relations, _ = _closed(*_checked(constraints, mappings))
    return closed, relations


def _closed(
    given: list[Constraints], relations: Relations, call: CallRow = CALL_BY_NUMBER
) -> tuple[list[Constraints], Relations, Strengths]:
    all_links, graph = _graph(given, relations, call)
    offsets = all_links.offsets
    spans = list(pairwise(offsets.tolist()))
    weights = all_links.weights
    if len(weights) and (weights[np.isfinite(weights)] == 1).all():
        closed = [closed_constraints(graph.neighborhoods(*span, 1.0)) for span in spans]
        keys = combinations(range(len(given)), 2)
        across = {(u, v): graph.joined(spans[u], spans[v]) for u, v in keys}
        return closed, {key: rows for key, rows in across.items() if len(rows)}, {}
    closed = _closed_by_weight(graph, weights, given, offsets)
    return closed, *_related_by_weight(graph, weights, offsets)


def refuse_conflicts(
    constraints: list[Constraints], relations: Relations, call: CallRow = CALL_BY_NUMBER
) -> None:
    """Raise an error if checked constraints and relations contradict each other."""
    _graph(constraints, relations, call)


def _graph(
    given: list[Constraints], relations: Relations, call: CallRow
) -> tuple[_AllLinks, Graph]:
    """Return all links, and their graph if they do not contradict each other."""
    all_links = _AllLinks([c.spanning() for c in given], relations)
    offsets = all_links.offsets

    def explain(chain: list[int], links: list[int]) -> ConstraintConflictError:
        views = np.searchsorted(offsets, chain, side="right") - 1
        rows = [call(int(v), int(node - offsets[v])) for node, v in zip(chain, views, strict=True)]
        kinds = ["must-link" if u == v else "relation" for u, v in pairwise(views)]
        return conflict(rows, kinds, [all_links.source_of(link, given) for link in links])

    return all_links, Graph(all_links.nodes, all_links.must_link, explain)


def drop_conflicts(
    constraints: Sequence[Constraints | None],
    mappings: Mapping[tuple[int, int], ArrayLike] | None = None,
) -> tuple[list[Constraints], list[Constraints]]:
    """Leave out constraints that contradict heavier ones or relations, as ``close_views`` needs.

    Constraints of all views are taken from the heaviest to the lightest, of equal weights
    must-links first, then in the order of the views; one that contradicts those taken before is
    dropped. Relations are never dropped.

    Parameters
    ----------
    constraints : list of Constraints or None, one per view
    mappings : dict {(u, v): array-like of shape (r, 2)}, default=None
        Rows of view u and of view v that are the same object.

    Returns
    -------
    kept : list of Constraints
        What is left, per view.
    dropped : list of Constraints
        What was left out, per view.

    Raises
    ------
    InvalidInputError
        For relations of views that are not there, or no views at all.

    See Also
    --------
    close_views : Needs constraints without contradictions.

    Examples
    --------
    >>> from mvcc import Constraints, drop_conflicts
    >>> must_link, weights = [True, True, False], [1.0, 0.5, 0.8]
    >>> given = Constraints([(0, 1), (1, 2), (0, 2)], must_link, weights)
    >>> (kept,), (dropped,) = drop_conflicts([given])
    >>> kept, dropped.pairs.tolist()
    (<Constraints: 1 must-links, 1 cannot-links>, [[1, 2]])
    """
    given, relations = _checked(constraints, mappings)
    all_links = _AllLinks([c.listed() for c in given], relations)
    keep = without_conflicts(all_links.nodes, all_links.must_link, all_links.weights)
    masks = np.split(keep, all_links.first[1:])
    masked = list(zip(given, masks, strict=False))  # the last mask is that of the relations
    return [c.select(mask) for c, mask in masked], [c.select(~mask) for c, mask in masked]


class _AllLinks:
    """Constraints and relations of all views as the links of one graph; relations come last."""

    def __init__(self, links: list[Listed], relations: Relations) -> None:
        # the ``nodes`` (m, 2) are rows of views: the view's offset and the number of the row
        largest = [int(pairs.max(initial=-1)) for pairs, _, _ in links]
        for (u, v), rows in relations.items():
            largest[u] = max(largest[u], int(rows[:, 0].max(initial=-1)))
            largest[v] = max(largest[v], int(rows[:, 1].max(initial=-1)))
        self.offsets = np.cumsum([0, *(row + 1 for row in largest)], dtype=np.int64)
        # of each view the first link, and the first relation
        self.first = np.cumsum([0, *(len(pairs) for pairs, _, _ in links)])
        listed = [(pairs + self.offsets[v], *rest) for v, (pairs, *rest) in enumerate(links)]
        for key, rows in relations.items():
            n = len(rows)
            listed.append((rows + self.offsets[list(key)], np.ones(n, bool), np.full(n, np.inf)))
        self.nodes, self.must_link, self.weights = map(np.concatenate, zip(*listed, strict=True))

    def source_of(self, link: int, given: list[Constraints]) -> str:
        """Tell where a link was read; of a relation nothing is known."""
        view = int(np.searchsorted(self.first, link, side="right")) - 1
        return given[view].source_of(link - self.first[view]) if view < len(given) else ""


def _checked(
    constraints: Sequence[Constraints | None], mappings: Mapping[tuple[int, int], ArrayLike] | None
) -> tuple[list[Constraints], Relations]:
    given = check_constraints(as_list(constraints, "constraints"))
    if not given:
        raise InvalidInputError(
            "constraints is empty; give one Constraints (or None) for each view."
        )
    # the sizes of the views are not known
    return given, check_mappings(mappings, [MAX_ROW + 1] * len(given))


def _closed_by_weight(
    graph: Graph, weights: Floats, given: list[Constraints], offsets: Ints
) -> list[Constraints]:
    """Return the closed constraints of every view where they weigh differently."""
    pairs, kinds, weights = graph.closed(weights, offsets)
    weights = np.where(np.isinf(weights), 1.0, weights)
    views = np.searchsorted(offsets, pairs[:, 0], side="right") - 1
    closed = []
    for view, c in enumerate(given):
        mask = views == view
        whole = Constraints.from_repeated(pairs[mask] - offsets[view], kinds[mask], weights[mask])
        closed.append(with_weights_of(whole, c))
    return closed


def _related_by_weight(graph: Graph, weights: Floats, offsets: Ints) -> tuple[Relations, Strengths]:
    """Return all relations that follow, and the weakest link of each one's strongest chain."""
    pairs, _, weakest = graph.closed(weights, together=True)
    views = np.searchsorted(offsets, pairs, side="right") - 1
    related: Relations = {}
    strengths: Strengths = {}
    for key in combinations(range(len(offsets) - 1), 2):
        chosen = np.flatnonzero((views == key).all(axis=1))
        chosen = chosen[np.lexsort(pairs[chosen].T[::-1])]
        if len(chosen):
            related[key], strengths[key] = pairs[chosen] - offsets[list(key)], weakest[chosen]
    return related, strengths


def augment(
    constraints: list[Constraints],
    relations: Relations,
    closure: str,
    call: CallRow = CALL_BY_NUMBER,
) -> tuple[list[Constraints], Relations, Strengths]:
    """Close constraints over all views, in each, or not at all (Algorithm 2, steps 1–2)."""
    check_choice(closure, "closure", ("full", "view", "none"))
    if closure == "full":
        return _closed(constraints, relations, call)
    if closure == "view":
        constraints = [c._closed(partial(call, view)) for view, c in enumerate(constraints)]
    return constraints, relations, {}


def neighborhood_folds(
    constraints: list[Constraints],
    relations: Relations,
    sizes: Sequence[int],
    rng: np.random.Generator,
    n_folds: int = N_FOLDS,
    advice: str = "Give more constraints, or a number in (0, 1] as threshold.",
) -> list[Ints]:
    """Give every row of every view the number of its random fold, −1 without constraints."""
    # Neighborhoods, over all views, stay together: a divided one would tell of what is held out.
    # Fewer than ``n_folds`` make as many folds; fewer than two are an error.
    offsets = np.cumsum([0, *sizes])
    links = [c.pairs[c.must_link] + offsets[view] for view, c in enumerate(constraints)]
    links += [rows + offsets[list(key)] for key, rows in relations.items()]
    first, second = np.concatenate(links).T
    root = components(int(offsets[-1]), first, second)
    constrained = np.unique(
        np.concatenate([c.pairs.ravel() + offsets[view] for view, c in enumerate(constraints)])
    )
    distinct_roots, neighborhood = np.unique(root[constrained], return_inverse=True)
    if len(distinct_roots) < 2:
        raise InvalidInputError(
            "Cross-validation holds out whole neighborhoods of constrained instances in turn and "
            f"needs at least two; the constraints have {len(distinct_roots)}. {advice}"
        )
    folds = np.full(offsets[-1], -1)
    folds[constrained] = (rng.permutation(len(distinct_roots)) % n_folds)[neighborhood]
    return np.split(folds, offsets[1:-1])


def in_fold(constraints: list[Constraints], folds: list[Ints], fold: int) -> list[Bools]:
    """Tell, per view, which constraints have an end in a fold of ``neighborhood_folds``."""
    return [
        (fold_of_row[c.pairs] == fold).any(axis=1)
        for c, fold_of_row in zip(constraints, folds, strict=True)
    ]


def n_satisfied(constraints: Constraints, labels: Ints) -> int:
    i, j = constraints.pairs.T
    return int(np.sum((labels[i] == labels[j]) == constraints.must_link))
