"""The parts of a stored model: made anew, of what they need to predict, once this is checked.

A file with the right checksum may still hold anything. So every estimator that mvcc stores is
declared here: its attributes, their types, ranges and shapes.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import FunctionTransformer, Normalizer, OneHotEncoder, StandardScaler

from mvcc._utils.arrays import Floats
from mvcc.cluster import MPCKMeans, PCKMeans
from mvcc.embedding import (
    Anchors,
    AutoFeatures,
    AutoScaler,
    MixedFeatures,
    NeighborSearch,
    SpectralFeatures,
    _Spectrum,
)
from mvcc.multiview import NearestAnchors, NearestRows
from mvcc.tables.model._rules import (
    OF_FEATURES,
    Parts,
    Rule,
    Sizes,
    are_texts,
    array,
    bind,
    chain,
    check_array,
    estimator,
    in_list,
    number,
    read,
    require,
    size,
    words,
)
from mvcc.tables.reading._kinds import MOST
from mvcc.tables.reading._pictures import N_MEASURED

_LEAST = 1e-150  # of a divisor: what is divided stays a float
_UNIT = 1 + 1e-6  # of entries of unit vectors, rounded
_of_table = partial(array, least=-4 * MOST, most=4 * MOST)  # differences of values, too
_of_unit = partial(array, least=-_UNIT, most=_UNIT)
_MOST_NEIGHBORS = 1000


def _or_none(rule: Rule) -> Rule:
    return lambda value, sizes: None if value is None else rule(value, sizes)


def _categories(value: Any, sizes: Sizes) -> Any:
    (categories,) = in_list(value, 1)
    check_array(categories, ("O",), ("out",), sizes)
    texts = categories.tolist()
    require(are_texts(texts) and texts == sorted(set(texts)))
    return categories


def _vocabulary(value: Any, sizes: Sizes) -> dict[str, int]:
    require(isinstance(value, dict) and are_texts(list(value)))
    columns = list(value.values())
    require(all(type(column) is int for column in columns))
    require(sorted(columns) == [*range(len(columns))])
    bind("out", len(value), sizes)
    return dict(value)


def _imputer(statistics_: Floats) -> Any:
    return SimpleImputer(strategy="mean").fit(statistics_[None])  # the mean of one value is itself


def _one_hot(categories_: Any) -> Any:
    return OneHotEncoder(sparse_output=False, handle_unknown="ignore").fit(categories_[:, None])


def _auto(n_features_in_: int, rule_: str, **more: Any) -> Any:
    has_weights, has_scaler = more["_weights"] is not None, more["_scaler"] is not None
    needs_scaler = rule_ == "scaled" and not has_weights
    needs_any = rule_ in ("counts", "scaled")
    require(has_scaler == needs_scaler and (has_weights or has_scaler) == needs_any)
    require(rule_ != "none" or more["_axes"] is None)
    made: Any = AutoFeatures()
    vars(made).update(more, n_features_in_=n_features_in_, rule_=rule_)
    made._n_features_out = n_features_in_
    if more["_axes"] is not None:
        made._n_features_out = more["_axes"].shape[1]
    return made


def _by_anchors(**values: Any) -> NearestAnchors:
    """Make it of coordinates and centers, or shares of clusters and coefficients of columns."""
    of_columns, n = values["coefficients"], len(values["anchors"].center)
    require((values["centers"] is None) != (of_columns is None))
    shape = n + 1, values["at_anchors"].shape[1]  # a constant, too
    require(of_columns is None or of_columns.shape == shape)
    return NearestAnchors(**values)


_n_in = {"n_features_in_": size("in")}
_components = {**_n_in, "n_components": size("out"), "components_": _of_unit("out", "in")}

_AUTO_SCALER = estimator(
    AutoScaler,
    {
        **_n_in,
        "low_": _of_table("in"),
        "high_": _of_table("in"),
        "rule_": words("unit length", "one unit", "each to [0, 1]"),
    },
)
_SPECTRUM = estimator(
    _Spectrum,
    {
        "sigma": number(_LEAST, OF_FEATURES),
        "units": array("n", "in"),
        "features": array("n", "out"),
        "eigenvalues": array("out", least=-2, most=2),
        "loadings": _of_unit("n", "out"),
        "mean": _of_unit("out"),
        "deviation": array("out", least=_LEAST),
    },
)
_SPECTRAL = estimator(
    SpectralFeatures,
    {
        **_n_in,
        "n_components": size("out"),
        "sigma": number(_LEAST, OF_FEATURES),
        "_low": array("in"),
        "_span": array("in", least=0),
        "_spectrum": _SPECTRUM,
        "eigenvalues_": array("out", least=-2, most=2),
        "_n_features_out": size("out"),
    },
)
_STANDARD_SCALER = estimator(
    StandardScaler, {**_n_in, "mean_": _of_table("in"), "scale_": array("in", least=_LEAST)}
)
_PCA = estimator(
    PCA,
    {
        **_components,
        "n_components_": size("out"),
        "mean_": array("in"),
        "explained_variance_": array("out"),
    },
)
_UNCHANGED = estimator(FunctionTransformer, _n_in)
_IMPUTER = estimator(SimpleImputer, {"statistics_": _of_table("in")}, _imputer)
_ONE_HOT = estimator(OneHotEncoder, {"categories_": _categories}, _one_hot)
_sublinear = {"sublinear_tf": words(True)}
_VECTORIZER = estimator(
    TfidfVectorizer,
    {
        **_sublinear,
        "analyzer": words("word", "char_wb"),
        "ngram_range": words((1, 1), (3, 4), (1, 4)),
        "vocabulary_": _vocabulary,
        "_tfidf": estimator(
            TfidfTransformer, {**_sublinear, "idf_": array("out", least=0, most=1000)}
        ),
    },
)
_AUTO = estimator(
    AutoFeatures,
    {
        **_n_in,
        "rule_": words("counts", "histograms", "scaled", "none"),
        "_scaler": _or_none(_AUTO_SCALER),
        "_weights": _or_none(array("in", least=0)),
        "_axes": _or_none(_of_unit("in", "out")),
    },
    _auto,
)

_NUMBER = chain(_IMPUTER, _AUTO_SCALER, _STANDARD_SCALER)
_ENCODERS = {
    "category": _ONE_HOT,
    "text": chain(_VECTORIZER, estimator(TruncatedSVD, _components), estimator(Normalizer, _n_in)),
    "picture": _IMPUTER,
}
_WIDTHS = {"picture": N_MEASURED}  # of a column, if it is not 1

NUMBERS = _AUTO | _AUTO_SCALER | _SPECTRAL | _UNCHANGED | chain(_STANDARD_SCALER, _PCA)


def mixed_features(kinds: list[str]) -> Parts:
    """Return the part with an encoder for each column, one for all texts; or such a pipeline."""
    texts = [column for column, kind in enumerate(kinds) if kind == "text"]
    blocks = [kind for column, kind in enumerate(kinds) if column not in texts[1:]]

    def rule(stored: dict[str, Any], sizes: Sizes) -> MixedFeatures:
        require(are_texts(stored.get("kinds")) and stored["kinds"] == kinds)
        made, n_out = MixedFeatures(kinds), 0
        made.encoders_, made.centers_ = [], []
        parts = [in_list(stored.get(name), len(blocks)) for name in ("encoders_", "centers_")]
        for kind, encoder, center in zip(blocks, *parts, strict=True):
            restored, n = read(_ENCODERS.get(kind, _NUMBER), encoder, _WIDTHS.get(kind, 1))
            made.encoders_.append(restored)
            made.centers_.append(array("out")(center, {"out": n}))
            n_out += n
        weights = array("blocks", least=0, most=1e50)
        made.weights_ = weights(stored.get("weights_"), {"blocks": len(blocks)})
        sizes["out"] = n_out
        return made

    encoded = Parts({MixedFeatures: rule})
    return encoded | chain(encoded, _SPECTRAL | chain(_PCA))


_SINGLE = ("f8", "f4")  # where memory matters
_MOVED = {"center": array("in"), "unit": number(5e-324, 2 * OF_FEATURES)}
_SEARCH = estimator(
    NeighborSearch, {"rows": array("n", "in", least=-1, most=1, dtypes=_SINGLE), **_MOVED}
)
_NEAREST = estimator(
    NearestRows,
    {
        "n_neighbors": number(1, _MOST_NEIGHBORS, int),
        "search_": _SEARCH,
        "labels_": array("n", least=0, below="k", dtypes=("i8",)),
    },
)
_ANCHORS = estimator(Anchors, {"places": _of_unit("p", "in", dtypes=_SINGLE), **_MOVED})
_BY_ANCHORS = estimator(
    NearestAnchors,
    {
        "anchors": _ANCHORS,
        "at_anchors": array("p", "out"),
        "centers": _or_none(array("k", "out")),
        "coefficients": _or_none(array("in and constant", "k")),
    },
    _by_anchors,
)
_means = {**_n_in, "n_clusters": size("k"), "cluster_centers_": array("k", "in")}
_PCK = estimator(PCKMeans, _means)
# the jobs have the metric that is their default: one weight for each feature of each cluster
_MPCK = estimator(MPCKMeans, {**_means, "metrics_": array("k", "in", least=5e-324, most=1e308)})
PREDICTORS = _NEAREST | _BY_ANCHORS | _PCK | _MPCK
