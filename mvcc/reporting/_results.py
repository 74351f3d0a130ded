"""What experiments left on disk: find their folders and read their curves."""

from __future__ import annotations

from math import inf, nan
from pathlib import Path
from typing import TYPE_CHECKING

from mvcc.exceptions import StoreError
from mvcc.reporting._style import METHODS

if TYPE_CHECKING:
    import pandas as pd

CURVES = "curves.csv"
MANIFEST = "manifest.json"
TEXTS = ("experiment", "dataset", "base", "method")
NUMBERS = ("mapped", "n_constraints", "mean", "standard_error", "trials")
MAY_BE_EMPTY = ("mapped", "standard_error")  # Single View uses no mapping; one trial has no standard error


def find_experiments(results_dir: Path) -> list[Path]:
    """Find the folders of finished experiments.

    Parameters
    ----------
    results_dir : Path
        The folder of one experiment, or any folder above some.

    Returns
    -------
    list of Path
        The folders that hold a ``curves.csv`` and a ``manifest.json``, sorted. If `results_dir` is one itself, it is
        the only one.

    Raises
    ------
    StoreError
        If there is none.
    """
    if _is_experiment(results_dir):
        return [results_dir]
    found = sorted(curves.parent for curves in results_dir.rglob(CURVES) if _is_experiment(curves.parent))
    if not found:
        what = "no finished experiment below" if results_dir.is_dir() else "there is no folder"
        raise StoreError(
            f"{what} {results_dir}: a finished experiment is a folder with {CURVES} and {MANIFEST}. "
            "Give the folder that `mvcc run` wrote to or one above it, or finish the run first."
        )
    return found


def read_curves(results_dir: Path) -> pd.DataFrame:
    """Read the curves of all experiments below a folder.

    Parameters
    ----------
    results_dir : Path
        The folder of one experiment, or any folder above some.

    Returns
    -------
    pandas.DataFrame
        The rows of every ``curves.csv``, one row per point of a curve, and the column ``folder``: the experiment's
        folder as seen from `results_dir`, or its own name if it is `results_dir` itself.

    Raises
    ------
    StoreError
        If there is no experiment, or a ``curves.csv`` is damaged or lacks a column.
    """
    import pandas as pd  # here and below: pandas and matplotlib would slow down `mvcc --help`

    tables = []
    for experiment in find_experiments(results_dir):
        inside = experiment.relative_to(results_dir)
        folder = inside.as_posix() if inside.parts else experiment.resolve().name
        tables.append(_read_table(experiment / CURVES).assign(folder=folder))
    return pd.concat(tables, ignore_index=True)


def _is_experiment(folder: Path) -> bool:
    return (folder / CURVES).is_file() and (folder / MANIFEST).is_file()


def _read_table(path: Path) -> pd.DataFrame:
    import pandas as pd

    try:
        table = pd.read_csv(path, dtype=dict.fromkeys(TEXTS, str))
    except (OSError, ValueError) as error:  # the parser's and the decoder's errors are ValueErrors
        raise _damaged(path, str(error).strip()) from error
    if missing := [name for name in (*TEXTS, *NUMBERS) if name not in table]:
        raise _damaged(path, f"missing columns: {', '.join(missing)}")
    if table.empty:
        raise _damaged(path, "it has no rows")
    for name in NUMBERS:
        numbers = pd.to_numeric(table[name], errors="coerce").astype(float).replace([inf, -inf], nan)
        _refuse(path, table[name], numbers.isna() & table[name].notna(), "not a number")
        table[name] = numbers
    _refuse(path, table["standard_error"], table["standard_error"] < 0, "but must not be negative")
    for name in (*TEXTS, *NUMBERS):
        if name not in MAY_BE_EMPTY:
            _refuse(path, table[name], table[name].isna(), "but must have a value")
    _check_multi_view(path, table)
    return table


def _check_multi_view(path: Path, table: pd.DataFrame) -> None:
    """Check what the figures of the multi-view experiment rely on: one point per curve and place on it."""
    multi_view = table["experiment"] == "multi-view"
    method = table["method"]
    _refuse(path, method, multi_view & ~method.isin(list(METHODS)), f"none of {', '.join(METHODS)}")
    share = table["mapped"].between(0, 1)
    _refuse(path, table["mapped"], multi_view & (method != "single-view") & ~share, "not a fraction from 0 to 1")
    keys = ["experiment", "dataset", "base", "method", "mapped", "n_constraints"]
    _refuse(
        path, table["n_constraints"], multi_view & table.duplicated(keys), "but this point of the curve has come before"
    )


def _refuse(path: Path, column: pd.Series, wrong: pd.Series, why: str) -> None:
    if wrong.any():
        row = int(wrong.to_numpy().argmax())
        raise _damaged(path, f"line {row + 2}: {column.name} is {column.iloc[row]}, {why}")  # line 1 is the header


def _damaged(path: Path, why: str) -> StoreError:
    return StoreError(
        f"cannot read the curves in {path}: {why}. "
        "Restore the file, or run the experiment again with `mvcc run` to write it anew."
    )
