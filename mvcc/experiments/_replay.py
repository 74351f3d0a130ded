"""One trial again: to see why it failed, or whether it gives the stored numbers here."""

from __future__ import annotations

import os
from dataclasses import dataclass

import pandas as pd
from pydantic import ValidationError

from mvcc.exceptions import StoreError
from mvcc.experiments._config import Config
from mvcc.experiments._provenance import describe_run
from mvcc.experiments._store import ResultsStore
from mvcc.experiments._trial import run_trial
from mvcc.results import Manifest, differences, environment_differences


@dataclass(frozen=True)
class Replay:
    """A trial that was computed again."""

    rows: pd.DataFrame
    compared: bool  # whether it is stored
    differing: int  # rows that differ from the stored ones, in any bit
    first: str  # the first difference
    causes: list[str]  # in what program, libraries, processor or data differ from those of the latest stored run


def replay_trial(
    folder: str | os.PathLike[str], trial: int, *, data_dir: str | os.PathLike[str] | None = None
) -> Replay:
    """Compute one trial of a results folder again, in this process, and compare it; nothing is written.

    A trial that is not stored is computed all the same. What a trial raises is raised.
    """
    store = ResultsStore(folder)
    manifest = store.manifest()
    if manifest is None:
        raise StoreError(f"{store.folder} holds no results: there is no manifest.json. Give the folder of one run.")
    config = _config(manifest, store)
    rows = run_trial(config, trial, data_dir)
    stored = store.read_trial(trial)
    current = describe_run(config, data_dir)
    causes = differences(manifest, current) + environment_differences(manifest.runs[-1], current.runs[0])
    return Replay(rows, stored is not None, *_compare(stored, rows), causes)


def _config(manifest: Manifest, store: ResultsStore) -> Config:
    try:
        return Config.model_validate(manifest.config)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise StoreError(
            f"{store.folder / 'manifest.json'}: its config is not one of this version of mvcc and the packages here: "
            f"{'.'.join(map(str, first['loc']))}: {str(first.get('ctx', {}).get('error', first['msg'])).rstrip('.')}."
        ) from error


def _compare(stored: pd.DataFrame | None, rows: pd.DataFrame) -> tuple[int, str]:
    if stored is None:
        return 0, ""
    if list(stored.columns) != list(rows.columns) or len(stored) != len(rows):
        return max(len(stored), len(rows)), f"{len(stored)} rows stored, {len(rows)} now, or other columns"
    same = (stored == rows) | (stored.isna() & rows.isna())
    if same.all(axis=None):
        return 0, ""
    row, column = divmod(int((~same).to_numpy().argmax()), len(rows.columns))
    name = rows.columns[column]
    return int((~same).any(axis=1).sum()), (
        f"row {row + 1}, {name}: {stored[name].tolist()[row]!r} stored, {rows[name].tolist()[row]!r} now"
    )
