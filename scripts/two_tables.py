"""Two tables for studies: data sets of the package, and halves of the texts of newsgroups."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize

from mvcc import load_dataset
from mvcc._utils.arrays import Floats, Ints
from mvcc.datasets import fetch
from mvcc.datasets._files import ENCODING, documents

N_ROWS = 1000  # of each of two overlapping views
SHARED = 700  # rows that both have
_FEWEST_WORDS = 40  # of a document that is cut in two
_DIMENSIONS = 50


def two_tables(
    data: str, seed: int, rng: np.random.Generator, n_shared: int = SHARED
) -> tuple[list[Floats], list[Ints], Ints]:
    """Return views, labels and all matches of a data set, or of halves of newsgroups."""
    if data == "newsgroups":
        views, kinds = _halves()
        drawn, matches = overlapping(len(kinds), n_shared, rng)
        halves = [X[rows] for X, rows in zip(views, drawn, strict=True)]
        return halves, [kinds[rows] for rows in drawn], matches
    dataset = load_dataset(data, random_state=seed)
    return dataset.views, dataset.labels, dataset.relations[0, 1]


def overlapping(n: int, n_shared: int, rng: np.random.Generator) -> tuple[list[Ints], Ints]:
    """Draw the objects of two views, some of which are in both; return them and all matches."""
    drawn, only_first = rng.permutation(n), N_ROWS - n_shared
    matches = np.column_stack((np.arange(only_first, N_ROWS), np.arange(n_shared)))
    return [drawn[:N_ROWS], drawn[only_first : only_first + N_ROWS]], matches


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
