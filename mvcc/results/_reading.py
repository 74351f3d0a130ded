"""What experiments left on disk: find their folders and read their curves, scores and examples."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import error as ZlibError

from mvcc._utils.files import damage_of, known_checksums
from mvcc._utils.messages import clipped
from mvcc.exceptions import StoreError
from mvcc.results._format import (
    BASES,
    CELL,
    CROSS_VALIDATED,
    CURVES,
    EXAMPLE,
    MANIFEST,
    MEASURES,
    PROPAGATION,
    SCORES,
    SINGLE_VIEW,
    TRANSFERS,
    read_csv,
    unpacked,
)

if TYPE_CHECKING:
    import pandas as pd

TEXTS = CELL[:7]
# What a method or an experiment does not have stays empty: Single View has no mapping, one trial no standard error.
_MAY_BE_EMPTY = {"view", "base", "closure", "threshold", "mapped", "rewired", "standard_error", *MEASURES}
_SHARES = ("mapped", "rewired", "f_measure", "mean", "standard_error", "converged", "chosen_threshold", "disagreement")
_PRECISIONS = tuple(name for name in MEASURES if "precision" in name)
_BOUNDS = dict.fromkeys((*_SHARES, *_PRECISIONS), (0, 1)) | dict.fromkeys(("trial", "n_constraints"), (0, 10**9))
_BOUNDS["trials"] = (1, 10**9)
_MOST = 10**15  # of anything that is counted
_WHOLE = {"trial", "trials", "n_constraints"}
_LONGEST_TEXT = 100
_MARKUP = "<>|`[]\\&"  # what Markdown, HTML or rich would act on
_LONGEST_LINE = 10_000


@dataclass(frozen=True)
class Results:
    """All experiments below a folder, each kind of file read when a figure first asks for it."""

    folder: Path

    @cached_property
    def curves(self) -> pd.DataFrame:
        """As `read_curves` returns them."""
        return read_curves(self.folder)

    @cached_property
    def scores(self) -> pd.DataFrame:
        """As `read_scores` returns them."""
        return read_scores(self.folder)

    @cached_property
    def examples(self) -> list[dict[str, Any]]:
        """As `read_examples` returns them."""
        return read_examples(self.folder)


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
    try:
        if _is_experiment(results_dir):
            return [results_dir]
        found = sorted(curves.parent for curves in results_dir.rglob(CURVES) if _is_experiment(curves.parent))
    except (OSError, ValueError) as error:  # no path at all is a ValueError
        reason = getattr(error, "strerror", None) or error
        raise StoreError(f"cannot look for results in {clipped(str(results_dir), 1000)}: {reason}") from error
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
        The rows of every ``curves.csv``, one row per point of a curve, and three columns more: ``folder``, the
        experiment's folder as seen from `results_dir`, or its own name if it is `results_dir` itself; ``study`` and
        ``features`` (``spectral`` or ``none``), as its manifest has them. ``threshold`` is text.

    Raises
    ------
    StoreError
        If there is no experiment, or a file is damaged or lacks a column.
    """
    return _read_all(results_dir, CURVES, (), ("mean", "standard_error", "trials"))


def read_scores(results_dir: Path) -> pd.DataFrame:
    """Read the scores of all trials of all experiments below a folder.

    Parameters
    ----------
    results_dir : Path
        The folder of one experiment, or any folder above some.

    Returns
    -------
    pandas.DataFrame
        The rows of every ``scores.csv.gz``, one row per trial and point of a curve, and the columns that `read_curves`
        adds.

    Raises
    ------
    StoreError
        If there is no experiment, or a file is missing or damaged or lacks a column.
    """
    return _read_all(results_dir, SCORES, ("trial",), ("f_measure",))


