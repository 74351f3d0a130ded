"""The parts of a stored model: made anew, of what they need to predict, once this is checked.

A file with the right checksum may still hold anything. So every estimator that mvcc stores is
declared here: its attributes, their types, ranges and shapes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import FunctionTransformer, Normalizer, OneHotEncoder, StandardScaler

from mvcc._utils.types import Floats
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
    Chain,
    Choice,
    Estimator,
    Part,
    Rule,
    Sizes,
    Unfit,
    are_texts,
    bind,
    check_array,
    floats,
    integers,
    number,
    refuse_other_type,
    size,
    whole,
    words,
)
from mvcc.tables.reading._kinds import MOST
from mvcc.tables.reading._pictures import N_MEASURED

_OF_TABLE = 4 * MOST  # of differences of values, too
_LEAST = 1e-150  # of a divisor: what is divided stays a float
_UNIT = 1 + 1e-6  # of entries of unit vectors, rounded
_MOST_NEIGHBORS = 1000


@dataclass(frozen=True)
class Mixed:
    """The encoders of columns of several kinds."""

    kinds: tuple[str, ...]
    kind = MixedFeatures

    def read(self, stored: Any, n_in: int, **sizes: int) -> tuple[Any, int]:
        refuse_other_type(stored, MixedFeatures)
        parts = [vars(stored).get(name) for name in ("encoders_", "centers_")]
        kinds = vars(stored).get("kinds")
        if not are_texts(kinds) or kinds != list(self.kinds) or len(kinds) != n_in:
            raise Unfit(f"kinds of MixedFeatures must be {', '.join(self.kinds)}")
        blocks = _blocks(self.kinds)
        if not all(isinstance(part, list) and len(part) == len(blocks) for part in parts):
            raise Unfit(
                f"MixedFeatures must have encoders and centers for {len(blocks)} blocks of columns"
            )
        made = MixedFeatures(list(self.kinds))
        made.encoders_, made.centers_, n_out = [], [], 0
        for kind, encoder, center in zip(blocks, *parts, strict=True):
            one, n = _ENCODERS.get(kind, _NUMBER).read(encoder, _WIDTHS.get(kind, 1))
            made.encoders_.append(one)
            made.centers_.append(floats("out")(center, {"out": n}))
            n_out += n
        weights = vars(stored).get("weights_")
        made.weights_ = floats("blocks", least=0, most=1e50)(weights, {"blocks": len(blocks)})
        return made, n_out


def _blocks(kinds: tuple[str, ...]) -> list[str]:
    """Return the kind of every block of columns: all texts are one."""
    texts = [number for number, kind in enumerate(kinds) if kind == "text"]
    return [kind for number, kind in enumerate(kinds) if number not in texts[1:]]


@dataclass(frozen=True)
class Auto:
    """Features by one rule: a scaler, or weights of columns and axes, or neither."""

    kind = AutoFeatures

    def read(self, stored: Any, n_in: int, **sizes: int) -> tuple[Any, int]:
        refuse_other_type(stored, AutoFeatures)
        sizes["in"] = n_in
        made = Estimator(AutoFeatures, _RULES).made(stored, sizes)
        has_weights, has_scaler = made._weights is not None, made._scaler is not None
        needs_scaler = made.rule_ == "scaled" and not has_weights
        needs_any = made.rule_ in ("counts", "scaled")
        if has_scaler != needs_scaler or (has_weights or has_scaler) != needs_any:
            raise Unfit(f"AutoFeatures lacks what the rule {made.rule_!r} needs, or has more")
        if made.rule_ == "none" and made._axes is not None:
            raise Unfit("AutoFeatures has axes for features as they are")
        made._n_features_out = sizes.get("out", n_in)
        return made, made._n_features_out


def _or_none(rule: Rule) -> Rule:
    return lambda value, sizes: None if value is None else rule(value, sizes)


def _categories(value: Any, sizes: Sizes) -> Any:
    own: Any = value[0] if isinstance(value, list) and len(value) == 1 else None
    check_array(own, ("O",), ("out",), sizes)
    texts = own.tolist()
    if not all(type(text) is str for text in texts) or texts != sorted(set(texts)):
        raise Unfit("must be distinct texts in their order")
    return own


def _vocabulary(value: Any, sizes: Sizes) -> dict[str, int]:
    if not isinstance(value, dict) or not all(type(word) is str for word in value):
        raise Unfit("must be words with their places")
    places = list(value.values())
    if not all(type(place) is int for place in places) or sorted(places) != [*range(len(places))]:
        raise Unfit("must have every place once")
    bind("out", len(value), sizes)
    return value


def _vectorizer(
    analyzer: str, ngram_range: tuple[int, int], vocabulary_: dict[str, int], _tfidf: Any
) -> Any:
    made = TfidfVectorizer(analyzer=analyzer, ngram_range=ngram_range, sublinear_tf=True)
    made.vocabulary_ = vocabulary_
    made.idf_ = _tfidf.idf_
    return made


def _imputer(statistics_: Floats) -> Any:
    return SimpleImputer(strategy="mean").fit(statistics_[None])  # the mean of one value is itself


_n_in = {"n_features_in_": size("in")}
_components = {
    **_n_in,
    "n_components": size("out"),
    "components_": floats("out", "in", least=-_UNIT, most=_UNIT),
}

_AUTO_SCALER = Estimator(
    AutoScaler,
    {
        **_n_in,
        "low_": floats("in", least=-_OF_TABLE, most=_OF_TABLE),
        "high_": floats("in", least=-_OF_TABLE, most=_OF_TABLE),
        "rule_": words("unit length", "one unit", "each to [0, 1]"),
    },
)
_SPECTRUM = Estimator(
    _Spectrum,
    spectrum := {
        "sigma": number(_LEAST, OF_FEATURES),
        "units": floats("n", "in"),
        "features": floats("n", "out"),
        "eigenvalues": floats("out", least=-2, most=2),
        "loadings": floats("n", "out", least=-_UNIT, most=_UNIT),
        "mean": floats("out", least=-_UNIT, most=_UNIT),
        "deviation": floats("out", least=_LEAST),
    },
    tuple(spectrum),
)
_SPECTRAL = Estimator(
    SpectralFeatures,
    {
        **_n_in,
        "n_components": size("out"),
        "sigma": number(_LEAST, OF_FEATURES),
        "_low": floats("in"),
        "_span": floats("in", least=0),
        "_spectrum": _SPECTRUM.made,
        "eigenvalues_": floats("out", least=-2, most=2),
        "_n_features_out": size("out"),
    },
    ("n_components", "sigma"),
    out="out",
)
_STANDARD_SCALER = Estimator(
    StandardScaler,
    {
        **_n_in,
        "mean_": floats("in", least=-_OF_TABLE, most=_OF_TABLE),
        "scale_": floats("in", least=_LEAST),
    },
)
_PCA = Estimator(
    PCA,
    {
        **_components,
        "n_components_": size("out"),
        "mean_": floats("in"),
        "explained_variance_": floats("out"),
    },
    ("n_components",),
    out="out",
)
_SVD = Estimator(TruncatedSVD, _components, ("n_components",), out="out")
_UNCHANGED = Estimator(
    FunctionTransformer,
    _n_in,
    make=lambda n_features_in_: FunctionTransformer().fit(np.zeros((1, n_features_in_))),
)
_NORMALIZER = Estimator(
    Normalizer, _n_in, make=lambda n_features_in_: Normalizer().fit(np.zeros((1, n_features_in_)))
)
_IMPUTER = Estimator(
    SimpleImputer, {"statistics_": floats("in", least=-_OF_TABLE, most=_OF_TABLE)}, make=_imputer
)
_ONE_HOT = Estimator(
    OneHotEncoder,
    {"categories_": _categories},
    make=lambda categories_: OneHotEncoder(sparse_output=False, handle_unknown="ignore").fit(
        categories_[:, None]
    ),
    out="out",
)
_TFIDF = Estimator(TfidfTransformer, {"idf_": floats("out", least=0, most=1000)})
_VECTORIZER = Estimator(
    TfidfVectorizer,
    {
        "analyzer": words("word", "char_wb"),
        "ngram_range": words((1, 1), (3, 4), (1, 4)),
        "vocabulary_": _vocabulary,
        "_tfidf": _TFIDF.made,
    },
    make=_vectorizer,
    out="out",
)

_RULES = {
    **_n_in,
    "rule_": words("counts", "histograms", "scaled", "none"),
    "_scaler": _or_none(_AUTO_SCALER.made),
    "_weights": _or_none(floats("in", least=0)),
    "_axes": _or_none(floats("in", "out", least=-_UNIT, most=_UNIT)),
}
_NUMBER = Chain((_IMPUTER, _AUTO_SCALER, _STANDARD_SCALER))
_ENCODERS: dict[str, Part] = {
    "category": _ONE_HOT,
    "text": Chain((_VECTORIZER, _SVD, _NORMALIZER)),
    "picture": _IMPUTER,
}
_WIDTHS = {"picture": N_MEASURED}  # of a column, if it is not 1

NUMBERS = Choice((Auto(), _AUTO_SCALER, _SPECTRAL, _UNCHANGED, Chain((_STANDARD_SCALER, _PCA))))


def mixed_features(kinds: list[str]) -> Choice:
    """Return what a transformer of columns of these kinds may be."""
    first = Mixed(tuple(kinds))
    return Choice((first, Chain((first, Choice((_SPECTRAL, Chain((_PCA,))))))))


_SEARCH = Estimator(
    NeighborSearch,
    search := {
        "rows": floats("n", "in", least=-1, most=1, single=True),
        "center": floats("in"),
        "unit": number(5e-324, 2 * OF_FEATURES),
    },
    tuple(search),
)
_NEAREST = Estimator(
    NearestRows,
    {
        "n_neighbors": whole(1, _MOST_NEIGHBORS),
        "search_": _SEARCH.made,
        "labels_": integers("n", below="k"),
    },
    ("n_neighbors",),
)
_ANCHORS = Estimator(
    Anchors,
    anchors := {
        "places": floats("p", "in", least=-_UNIT, most=_UNIT, single=True),
        "center": floats("in"),
        "unit": number(5e-324, 2 * OF_FEATURES),
    },
    tuple(anchors),
)
_AT_ANCHORS = {
    "anchors": _ANCHORS.made,
    "at_anchors": floats("p", "out"),
    "centers": _or_none(floats("k", "out")),
    "coefficients": _or_none(floats("in and constant", "out")),
}


@dataclass(frozen=True)
class ByAnchors:
    """Anchors, and either coordinates and centers, or shares of clusters and coefficients of
    columns.
    """

    kind = NearestAnchors

    def read(self, stored: Any, n_in: int, **sizes: int) -> tuple[Any, int]:
        sizes |= {"in": n_in, "in and constant": n_in + 1}
        made = Estimator(NearestAnchors, _AT_ANCHORS, tuple(_AT_ANCHORS)).made(stored, sizes)
        if (made.centers is None) == (made.coefficients is None):
            raise Unfit("NearestAnchors must have centers or coefficients")
        if made.centers is None:
            bind("k", sizes["out"], sizes)
        return made, 0


_means = {**_n_in, "n_clusters": size("k"), "cluster_centers_": floats("k", "in")}
_PCK = Estimator(PCKMeans, _means, ("n_clusters",))
# the jobs have the metric that is their default: one weight for each feature of each cluster
_MPCK = Estimator(
    MPCKMeans, {**_means, "metrics_": floats("k", "in", least=5e-324, most=1e308)}, ("n_clusters",)
)
PREDICTORS = Choice((_NEAREST, ByAnchors(), _PCK, _MPCK))
