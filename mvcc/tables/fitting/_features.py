"""How the columns of a view become the space that is clustered."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np
import scipy.linalg
from sklearn import config_context

from mvcc._utils.arrays import Floats, LazyRows, blocks_of
from mvcc._utils.contexts import one_thread
from mvcc._utils.messages import counted, for_reader, percent
from mvcc.embedding import MAX_ROWS, RULES, AutoFeatures, SpectralFeatures
from mvcc.exceptions import DataError, InvalidInputError
from mvcc.tables._job import Job
from mvcc.tables.reading._problems import option_for
from mvcc.tables.reading._table import Table

_EXPECTED = 10  # clusters, where nothing is known of them
_MOST_CENTERED = 100_000  # rows
# columns whose products of all pairs are computed; with more, those of as many rows
_MOST_SQUARED = 2000
MOST_COMPONENTS = 10  # of principal components, where no number is given


@dataclass(frozen=True, eq=False)
class Features:
    """One view in the space that is clustered."""

    X: Floats  # (n, m)
    words: str  # how it was made
    transformer: Any  # makes the same of new rows
    component: str = ""  # what a column is, where the first two are those to draw; mostly empty
    shares: Floats | None = None  # (m,): of the variance, of such columns
    note: str = ""  # what must not be overlooked; mostly empty

    def plane(self) -> tuple[Floats, list[str]]:
        """Return what is drawn of it, (n, 2), and what to write at the two axes."""
        if self.component:
            return _first_two(self.X, self.component, self.shares)
        return plane_of(self.X)


def make_features(table: Table, job: Job) -> Features:
    """Make the features of one view as the job asks for, or raise a DataError."""
    view, note = job.views[table.name], ""
    method, asked = view.features or job.features, view.n_components or job.n_components
    with config_context(transform_output="default"):  # arrays, whatever a user has
        X, encoder, words = numbers_of(table)
        n, d = X.shape
        if method == "spectral" and n > MAX_ROWS:
            method = "pca"
            note = (
                f"{table.name}: more than {MAX_ROWS} rows are too many for spectral features, which"
                " need the affinities of all pairs of them; principal components were used instead"
                f" ({option_for('--features', table.name, 'pca')})."
            )
        most = n - 1 if method == "spectral" else min(n, d)
        if method in ("spectral", "pca") and asked is not None and asked > most:
            raise DataError(
                f"{table.path}: {n} rows of {d} columns have at most {most} components, not"
                f" {asked}."
            )
        if method == "spectral":
            made = _spectral(X, encoder, words, asked or min(job.k, most))
        elif method == "pca":
            made = _components(X, encoder, words, asked or min(MOST_COMPONENTS, most))
        elif method in RULES and (encoder is None or method not in ("auto", "none")):
            made = _ruled(table, method)
        else:
            made = Features(X, words, encoder)
    return replace(made, note=made.note or note)


def _spectral(X: Floats, encoder: Any, words: str, n_components: int) -> Features:
    spectral = SpectralFeatures(n_components)
    said, X_new = f"spectral, {n_components} components of {words}", spectral.fit_transform(X)
    return Features(X_new, said, _after(encoder, spectral), "spectral component")


def _components(X: Floats, encoder: Any, words: str, n_components: int) -> Features:
    # spectral features and those of rules need none of these
    from sklearn.decomposition import PCA
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    steps = [PCA(n_components, svd_solver="full")]
    if encoder is None:
        steps.insert(0, StandardScaler())
    pca = make_pipeline(*steps)
    X_new = np.ascontiguousarray(pca.fit_transform(X))
    shares = pca[-1].explained_variance_ratio_
    said = (
        f"standardized, {X_new.shape[1]} principal components of {words}"
        f" ({percent(shares.sum())} of the variance)"
    )
    return Features(X_new, said, _after(encoder, pca), "principal component", shares)


def _ruled(table: Table, rule: str) -> Features:
    features, note = _by_rule(table, rule), ""
    X_new = features.transform(table.X)
    if rule == "auto" and features.rule_ != "scaled":
        scaled = option_for("--features", table.name, "scaled")
        note = f"{table.name}: {features.description_} (else {scaled})."
    return Features(X_new, _said(table, features), features, note=note)


def described_features(table: Table, job: Job) -> str | None:
    """Say what a rule makes of the columns of a table; None for other features."""
    method = job.views[table.name].features or job.features
    is_mixed = not isinstance(table.X, np.ndarray)
    if method not in RULES or (is_mixed and method in ("auto", "none")):
        return None
    return _said(table, _by_rule(table, method))


def _by_rule(table: Table, rule: str) -> AutoFeatures:
    if not isinstance(table.X, np.ndarray):
        raise DataError(
            f"{table.path}: features: {rule} goes only with columns that are all numbers, none of"
            f" them missing; leave the others out ({for_reader('--ignore', 'ignore')}), or choose"
            " auto."
        )
    try:
        return AutoFeatures(rule).fit(table.X)  # type: ignore[arg-type]  # one of RULES
    except InvalidInputError as error:
        raise DataError(f"{table.path}: features: {error}") from error


def _said(table: Table, features: AutoFeatures) -> str:
    return f"{counted(len(table.columns), 'column')}, {features.description_}"


def features_before_clusters(tables: list[Table], job: Job) -> list[Features]:
    """Make the features of the joint method, also where the number of clusters is unknown."""
    if job.method == "co-em" and "features" not in job.model_fields_set:
        job = job.model_copy(update={"features": "auto"})
    if not isinstance(job.n_clusters, int):
        job = job.model_copy(update={"n_clusters": _EXPECTED})
    return [make_features(table, job) for table in tables]


def numbers_of(table: Table) -> tuple[Floats, Any, str]:
    """Return the columns of a table as numbers, what makes them if they are none, and its words."""
    if isinstance(table.X, np.ndarray):
        return table.X, None, counted(len(table.columns), "column")
    from mvcc.embedding import MixedFeatures

    encoder = MixedFeatures([str(column.kind) for column in table.used])
    with one_thread():
        X = encoder.fit_transform(table.X)
    sizes = f"{counted(len(table.columns), 'column')} as {counted(X.shape[1], 'feature')}"
    words = f"{sizes}, columns of equal weight"
    if encoder.kinds.count("text") > 1:
        words += ", all texts as one"
    return X, encoder, words


def _after(first: Any, second: Any) -> Any:
    """Return a transformer that applies the second one to what the first one makes, if any."""
    from sklearn.pipeline import make_pipeline

    return second if first is None else make_pipeline(first, second)


def plane_of(*views: Floats | LazyRows) -> tuple[Floats, list[str]]:
    """Return the rows of all views in the plane of two principal components, and its axes."""
    points, shares = _principal(views)
    return _first_two(points, "principal component", shares)


@one_thread()
def _principal(views: tuple[Floats | LazyRows, ...]) -> tuple[Floats, Floats]:
    """Return the rows in the plane, and the share of the variance along every component."""
    is_wide = views[0][:1].shape[1] > _MOST_SQUARED
    step = ceil(sum(map(len, views)) / (_MOST_SQUARED if is_wide else _MOST_CENTERED))
    sample = np.vstack([X[::step] for X in views])  # a copy of many would take much memory
    mean = sample.mean(axis=0)
    centered = sample - mean
    if is_wide:  # the products of rows have the same variances, and lead to the same directions
        variances, vectors = scipy.linalg.eigh(centered @ centered.T)
        largest = centered.T @ vectors[:, ::-1][:, :2]
        lengths = np.linalg.norm(largest, axis=0)
        # nothing but rounding
        lengths[lengths <= np.sqrt(np.finfo(float).eps) * lengths[0]] = np.inf
        largest /= lengths
    else:
        variances, directions = scipy.linalg.eigh(centered.T @ centered)
        largest = directions[:, ::-1][:, :2]
    columns = np.arange(largest.shape[1])
    largest = largest * np.sign(largest[np.abs(largest).argmax(axis=0), columns])
    shares = np.maximum(variances[::-1], 0) / max(float(variances.sum()), np.finfo(float).tiny)
    if step == 1:
        return centered @ largest, shares
    points = [X[block] @ largest for X in views for block in blocks_of(len(X))]
    return np.vstack(points) - mean @ largest, shares


def _first_two(X: Floats, name: str, shares: Floats | None) -> tuple[Floats, list[str]]:
    """Return the first two columns, zeros where there is no second, and what their axes are."""
    plane, axes = np.zeros((len(X), 2)), ["", ""]
    for column in range(min(2, X.shape[1])):
        plane[:, column] = X[:, column]
        axes[column] = f"{('1st', '2nd')[column]} {name}"
        if shares is not None:
            axes[column] += f" ({percent(shares[column])} of the variance)"
    return plane, axes


def drawn(points: Floats, axes: list[str]) -> dict[str, Any]:
    """Return the facts of a view's rows in the plane, (n, 2)."""
    return {"x": rounded(points[:, 0]), "y": rounded(points[:, 1]), "axes": axes}


def rounded(values: Floats) -> list[float]:
    """Six digits are more than a drawing shows."""
    return [float(f"{value:.6g}") for value in values.tolist()]