def read_examples(results_dir: Path) -> list[dict[str, Any]]:
    """Read the examples of Figure 3 of all experiments below a folder.

    Returns
    -------
    list of dict
        Every ``example.json`` there is, with ``folder`` and ``study`` added, in the order of the folders.

    Raises
    ------
    StoreError
        If there is no experiment, or an example is damaged.
    """
    return [
        {**_read_json(path, _intact(path)), **_origin(experiment, results_dir)}
        for experiment in find_experiments(results_dir)
        if (path := experiment / EXAMPLE).exists()
    ]


def read_manifest(experiment: Path) -> dict[str, Any]:
    """Read the ``manifest.json`` of one experiment, as it is.

    Raises
    ------
    StoreError
        If it is damaged.
    """
    return _read_json(experiment / MANIFEST)


def _is_experiment(folder: Path) -> bool:
    return (folder / CURVES).is_file() and (folder / MANIFEST).is_file()


def _read_all(results_dir: Path, name: str, keys: tuple[str, ...], values: tuple[str, ...]) -> pd.DataFrame:
    import pandas as pd  # here and below: pandas and matplotlib would slow down `mvcc --help`

    tables = [
        _read_table(experiment / name, (*keys, *CELL), values).assign(**_origin(experiment, results_dir))
        for experiment in find_experiments(results_dir)
    ]
    return pd.concat(tables, ignore_index=True)


def _origin(experiment: Path, results_dir: Path) -> dict[str, str]:
    inside = experiment.relative_to(results_dir)
    manifest = experiment / MANIFEST
    config: Any = _read_json(manifest).get("config")
    try:
        study, features = config["study"], config["features"]["method"]
    except (KeyError, TypeError) as error:
        raise _damaged(manifest, "its `config` does not tell the study and the features") from error
    if not (is_label(study) and is_label(features)):
        raise _damaged(manifest, "the study or the features in its `config` are no text of visible characters")
    folder = inside.as_posix() if inside.parts else experiment.resolve().name
    return {"folder": folder, "study": study, "features": features}


def _intact(path: Path) -> bytes:
    """Return the content of a file of an experiment, if it is as it was written.

    A manifest without any checksums is not one of ours: somebody brought results of another method into this form.
    """
    listed: Any = _read_json(manifest := path.parent / MANIFEST).get("checksums")
    try:
        content = path.read_bytes()
        if listed is None:
            return content
        if not isinstance(listed, dict) or not all(isinstance(checksum, str) for checksum in listed.values()):
            raise _damaged(manifest, "its `checksums` are not a text for each file")
        why = damage_of(content, known_checksums(path.parent, listed).get(path.name, []))
    except OSError as error:
        raise _damaged(path, error.strerror or str(error)) from error
    if why:
        raise _damaged(path, why)
    return content


def _read_json(path: Path, content: bytes | None = None) -> dict[str, Any]:
    try:
        tree = json.loads(path.read_bytes() if content is None else content)
    except (OSError, ValueError, RecursionError) as error:
        raise _damaged(path, str(error)) from error
    if not isinstance(tree, dict):
        raise _damaged(path, "it is not a JSON object")
    return tree


def _read_table(path: Path, key: tuple[str, ...], values: tuple[str, ...]) -> pd.DataFrame:
    import pandas as pd

    content = _intact(path)
    try:
        table = parse_table(unpacked(content) if path.suffix == ".gz" else content, TEXTS)
    except (OSError, EOFError, ValueError, ZlibError) as error:  # the decoder's are ValueErrors
        raise _damaged(path, clipped(" ".join(str(error).split()), 300)) from error
    columns = (*key, *values, *MEASURES)
    if missing := [name for name in columns if name not in table]:
        raise _damaged(path, f"missing columns: {', '.join(missing)}")
    if table.empty:
        raise _damaged(path, "it has no rows")
    for name in columns:
        if name not in TEXTS:
            numbers = pd.to_numeric(table[name], errors="coerce").astype(float).replace([inf, -inf], nan)
            _refuse(path, table[name], numbers.isna() & table[name].notna(), "not a number")
            low, high = _BOUNDS.get(name, (0, _MOST))
            outside = ~numbers.between(low, high) & numbers.notna()
            _refuse(path, numbers, outside, f"not a number from {low:g} to {high:g}")
            if name in _WHOLE:
                _refuse(path, numbers, numbers % 1 > 0, "not a whole number")
            table[name] = numbers
        else:
            unreadable = [text for text in table[name].dropna().unique() if not is_label(text)]
            _refuse(
                path,
                table[name],
                table[name].isin(unreadable),
                f"not a text of at most {_LONGEST_TEXT} visible characters without {_MARKUP}",
            )
        if name not in _MAY_BE_EMPTY:
            _refuse(path, table[name], table[name].isna(), "but must have a value")
    _check_cells(path, table, key, _methods(path.parent / MANIFEST))
    return table


