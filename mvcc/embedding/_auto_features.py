"""The features of a table of numbers by one rule: counts, histograms, or scaled columns."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, Literal, Self, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    OneToOneFeatureMixin,
    TransformerMixin,
)
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.extmath import randomized_svd
from sklearn.utils.validation import check_is_fitted

from mvcc._utils.arrays import Floats, quotient
from mvcc._utils.contexts import one_thread
from mvcc._utils.messages import called, percent
from mvcc._utils.validation import check_choice
from mvcc.embedding._components import unit_rows
from mvcc.embedding._scaling import AutoScaler, checked_table, have_length_one
from mvcc.exceptions import InvalidInputError

Rule = Literal["auto", "counts", "histograms", "scaled", "none"]

RULES: tuple[str, ...] = get_args(Rule)
_NOT_NEGATIVE = ("counts", "histograms")
MOST_DIMENSIONS = 100  # of counts, and of wide sparse matrices
_FEWEST_COUNTED = 20  # columns, below which short rows hardly differ by what they hold
_HUBS = 0.05  # the share of rows that may be hubs
_TO_HUBS = 0.4  # of the edges to neighbors, above which lengths of rows rule distances
_NEIGHBORS = 10
_LOOKED_AT = 1_000  # rows
_SUMS = 0.01  # how far apart the sums of histograms may be, in shares of their median
_ITERATIONS = 4  # of the randomized singular value decomposition


class AutoFeatures(
    OneToOneFeatureMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """Make features of a table of numbers by one rule for all tables, which needs no labels.

    1. **Counts** of words, 0/1 tags, amounts: no value is negative, more than half are zero, there
       are 20 columns or more, and more than 40 % of the edges to neighbors end in 5 % of the rows.
       So it is where long rows, with many words, are far from all others: the short ones are then
       everybody's neighbors. A table of more than 100 columns, most values zero, whose rows have
       length 1 is taken for counts, too, with whatever weights it has. Values become log(1 + x) ·
       (log((1 + n) / (1 + n_j)) + 1), with n rows, n_j of them above 0 in the column j, and rows
       are scaled to length 1. More than 100 columns are reduced to 100 singular vectors, and rows
       scaled to length 1 again.
    2. **Histograms**: no value is negative, there are three columns or more, and the sums of the
       rows that are not all zero differ by at most a hundredth of their median, less the least
       value of every column: one of years must not make all sums alike. Values become their square
       roots, so that distances are those of Hellinger.
    3. **Scaled**: everything else, by :class:`AutoScaler`.

    Sparse matrices follow the same rule, but those of more than 100 columns are never made dense:
    histograms are also reduced to 100 singular vectors, and so is what is scaled, each column
    divided by its largest magnitude.

    Parameters
    ----------
    rule : {"auto", "counts", "histograms", "scaled", "none"}, default="auto"
        Which of the three it is, where you know it; with "none" an array stays as it is.

    Attributes
    ----------
    rule_ : {"counts", "histograms", "scaled", "none"}
        Which it is.
    hub_share_ : float or None
        The share of the edges to neighbors that end in 5 % of the rows; None where it was not
        needed.
    description_ : str
        What was made and why, in a few words.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Where the columns of ``fit`` had names.

    See Also
    --------
    AutoScaler : The rule for columns in different units.

    Notes
    -----
    The edges are those to the 10 nearest rows (a twentieth of the rows below 200, where 5 % of them
    can take no more) among at most 1,000 rows at even steps, with every column divided by its
    largest value: as it is, one frequent word would rule the distances of texts. Term frequencies
    by their logarithm and inverse document frequencies as in [1]_, chapter 6; hubs as in [2]_.
    Negative values of new rows count as 0 among counts and in histograms.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan and H. Schütze, *Introduction to Information Retrieval*, 2008.
    .. [2] M. Radovanović, A. Nanopoulos and M. Ivanović, "Hubs in Space", Journal of Machine
       Learning Research, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from mvcc import AutoFeatures
    >>> rng = np.random.default_rng(0)
    >>> colors = rng.multinomial(1000, [0.5, 0.3, 0.2], size=50) / 1000
    >>> features = AutoFeatures().fit(colors)
    >>> features.description_
    'square roots of histograms, since all rows have one sum'
    >>> features.transform([[0.25, 0.75, 0]]).round(3).tolist()
    [[0.5, 0.866, 0.0]]
    """

    def __init__(self, rule: Rule = "auto") -> None:
        self.rule = rule

    def fit(self, X: Any, y: None = None) -> Self:
        """Find the rule of a table, and what it needs to know of the columns.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n, d)
        y : None
            Not used, there for scikit-learn.

        Returns
        -------
        self

        Raises
        ------
        InvalidInputError
            For NaN or infinity; an unknown rule; counts or histograms that were asked for where
            values are negative; "none" for a sparse matrix.
        """
        check_choice(self.rule, "rule", RULES)
        learner = copy(self)  # so that a refused fit leaves the former one as it is
        X = _own(checked_table(learner, X, accept_sparse="csr"))
        with one_thread():
            learner.rule_, why = learner._rule_of(X)
            made = learner._fit(X)
        learner.description_ = ", since ".join(filter(None, (made, why)))
        self.__dict__ = learner.__dict__
        return self

    def transform(self, X: Any) -> Floats:
        """Make features of rows as of those of ``fit``.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n, d)

        Returns
        -------
        ndarray of shape (n, m)
            With m = d, or at most 100 where there were more columns of counts, or of a sparse
            matrix.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before ``fit``.
        InvalidInputError
            For NaN or infinity, or other columns.
        """
        check_is_fitted(self)
        X = _own(checked_table(self, X, accept_sparse="csr", reset=False))
        with one_thread():
            if self._scaler is not None:
                return self._scaler.transform(_dense(X))
            if self.rule_ == "none":
                return _dense(X)
            rows = self._valued(X)
            if self._axes is None:
                return _dense(rows)
            # sparse rows are summed one by one: the same row has the same bits among any others
            reduced: Floats = sp.csr_array(rows) @ self._axes
            if self.rule_ == "counts":
                reduced = unit_rows(reduced)
            return reduced

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Return the names of the columns, or autofeatures0, … where there are others instead.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the columns of ``fit``; None is those that they had there, or x0, ….

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        if self._axes is None:
            return OneToOneFeatureMixin.get_feature_names_out(self, input_features)
        return ClassNamePrefixFeaturesOutMixin.get_feature_names_out(self, input_features)

    def _rule_of(self, X: Any) -> tuple[Rule, str]:
        """Return the rule of a table, and why it is this one; nothing where it was asked for."""
        self.hub_share_ = None
        values = X.data if sp.issparse(X) else X
        is_negative = values.min(initial=0.0) < 0
        if self.rule in _NOT_NEGATIVE and is_negative:
            raise InvalidInputError(
                f"{self.rule} cannot be negative, but X has a value of {values.min():.3g}. "
                "Negative values in data need 'auto' or 'scaled'."
            )
        if self.rule == "none" and sp.issparse(X):
            raise InvalidInputError(
                "X is a sparse matrix, which cannot be clustered as it is; choose another rule."
            )
        if self.rule != "auto":
            return self.rule, ""
        if is_negative:
            return "scaled", ""
        n, d = X.shape
        filled = np.count_nonzero(values)
        if d >= _FEWEST_COUNTED and 0 < filled < n * d / 2:
            rows = sp.csr_array(X[:: -(-n // _LOOKED_AT)])
            if not have_length_one(rows):
                largest = sp.diags_array(_inverse_of_largest(rows))
                self.hub_share_ = share = _share_of_hubs(sp.csr_array(rows @ largest))
                if share > _TO_HUBS:
                    ends = f"end in {percent(_HUBS)} of the rows"
                    return "counts", f"{percent(share)} of the edges to neighbors {ends}"
            elif d > MOST_DIMENSIONS:
                return "counts", "most values are zero and the rows have length 1"
        if d > 2 and _have_one_sum(X):
            return "histograms", "all rows have one sum"
        return "scaled", ""

    def _fit(self, X: Any) -> str:
        """Find what the rule needs to know of the columns, and say what it makes of them."""
        self._scaler: AutoScaler | None = None
        self._weights = self._axes = None
        self._n_features_out = X.shape[1]
        is_wide = X.shape[1] > MOST_DIMENSIONS
        if self.rule_ == "scaled" and not (is_wide and sp.issparse(X)):
            X = _dense(X)
            self._scaler = scaler = AutoScaler().set_output(transform="default").fit(X)
            is_cut = (scaler.low_ > X.min(axis=0)) | (scaler.high_ < X.max(axis=0))
            return _SCALINGS[scaler.rule_][bool(is_cut.any())]
        if self.rule_ == "counts":
            held = np.asarray((X > 0).sum(axis=0)).ravel()
            self._weights = np.log((1 + X.shape[0]) / (1 + held)) + 1
        elif self.rule_ == "scaled":
            self._weights = _inverse_of_largest(X)
        description = _MADE[self.rule_]
        # an array of histograms is not reduced: rows that are full take no more room than they have
        if is_wide and (self.rule_ == "counts" or sp.issparse(X)):
            n_axes = min(MOST_DIMENSIONS, *X.shape)
            axes = randomized_svd(self._valued(X), n_axes, n_iter=_ITERATIONS, random_state=0)[2]
            self._axes, self._n_features_out = np.ascontiguousarray(axes.T), len(axes)
            description += f" in {len(axes)} dimensions"
        return description

    def _valued(self, X: Any) -> Any:
        """Return a table with the values that the rule makes of it, still in all columns."""
        if self.rule_ == "scaled":
            return sp.csr_array(sp.csr_array(X) @ sp.diags_array(self._weights))
        if self.rule_ == "histograms":
            return np.sqrt(X.maximum(0) if sp.issparse(X) else np.maximum(X, 0))
        logarithms = sp.csr_array(X, copy=True)
        logarithms.data = np.log1p(np.maximum(logarithms.data, 0))
        rows = sp.csr_array(logarithms @ sp.diags_array(self._weights))
        lengths = np.sqrt(rows.multiply(rows).sum(axis=1))
        return sp.csr_array(sp.diags_array(quotient(1.0, lengths)) @ rows)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.rule != "none"
        tags.input_tags.positive_only = self.rule in _NOT_NEGATIVE
        return tags


def fitted_features(
    tables: list[Any], rule: Rule, names: Sequence[str] | None
) -> tuple[list[AutoFeatures], list[Floats]]:
    """Return what makes the features of each of several views, which messages name, and these."""
    check_choice(rule, "features", RULES)
    makers = []
    for view, table in enumerate(tables):
        try:
            makers.append(AutoFeatures(rule).set_output(transform="default").fit(table))
        except InvalidInputError as error:
            raise InvalidInputError(
                f"features={rule!r}, view {called(view, names)}: {error}"
            ) from error
    return makers, [maker.transform(table) for maker, table in zip(makers, tables, strict=True)]


_MADE = {
    "counts": "counts by TF-IDF",
    "histograms": "square roots of histograms",
    "scaled": "each divided by its largest magnitude",
    "none": "as they are",
}
_SCALINGS = {  # of AutoScaler, where no values lie beyond its fences, and where some do
    "unit length": ("rows of length 1, as they are",) * 2,
    "one unit": ("in one unit, as they are", "in one unit, outliers clipped"),
    "each to [0, 1]": ("each scaled to [0, 1]", "each scaled to [0, 1], outliers clipped"),
}


def _own(X: Any) -> Any:
    """Return a sparse matrix of any kind as an array with sorted columns, and an array as it is."""
    if not sp.issparse(X):
        return X
    rows = sp.csr_array(X, copy=True)
    rows.sum_duplicates()
    return rows


def _dense(X: Any) -> Floats:
    return X.toarray() if sp.issparse(X) else X


def _inverse_of_largest(X: sp.csr_array) -> Floats:
    """Return 1 over the largest magnitude of every column; 0 for one of zeros."""
    largest = abs(X).max(axis=0).toarray().ravel()
    return quotient(1.0, largest)


def _have_one_sum(X: Any) -> bool:
    """Tell whether the sums of rows that are not all zero hardly differ."""
    # what all these rows share, such as most of a year, tells nothing: least values do not count
    sums = np.asarray(X.sum(axis=1)).ravel()
    filled = sums > 0
    if np.count_nonzero(filled) < 2:
        return False
    least, sums = X[filled].min(axis=0).sum(), sums[filled]
    return bool(np.ptp(sums) <= _SUMS * (np.median(sums) - least))


def _share_of_hubs(rows: sp.csr_array) -> float:
    """Return the share of edges to neighbors that end in the 5 % of rows where most end."""
    # fewer than 200 rows have fewer neighbors, so that 5 % of them could end all edges
    n = rows.shape[0]
    n_hubs = max(1, round(_HUBS * n))
    n_neighbors = min(_NEIGHBORS, n_hubs, n - 1)
    if n_neighbors < 1:
        return 0.0
    search = NearestNeighbors(n_neighbors=n_neighbors, algorithm="brute").fit(rows)
    neighbors = search.kneighbors(return_distance=False)
    ends = np.sort(np.bincount(neighbors.ravel(), minlength=n))
    return float(ends[-n_hubs:].sum() / ends.sum())
