"""Clustering of several views in one graph of their objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from functools import partial
from typing import Any, Literal

from numpy.typing import ArrayLike
from sklearn.pipeline import make_pipeline
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mvcc._utils.arrays import Floats, Ints, LazyRows
from mvcc._utils.contexts import one_thread
from mvcc._utils.validation import RandomState, as_generator, check_choice
from mvcc.constraints import Constraints, Relations, call_rows, refuse_conflicts
from mvcc.embedding import GraphKind, Rule, fitted_features
from mvcc.exceptions import InvalidInputError
from mvcc.multiview._estimator import MultiViewEstimator
from mvcc.multiview.joint._connected_sets import (
    ConnectedSets,
    checked_connected_views,
    checked_weights,
    put_back,
    without,
    without_wrong_matches,
)
from mvcc.multiview.joint._constrained_objects import violated
from mvcc.multiview.joint._joint_set import Settings
from mvcc.multiview.joint._new_rows import Probabilities
from mvcc.multiview.matches._suspicious import contradicted_matches
from mvcc.views import GivenViews, ViewConstraints

_OF_THE_GRAPH = {"_sets", "_given_views", "_counted_in_fit", "_clusters"}  # is not stored


class _NoGraphError(InvalidInputError, AttributeError):
    """What a copy cannot tell: for `hasattr`, and who shows an estimator, it is absent."""


def _has_probabilities(model: JointGraphClustering) -> bool:
    """Tell that a model has them or can make them, as it will before ``fit``, or say why not."""
    if getattr(model, "_confidence", ()) is None:
        model._refuse_without_graph(" Look at probabilities_ before a model is stored: they stay.")
    return True


class JointGraphClustering(MultiViewEstimator):
    """Cluster several views in one graph of their objects, which needs neither all rows matched nor
    constraints.

    Matched rows are one object, and a constraint between rows is one between objects, which counts
    in all views at once. The objects are embedded as by ``JointSpectralFeatures``, but for few
    matches (see Notes); constraints learn a ridge metric (``PairMetric``) in that space and the raw
    columns if leave-one-out finds one that helps. PCK-Means [1]_ then minimizes Eq. 1 over the
    objects from several starts. Finally, the clusters of constrained objects, and with a tenth of
    the weight those of all, are spread over the graph of squared affinities [2]_, together with
    what the columns of each view predict, and what was found once more.

    The columns of each view become features by one rule for all tables (``AutoFeatures``): counts
    of words, histograms and columns in different units each get what suits them, and sparse
    matrices of more than 100 columns are never made dense.

    Parameters
    ----------
    n_clusters : int, default=8
        k, the number of clusters.
    n_neighbors : int, default=10
        Neighbors of a row in the graph of its view, at most; 5 or more where the smallest of
        connected views has no more than 20 rows for each cluster. Without effect by anchors.
    n_components : int, default=None
        Dimensions of the embedding; None is 2 k, or those before the eigengap of clear groups, and
        4 k with a metric, but at most a third of the objects, or k if that is more. By anchors, no
        more than there are.
    n_init : int, default=10
        Starts of PCK-Means; fewer by anchors, where three end in the lowest objective.
    constraint_weight : float, default=0.5
        What a violated pair of weight 1 costs, in squared distances between rows of length 1.
        People err, and so a pair may be violated.
    view_weights : array-like of shape (V,), default=None
        How much each view counts where an object is seen in several, such as 0 for one that is
        known to be noise; rows that no other view sees are clustered all the same. None is all
        alike.
    features : {"auto", "counts", "histograms", "scaled", "none"}, default="auto"
        The rule of ``AutoFeatures`` by which the columns of a view become features; "none" takes
        them as they are. Views that need different ones go through ``PerView`` before, and "none"
        here.
    graph : {"auto", "exact", "anchors"}, default="auto"
        Whether rows are linked to their nearest rows, which is exact, or tied to a few hundred
        anchors of their view, which takes a time in proportion to their number. "auto" is by
        anchors where connected views have 15,000 objects or more.
    on_conflict : {"error", "drop"}, default="error"
        What happens when constraints and matches contradict each other. "drop" clusters with all of
        them; the pairs that the clusters violate in the end, ``violated_``, are those that were
        dropped. Matches hold, but for those that are left out (``dropped_matches_``).
    random_state : int, numpy Generator, RandomState or None, default=None
        Draws starts, and 2,000 landmarks where there are more; by anchors these, 1,000 landmarks,
        and the objects that Eq. 1 is minimized over.

    Attributes
    ----------
    features_made_ : list of str
        How the columns of every view were used, and why.
    labels_ : list of ndarray of shape (n_v,)
        Cluster of every row, per view, with one numbering for all views that three or more matches
        connect.
    objective_ : float
        Eq. 1 before spreading; summed over sets of views that are not connected.
    violated_ : list of Constraints
        The constraints that ``labels_`` violate, per view, without those of weight 0. If there are
        too many closed constraints to list, those that hold the neighborhoods together.
    connected_views_ : list of list of int
        The sets of views that matches connect. Clusters of different sets have nothing to do with
        each other.
    n_objects_ : int
        Matched rows are one object.
    n_anchors_ : list of int
        Anchors of every view; 0 where the graph is exact.
    eigen_residual_ : float
        The largest length of S v − μ v of the eigenvectors v that objects are embedded by; S is the
        normalized graph, whose largest eigenvalue μ is 1, or by anchors a smaller matrix with its
        eigenvalues. With up to 600 objects they are exact; 0 where raw columns are clustered.
    probabilities_ : list of ndarray, or of sparse array, of shape (n_v, k)
        How likely every row is in each cluster; the largest is that of its label, and rows sum
        to 1. With more than 50 clusters the ten largest are kept in sparse arrays. Made when it
        is first looked at, and stored with a model only once it was.
    view_agreement_ : ndarray of shape (V, V)
        How much every two views show the same groups: the mean cosine, in the leading eigenvectors
        of one view, of objects that are neighbors in the other, beyond that of random pairs; 1 at
        most, and the geometric mean of both directions. NaN where two views have fewer than 20
        objects in common, or in the exact graph fewer than ten edges among them.
    suspicions_ : dict {(u, v): ndarray of shape (r,)}, u < v
        How likely each match is wrong, in ascending order of the distinct matches; NaN where that
        cannot be told, and 1 where other matches contradict it; see ``suspicious_matches``.
    dropped_matches_ : dict {(u, v): ndarray of shape (s, 2)}, u < v
        The matches that were left out since they seem to be wrong; views and rows by number.
    embedding_ : list of ndarray of shape (n_v, n_dimensions)
        The rows of every view in the space where they were clustered; by anchors not stored with a
        model.
    view_names_ : list of str or None
        The names of the views; None where they were a list.
    n_features_in_ : list of int
        Number of features of every view.
    feature_names_in_ : list of (ndarray of str, or None)
        Names of the features of the views that were DataFrames with texts as column names.

    See Also
    --------
    MultiViewConstrainedClustering : The paper's method.
    cluster_views : The same from DataFrames, with a report.
    Questions : Which constraints to ask a person for.

    Notes
    -----
    An edge of one view's graph is the weaker the farther apart its ends are in the other views that
    see both, and each of these counts as much as it agrees with that view. Views that hardly agree
    leave each other alone.

    If landmarks are fewer than ten for each cluster, the clusters of each view stand in for
    them, numbered alike by an assignment of what landmarks are near, with the share
    (1 − m / 10 k) κ of m landmarks whose numbers agree beyond chance by Cohen's κ.

    For spreading, 20 or more objects seen in all views also have edges by their columns side by
    side, with twice their share of all objects as weight, and every cluster is given the fourth
    root of its size. A metric is left out if k-means violates no constraint without it, or if its
    clusters, by the nearest center, violate twice the weight or more: it may halve a cluster far
    larger than the others.

    Matches of three views or more can contradict each other. Those that more views contradict than
    confirm are left out: a few wrong ones would chain many objects into one.

    With 100 or more matches between two views, those whose suspicion is above .4 are left out, and
    the views are clustered again, if the share π that seems wrong is .5 or less, the agreement of
    the views over 1 − π, 1 at most, is .35 or more, and π times this is .03 or more.

    Sets of views that fewer than three matches connect are clustered separately, and their cluster
    numbers are unrelated. Constraints that form groups, all of them apart from each other, are
    taken as groups: each with five members or more gets a cluster of its own. The 10 nearest fitted
    rows of its view vote on the cluster of a new row, the nearer with more weight, and a fitted row
    keeps its own; so the model holds the rows of ``fit``. By anchors, a new row takes the way of
    those of ``fit``, and the model holds none of them, unless so few rows differ that raw columns
    are clustered.

    By anchors, every row is tied to the three nearest of √n, 25 k or 500 anchors of its view,
    whichever is most, though at most a quarter of its rows, and 4,000 / (V + 1) of V views or 100
    [3]_. K-means finds them in a sample. Eq. 1 is minimized over the objects with constraints and
    up to 5,000 others that stand for all, and ``objective_`` is an estimate. Clusters are spread
    once, and affinities are not squared.

    Probabilities are the shares p of clusters in what is first spread, as p⁴, by anchors p², with
    rows to sum 1; in the exact graph without constraints, exp(−4 d²) with d the distance to a
    center. With 20 constraints or more, they choose the power: they are held out in four parts, the
    objects are clustered by the others, and Σ_c p_ic p_jc should tell which of those held out
    belong together (after [4]_). If another share is larger than that of the label, both change
    places. Constrained objects are no surer than what is spread to them.

    Constraints need not be closed, and one of weight 0 counts for nothing. Eq. 1 takes the closure
    of dense ones: at least eight, as pairs of objects, follow from the others, none contradicts
    them, none weighs less than 1, and at most a million pairs follow. Such pairs bear each other
    out; in the closure of sparse ones, wrong pairs would multiply unnoticed. Metric, groups and
    spreading take the pairs as given.

    References
    ----------
    .. [1] S. Basu, A. Banerjee and R. J. Mooney, "Active Semi-Supervision for Pairwise Constrained
       Clustering", SDM 2004.
    .. [2] D. Zhou et al., "Learning with Local and Global Consistency", NeurIPS 2003.
    .. [3] X. Chen and D. Cai, "Large Scale Spectral Clustering with Landmark-Based Representation",
       AAAI 2011.
    .. [4] C. Guo et al., "On Calibration of Modern Neural Networks", ICML 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from mvcc import Constraints, JointGraphClustering
    >>> texts = np.array([[0.0], [0.2], [0.3], [5.0], [5.1], [5.3]])
    >>> images = np.array([[8.0], [8.1], [8.3], [1.0], [1.1], [1.2]])
    >>> model = JointGraphClustering(2, random_state=0)
    >>> matches = [(0, 0), (1, 1), (3, 3), (4, 4)]
    >>> model = model.fit([texts, images], mappings={(0, 1): matches})
    >>> [(labels == model.labels_[0][0]).tolist() for labels in model.labels_]
    [[True, True, True, False, False, False], [True, True, True, False, False, False]]
    >>> bool(model.predict([[8.2]], view=1)[0] == model.labels_[0][0])
    True
    """

    _takes_sparse = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_neighbors: int = 10,
        n_components: int | None = None,
        n_init: int = 10,
        constraint_weight: float = 0.5,
        view_weights: ArrayLike | None = None,
        features: Rule = "auto",
        graph: GraphKind = "auto",
        on_conflict: Literal["error", "drop"] = "error",
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.n_init = n_init
        self.constraint_weight = constraint_weight
        self.view_weights = view_weights
        self.features = features
        self.graph = graph
        self.on_conflict = on_conflict
        self.random_state = random_state

    def _fit(
        self,
        given_views: GivenViews,
        data: list[Any],
        constraints: list[Constraints],
        relations: Relations,
    ) -> None:
        settings = Settings.of(self)
        check_choice(self.on_conflict, "on_conflict", ("error", "drop"))
        weights = checked_weights(self.view_weights, len(data))
        rng = as_generator(self.random_state)
        names = given_views.names
        counted = [c.of_some_weight() for c in constraints]
        if self.on_conflict == "error":
            refuse_conflicts(counted, relations, call_rows(names))
        makers, data = fitted_features(data, self.features, names)
        contradicted = contradicted_matches([len(X) for X in data], relations)
        confirmed = without(contradicted, relations)
        connected = checked_connected_views(data, confirmed, settings, names)
        for name in self._of_the_graph():  # two graphs would take twice the memory
            self.__dict__.pop(name, None)
        # BLAS, LAPACK and the search of neighbors sum in another order on more threads
        with one_thread():
            make = partial(ConnectedSets, data, settings=settings, weights=weights, rng=rng)
            sets, suspicions, dropped, labels, clusters = without_wrong_matches(
                make, connected, confirmed, counted, rng
            )
            predictors = sets.predictors(clusters)
        broken = [violated(*pair) for pair in zip(counted, labels, strict=True)]
        # only now, so that a fit that is stopped leaves no mixture of two
        self.labels_, self.objective_ = labels, sum((of_set.objective for of_set in clusters), 0.0)
        self._sets, self._predictors, self.violated_ = sets, predictors, broken
        self._embedded = sets.by_view(
            [(of_set.rows, objects) for objects in joint_set.objects]
            for joint_set, of_set in zip(sets, clusters, strict=True)
        )
        self._given_views, self._counted_in_fit, self._clusters = given_views, counted, clusters
        self._confidence: list[tuple[Probabilities, float]] | None = None
        self.connected_views_ = [joint_set.numbers for joint_set in sets]
        self.n_anchors_ = sets.by_view(joint_set.n_anchors for joint_set in sets)
        self.n_objects_ = sum(joint_set.n_objects for joint_set in sets)
        self.view_agreement_ = sets.agreement()
        self.eigen_residual_ = max(of_set.residual for of_set in clusters)
        self.suspicions_ = {
            key: put_back(doubt, contradicted[key]) for key, doubt in suspicions.items()
        }
        self.dropped_matches_ = {
            key: relations[key][put_back(wrong, contradicted[key])]
            for key, wrong in dropped.items()
        }
        self._makers, self.features_made_ = makers, [maker.description_ for maker in makers]

    @property
    def embedding_(self) -> list[Floats]:
        """The rows of every view in the space where they were clustered, made anew each time."""
        check_is_fitted(self)
        if not hasattr(self, "_embedded"):
            self._refuse_without_graph()
        return [self._embedded_rows(view)[:] for view in range(len(self._embedded))]

    def _embedded_rows(self, view: int) -> Floats | LazyRows:
        """Return the rows of a view in that space; many rows only once they are looked at."""
        rows, objects = self._embedded[view]
        if isinstance(rows, LazyRows):
            return LazyRows(len(objects), lambda some: rows[objects[some]])
        return rows[objects]

    @property
    def probabilities_(self) -> list[Probabilities]:
        """How likely every row is in each cluster; see the attributes of the class."""
        check_is_fitted(self)
        if self._confidence is None:
            _has_probabilities(self)
            with one_thread():
                counted, clusters = self._counted_in_fit, self._clusters
                self._confidence = self._sets.probabilities(counted, clusters)
        return [of_rows for of_rows, _ in self._confidence]

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any, view: int | str = 0) -> Any:
        """Return how likely new rows are in each cluster.

        As the nearest fitted rows, the nearer more.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, d_v); or dict, list of views, or ConstrainedViews
            New rows of one view or several, as for ``predict``.
        view : int or str, default=0
            Number or name of the view, as for ``predict``.

        Returns
        -------
        ndarray or sparse array of shape (n, k), or dict or list of these
            As ``probabilities_``; the largest of a row is that of what ``predict`` returns.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        InvalidInputError
            As ``predict``.
        AttributeError
            For a model that was stored before ``probabilities_`` were made.
        """
        check_is_fitted(self)
        return self._of_views(X, view, self._probabilities_of)

    def labels_by(
        self,
        constraints: Sequence[ViewConstraints] | Mapping[Any, ViewConstraints] | None,
        *,
        random_state: RandomState = None,
    ) -> list[Ints]:
        """Cluster the rows of ``fit`` once more, by other constraints.

        Graph and embedding are those of ``fit``.

        Parameters
        ----------
        constraints : list of one entry per view, or dict {view: entry}, or None
            Constraints, as for ``fit``. Contradictions are no error here.
        random_state : int, numpy Generator, RandomState or None, default=None
            Draws starts, and by anchors the objects that Eq. 1 is minimized over.

        Returns
        -------
        list of ndarray of shape (n_v,)
            The cluster of every row, per view.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        InvalidInputError
            For constraints that do not fit the views, or a model that was loaded or copied: it has
            no graph.
        """
        counted = self._counted(constraints)
        with one_thread():
            return self._sets.clustered(counted, as_generator(random_state))[0]

    def nearest_constrained(
        self, constraints: Sequence[ViewConstraints] | Mapping[Any, ViewConstraints] | None
    ) -> list[Ints]:
        """Return, for every row, the nearest constrained row of its cluster in the graph.

        The length of a path is −log of the product of its affinities, squared if the graph is
        exact: how much of an answer spreads along it.

        Parameters
        ----------
        constraints : list of one entry per view, or dict {view: entry}, or None
            The constraints of ``fit``.

        Returns
        -------
        list of ndarray of shape (n_v, 3)
            View and row, −1 where no path leads to one; and 1 where it is the same object, by
            matches, else 0.

        Raises
        ------
        sklearn.exceptions.NotFittedError, InvalidInputError
            As ``labels_by``.
        """
        counted = self._counted(constraints)
        return self._sets.nearest_constrained(counted, self.labels_)

    def _counted(self, constraints: Any) -> list[Constraints]:
        """Return checked constraints for the views of ``fit``, without those of weight 0."""
        check_is_fitted(self)
        self._refuse_without_graph()
        return [c.of_some_weight() for c in self._given_views.constraints(constraints)]

    def _refuse_without_graph(self, remedy: str = "") -> None:
        if not hasattr(self, "_sets"):
            cause = "This model was loaded or copied, or a later fit was stopped, and has no graph;"
            raise _NoGraphError(f"{cause} fit it again.{remedy}")

    def _get_fitted_attr_html(self, doc_link: str = "") -> Any:
        """Show what is there: scikit-learn looks at all attributes, and a copy makes none."""
        return super(JointGraphClustering, copy(self))._get_fitted_attr_html(doc_link)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the graphs: only the object that was fitted clusters by other constraints."""
        state, left_out = super().__getstate__(), self._of_the_graph()
        return {name: value for name, value in state.items() if name not in left_out}

    def _of_the_graph(self) -> set[str]:
        """Return the names of attributes that hold the graph, or are made from it."""
        names = set(_OF_THE_GRAPH)
        if any(isinstance(rows, LazyRows) for rows, _ in vars(self).get("_embedded", [])):
            names.add("_embedded")
        return names

    def _probabilities_of(self, X: Any, view: int, noun: str) -> Probabilities:
        rows = self._rows(X, view, noun)
        _ = self.probabilities_  # which are made when they are first needed
        assert self._confidence is not None
        features = self._makers[view].transform(rows)
        return self._predictors[view].probabilities(features, *self._confidence[view])

    def _predictor(self, view: int) -> Any:
        maker, nearest = self._makers[view], self._predictors[view]
        return nearest if maker.rule_ == "none" else make_pipeline(maker, nearest)
