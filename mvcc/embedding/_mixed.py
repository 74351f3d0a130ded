"""Features of mixed tables: each column as a block of unit variance, all texts as one."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, OneHotEncoder, StandardScaler
from sklearn.utils.validation import check_is_fitted

from mvcc._utils.arrays import Floats
from mvcc._utils.text import n_words, with_blanks
from mvcc.embedding._scaling import AutoScaler

MAX_COMPONENTS = 30  # of a text
# that half of the texts of some column have at least, for words to be counted instead of parts of
# words: a name beside an address is not a sentence
_WORDS = 4


class MixedFeatures(TransformerMixin, BaseEstimator):
    """Turn a table of numbers, categories and texts into numbers whose distances mean something.

    - Numbers: a missing one becomes the mean; then fences as in :class:`AutoScaler`, and unit
      variance.
    - Categories: one column for each, together of unit variance; a missing one is a category, an
      unknown one none.
    - Pictures, of which a cell holds measured values: a missing one becomes the mean; together of
      unit variance.
    - Texts: all columns of texts are one text, put together row by row. Term frequencies, weighted
      by the inverse document frequency, of words that are in five texts or more and at most a tenth
      of them, or in at most half where these are too few, or of parts of words where most texts of
      each column have fewer than four; ``max_components`` singular vectors at most; rows of length
      1. A text of words weighs twice as much as all columns of other kinds together, another text
      has unit variance.

    ``kinds`` tell what each column is: number, date, category, picture or text. ``encoders_`` has
    one encoder for each column, but one for all texts in the place of the first of them.
    """

    def __init__(self, kinds: list[str], max_components: int = MAX_COMPONENTS) -> None:
        self.kinds = kinds
        self.max_components = max_components

    def fit(self, X: pd.DataFrame, y: None = None) -> Self:
        """Find the encoder and the weight of every column."""
        self._fit(X)
        return self

    def fit_transform(self, X: pd.DataFrame, y: None = None, **params: Any) -> Floats:
        """Fit, and return the features of the same rows."""
        return self._weighted(self._fit(X))

    def transform(self, X: pd.DataFrame) -> Floats:
        """Return the features of rows with the columns of ``fit``."""
        check_is_fitted(self)
        inputs = zip(self._inputs(X), self.encoders_, strict=True)
        return self._weighted(
            [np.asarray(encoder.transform(values), dtype=float) for (_, values), encoder in inputs]
        )

    @property
    def categories(self) -> dict[int, list[str]]:
        """The categories of ``fit``, by the number of the column."""
        texts = [column for column, kind in enumerate(self.kinds) if kind == "text"]
        columns = [column for column in range(len(self.kinds)) if column not in texts[1:]]
        return {
            column: encoder.categories_[0].tolist()
            for column, encoder in zip(columns, self.encoders_, strict=True)
            if self.kinds[column] == "category"
        }

    def _fit(self, X: pd.DataFrame) -> list[Floats]:
        self.encoders_, blocks, in_words = [], [], []
        texts = [column for column, kind in enumerate(self.kinds) if kind == "text"]
        has_words = any(_are_of_words(X.iloc[:, column]) for column in texts)
        for kind, values in self._inputs(X):
            encoder = self._encoder(kind, values, has_words)
            self.encoders_.append(encoder)
            blocks.append(np.asarray(encoder.transform(values), dtype=np.float64))
            in_words.append(kind == "text" and has_words)
        self.centers_ = [block.mean(axis=0) for block in blocks]
        variances = np.array([block.var(axis=0).sum() for block in blocks])
        wanted = np.where(in_words, 2.0 * max(1, len(blocks) - sum(in_words)), 1.0)
        ratio = np.divide(wanted, variances, out=np.zeros_like(variances), where=variances > 0)
        self.weights_ = np.sqrt(ratio)
        return blocks

    def _inputs(self, X: pd.DataFrame) -> list[tuple[str, Any]]:
        """Return the kind and the values of every block: of a column, or of all texts."""
        texts = [column for column, kind in enumerate(self.kinds) if kind == "text"]
        inputs: list[tuple[str, Any]] = []
        for column, kind in enumerate(self.kinds):
            if kind != "text":
                inputs.append((kind, _input(X.iloc[:, column], kind)))
            elif column == texts[0]:
                inputs.append((kind, [*map(with_blanks, _text_of(X.iloc[:, texts]))]))
        return inputs

    def _weighted(self, blocks: list[Floats]) -> Floats:
        parts = zip(blocks, self.centers_, self.weights_, strict=True)
        return np.hstack([(block - center) * weight for block, center, weight in parts])

    def _encoder(self, kind: str, values: Any, has_words: bool) -> Any:
        """Return the fitted encoder of a column; of texts, one that counts words if they have."""
        if kind == "category":
            return OneHotEncoder(sparse_output=False, handle_unknown="ignore").fit(values)
        if kind == "picture":
            return SimpleImputer(strategy="mean").fit(values)
        if kind != "text":
            scaled = make_pipeline(SimpleImputer(strategy="mean"), AutoScaler(), StandardScaler())
            return scaled.fit(values)
        vectorizer, counts = _counted(values, has_words)
        n = min(self.max_components, *counts.shape)
        components = TruncatedSVD(n, random_state=0).fit(counts)
        unit = Normalizer().fit(np.zeros((1, n)))
        return make_pipeline(vectorizer, components, unit)


_WORD_TERMS: tuple[dict[str, Any], ...] = ({"min_df": 5, "max_df": 0.1}, {"max_df": 0.5})
_CHARACTER_TERMS: tuple[dict[str, Any], ...] = (
    {"analyzer": "char_wb", "ngram_range": (3, 4)},
    {"analyzer": "char_wb", "ngram_range": (1, 4)},
)


def _counted(texts: list[str], words: bool) -> tuple[TfidfVectorizer, Any]:
    """Count words but those in too few or too many texts, or else parts of words."""
    # components need two terms, which some text always has among its parts of one to four
    # characters
    for options in (_WORD_TERMS if words else ()) + _CHARACTER_TERMS:
        vectorizer = TfidfVectorizer(sublinear_tf=True, **options)
        try:
            counts = vectorizer.fit_transform(texts)
        except ValueError:  # no term is left
            continue
        if counts.shape[1] > 1:
            break
    return vectorizer, counts


def _are_of_words(texts: pd.Series[Any]) -> bool:
    """Tell whether most texts of a column have several words; a missing one has none."""
    return bool(np.median([n_words(text) for text in _text_of(texts.to_frame())]) >= _WORDS)


def _input(column: pd.Series[Any], kind: str) -> Any:
    """Return a column other than text as its encoder takes it."""
    if kind == "picture":
        return np.stack(column.to_list())
    if kind == "category":
        texts = [text if isinstance(text, str) else "" for text in column]
        return np.array(texts, dtype=object)[:, None]
    return column.to_numpy(dtype=np.float64)[:, None]


def _text_of(columns: pd.DataFrame) -> list[str]:
    """Return the texts of each row as one; a missing one has no words."""
    rows = columns.itertuples(index=False, name=None)
    return [" ".join(text for text in row if isinstance(text, str)) for row in rows]
