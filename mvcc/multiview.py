"""Algorithm 2: multi-view constrained clustering by co-EM over the views (§5)."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import permutations
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning

from mvcc._validation import RandomState, as_generator, check_count, check_data, check_number
from mvcc.constraints import Constraints, unify
from mvcc.exceptions import InvalidInputError
from mvcc.mapping import ConstraintMap, Relations, augment, check_mappings, mapped_rows, relations_between
from mvcc.transfer import ConstraintPropagation, TransferMethod, ViewState

Maps = dict[tuple[int, int], ConstraintMap]
_NOTHING = Constraints([], [])


@dataclass(frozen=True)
class ViewRecord:
    """One view in one iteration of co-EM.

    Attributes
    ----------
    objective : float
        The value of Eq. 1 that the M-step reached.
    propagated : Constraints
        P^V, what the view passes on, in its own rows.
    """

    objective: float
    propagated: Constraints


class MultiViewConstrainedClustering(BaseEstimator):
    """Cluster several views together, which are only partly mapped to each other (Algorithm 2, §5).

    Parameters
    ----------
    base : estimator
        Clusters one view: ``PCKMeans`` or ``MPCKMeans``, or another with ``fit(X, constraints=...)``, ``labels_`` and
        ``objective_``. It is cloned for each view, with one fixed seed per view.
    transfer : TransferMethod, default=None
        What views tell each other; None is ``ConstraintPropagation()``.
    closure : {"full", "view", "none"}, default="full"
        Close constraints and relations over all views (Algorithm 2, steps 1–2), only the constraints inside each
        view, or take both as given.
    max_iter : int, default=20
        Limit of co-EM iterations.
    tol : float, default=1e-6
        Converged when no view's objective changes by more than this (ε of §5).
    random_state : int, numpy Generator, RandomState or None, default=None
        Seeds the clustering of the views.

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_v,)
        Cluster of every row, per view.
    clusterers_ : list of estimators
        The fitted clustering of every view.
    propagated_ : list of Constraints
        P^V of every view at the end, in its own rows.
    n_iter_ : int
        Iterations done.
    converged_ : bool
        False when the limit or a cycle ended co-EM; a ``ConvergenceWarning`` says which.
    history_ : list of list of ViewRecord
        Objective and propagated constraints per iteration and view.

    Examples
    --------
    >>> import numpy as np
    >>> from mvcc import Constraints, MultiViewConstrainedClustering, PCKMeans
    >>> texts, images = np.array([[0.0], [0.2], [3.0], [3.2]]), np.array([[5.0], [1.0], [1.1]])
    >>> judged = Constraints.from_pairs(must_link=[(0, 1)], cannot_link=[(1, 2)])
    >>> model = MultiViewConstrainedClustering(PCKMeans(2), random_state=0)
    >>> model = model.fit([texts, images], constraints=[judged, None], mappings={(0, 1): [(0, 0), (2, 1)]})
    >>> [labels.tolist() for labels in model.labels_]
    [[0, 0, 1, 1], [0, 1, 1]]
    """

    def __init__(
        self,
        base: Any,
        transfer: TransferMethod | None = None,
        *,
        closure: Literal["full", "view", "none"] = "full",
        max_iter: int = 20,
        tol: float = 1e-6,
        random_state: RandomState = None,
    ) -> None:
        self.base = base
        self.transfer = transfer
        self.closure = closure
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(
        self,
        views: Sequence[ArrayLike],
        *,
        constraints: Sequence[Constraints | None] | None = None,
        mappings: Mapping[tuple[int, int], ArrayLike] | None = None,
    ) -> Self:
        """Cluster all views.

        Parameters
        ----------
        views : list of array-like of shape (n_v, d_v)
            Instances of every view. With a single view this is §6.4: X̂ = X, and its propagated constraints join its
            given ones.
        constraints : list of (Constraints or None), one per view, default=None
        mappings : dict {(u, v): array-like of shape (r, 2)}, default=None
            Rows of view u and of view v that are the same object, many-to-many. Pairs of views that are not named
            have no relation.

        Returns
        -------
        self

        Raises
        ------
        InvalidInputError
            For views, constraints or mappings that do not fit together.
        ConstraintConflictError
            When the constraints (with ``closure="full"``, and the relations) contradict each other.
        """
        data = [check_data(X, f"views[{number}]") for number, X in enumerate(views)]
        if not data:
            raise InvalidInputError("views is empty; at least one view is needed.")
        given = _check_constraints(constraints, data)
        relations = check_mappings(mappings, [len(X) for X in data])
        transfer = ConstraintPropagation() if self.transfer is None else self.transfer
        if not isinstance(transfer, TransferMethod):
            raise InvalidInputError(f"transfer must be a TransferMethod or None, not {type(transfer).__name__}.")
        max_iter, tol = check_count(self.max_iter, "max_iter"), check_number(self.tol, "tol", low=0)
        given, relations = augment(given, relations if transfer.uses_relations else {}, self.closure)
        seeds = as_generator(self.random_state).integers(2**31, size=len(data)).tolist()
        rooms = [
            _Room(ViewState(number, len(data), X, c, _mapped(relations, number, data), _seeded(self.base, seed)))
            for number, (X, c, seed) in enumerate(zip(data, given, seeds, strict=True))
        ]
        maps = {(u, v): ConstraintMap(relations_between(relations, u, v)) for u, v in permutations(range(len(data)), 2)}
        self.history_, period = _co_em(rooms, maps, transfer, max_iter, tol)
        self.labels_ = [room.state.clusterer.labels_ for room in rooms]
        self.clusterers_ = [room.state.clusterer for room in rooms]
        self.propagated_ = [room.propagated for room in rooms]
        self.n_iter_ = len(self.history_)
        self.converged_ = period == 0
        if not self.converged_:
            reason = (
                f"stopped at its limit max_iter={max_iter}" if period is None else f"repeats itself, period {period}"
            )
            warnings.warn(
                f"co-EM did not converge: it {reason}. The clustering of iteration {self.n_iter_} is returned; "
                f"history_ shows the objectives.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self


class _Room:
    """The changing state of one view during co-EM."""

    def __init__(self, state: ViewState) -> None:
        self.state = state
        self.unified: Constraints | None = None
        self.propagated = _NOTHING

    def update(self, transferred: Constraints, transfer: TransferMethod) -> None:
        """M-step and E-step; the same constraints as before give the same result, so that nothing needs doing."""
        unified = unify(self.state.constraints, transferred)
        if unified != self.unified:
            self.unified = unified
            self.state.clusterer.fit(self.state.X, constraints=unified)
            self.propagated = transfer.infer(self.state)


def _co_em(
    rooms: list[_Room], maps: Maps, transfer: TransferMethod, max_iter: int, tol: float
) -> tuple[list[list[ViewRecord]], int | None]:
    """Iterate until every view has converged (steps 6–13).

    Return the history and the period of the cycle met; 0 means convergence, None that the limit came first.
    """
    history: list[list[ViewRecord]] = []
    seen: dict[bytes, int] = {}
    for iteration in range(max_iter):
        for room in rooms:
            room.update(_transferred(rooms, room, maps), transfer)
        history.append([ViewRecord(float(room.state.clusterer.objective_), room.propagated) for room in rooms])
        if iteration and all(
            abs(now.objective - before.objective) <= tol for now, before in zip(*history[:-3:-1], strict=True)
        ):
            return history, 0
        # what the views pass on determines all that follows, so that its return means an endless cycle
        state = _digest([room.propagated for room in rooms])
        if seen.get(state, iteration - 1) < iteration - 1:
            return history, iteration - seen[state]
        seen[state] = iteration
    return history, None


def _transferred(rooms: list[_Room], target: _Room, maps: Maps) -> Constraints:
    """Return what all other views pass on to one, in its rows (Eq. 12 and 14)."""
    if len(rooms) == 1:
        return target.propagated
    here = target.state.number
    return reduce(
        Constraints.max_union,
        (maps[room.state.number, here](room.propagated) for room in rooms if room is not target),
    )


def _mapped(relations: Relations, number: int, data: list[NDArray[np.float64]]) -> NDArray[np.int64]:
    return mapped_rows(relations, number) if len(data) > 1 else np.arange(len(data[0]))


def _seeded(base: Any, seed: int) -> Any:
    clusterer = clone(base)
    return clusterer.set_params(random_state=seed) if "random_state" in clusterer.get_params() else clusterer


def _digest(lists: list[Constraints]) -> bytes:
    state = hashlib.blake2b(digest_size=16)
    for constraints in lists:
        state.update(len(constraints).to_bytes(8, "little"))
        for array in (constraints.pairs, constraints.must_link, constraints.weights):
            state.update(np.ascontiguousarray(array).data)
    return state.digest()


def _check_constraints(
    constraints: Sequence[Constraints | None] | None, data: list[NDArray[np.float64]]
) -> list[Constraints]:
    given = [None] * len(data) if constraints is None else list(constraints)
    if len(given) != len(data):
        raise InvalidInputError(f"constraints has {len(given)} entries for {len(data)} views; give one (or None) each.")
    for number, (c, X) in enumerate(zip(given, data, strict=True)):
        if c is not None and not isinstance(c, Constraints):
            raise InvalidInputError(f"constraints[{number}] must be mvcc.Constraints or None, not {type(c).__name__}.")
        if c is not None and len(c) and c.pairs.max() >= len(X):
            raise InvalidInputError(
                f"constraints[{number}] names row {c.pairs.max()}, but view {number} has rows 0 … {len(X) - 1}."
            )
    return [_NOTHING if c is None else c for c in given]
