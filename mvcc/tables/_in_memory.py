"""Clustering of tables in memory, with what `mvcc cluster` would say of them."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn import config_context

from mvcc._utils.arrays import Ints
from mvcc._utils.messages import clipped, counted, enumerated, naming_settings, percent, shown
from mvcc.exceptions import InvalidInputError
from mvcc.results import ClusterProfile
from mvcc.tables._clustering import Clustered, clustered
from mvcc.tables._correctable import Correctable
from mvcc.tables._layout import MOVED
from mvcc.tables.model._saved import SavedClustering
from mvcc.tables.output._compare import compare_facts
from mvcc.tables.output._former import Former, answered, read_former
from mvcc.tables.reading._from_memory import frame_of, inputs_of, job_of, naming_constraints

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@naming_settings()
def cluster_views(
    views: Mapping[str, Any],
    *,
    n_clusters: int | Literal["auto"],
    matches: Mapping[tuple[str, str], Any] | None = None,
    constraints: Mapping[str, Any] | None = None,
    continues: str | os.PathLike[str] | ClusteringResult | None = None,
    **settings: Any,
) -> ClusteringResult:
    """Cluster tables as `mvcc cluster` does, from memory.

    Parameters
    ----------
    views : dict {name: DataFrame, Series, array-like or sparse matrix of shape (n_v, d_v)}
        Numbers, categories, texts, dates and truth values, with missing values (NaN or None, no
        -99). Categories that pandas has in an order become their numbers. The row index has the
        ids.
    n_clusters : int or "auto"
        k, the number of clusters; "auto" is that of the groups that ``asked`` names.
    matches : dict {(name, name): DataFrame, pairs, dict or sparse matrix}, default=None
        Rows of two views that are the same object: two columns of ids, or row numbers.
    constraints : dict {name: Constraints or DataFrame}, default=None
        Pairs of rows that belong together or apart; the columns of a DataFrame are i, j, kind and
        perhaps weight.
    continues : path or ClusteringResult, default=None
        The folder of an earlier result, or one from memory: its clusters keep their numbers and
        names. The answers that it was made with are used again, unless ``asked`` names others.
    **settings
        As in a configuration of `mvcc cluster`: ``method``, ``base``, ``transfer``, ``threshold``,
        ``closure``, ``on_conflict``, ``features``, ``n_components``, ``stability_runs``,
        ``comparison``, ``compare_co_em``, ``seed``, ``asked`` (folders of `mvcc ask`); and by view
        ``columns``, ``ignore``, ``show`` and ``labels_column``, such as
        ``ignore={"texts": ["price"]}``, as ``features`` and ``n_components`` may be.

    Returns
    -------
    ClusteringResult
        Labels, fit and stability by id, and what explains them.

    Raises
    ------
    ConfigError
        For unknown settings, or values that they cannot have.
    DataError, InvalidInputError, StoreError
        For tables, matches, constraints, answers or an earlier result that cannot be used together.
    ConstraintConflictError
        When constraints and matches contradict each other, unless ``on_conflict="drop"``.

    See Also
    --------
    JointGraphClustering : The estimator behind it.
    load_model : The model of a folder, to assign new rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from mvcc import cluster_views
    >>> texts = pd.DataFrame({"words": [5, 6, 7, 90, 91, 95]}, index=list("abcdef"))
    >>> images = pd.DataFrame({"light": [9, 8, 9, 1, 2, 1]}, index=list("uvwxyz"))
    >>> matches = pd.DataFrame({"texts": list("abde"), "images": list("uvxy")})
    >>> found = cluster_views(
    ...     {"texts": texts, "images": images},
    ...     matches={("texts", "images"): matches},
    ...     n_clusters=2,
    ... )
    >>> bool(found.labels["texts"]["c"] == found.labels["images"]["w"])
    True
    """
    began = time.perf_counter()
    settings |= {"n_clusters": n_clusters}
    if not isinstance(continues, ClusteringResult | None):
        settings["continues"] = os.fspath(continues)
    job, former = read_former(job_of(views, matches, settings))
    if isinstance(continues, ClusteringResult):
        former = continues._as_former(answers_again=not job.asked)
        job = job.model_copy(update={"asked": job.asked or continues._found.job.asked})
    frames = {name: frame_of(view, name, f"views[{name!r}]") for name, view in views.items()}
    inputs = answered(job, inputs_of(job, frames, matches, constraints), former)
    job = naming_constraints(job, inputs, constraints)
    with config_context(transform_output="default"):
        clustering = clustered(job, inputs, began, lambda step: None, former)
    index = {name: frame.index for name, frame in frames.items()}
    if inputs.answers:
        for name, rows in zip(index, inputs.answers.outliers, strict=True):
            index[name] = index[name].delete(rows)
    return ClusteringResult(clustering, index)


class ClusteringResult(Correctable):
    """The clusters of several views, with what tells how far to trust them. Made by
    ``cluster_views``.

    Parameters
    ----------
    found : Clustered
        The clustering.
    index : dict {name: Index}
        The ids of the rows of every view.

    Attributes
    ----------
    labels : dict {name: Series of int}
        Cluster of every row by id; by the joint method, the same number is the same cluster in all
        views that matches connect.
    fit : dict {name: Series of float}
        How well a row fits its cluster, 0 to 1; see ``cluster_fit``.
    stability : dict {name: Series of float}
        Share of the stability runs that put a row into the same cluster, 1 where a correction has
        put it; NaN without stability runs.
    facts : dict
        What ``clustering.json`` of `mvcc cluster` holds, but the checksum of the model;
        ``facts["warnings"]`` has the notes, those on the clusters first.

    See Also
    --------
    cluster_views : Makes it.

    Examples
    --------
    >>> import pandas as pd
    >>> from mvcc import cluster_views
    >>> sizes = pd.DataFrame({"size": [1, 2, 1, 9, 8, 9]}, index=list("abcdef"))
    >>> found = cluster_views({"sizes": sizes}, n_clusters=2)
    >>> found
    <ClusteringResult: 2 clusters of sizes (6 rows)>
    >>> bool(found.labels["sizes"]["a"] == found.labels["sizes"]["c"])
    True
    >>> found.rename(0, "one of two").corrections
    ['Cluster 0 is now called one of two.']
    """

    def __init__(self, found: Clustered, index: Mapping[str, pd.Index[Any]]) -> None:
        super().__init__(found, index)
        self.labels = self._by_id("labels", "cluster", np.int64)
        self.fit = self._by_id("fit", "fit", np.float64)
        self.stability = self._by_id("stability", "stability", np.float64)

    def _as_former(self, *, answers_again: bool = False) -> Former:
        """Return it for a clustering that continues it."""
        answers = self._found.inputs.answers
        return Former(
            "the former result",
            self._draft.found,
            lambda: self._found.saved,
            self._draft.lines,
            self._facts.n_clusters,
            rows_of_answers=answers.rows if answers else {},
            answers_again=answers_again,
            tables=self._found.inputs.tables_read,
        )

    @property
    def facts(self) -> dict[str, Any]:
        """What ``clustering.json`` of `mvcc cluster` holds, but the checksum of the model."""
        return self._facts.to_dict()

    @property
    def model(self) -> SavedClustering:
        """What gives new rows their clusters; its ``save`` writes a file for ``load_model``."""
        return self._found.saved.merged(self._facts.into)

    @property
    def probabilities(self) -> dict[str, pd.DataFrame]:
        """How likely every row is in each cluster: by id, with a column for each; rows sum to 1.

        They are made when they are first looked at, as ``probabilities_`` of
        ``JointGraphClustering``; other methods have none. Corrections do not change them: they are
        those of the clusters that were found.
        """
        if self._facts.settings["method"] != "joint":
            raise InvalidInputError(
                "only the joint method tells probabilities; leave out method= and base=."
            )
        probabilities = {}
        every = zip(self._every_row.items(), self._found.model.probabilities_, strict=True)
        for (name, index), rows in every:
            dense = rows.toarray() if issparse(rows) else rows
            frame = pd.DataFrame(dense, index=index, columns=self._found.saved.view(name).numbers)
            probabilities[name] = frame.rename_axis(columns="cluster").sort_index(axis=1)
        return probabilities

    def predict(self, X: Any, view: str) -> Ints:
        """Return the cluster of new rows of a view.

        Parameters
        ----------
        X : DataFrame, Series, array-like or sparse matrix of shape (n, d)
            A table like the one that was clustered, or one of the columns that count.
        view : str
            The name of the view.

        Returns
        -------
        ndarray of shape (n,)
            Numbers of the clusters, as in ``labels``.
        """
        return self.model.predict(X, view)

    def explain(self, view: str, id: Any) -> str:
        """Say in which cluster a row is, how sure that is, and, by the joint method, whether
        constraints have moved it there. The id is one of the index of ``labels[view]``.
        """
        name, index, draft = self._id(view, id), [*self._views].index(view), self._draft
        row, found_row = (
            facts.views[index].ids.index(name) for facts in (self._facts, draft.found)
        )
        parts = [f"{id} of {view} is in {self._called(view, int(self.labels[view].iloc[row]))}"]
        if draft.put[index][found_row]:
            parts.append("a correction has put it there")
        elif not np.isnan(stable := self.stability[view].iloc[row]):
            parts.append(f"{percent(stable)} of the stability runs agree")
        sentence = f"{'; '.join(parts)}; its fit is {self.fit[view].iloc[row]:.2f} (1 is best)."
        for moved, cluster, because in self._found.tables[index].get(MOVED, [])[1:]:
            if moved == name and (without := draft.without(index, found_row, cluster)) is not None:
                elsewhere = self._called(view, without)
                return f"{sentence} Without the constraints it would be in {elsewhere}, {because}."
        return sentence

    def profile(self, cluster: int) -> dict[str, dict[str, Any]]:
        """Say what sets a cluster apart in each view.

        Parameters
        ----------
        cluster : int
            A number of ``labels``.

        Returns
        -------
        dict {view: dict}
            ``columns``, a DataFrame with a rule for each column that sets the cluster apart, the
            shares of rows in the cluster and outside that follow it, and both medians; ``words``, a
            DataFrame of their shares in texts; and the ids of rows: ``typical`` ones,
            ``borderline`` ones (a Series of the other cluster), and ``misfits``.
        """
        known = self._facts.clusters
        if not isinstance(cluster, int | np.integer) or cluster not in known:
            where = f"they are {enumerated(known)}"
            raise InvalidInputError(f"there is no cluster {shown(cluster)}; {where}.")
        views = zip(self._views, self._facts.profiles, strict=True)
        return {name: self._profile_in(name, profiles[cluster]) for name, profiles in views}

    def _profile_in(self, view: str, profile: ClusterProfile) -> dict[str, Any]:
        columns = [
            (trait.column, trait.rule, trait.inside, trait.outside, *(trait.medians or ("", "")))
            for trait in profile.columns
        ]
        medians = "median inside", "median outside"
        ids, (rows, others) = self._index[view], np.array(profile.borderline, int).reshape(-1, 2).T
        return {
            "columns": _table(columns, "column", "rule", "inside", "outside", *medians),
            "words": _table(list(profile.words), "word", "inside", "outside"),
            "typical": list(ids[list(profile.typical)]),
            "borderline": pd.Series(others, index=ids[rows], name="other cluster"),
            "misfits": list(ids[list(profile.misfits)]),
        }

    @naming_settings()
    def compare(self, other: ClusteringResult) -> dict[str, Any]:
        """Return what differs from another clustering, as `mvcc compare --json` prints it."""
        if not isinstance(other, ClusteringResult):
            raise InvalidInputError(f"other must be a ClusteringResult, got {shown(other)}.")
        facts, called = (self._facts, other._facts), ("this clustering", "the other one")
        return compare_facts(facts, called, self._as_former().strange(other._found.inputs))

    def plot(self) -> Figure:
        """Draw every view in two dimensions, colored by cluster; return the figure of pyplot."""
        import matplotlib.pyplot as plt

        n, n_columns = len(self._views), 1 + self._facts.n_clusters // 20
        figure = plt.figure(figsize=(5 * n + 1.5 * n_columns, 4.5), layout="constrained")
        panels, drawn = np.ravel(figure.subplots(1, n)), {}
        for axes, (name, view) in zip(panels, self._views.items(), strict=True):
            x, y, labels = np.array(view.x), np.array(view.y), self.labels[name].to_numpy()
            for cluster in np.unique(labels).tolist():
                in_cluster, called = labels == cluster, self._called(name, cluster)
                look: dict[str, Any] = {"s": 12, "alpha": 0.7, "label": clipped(called, 25)}
                look |= {"color": f"C{cluster}", "marker": "osD^vP*"[cluster // 10 % 7]}
                drawn[cluster, called] = axes.scatter(x[in_cluster], y[in_cluster], **look)
            axes.set(title=name, xlabel=view.axes[0], ylabel=view.axes[1])
        handles = [drawn[key] for key in sorted(drawn)]
        beside = {"ncols": n_columns, "loc": "upper left", "bbox_to_anchor": (1, 1)}
        for text in axes.legend(handles=handles, fontsize="small", **beside).get_texts():
            text.set_parse_math(False)  # a name with a dollar sign is a name
        return figure

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the report of `mvcc cluster`: one HTML file that needs nothing else."""
        from mvcc.reporting.html import write_clustering_report

        write_clustering_report(self._facts, Path(path))

    def sizes(self) -> pd.DataFrame:
        """Return the number of rows of each cluster in each view."""
        counts = {name: labels.value_counts() for name, labels in self.labels.items()}
        sizes = pd.DataFrame(counts, index=self._facts.clusters).fillna(0).astype(int)
        return sizes.rename_axis("cluster")

    def __repr__(self) -> str:
        rows = ", ".join(f"{name} ({view.n_rows} rows)" for name, view in self._views.items())
        n = len(self._facts.warnings)
        more = f'; {counted(n, "note")} in facts["warnings"]' if n else ""
        return f"<ClusteringResult: {counted(len(self.sizes()), 'cluster')} of {rows}{more}>"

    def _repr_html_(self) -> str:
        compared = self._facts.comparison
        sentences = [*([compared.sentence] if compared else []), *self._facts.warnings]
        notes = "".join(f"<li>{escape(note)}</li>" for note in sentences)
        listed = f"<ul>{notes}</ul>" if notes else ""
        return f"<p>{escape(repr(self)[1:-1])}</p>{self.sizes().to_html()}{listed}"

    def _by_id(self, field: str, name: str, dtype: Any) -> dict[str, pd.Series[Any]]:
        return {
            view: pd.Series(np.array(getattr(facts, field), dtype), self._index[view], name=name)
            for view, facts in self._views.items()
        }


def _table(rows: list[tuple[Any, ...]], *columns: str) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list(columns)).set_index(columns[0])
