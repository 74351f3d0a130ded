"""Spectral features of several views together, as a transformer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.validation import check_is_fitted

from mvcc._utils.arrays import Floats
from mvcc._utils.contexts import one_thread
from mvcc._utils.messages import shown
from mvcc._utils.validation import RandomState, as_generator, check_choice, check_count
from mvcc.embedding._across_views import connected_views
from mvcc.embedding._any_graph import any_graph, refuse_components, refuse_more_than_objects
from mvcc.embedding._auto_features import Rule, fitted_features
from mvcc.embedding._components import embedded, unit_rows
from mvcc.embedding._neighbors import NeighborSearch, nearness
from mvcc.exceptions import InvalidInputError
from mvcc.views import ConstrainedViews, FittedViews, GivenViews, NamesOfView

_NEAREST = 10  # fitted rows that place a new one


class JointSpectralFeatures(  # type: ignore[call-arg]
    FittedViews, TransformerMixin, BaseEstimator, auto_wrap_output_keys=None
):
    """Spectral features of several views in one space, also where few of their rows are matched.

    Matched rows are one object. Each view has a graph of nearest neighbors with local scales [1]_,
    whose edges are weaker where other views put their ends apart, as far as the views agree; the
    graphs are added up over objects. Objects that are seen in several views are landmarks: rows of
    any view that are near the same landmarks, in its raw or its spectral features, are near each
    other. The features are the leading eigenvectors of the normalized graph, each times the square
    of its eigenvalue, and every row is scaled to length 1.

    The columns of each view become features by one rule for all tables (``AutoFeatures``): counts
    of words, histograms and columns in different units each get what suits them, and sparse
    matrices of more than 100 columns are never made dense.

    Parameters
    ----------
    n_components : int, default=None
        Number of features; None is twice ``n_view_components``, but at most a third of the objects.
        Connected views of 15,000 objects or more have no more than anchors; see
        ``JointGraphClustering``.
    n_neighbors : int, default=10
        Neighbors of a row in the graph of its view, at most; 5 or more where the smallest of
        connected views has no more than 20 rows for each of ``n_view_components``. Without effect
        by anchors.
    n_view_components : int, default=10
        Eigenvectors of each view that landmarks are also sought by, such as the number of clusters
        expected.
    features : {"auto", "counts", "histograms", "scaled", "none"}, default="auto"
        The rule of ``AutoFeatures`` by which the columns of a view become features; "none" takes
        them as they are. Views that need different ones go through ``PerView`` before, and "none"
        here.
    random_state : int, numpy Generator, RandomState or None, default=None
        Draws 2,000 landmarks where there are more; by anchors these, and 1,000 landmarks.

    Attributes
    ----------
    features_made_ : list of str
        How the columns of every view were used, and why.
    view_names_ : list of str or None
        The names of the views; None where they are a list.
    n_features_in_ : list of int
        Number of features of every view.
    feature_names_in_ : list of (ndarray of str, or None)
        Names of the features of the views that were DataFrames with texts as column names.

    See Also
    --------
    JointGraphClustering : Clusters rows in this space.
    SpectralFeatures : The same for one view.

    Notes
    -----
    Sets of views that less than three matches connect have a space each. The search of neighbors,
    which is exact, takes most of the time where rows are many; connected views of 15,000 objects or
    more are tied to anchors instead. The transformer holds the rows of ``fit`` in any case.

    References
    ----------
    .. [1] L. Zelnik-Manor and P. Perona, "Self-Tuning Spectral Clustering", NeurIPS 2004.

    Examples
    --------
    >>> from mvcc import JointSpectralFeatures
    >>> texts = [[0.0], [0.2], [0.3], [5.0], [5.1], [5.3]]
    >>> images = [[8.0], [8.1], [8.3], [1.0], [1.1], [1.2]]
    >>> matches = {(0, 1): [(0, 0), (1, 1), (3, 3), (4, 4)]}
    >>> joint = JointSpectralFeatures(2, n_neighbors=2, n_view_components=2)
    >>> first, second = joint.fit_transform([texts, images], mappings=matches)
    >>> (first[[2, 5]] @ second[[2, 5]].T).round(1).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    _takes_sparse = True

    def __init__(
        self,
        n_components: int | None = None,
        *,
        n_neighbors: int = 10,
        n_view_components: int = 10,
        features: Rule = "auto",
        random_state: RandomState = None,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.n_view_components = n_view_components
        self.features = features
        self.random_state = random_state

    def fit(
        self,
        views: Sequence[Any] | Mapping[str, Any] | ConstrainedViews,
        y: None = None,
        *,
        mappings: Mapping[Any, Any] | None = None,
    ) -> Self:
        """Find the features of all views.

        Parameters
        ----------
        views, y, mappings
            As for ``fit_transform``, with the same errors.

        Returns
        -------
        self
        """
        self.fit_transform(views, y, mappings=mappings)
        return self

    def fit_transform(
        self,
        views: Sequence[Any] | Mapping[str, Any] | ConstrainedViews,
        y: None = None,
        *,
        mappings: Mapping[Any, Any] | None = None,
    ) -> Any:
        """Find the features of all views and return them.

        Parameters
        ----------
        views : list or dict of arrays, DataFrames or sparse matrices, or ConstrainedViews
            Instances of every view; the keys of a dict are the names of the views.
            ``ConstrainedViews`` bring their mappings along; their constraints are passed on.
        y : None
            Not used, there for scikit-learn.
        mappings : dict {(u, v): relations}, default=None
            Rows of view u and of view v that are the same object, as
            ``MultiViewConstrainedClustering.fit`` takes them.

        Returns
        -------
        list or dict of (n_v, n_components) arrays, or ConstrainedViews
            As views are; DataFrames where views are, and as ``set_output`` says.

        Raises
        ------
        InvalidInputError
            For views or mappings that do not fit together, features that a view cannot have, or
            more components than objects or anchors.
        """
        if y is not None:
            raise InvalidInputError(
                f"y must be None, got {shown(y)}; give matches as mappings={{(0, 1): rows}}."
            )
        if isinstance(views, ConstrainedViews):
            if mappings is not None:
                raise InvalidInputError(
                    "ConstrainedViews have mappings of their own; give no others."
                )
            return replace(views, views=self.fit_transform(views.views, mappings=views.mappings))
        given = GivenViews.of(views)
        tables, relations = given.arrays(sparse=True), given.relations(mappings)
        n_view_components = check_count(self.n_view_components, "n_view_components")
        n_neighbors = check_count(self.n_neighbors, "n_neighbors")
        n_components = self.n_components
        if n_components is not None:
            n_components = check_count(n_components, "n_components")
        rng = as_generator(self.random_state)
        makers, data = fitted_features(tables, self.features, given.names)
        features: list[Floats] = [np.empty((0, 0))] * len(data)
        with one_thread():
            for connected, inside in connected_views(len(data), relations):
                some = [data[v] for v in connected]
                graph = any_graph(some, inside, n_neighbors, n_view_components, rng)
                wanted = n_components or min(2 * n_view_components, max(graph.n_objects // 3, 1))
                refuse_more_than_objects(
                    "n_components", wanted, graph.n_objects, connected, given.names
                )
                refuse_components(n_components or 1, graph)
                pairs = graph.components(wanted)
                rows = embedded(pairs.values, pairs.vectors[:], wanted)
                for v, objects in zip(connected, graph.objects, strict=True):
                    features[v] = rows[objects].astype(np.float64, copy=False)
        self._features, self._searches = features, [NeighborSearch.among(X) for X in data]
        self._makers, self.features_made_ = makers, [maker.description_ for maker in makers]
        self._remember_features(given, tables)
        outputs = [
            self._like(table, rows.copy())
            for table, rows in zip(given.tables, features, strict=True)
        ]
        return outputs if given.names is None else dict(zip(given.names, outputs, strict=True))

    def transform(self, X: Any, view: int | str = 0) -> Any:
        """Place new rows at the weighted mean of the 10 nearest of ``fit``, scaled to length 1.

        A row that was fitted gets its own features.

        Parameters
        ----------
        X : array-like, DataFrame, sparse matrix, dict, list or ConstrainedViews
            New rows of one view, (n, d_v); or of several, by name or number; or of all, in the
            order of ``fit``.
        view : int or str, default=0
            Number or name of the view; without effect where X is a dict or list of views, or
            ConstrainedViews.

        Returns
        -------
        (n, n_components) array or DataFrame; or dict, list or ConstrainedViews of them
            As X is.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        InvalidInputError
            For a view that is not there, or rows with other features than in ``fit``.
        """
        check_is_fitted(self)
        if isinstance(X, ConstrainedViews):
            return replace(X, views=self.transform(X.views))
        return self._of_views(X, view, self._placed)

    def _placed(self, X: Any, view: int, noun: str) -> Any:
        rows = self._makers[view].transform(self._rows(X, view, noun))
        fitted = self._features[view]
        with one_thread():
            distances, nearest = self._searches[view].nearest_to(rows, min(_NEAREST, len(fitted)))
            placed = unit_rows(np.einsum("ij,ijk->ik", nearness(distances), fitted[nearest]))
        is_known = distances[:, 0] == 0
        placed[is_known] = fitted[nearest[is_known, 0]]
        return self._like(X, placed)

    def set_output(self, *, transform: str | None = None) -> Self:
        """Have all views become DataFrames; by default only those of DataFrames do.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, default=None
            What they become; None changes nothing.

        Returns
        -------
        self
        """
        if transform is not None:
            check_choice(transform, "transform", ("default", "pandas", "polars"))
            self._sklearn_output_config = {"transform": transform}  # which clone copies, too
        return self

    def get_feature_names_out(self, input_features: Any = None) -> list[NDArray[Any]]:
        """Return the names of the features, jointspectralfeatures0, …, of every view.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        list of ndarray of str
        """
        check_is_fitted(self)
        return [_names(rows) for rows in self._features]

    def _like(self, table: Any, rows: Any) -> Any:
        """Return features as what ``set_output`` asks for, or as the rows that they are of."""
        names = _names(rows)
        chosen = getattr(self, "_sklearn_output_config", {"transform": "default"})["transform"]
        output = FunctionTransformer(feature_names_out=lambda *_: names)
        if isinstance(table, pd.DataFrame):
            rows = pd.DataFrame(rows, index=table.index, columns=names)
        return output.set_output(transform=chosen).fit_transform(rows)


def _names(rows: Floats) -> NDArray[Any]:
    names = [f"jointspectralfeatures{n}" for n in range(rows.shape[1])]
    return np.array(names, dtype=object).view(NamesOfView)
