"""Rec/Talk, §6.1: documents of two newsgroups in each view, as vectors of telling words."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from mvcc._utils.arrays import Floats, Ints
from mvcc._utils.validation import check_count
from mvcc.datasets._dataset import Dataset, check_choice, pair_at_random
from mvcc.datasets._files import ENCODING, documents
from mvcc.exceptions import InvalidInputError

# Scores words, the columns, from the counts in the drawn documents of two classes; the largest
# scores win.
Score: TypeAlias = Callable[[Any, Any], Floats]

# from each group of "rec" and of "talk". 5 % would be 49.5 and 49.8, 45.5 and 47; Table 1 has 100
# and 94 in all.
_DOCUMENTS = (50, 47)
_WORDS = 50


def load(
    rng: np.random.Generator,
    autos: Path,
    motorcycles: Path,
    guns: Path,
    mideast: Path,
    *,
    words: str = "chi2",
    min_words: int = 2,
    scaling: str = "unit",
    headers: bool = False,
    fixed_draw: int | None = None,
) -> Dataset:
    """Draw Rec/Talk, with autos & guns, motorcycles & mideast paired."""
    # 100 and 94 documents, 94 relations. Quotes and signatures belong to a document. The paper
    # leaves much of the features open: every option is a place where it can be read in another way.
    check_choice(words, "words", tuple(_SCORES))
    check_choice(min_words, "min_words", (2, 1, 0))
    check_choice(scaling, "scaling", ("unit", "none"))
    check_choice(headers, "headers", (False, True))
    draw = rng
    if fixed_draw is not None:
        draw = np.random.default_rng(check_count(fixed_draw, "fixed_draw", low=0))
    views, labels = [], []
    for groups, size in zip(((autos, motorcycles), (guns, mideast)), _DOCUMENTS, strict=True):
        counts, y = _word_counts(groups, headers)
        rows, columns = _draw(counts, y, size, draw, _SCORES[words], min_words)
        view = (counts[rows][:, columns].toarray() > 0).astype(np.float64)
        views.append(normalize(view) if scaling == "unit" else view)
        labels.append(y[rows])
    return Dataset(views, labels, pair_at_random(labels, rng), ("rec", "talk"))


@lru_cache(maxsize=4)
def _word_counts(groups: tuple[Path, Path], headers: bool) -> tuple[Any, Ints]:
    """Count words in the documents of two groups, columns in alphabetical order; return classes."""
    texts, labels = [], []
    for label, folder in enumerate(groups):
        for path in documents(folder):
            text = path.read_text(ENCODING)
            if not headers:
                text = text.partition("\n\n")[2]
            texts.append(text)
            labels.append(label)
    return _vectorizer().fit_transform(texts), np.array(labels, dtype=np.int64)


def _vectorizer() -> CountVectorizer:
    """Words have two letters or more, in lower case, and are not scikit-learn's stop words."""
    return CountVectorizer(token_pattern=r"[^\W\d_]{2,}", stop_words="english")


def _draw(
    counts: Any, y: Ints, size: int, rng: np.random.Generator, score: Score, min_words: int
) -> tuple[Ints, Ints]:
    """Draw `size` documents of each class, and choose words of which each has enough."""
    orders = [rng.permutation(np.flatnonzero(y == label)) for label in (0, 1)]
    while min(map(len, orders)) >= size:
        drawn = [np.sort(order[:size]) for order in orders]
        columns = np.argsort(-score(*(counts[rows] for rows in drawn)), kind="stable")[:_WORDS]
        rows = np.concatenate(drawn)
        poor = rows[counts[rows][:, columns].getnnz(axis=1) < min_words]
        if not len(poor):
            return rows, columns
        # the next of the order moves up
        orders = [order[~np.isin(order, poor)] for order in orders]
    raise InvalidInputError(
        f"min_words={min_words} leaves a group fewer than {size} documents; a smaller number "
        "leaves more."
    )


def _chi2(first: Any, second: Any) -> Floats:
    """Score words by χ² of the documents, a and b, that have them: (a − b)² / (a + b)."""
    a, b = first.getnnz(axis=0), second.getnnz(axis=0)
    return (a - b) ** 2 / np.maximum(a + b, 1)


def _frequency(first: Any, second: Any) -> Floats:
    """Score words by their better place in the order of frequency of either class."""
    ranks = [
        np.argsort(np.argsort(-np.asarray(counts.sum(axis=0)).ravel(), kind="stable"))
        for counts in (first, second)
    ]
    return -np.minimum(*ranks).astype(np.float64)


_SCORES: dict[str, Score] = {"chi2": _chi2, "frequency": _frequency}
