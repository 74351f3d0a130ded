"""The four newsgroups of Rec/Talk, of which studies use more than the data set does."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize

from mvcc._utils.arrays import Floats, Ints
from mvcc.datasets import fetch
from mvcc.datasets._files import ENCODING, documents
from scripts.studies import overlapping

_FEWEST_WORDS = 40  # of a document that is cut in two
_DIMENSIONS = 50


def texts_of_groups() -> list[list[str]]:
    """Return the documents of each group, from files whose checksums are right."""
    return [_texts(folder) for folder in fetch("rec_talk").values()]


def _texts(folder: Path) -> list[str]:
    return [path.read_text(ENCODING) for path in documents(folder)]


@cache
def _halves() -> tuple[list[Floats], Ints]:
    """Return tf-idf of the first and second halves of documents, and their groups."""
    halves: tuple[list[str], list[str]] = ([], [])
    kinds = []
    for kind, texts in enumerate(texts_of_groups()):
        for text in texts:
            words = re.findall(r"[^\W\d_]{2,}", text.partition("\n\n")[2])
            if len(words) >= _FEWEST_WORDS:
                halves[0].append(" ".join(words[: len(words) // 2]))
                halves[1].append(" ".join(words[len(words) // 2 :]))
                kinds.append(kind)
    terms = TfidfVectorizer(stop_words="english", min_df=5, max_df=0.5, sublinear_tf=True)
    svd = TruncatedSVD(_DIMENSIONS, random_state=0)
    views = [normalize(svd.fit_transform(terms.fit_transform(half))) for half in halves]
    return views, np.array(kinds)


def halves_of_news(
    rng: np.random.Generator, n_shared: int
) -> tuple[list[Floats], list[Ints], Ints]:
    """Return views of halves of documents, some of which are in both, labels and all matches."""
    views, kinds = _halves()
    drawn, matches = overlapping(len(kinds), n_shared, rng)
    halves = [X[rows] for X, rows in zip(views, drawn, strict=True)]
    return halves, [kinds[rows] for rows in drawn], matches
