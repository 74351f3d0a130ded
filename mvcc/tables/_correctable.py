"""Corrections of a result in memory, each of which returns a new result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self, cast

import numpy as np
import pandas as pd

from mvcc._utils.messages import naming_settings, nearest_id, row_name, shown
from mvcc._utils.validation import check_flag
from mvcc.exceptions import InvalidInputError
from mvcc.multiview import MERGE, NEW, OPENS, OUTLIER, RENAME, UNDO, Answer
from mvcc.tables._clustering import Clustered
from mvcc.tables._job import no_view
from mvcc.tables.correcting._corrected import parts_of
from mvcc.tables.correcting._corrections import (
    MATCH,
    NO_MATCH,
    refuse_line_breaks,
    refuse_name,
    rows_in,
)
from mvcc.tables.correcting._draft import Draft
from mvcc.tables.fitting._features import features_before_clusters


class Correctable:
    """A result whose clusters a person can correct."""

    def __init__(self, found: Clustered, index: Mapping[str, pd.Index[Any]]) -> None:
        self._found, self._facts = found, found.facts  # these after the corrections
        self._draft = found.reviewed.draft
        self._views = {view.name: view for view in found.facts.views}
        self._every_row = dict(index)  # also of rows that were left out
        self._index = {
            view.name: index[view.name][np.isin(before.ids, view.ids)]
            for view, before in zip(found.facts.views, self._draft.found.views, strict=True)
        }

    @property
    def corrections(self) -> list[str]:
        """What was corrected so far: a sentence for each correction."""
        return self._facts.corrections

    def merge(self, kept: int | str, gone: int | str) -> Self:
        """Put the rows of one cluster into another, whose number and name stay.

        Corrections never change a result: each returns a new one, and ``compare`` tells what it
        moved. A clustering that continues the new result is corrected in the same way.

        Parameters
        ----------
        kept, gone : int or str
            Numbers or names of clusters; "view:number" where views are not numbered alike.

        Returns
        -------
        ClusteringResult

        Raises
        ------
        InvalidInputError
            For a cluster that is not there, or the same one twice.
        """
        return self._corrected(str(gone), f"{MERGE}{kept}")

    def rename(self, cluster: int | str, name: str) -> Self:
        """Give a cluster a name.

        Parameters
        ----------
        cluster : int or str
            As for ``merge``.
        name : str
            At most 200 letters, not the name of another cluster, no number, and no answer such as
            "new" or "outlier".

        Returns
        -------
        ClusteringResult

        Raises
        ------
        InvalidInputError
            For a cluster that is not there, or a name that it cannot have.
        """
        refuse_name(name)
        return self._corrected(str(cluster), f"{RENAME}{name}")

    def move(self, rows: Mapping[str, Any], cluster: int | str | None) -> Self:
        """Put rows into another cluster, with all rows that are matched with them.

        Parameters
        ----------
        rows : dict {view: id or list of ids}
        cluster : int, str or None
            Its number or name; None for rows that fit nowhere, which are left out.

        Returns
        -------
        ClusteringResult

        Raises
        ------
        InvalidInputError
            For rows or a cluster that are not there, rows of views that are numbered apart, or when
            a view would be left with fewer than two rows.
        """
        names, answer = self._named(rows), OUTLIER
        if cluster is not None:
            # by its number: texts such as "undo" are corrections of another kind
            view = next(iter(rows))
            alike = self._draft.alike_with([*self._views].index(view))
            _, target = self._draft.cluster(str(cluster), alike)
            answer = f"{view}:{target}"
        return self._corrected(names, answer)

    def parts(self, cluster: int | str) -> dict[str, pd.Series[Any]]:
        """Propose how to split a cluster in two.

        The joint method clusters its rows once more, with their matches.

        Parameters
        ----------
        cluster : int or str
            As for ``merge``.

        Returns
        -------
        dict {view: Series of int}
            0 or 1 for every row of the cluster, by id; 0 is the part with more rows.

        Raises
        ------
        InvalidInputError
            For a cluster that is not there, or has too few rows.
        """
        inputs, job = self._found.inputs, self._found.job
        features = [feature.X for feature in features_before_clusters(inputs.tables, job)]
        parts = parts_of(self._draft, str(cluster), features, inputs, job.seed)
        return {
            name: pd.Series(labels, index=self._every_row[name][rows], name="part")
            for name, (rows, labels) in parts.items()
        }

    def split(
        self, cluster: int | str, rows: Mapping[str, Any] | None = None, name: str = ""
    ) -> Self:
        """Split rows off a cluster into a new one, which gets the next number.

        Parameters
        ----------
        cluster : int or str
            As for ``merge``.
        rows : dict {view: id or list of ids}, default=None
            Rows of the cluster, which are moved with all rows that are matched with them; by
            default part 1 of ``parts``.
        name : str, default=""
            Of the new cluster.

        Returns
        -------
        ClusteringResult

        Raises
        ------
        InvalidInputError
            For a cluster that is not there or, without ``rows``, too small; for rows that are not
            in it, or a name that the new one cannot have.
        """
        if rows is None:
            parts = self.parts(cluster)
            rows = {view: part.index[part == 1].tolist() for view, part in parts.items()}
        names = self._named(rows)
        self._refuse_others(cluster, names)
        if name:
            refuse_name(name)
        return self._corrected(names, f"{OPENS}{name}" if name else NEW)

    def match(self, rows: Mapping[str, Any], *, same: bool = True) -> Self:
        """Say that two rows are the same object, or that they are not.

        Parameters
        ----------
        rows : dict {view: id}
            Two views with a row each; if these are numbered alike, the second one is moved into the
            cluster of the first.
        same : bool, default=True
            False takes a match away, if there is one.

        Returns
        -------
        ClusteringResult
            A clustering that continues it uses the matches.

        Raises
        ------
        InvalidInputError
            For rows that are not there, or views without matches.
        """
        is_match = check_flag(same, "same")
        return self._corrected(self._named(rows), MATCH if is_match else NO_MATCH)

    def undo(self) -> Self:
        """Take back the last correction.

        Returns
        -------
        ClusteringResult

        Raises
        ------
        InvalidInputError
            When there is none.
        """
        return self._corrected("", UNDO)

    def _named(self, rows: Mapping[str, Any]) -> str:
        """Return rows as a correction names them."""
        if not isinstance(rows, Mapping):
            raise InvalidInputError(f"rows must be a dict {{view: ids}}, got {shown(rows)}.")
        names = []
        for view, value in rows.items():
            if isinstance(value, pd.Series) and value.name in ("cluster", "part"):
                raise InvalidInputError(
                    f"rows of {view} must be ids, not a Series that has a {value.name} for each;"
                    " give the ids of some, such as own.index[own == 1]."
                )
            ids = list(value) if pd.api.types.is_list_like(value) else [value]
            if any(isinstance(id, bool | np.bool_) for id in ids):
                raise InvalidInputError(
                    f"rows of {view} must be ids, not a mask; give index[mask]."
                )
            known_ids = [self._id(view, id, left_out=True) for id in ids]
            refuse_line_breaks(known_ids, view)
            names += [row_name(view, id) for id in known_ids]
        if not names:
            raise InvalidInputError(f"no row is named in {shown(rows)}; give {{view: ids}}.")
        return "\n".join(names)

    @naming_settings()
    def _corrected(self, id: str, answer: str) -> Self:
        reviewed = self._found.reviewed.extended(Answer(id, answer))
        return type(self)(replace(self._found, reviewed=reviewed), self._every_row)

    def _id(self, view: str, id: Any, *, left_out: bool = False) -> str:
        """Return the id of a row as the facts have it, also of one that was ``left_out``."""
        if problem := no_view(view, self._views):
            raise InvalidInputError(problem)
        index, facts = self._index[view], self._facts
        if left_out:  # by a correction, which may be taken back
            index, facts = self._every_row[view], self._draft.found
        if not pd.api.types.is_hashable(id):
            raise InvalidInputError(f"{view}: {shown(id)} cannot be the id of a row.")
        if id not in index:
            why = nearest_id(id, index)
            if id in self._every_row[view]:
                why = ": it was left out, and has no cluster."
            raise InvalidInputError(f"{view} has no row with the id {shown(id)}{why}")
        position = int(cast(int, index.get_loc(id)))
        return facts.views[[*self._views].index(view)].ids[position]

    def _called(self, view: str, cluster: int) -> str:
        """Return what a message calls a cluster of a view."""
        if name := dict(enumerate(self._views[view].names)).get(cluster):
            return f"cluster {cluster} ({name})"
        return f"cluster {cluster}"

    def _refuse_others(self, cluster: int | str, names: str) -> None:
        draft = Draft(self._facts)
        views, origin = draft.cluster(str(cluster))
        for name in rows_in(names):
            ((view, row),) = draft.rows(name)
            if view not in views or draft.labels[view][row] != origin:
                raise InvalidInputError(f"{name} is not in cluster {draft.called(views, origin)}.")