def _methods(manifest: Path) -> list[str]:
    """Return the methods that an experiment may have: the paper's, and those of other packages that it was run with."""
    config: Any = _read_json(manifest).get("config")
    try:
        named = config["multi_view"]["transfers"]
    except (KeyError, TypeError):
        named = None
    others = named if isinstance(named, list) else []
    return [*TRANSFERS, *(name for name in others if is_label(name) and name not in TRANSFERS)]


def parse_table(content: bytes, texts: Sequence[str]) -> pd.DataFrame:
    """Parse a CSV file, of which some columns are text.

    Raises
    ------
    ValueError
        If it is no table.
    """
    import pandas as pd

    if max(map(len, content.splitlines()), default=0) > _LONGEST_LINE:  # pandas takes minutes for a million columns
        raise ValueError(f"a line has more than {_LONGEST_LINE} characters")
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            return read_csv(content, texts, index_col=False, low_memory=False)
        except pd.errors.ParserWarning as error:
            raise ValueError("some rows are longer than the header") from error


def _check_cells(path: Path, table: pd.DataFrame, key: tuple[str, ...], methods: list[str]) -> None:
    """Check what figures and claims rely on: one row per place, known methods, numbers within their bounds."""
    import pandas as pd

    _refuse(path, table["method"], ~table["method"].isin(methods), f"none of {', '.join(methods)}")
    without = table["base"].isna() & ~table["method"].isin(TRANSFERS)
    _refuse(path, table["base"], ~(table["base"].isin(list(BASES)) | without), f"none of {', '.join(BASES)}")
    _refuse(path, table["closure"], table["closure"].isna() & table["base"].notna(), "but must have a value")
    method, threshold, mapped = table["method"], table["threshold"], table["mapped"]
    transfer = (table["experiment"] == "multi-view") & method.isin(TRANSFERS.keys() - {SINGLE_VIEW})
    _refuse(path, mapped, transfer & ~mapped.between(0, 1), "not a fraction from 0 to 1")
    readable = pd.to_numeric(threshold, errors="coerce").between(0, 1) | (threshold == CROSS_VALIDATED)
    unused = threshold.isna() & (method != PROPAGATION)
    _refuse(path, threshold, ~(readable | unused), f"neither a number from 0 to 1 nor {CROSS_VALIDATED}")
    _refuse(path, table["n_constraints"], table.duplicated(list(key)), "but a row of the same place has come before")


def _refuse(path: Path, column: pd.Series, wrong: pd.Series, why: str) -> None:
    if wrong.any():
        row = int(wrong.to_numpy().argmax())
        value = clipped(str(column.iloc[row]))
        raise _damaged(path, f"line {row + 2}: {column.name} is {value}, {why}")  # line 1 is the header


def is_label(value: object) -> bool:
    """Tell whether a value can be written beside a curve or into a page: short, visible, nothing that marks up."""
    return (
        isinstance(value, str) and len(value) <= _LONGEST_TEXT and value.isprintable() and not set(value) & set(_MARKUP)
    )


def _damaged(path: Path, why: str) -> StoreError:
    return StoreError(
        f"cannot read the results in {path}: {why}. "
        "Restore the file, or run the experiment again with `mvcc run` to write it anew."
    )
