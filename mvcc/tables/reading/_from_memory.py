"""Tables in memory as the inputs of a job, which has names in the place of their paths."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd

from mvcc._utils.messages import clipped, nearest, shown
from mvcc._utils.settings import Problems as Mistakes
from mvcc._utils.settings import validated
from mvcc._utils.validation import as_pandas
from mvcc.exceptions import ConfigError, DataError, InvalidInputError
from mvcc.tables._job import Job, no_view
from mvcc.tables.reading._inputs import Inputs
from mvcc.tables.reading._matches import without_matched_ids
from mvcc.tables.reading._problems import Problems
from mvcc.tables.reading._read_inputs import notes_on_shared_ids, notes_on_turned
from mvcc.tables.reading._rows import columns_of_bytes, ids_of
from mvcc.tables.reading._table import Table, table_of

_BY_VIEW = ("columns", "ignore", "labels_column")
_ALSO_BY_VIEW = ("features", "n_components")
_OF_ESTIMATORS = {"random_state": "seed", "mappings": "matches"}
_OF_FILES = {
    "unknown": "goes only with files; drop such matches and constraints first.",
    "sample": "goes only with folders of files; give a sample of the rows.",
    "id_column": "goes only with files; make the ids the row index, as by set_index.",
    "missing": "goes only with files; write NaN in the place of such values.",
}


def job_of(
    views: Mapping[str, Any], matches: Mapping[Any, Any] | None, settings: Mapping[str, Any]
) -> Job:
    """Return the job that clusters tables from memory, with names in the place of paths."""
    _refuse_other_forms(views, matches, settings)
    mistakes = Mistakes("cluster_views", "mvcc.cluster_views(…)")
    mistakes.mark((), mistakes.option("cluster_views"))
    sections: dict[str, dict[str, Any]] = {name: {"path": f"views[{name!r}]"} for name in views}
    also = [key for key in _ALSO_BY_VIEW if isinstance(settings.get(key), Mapping)]
    by_view = (*_BY_VIEW, *also)
    for key in by_view:
        for name, value in settings.get(key, {}).items():
            if problem := no_view(name, sections):
                raise ConfigError(f"{key}: {problem}")
            # numbers of NumPy, and columns of a table
            value = value.tolist() if hasattr(value, "tolist") else value
            sections[name][key] = _as_names(value) if key in _BY_VIEW else value
    given = {key: value for key, value in settings.items() if key not in by_view}
    numbers = {key: value.item() for key, value in given.items() if isinstance(value, np.generic)}
    pairs = {}
    for key in matches or ():
        if not (isinstance(key, tuple) and len(key) == 2):
            pair = tuple([*views, "view", "view"][:2])
            raise ConfigError(
                f"matches: the key {shown(key)} is not a pair of views; write two names, such as"
                f" {shown(pair)}."
            )
        pairs[":".join(map(str, key))] = f"matches[{key!r}]"
    return validated(Job, given | numbers | {"views": sections, "matches": pairs}, mistakes)


def _as_names(value: Any) -> Any:
    """Return columns as `frame_of` calls them: numbers as texts."""
    if isinstance(value, Mapping):
        return {str(name): kind for name, kind in value.items()}
    if isinstance(value, list | tuple | set):
        return [str(name) for name in value]
    return str(value) if isinstance(value, int) else value


def inputs_of(
    job: Job, frames: dict[str, pd.DataFrame], matches: Mapping[Any, Any] | None, constraints: Any
) -> Inputs:
    """Return the inputs that tables, matches and constraints from memory are."""
    from mvcc.views import GivenViews  # numba, as in `read_inputs`

    problems = Problems()
    tables: list[Table] = []
    for name, frame in frames.items():
        view, rows = job.views[name], frame.reset_index(drop=True)
        with problems.collecting():
            if frame.index.nlevels > 1:
                levels = f"the row index has {frame.index.nlevels} levels"
                raise DataError(f"{view.path}: {levels}; it must have one, the ids.")
            index = frame.index.to_frame(index=False, name="row index")
            ids = ids_of(index, "row index", view.path)
            tables.append(table_of(rows, name, view, problems, job.shown_of(name), ids))
    problems.raise_any()
    given = GivenViews.of(frames)
    relations = given.relations(dict(matches or {}), "matches")
    tables = without_matched_ids(job, tables, relations)
    notes = [*notes_on_turned(tables), *([] if matches else notes_on_shared_ids(tables))]
    return Inputs(tables, given.constraints(constraints), relations, [], notes=tuple(notes))


def naming_constraints(job: Job, inputs: Inputs, constraints: Any) -> Job:
    """Return the job with names in the place of files of constraints, where there are some."""
    pairs = zip(job.views, inputs.constraints, strict=True)
    given = {name: f"constraints[{name!r}]" for name, links in pairs if len(links) and constraints}
    return job.model_copy(update={"constraints": given})


def frame_of(view: Any, name: str, location: str) -> pd.DataFrame:
    """Return a view, or rows of one, as a frame, bytes as texts; a Series as its only column."""
    from scipy.sparse import issparse  # of no use where files are read

    if isinstance(view, str | os.PathLike):
        raise InvalidInputError(
            f"{location} must be a table, got the path {clipped(shown(os.fspath(view)))}. Read the"
            " file first, as by pandas.read_csv, or cluster files with `mvcc cluster`."
        )
    view = as_pandas(view)
    if isinstance(view, pd.Series):
        view = view.to_frame(name if view.name is None else view.name)
    elif issparse(view):
        view = view.tocsc(copy=True)
        view.sum_duplicates()  # pandas takes one value for each cell
        view = pd.DataFrame.sparse.from_spmatrix(view)  # type: ignore[attr-defined]
    elif not isinstance(view, pd.DataFrame):
        try:
            view = pd.DataFrame(view)
        except (TypeError, ValueError) as error:
            raise InvalidInputError(
                f"{location} is not a table: {shown(view)}. Give a DataFrame, a Series, an"
                " array of shape (n, d) or a sparse matrix."
            ) from error
    frame = view.set_axis([str(column) for column in view.columns], axis=1)
    frame.attrs = {}  # those of a file tell how it was read
    for column in columns_of_bytes(frame):
        with suppress(UnicodeDecodeError):  # no text, which may be ignored
            cells = [cell.decode() if isinstance(cell, bytes) else cell for cell in frame[column]]
            frame[column] = cells
    return frame


def _refuse_other_forms(views: Any, matches: Any, settings: Mapping[str, Any]) -> None:
    """Refuse what is not by view, and settings that only files or other libraries have."""
    if not isinstance(views, Mapping):
        raise InvalidInputError(
            f"views must be a dict {{name: table}}, got {type(views).__name__}."
        )
    if not isinstance(matches, Mapping | None):
        raise InvalidInputError(
            f"matches must be a dict {{(view, view): matches}}, got {type(matches).__name__}."
        )
    for name in views:
        if not isinstance(name, str):
            raise ConfigError(f"views: {shown(name)} is not a name of a view; names are texts.")
    for key in _BY_VIEW:
        value = settings.get(key, {})
        if not isinstance(value, Mapping):
            example = {next(iter(views), "name"): value}
            raise ConfigError(
                f"{key} must be a dict {{view: …}}, got {clipped(shown(value))}; write "
                f"{key}={clipped(str(example))} for one view."
            )
    for name, here in _OF_ESTIMATORS.items():
        if name in settings:
            wanted = clipped(shown(settings[name]))
            raise ConfigError(f"{name} is called {here} here; give {here}={wanted}.")
    known = sorted({*Job.model_fields, *_BY_VIEW} - {"views", *_OF_FILES})
    for name in settings:
        if name in _OF_FILES:
            raise ConfigError(f"{name} {_OF_FILES[name]}")
        if name not in known:
            raise ConfigError(
                f"unknown key '{clipped(name)}'{nearest(name, known)} Known: {', '.join(known)}."
            )
