"""Algorithm 2: multi-view constrained clustering by co-EM over the views (§5)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning

from mvcc._co_em import CoEM, ViewRecord
from mvcc._messages import shown
from mvcc._threshold import choose_threshold
from mvcc._validation import RandomState, as_generator, as_list, check_count, check_data, check_number
from mvcc.constraints import Constraints
from mvcc.diagnostics import LARGEST_DISAGREEMENT, SMALLEST_DIVERGENCE, Diagnosis, diagnose
from mvcc.exceptions import InvalidInputError, PropagationWarning
from mvcc.mapping import check_constraints, check_mappings
from mvcc.transfer import ConstraintPropagation, TransferMethod

__all__ = ["MultiViewConstrainedClustering", "ViewRecord"]


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
        Seeds the clustering of the views, and draws the folds of a cross-validated threshold.

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
    transfer_ : TransferMethod
        The transfer method that was used; its ``threshold`` is the one chosen where ``"cv"`` was asked for.
    diagnostics_ : list of Diagnosis
        Per view the two indicators of §6.4 for data that are unfit for Constraint Propagation; a
        ``PropagationWarning`` names the views where that was used all the same.

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
            For views, constraints or mappings that do not fit together, or too few constraints to cross-validate a
            threshold.
        ConstraintConflictError
            When the constraints (with ``closure="full"``, and the relations) contradict each other.
        """
        data = [check_data(X, f"views[{number}]") for number, X in enumerate(as_list(views, "views"))]
        if not data:
            raise InvalidInputError("views is empty; at least one view is needed.")
        given = _check_constraints(constraints, data)
        relations = check_mappings(mappings, [len(X) for X in data])
        if not isinstance(self.transfer, TransferMethod | None):
            raise InvalidInputError(
                f"transfer={shown(self.transfer)} is not allowed; an instance of a TransferMethod, such as "
                f"DirectMapping(), or None is."
            )
        transfer = ConstraintPropagation() if self.transfer is None else clone(self.transfer)
        _check_base(self.base)
        max_iter, tol = check_count(self.max_iter, "max_iter"), check_number(self.tol, "tol", low=0)
        rng = as_generator(self.random_state)
        co_em = CoEM(data, self.base, rng.integers(2**31, size=len(data)).tolist(), self.closure, max_iter, tol)
        if isinstance(transfer, ConstraintPropagation) and transfer.is_cross_validated:
            threshold = choose_threshold(co_em, given, relations, transfer, rng)
            transfer.set_params(threshold=threshold)
        outcome = co_em.run(given, relations, transfer)
        diagnostics = [
            diagnose(X, clusterer.labels_, getattr(clusterer, "metrics_", None))
            for X, clusterer in zip(data, outcome.clusterers, strict=True)
        ]
        self.transfer_, self.diagnostics_ = transfer, diagnostics
        self.clusterers_, self.propagated_, self.history_ = outcome.clusterers, outcome.propagated, outcome.history
        self.labels_ = [clusterer.labels_ for clusterer in outcome.clusterers]
        self.n_iter_ = len(outcome.history)
        self.converged_ = outcome.period == 0
        for message, category in (
            (_not_converged(outcome.period, max_iter, self.n_iter_), ConvergenceWarning),
            (_unfit(diagnostics, transfer), PropagationWarning),
        ):
            if message:
                warnings.warn(message, category, stacklevel=2)
        return self


def _not_converged(period: int | None, max_iter: int, n_iter: int) -> str:
    """Say why co-EM has not converged, or nothing if it has."""
    if period == 0:
        return ""
    reason = f"stopped at its limit max_iter={max_iter}" if period is None else f"repeats itself, period {period}"
    return (
        f"co-EM did not converge: it {reason}. The clustering of iteration {n_iter} is returned; history_ shows the "
        f"objectives."
    )


def _unfit(diagnostics: list[Diagnosis], transfer: TransferMethod) -> str:
    """Say which views look unfit for Constraint Propagation (§6.4), or nothing where none does."""
    found = [
        f"view {number} (disagreement {diagnosis.disagreement:.2g}, divergence {diagnosis.divergence:.2g})"
        for number, diagnosis in enumerate(diagnostics)
        if diagnosis.suspicious
    ]
    if not found or not isinstance(transfer, ConstraintPropagation):
        return ""
    return (
        f"Constraint Propagation may infer wrong constraints in {', '.join(found)}: its clusters are hardly globular "
        f"where the disagreement is above {LARGEST_DISAGREEMENT:g}, and overlap where the divergence is below "
        f"{SMALLEST_DIVERGENCE:g}. Compare with DirectMapping(), which infers none."
    )


def _check_base(base: Any) -> None:
    usable = not isinstance(base, type) and hasattr(base, "get_params") and hasattr(base, "fit")
    takes = signature(base.fit).parameters.values() if usable else ()
    if not any(taken.name == "constraints" or taken.kind is taken.VAR_KEYWORD for taken in takes):
        raise InvalidInputError(
            f"base={shown(base)} is not allowed; an estimator whose fit takes constraints, such as PCKMeans(), is."
        )


def _check_constraints(
    constraints: Sequence[Constraints | None] | None, data: list[NDArray[np.float64]]
) -> list[Constraints]:
    given = check_constraints([None] * len(data) if constraints is None else as_list(constraints, "constraints"))
    if len(given) != len(data):
        raise InvalidInputError(f"constraints has {len(given)} entries for {len(data)} views; give one (or None) each.")
    for number, (c, X) in enumerate(zip(given, data, strict=True)):
        if c._largest_row() >= len(X):
            raise InvalidInputError(
                f"constraints[{number}] names row {c._largest_row()}, but view {number} has rows 0 … {len(X) - 1}."
            )
    return given
