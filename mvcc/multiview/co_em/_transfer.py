"""What one view tells the others: the four methods that the paper compares (§5.1, §6.2)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from mvcc._utils.arrays import Floats, Ints
from mvcc.constraints import Constraints
from mvcc.exceptions import InvalidInputError
from mvcc.propagation import origins, propagate_constraints


@dataclass(frozen=True)
class ViewState:
    """One view after an M-step, as a transfer method sees it.

    Attributes
    ----------
    number : int
        Which view this is, and ``n_views`` of how many.
    X : (n, d) array
        The instances X^V.
    constraints : Constraints
        The given constraints C^V, closed as asked for.
    mapped : (m,) array
        Rows of X̂^V, which have a counterpart in another view; all rows where there is only one
        view (§6.4).
    clusterer : estimator
        The fitted clustering: ``labels_`` and, where metrics are learned, ``metrics_``.
    """

    number: int
    n_views: int
    X: Floats
    constraints: Constraints
    mapped: Ints
    clusterer: Any


class Cause(NamedTuple):
    """Why a constraint was inferred.

    Attributes
    ----------
    rows : (int, int)
        The rows of the given constraint that it comes from, or else its own.
    weight : float or None
        The weight of that given constraint; None where it comes from none.
    words : str
        What to say of its rows if it comes from no constraint.
    """

    rows: tuple[int, int]
    weight: float | None
    words: str = ""


class TransferMethod(BaseEstimator, ABC):
    """Base class: a method says which constraints P^V between mapped instances a view passes on.

    Attributes
    ----------
    uses_relations : bool, default=True
        Of the class; False has every view closed by itself, and of several views no row mapped.

    See Also
    --------
    ConstraintPropagation, DirectMapping, ClusterMembership, SingleView : Its subclasses.

    Examples
    --------
    Row 0 has no match, and row 1 is near it:

    >>> from mvcc import ClusterMembership, ConstraintPropagation, Constraints
    >>> from mvcc import DirectMapping, MultiViewConstrainedClustering, PCKMeans
    >>> views = [[[0.0], [0.2], [2.0], [9.0], [10.0], [11.0]]] * 2
    >>> given = [Constraints([(0, 3)], [False]), None]
    >>> matches = {(0, 1): [(1, 1), (2, 2), (3, 3)]}
    >>> methods = ConstraintPropagation(0.5), DirectMapping(), ClusterMembership()
    >>> for transfer in methods:
    ...     model = MultiViewConstrainedClustering(PCKMeans(2), transfer)
    ...     model = model.fit(views, constraints=given, mappings=matches)
    ...     print([(i, j, kind) for i, j, kind, _ in model.propagated_[0].rows()])
    [(1, 3, False)]
    []
    [(1, 2, True), (1, 3, False), (2, 3, False)]
    """

    uses_relations = True

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # what explains another way to infer does not fit
        if "infer" in vars(cls) and "explain" not in vars(cls):
            cls.explain = TransferMethod.explain  # type: ignore[method-assign]

    @abstractmethod
    def infer(self, view: ViewState) -> Constraints:
        """Return what a view passes on (step 11 of Algorithm 2).

        Called after every M-step of the view.

        Parameters
        ----------
        view : ViewState
            The view, just clustered. It must not be changed.

        Returns
        -------
        Constraints
            P^V, constraints between rows of ``view.mapped``. Others are an InvalidInputError of
            ``fit``.
        """

    def explain(self, view: ViewState, inferred: Constraints) -> Iterator[Cause]:
        """Give the cause of every constraint that ``infer`` returned for the view, in its order,
        for the report.

        Parameters
        ----------
        view : ViewState
            The view, as ``infer`` was given it.
        inferred : Constraints
            What ``infer`` returned.

        Yields
        ------
        Cause
            By default, the rows of the inferred constraint itself and no weight.
        """
        for i, j in inferred.pairs.tolist():
            yield Cause((i, j), None)


class ConstraintPropagation(TransferMethod):
    """Propagate every given constraint to nearby pairs of mapped instances, the paper's method
    (§5.1).

    Parameters
    ----------
    threshold : float, sequence of float, or "cv", default=0.75
        t_V in (0, 1], one for all views or one for each: lightest weight of a propagated
        constraint. With "cv" ``MultiViewConstrainedClustering`` chooses one for all views by
        cross-validation over the constrained instances (§6.3), at the price of some 70 short fits.
    regularization : float, default=1e-6
        γ of Eq. 4, in squared units of the views: features should have a scale near 1.

    See Also
    --------
    propagate_constraints : Its E-step.
    DirectMapping : Transfers given constraints only.
    TransferMethod : An example.
    """

    def __init__(
        self, threshold: float | Sequence[float] | str = 0.75, regularization: float = 1e-6
    ) -> None:
        self.threshold = threshold
        self.regularization = regularization

    @property
    def is_cross_validated(self) -> bool:
        """Whether the threshold is still to be chosen."""
        return isinstance(self.threshold, str) and self.threshold == "cv"

    def infer(self, view: ViewState) -> Constraints:
        """Return the propagated constraints P^V (step 11 of Algorithm 2)."""
        return propagate_constraints(
            view.X,
            view.clusterer.labels_,
            view.constraints,
            self._threshold_of(view),
            candidates=view.mapped,
            metrics=getattr(view.clusterer, "metrics_", None),
            regularization=self.regularization,
        )

    def explain(self, view: ViewState, inferred: Constraints) -> Iterator[Cause]:
        """Give the constraint that gave each its weight (Eq. 10)."""
        positions, rows = origins(
            view.X,
            view.clusterer.labels_,
            view.constraints,
            inferred,
            metrics=getattr(view.clusterer, "metrics_", None),
            regularization=self.regularization,
        )
        weights = view.constraints.weights[positions].tolist()
        for (i, j), weight in zip(rows.tolist(), weights, strict=True):
            yield Cause((i, j), weight)

    def _threshold_of(self, view: ViewState) -> Any:
        thresholds = np.atleast_1d(np.asarray(self.threshold, dtype=object)).tolist()
        if len(thresholds) not in (1, view.n_views):
            raise InvalidInputError(
                f"threshold has {len(thresholds)} values; one for all views or one for each of the"
                f" {view.n_views} is allowed."
            )
        return thresholds[view.number % len(thresholds)]


class DirectMapping(TransferMethod):
    """Pass on only the constraints that already lie between mapped instances (§6.2).

    See Also
    --------
    ConstraintPropagation : Infers constraints, too.
    TransferMethod : An example.
    """

    def infer(self, view: ViewState) -> Constraints:
        """Return the given constraints with both ends in X̂^V, of repeated ones the heaviest."""
        inside = np.isin(view.constraints.pairs, view.mapped)
        passed = view.constraints.select(inside[:, 0] & inside[:, 1])
        repeated = (passed.pairs[1:] == passed.pairs[:-1]).all(axis=1)
        return passed.max_union(passed) if repeated.any() else passed

    def explain(self, view: ViewState, inferred: Constraints) -> Iterator[Cause]:
        """Give each as the given constraint that it is."""
        for i, j, _, weight in inferred.rows():
            yield Cause((i, j), weight)


class ClusterMembership(TransferMethod):
    """Pass on whether each two mapped instances share a cluster, with weight 1 (§6.2).

    See Also
    --------
    DirectMapping : Transfers given constraints instead of clusters.
    TransferMethod : An example.
    """

    def infer(self, view: ViewState) -> Constraints:
        """Return a must-link or cannot-link for each pair of X̂^V."""
        first, second = np.triu_indices(len(view.mapped), 1)
        labels = view.clusterer.labels_[view.mapped]
        pairs = np.column_stack((view.mapped[first], view.mapped[second]))
        return Constraints.from_sorted(pairs, labels[first] == labels[second], np.ones(len(pairs)))

    def explain(self, view: ViewState, inferred: Constraints) -> Iterator[Cause]:
        """Say of each which clusters its rows are in."""
        for i, j, must_link, _ in inferred.rows():
            where = "the same cluster" if must_link else "different clusters"
            yield Cause((i, j), None, f"are in {where}")


class SingleView(TransferMethod):
    """Pass on nothing: every view is clustered and closed by itself (§6.2)."""

    uses_relations = False

    def infer(self, view: ViewState) -> Constraints:
        """Return no constraints."""
        return Constraints.empty()
