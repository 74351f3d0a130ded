"""What is compared: short pipelines of scikit-learn on clean tables, and mvcc on messy ones."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from click.testing import CliRunner
from sklearn.cluster import KMeans
from sklearn.compose import make_column_selector as columns_of
from sklearn.compose import make_column_transformer
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.metrics import pairwise_distances_argmin
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, OneHotEncoder, StandardScaler

from mvcc._utils.arrays import Ints
from mvcc.cli import cli
from mvcc.exceptions import DataError
from mvcc.results import Clustering, read_facts
from scripts.messy.pairs import Drawn

_COMPONENTS = 30  # of a text


def features(clean: pd.DataFrame) -> Any:
    """Make features of a clean table as a tutorial does."""
    if list(clean) == ["text"]:
        words = TfidfVectorizer(stop_words="english", min_df=3, max_df=0.5, sublinear_tf=True)
        svd = TruncatedSVD(_COMPONENTS, random_state=0)
        return make_pipeline(words, svd, Normalizer()).fit_transform(clean["text"])
    numbers = clean.copy()
    for name in clean.select_dtypes("datetime"):
        numbers[name] = (clean[name] - clean[name].min()).dt.days
    scaled = make_pipeline(SimpleImputer(), StandardScaler())
    made = make_column_transformer(
        (scaled, columns_of(dtype_include="number")),
        (OneHotEncoder(sparse_output=False), columns_of(dtype_include=(object, "str"))),
    )
    return made.fit_transform(numbers)


def each_alone(drawn: Drawn, seed: int) -> list[Ints]:
    """Cluster each table by k-means."""
    return [
        KMeans(drawn.k, n_init=10, random_state=seed).fit_predict(features(table))
        for table in drawn.clean
    ]


def joined_by_means(drawn: Drawn, seed: int) -> list[Ints]:
    """Cluster all objects by k-means; a table that lacks one has the means of its columns."""
    made = [features(table) for table in drawn.clean]
    n = [len(table) for table in drawn.clean]
    objects = [np.arange(n[0]), n[0] + np.arange(n[1])]
    objects[1][drawn.known[1]] = drawn.known[0]
    blocks = []
    for rows, values in zip(objects, made, strict=True):
        block = np.tile(values.mean(axis=0), (sum(n), 1))
        block[rows] = values
        blocks.append(block)
    present = np.unique(np.concatenate(objects))
    labels = np.zeros(sum(n), np.int64)
    k_means = KMeans(drawn.k, n_init=10, random_state=seed)
    labels[present] = k_means.fit_predict(np.hstack(blocks)[present])
    return [labels[rows] for rows in objects]


def joined_by_nearest(drawn: Drawn, seed: int) -> list[Ints]:
    """Cluster the rows that match, joined, by k-means.

    Every other row goes to the center that is nearest in the columns of its table.
    """
    made = [features(table) for table in drawn.clean]
    both = np.hstack([values[rows] for values, rows in zip(made, drawn.known, strict=True)])
    k_means = KMeans(drawn.k, n_init=10, random_state=seed).fit(both)
    centers = np.hsplit(k_means.cluster_centers_, [made[0].shape[1]])
    labels = []
    for values, own_centers, rows in zip(made, centers, drawn.known, strict=True):
        nearest = pairwise_distances_argmin(values, own_centers)
        nearest[rows] = k_means.labels_
        labels.append(nearest)
    return labels


PIPELINES = {
    "each table alone": each_alone,
    "joined, means": joined_by_means,
    "joined, nearest": joined_by_nearest,
}


def mvcc(drawn: Drawn, out: Path, *options: str) -> tuple[Clustering, list[str]]:
    """Cluster the files as they come; return the clustering, and what was asked back.

    A message that names columns to leave out is a question, which is answered by that. Comparisons
    and further runs, which change no label, are left out.
    """
    quick = ("--no-comparison", "--stability-runs", "0", "--fresh")
    args = ["cluster", *map(str, drawn.files), "--match", str(drawn.matches), "-k", str(drawn.k)]
    args += ["--out", str(out), *quick, *options]
    try:
        CliRunner().invoke(cli, args, catch_exceptions=False)
    except DataError as error:
        answers = re.findall(r"\(--ignore (\S+=.+?)\)\.?$", str(error), re.MULTILINE)
        if not answers or "--ignore" in options:
            raise
        remedy = [word for answer in answers for word in ("--ignore", *shlex.split(answer))]
        clustering, others = mvcc(drawn, out, *options, *remedy)
        return clustering, [str(error), *others]
    return read_facts(out), []
