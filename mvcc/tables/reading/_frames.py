"""Views, matches and constraints from memory, as the files of a job would give them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import pandas as pd

from mvcc._utils.messages import clipped, nearest, shown
from mvcc._utils.settings import Problems as Mistakes
from mvcc._utils.settings import validated
from mvcc.exceptions import ConfigError, DataError, InvalidInputError
from mvcc.tables._job import Job
from mvcc.tables.reading._inputs import Inputs
from mvcc.tables.reading._looks import as_texts
from mvcc.tables.reading._problems import Problems
from mvcc.tables.reading._table import Table, table_of
from mvcc.views import GivenViews

_BY_VIEW = ("columns", "ignore", "labels_column")


def job_of(
    views: Mapping[str, Any], matches: Mapping[Any, Any], settings: Mapping[str, Any]
) -> Job:
    """Return the job that clusters tables from memory, with names in the place of paths.

    Raises ConfigError: for unknown settings, or values that they cannot have.
    """
    mistakes = Mistakes("cluster_views", "mvcc.cluster_views(…)")
    mistakes.mark((), mistakes.option("cluster_views"))
    sections: dict[str, dict[str, Any]] = {name: {"path": f"views[{name!r}]"} for name in views}
    _refuse_other_forms(settings, views)
    for key in _BY_VIEW:
        for name, value in settings.get(key, {}).items():
            if name not in sections:
                raise ConfigError(
                    f"{key}: there is no view {shown(name)}{nearest(str(name), sections)}"
                )
            sections[name][key] = value
    given = {key: value for key, value in settings.items() if key not in _BY_VIEW}
    pairs = {
        ":".join(key) if isinstance(key, tuple) else str(key): f"matches[{key!r}]"
        for key in matches
    }
    return validated(Job, given | {"views": sections, "matches": pairs}, mistakes)


def inputs_of(
    job: Job, views: Mapping[str, Any], matches: Mapping[Any, Any], constraints: Any
) -> Inputs:
    """Return the inputs that tables from memory are.

    Raises DataError, InvalidInputError: for tables, matches or constraints that cannot be used,
    or do not fit together.
    """
    problems = Problems()
    frames = {name: frame_of(view, name) for name, view in views.items()}
    tables: list[Table] = []
    for name, frame in frames.items():
        with problems.collecting():
            ids = _ids(frame, job.views[name].path)
            tables.append(
                table_of(frame.reset_index(drop=True), name, job.views[name], problems, ids=ids)
            )
    problems.raise_any()
    given = GivenViews.of(frames)
    return Inputs(tables, given.constraints(constraints), given.relations(dict(matches)), [])


def frame_of(view: Any, name: str) -> pd.DataFrame:
    """Return a view as a frame; a Series, as texts are, becomes its only column.

    Raises InvalidInputError: for the path of a file.
    """
    if isinstance(view, str | os.PathLike):
        raise InvalidInputError(
            f"views[{name!r}] must be a table, got the path {clipped(shown(os.fspath(view)))}. Read"
            " the file first, as by pandas.read_csv, or cluster files with `mvcc cluster`."
        )
    if isinstance(view, pd.Series):
        return view.to_frame(name if view.name is None else str(view.name))
    frame = view if isinstance(view, pd.DataFrame) else pd.DataFrame(view)
    return frame.set_axis([str(column) for column in frame.columns], axis=1)


def _refuse_other_forms(settings: Mapping[str, Any], views: Mapping[str, Any]) -> None:
    """Refuse settings in other forms: for one view only, or by another library's name."""
    for key in _BY_VIEW:
        value = settings.get(key, {})
        if not isinstance(value, Mapping):
            example = {next(iter(views), "name"): value}
            raise ConfigError(
                f"{key} must be a dict {{view: …}}, got {clipped(shown(value))}; write "
                f"{key}={clipped(str(example))} for one view."
            )
    if "unknown" in settings:
        raise ConfigError("unknown goes only with files; drop such matches and constraints first.")
    if "random_state" in settings:
        wanted = clipped(shown(settings["random_state"]))
        raise ConfigError(f"random_state is called seed here; give seed={wanted}.")


def _ids(frame: pd.DataFrame, place: str) -> list[str]:
    if frame.index.nlevels > 1:
        raise DataError(
            f"{place}: the row index has {frame.index.nlevels} levels; it must have one, the ids."
        )
    ids = as_texts(frame.index.to_series())
    if ids.duplicated().any():
        twice = clipped(shown(ids[ids.duplicated()].iloc[0]))
        raise DataError(
            f"{place}: the id {twice} is there more than once in the row index; ids must be"
            " distinct."
        )
    return ids.tolist()
