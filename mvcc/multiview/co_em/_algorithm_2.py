"""Algorithm 2: multi-view constrained clustering by co-EM over the views (§5)."""

from __future__ import annotations

import warnings
from inspect import signature
from typing import Any, Literal, Self

from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from mvcc._utils.arrays import Floats
from mvcc._utils.messages import called, shown
from mvcc._utils.validation import RandomState, as_generator, check_count, check_number
from mvcc.constraints import Constraints, Relations
from mvcc.exceptions import InvalidInputError, PropagationWarning
from mvcc.multiview._estimator import MultiViewEstimator
from mvcc.multiview.co_em._loop import CoEM, ViewRecord, choose_threshold, period_of
from mvcc.multiview.co_em._transfer import ConstraintPropagation, TransferMethod
from mvcc.propagation import LARGEST_DISAGREEMENT, SMALLEST_DIVERGENCE, Diagnosis, diagnose
from mvcc.views import GivenViews


class MultiViewConstrainedClustering(MultiViewEstimator):
    """Cluster several views together, which are only partly mapped to each other (Algorithm 2, §5).

    It is co-EM with propagated constraints [1]_.

    Parameters
    ----------
    base : estimator
        Clusters one view: ``PCKMeans`` or ``MPCKMeans``, or another with ``fit(X,
        constraints=...)``, ``labels_`` and ``objective_``. It is cloned for each view, with one
        fixed seed per view if it has a ``random_state``.
    transfer : TransferMethod, default=None
        What views tell each other; None is ``ConstraintPropagation()``. In a single view (§6.4),
        X̂ = X, and its propagated constraints join its given ones.
    closure : {"full", "view", "none"}, default="full"
        Close constraints and relations over all views (Algorithm 2, steps 1–2), only the
        constraints inside each view, or take both as given.
    max_iter : int, default=20
        Limit of co-EM iterations.
    tol : float, default=1e-6
        Converged when no view's objective changes by more than this (ε of §5).
    random_state : int, numpy Generator, RandomState or None, default=None
        Seeds the clustering of the views, and draws the folds of a cross-validated threshold.

    Attributes
    ----------
    labels_ : list of ndarray of shape (n_v,)
        Cluster of every row, per view. Views number their clusters by themselves;
        ``match_clusters`` gives related clusters the same number.
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
    constraints_ : list of Constraints
        The given constraints of every view, closed as ``closure`` says.
    mappings_ : dict {(u, v): (r, 2) array}
        The mappings that the transfer method uses, likewise with what follows from them.
    mapping_weights_ : dict {(u, v): (r,) array}
        The weight that a constraint keeps at most on the way over each of the mappings: that of the
        weakest must-link which it follows from, infinite where it follows from none. Empty where
        all constraints weigh 1, or ``closure`` is not "full".
    transfer_ : TransferMethod
        The transfer method that was used; its ``threshold`` is the one chosen where ``"cv"`` was
        asked for.
    diagnostics_ : list of Diagnosis
        Per view the two indicators of §6.4 for data that are unfit for Constraint Propagation; a
        ``PropagationWarning`` names the views where that was used all the same.
    view_names_ : list of str or None
        The names of the views; None where they were a list.
    n_features_in_ : list of int
        Number of features of every view.
    feature_names_in_ : list of (ndarray of str, or None)
        Names of the features of the views that were DataFrames with texts as column names.

    See Also
    --------
    JointGraphClustering : All views at once, in one graph; usually better.
    ConstraintPropagation : The default transfer method.

    References
    ----------
    .. [1] E. Eaton, M. desJardins and S. Jacob, "Multi-View Constrained Clustering with an
       Incomplete Mapping Between Views", Knowledge and Information Systems, 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from mvcc import Constraints, MultiViewConstrainedClustering, PCKMeans
    >>> texts = np.array([[0.0], [0.2], [3.0], [3.2]])
    >>> images = np.array([[5.0], [1.0], [1.1]])
    >>> pairs = Constraints.from_pairs(must_link=[(0, 1)], cannot_link=[(1, 2)])
    >>> model = MultiViewConstrainedClustering(PCKMeans(2), random_state=0)
    >>> matches = {(0, 1): [(0, 0), (2, 1)]}
    >>> model = model.fit(
    ...     [texts, images], constraints=[pairs, None], mappings=matches
    ... )
    >>> [labels.tolist() for labels in model.labels_]
    [[0, 0, 1, 1], [0, 1, 1]]

    Views may have names, rows ids:

    >>> import pandas as pd
    >>> named = {
    ...     "texts": pd.DataFrame(texts, index=list("abcd"), columns=["length"]),
    ...     "images": pd.DataFrame(images, index=list("xyz"), columns=["light"]),
    ... }
    >>> kinds = ["must-link", "cannot-link"]
    >>> by_id = pd.DataFrame({"i": ["a", "b"], "j": ["b", "c"], "kind": kinds})
    >>> matches = pd.DataFrame({"texts": ["a", "c"], "images": ["x", "y"]})
    >>> model = model.fit(
    ...     named,
    ...     constraints={"texts": by_id},
    ...     mappings={("texts", "images"): matches},
    ... )
    >>> model.predict(pd.DataFrame({"light": [4.0, 0.9]}), view="images").tolist()
    [0, 1]
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

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also nested ones such as ``transfer__threshold``, which asks for
        Constraint Propagation.

        Parameters
        ----------
        **params
            Values by name.

        Returns
        -------
        self
        """
        prefix = "transfer__"
        inner = {name: params[name] for name in params if name.startswith(prefix)}
        if inner and params.get("transfer", self.transfer) is None:
            params = {name: params[name] for name in params if name not in inner}
            transfer_params = {name.removeprefix(prefix): value for name, value in inner.items()}
            params["transfer"] = ConstraintPropagation().set_params(**transfer_params)
        super().set_params(**params)
        return self

    def _fit(
        self,
        given_views: GivenViews,
        data: list[Floats],
        constraints: list[Constraints],
        relations: Relations,
    ) -> None:
        names = given_views.names
        if not isinstance(self.transfer, TransferMethod | None):
            raise InvalidInputError(
                "transfer must be an instance of a TransferMethod, such as DirectMapping(), or"
                f" None, got {shown(self.transfer)}."
            )
        transfer = clone(self.transfer or ConstraintPropagation())
        _check_base(self.base)
        max_iter, tol = check_count(self.max_iter, "max_iter"), check_number(self.tol, "tol")
        rng = as_generator(self.random_state)
        seeds = rng.integers(2**31, size=len(data)).tolist()
        co_em = CoEM(data, self.base, seeds, self.closure, max_iter, tol, names)
        if isinstance(transfer, ConstraintPropagation) and transfer.is_cross_validated:
            threshold = choose_threshold(co_em, constraints, relations, transfer, rng)
            transfer.set_params(threshold=threshold)
        outcome = co_em.run(constraints, relations, transfer)
        diagnostics = [
            diagnose(X, clusterer.labels_, getattr(clusterer, "metrics_", None))
            for X, clusterer in zip(data, outcome.clusterers, strict=True)
        ]
        propagated = [record.propagated for record in outcome.history[-1]]
        is_converged = outcome.period == 0
        # before anything is stored, since a filter may turn them into errors
        for message, category in (
            (why_not_converged(is_converged, outcome.history, max_iter), ConvergenceWarning),
            (_unfit(diagnostics, transfer, propagated, names), PropagationWarning),
        ):
            if message:
                warnings.warn(message, category, stacklevel=4)
        self.transfer_, self.diagnostics_ = transfer, diagnostics
        self.clusterers_, self.propagated_ = outcome.clusterers, propagated
        self.labels_ = [clusterer.labels_ for clusterer in outcome.clusterers]
        self.constraints_, self.mappings_ = outcome.constraints, outcome.relations
        self.mapping_weights_, self.history_ = outcome.strengths, outcome.history
        self.n_iter_ = len(outcome.history)
        self.converged_ = is_converged

    def _predictor(self, view: int) -> Any:
        clusterer = self.clusterers_[view]
        if not hasattr(clusterer, "predict"):
            raise InvalidInputError(
                f"{shown(clusterer)} has no predict; choose another base, such as PCKMeans()."
            )
        return clusterer


def why_not_converged(converged: bool, history: list[list[ViewRecord]], max_iter: int) -> str:
    """Say why co-EM has not converged, or nothing if it has."""
    if converged:
        return ""
    period = period_of(history)
    reason = f"repeats itself, period {period}"
    if period is None:
        reason = f"stopped at its limit max_iter={max_iter}"
    return (
        f"co-EM did not converge: it {reason}. The clustering of iteration {len(history)} is"
        " returned; history_ shows the objectives."
    )


def _unfit(
    diagnostics: list[Diagnosis],
    transfer: TransferMethod,
    propagated: list[Constraints],
    names: list[str] | None,
) -> str:
    """Name the views that look unfit for the Constraint Propagation there (§6.4), if any."""
    unfit = [
        f"view {called(view, names)} (disagreement {diagnosis.disagreement:.2g}, divergence"
        f" {diagnosis.divergence:.2g})"
        for view, diagnosis in enumerate(diagnostics)
        if diagnosis.suspicious and len(propagated[view])
    ]
    if not unfit or not isinstance(transfer, ConstraintPropagation):
        return ""
    return (
        f"Constraint Propagation may infer wrong constraints in {', '.join(unfit)}: its clusters"
        f" are hardly globular where the disagreement is above {LARGEST_DISAGREEMENT:g}, and"
        f" overlap where the divergence is below {SMALLEST_DIVERGENCE:g}. Compare with"
        " DirectMapping(), which infers none."
    )


def _check_base(base: Any) -> None:
    usable = not isinstance(base, type) and hasattr(base, "get_params") and hasattr(base, "fit")
    if not usable or not any(
        parameter.name == "constraints" or parameter.kind is parameter.VAR_KEYWORD
        for parameter in signature(base.fit).parameters.values()
    ):
        raise InvalidInputError(
            "base must be an estimator whose fit takes constraints, such as PCKMeans(), got"
            f" {shown(base)}."
        )
