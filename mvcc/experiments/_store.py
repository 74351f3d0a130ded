"""The results folder: what is finished stays finished, and a run that does not fit is refused.

Every file is written beside its place, synced and renamed, so that it is there as a whole or not at all.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mvcc.exceptions import StoreError
from mvcc.experiments._plan import CELL, TEXT

_KEY = ["trial", *CELL]


class ResultsStore:
    """The results of one experiment in one folder.

    Parameters
    ----------
    folder : path
        Made when something is written for the first time.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.trials = self.folder / "trials"

    def manifest(self) -> dict[str, Any] | None:
        """Return what the folder says of its run, or None where there is none yet.

        Raises
        ------
        StoreError
            When the manifest cannot be read.
        """
        path = self.folder / "manifest.json"
        try:
            manifest = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise StoreError(f"{path} cannot be read: {error}. Start afresh with --fresh, or choose --out.") from error
        if not isinstance(manifest, dict):
            raise StoreError(f"{path} is not a manifest. Start afresh with --fresh, or choose --out.")
        return manifest

    def write_manifest(self, manifest: dict[str, Any]) -> None:
        """Store what is known of the run."""
        self._write(self.folder / "manifest.json", _json_bytes(manifest))

    def write_example(self, example: dict[str, Any] | None) -> None:
        """Store the cluster that Figure 3 shows, where the experiment has one."""
        if example is not None:
            self._write(self.folder / "example.json", _json_bytes(example))

    def finished(self) -> set[int]:
        """Return the numbers of the trials that are stored."""
        return {int(path.name.split(".")[0]) for path in self._shards()}

    def holds_only_summary(self) -> bool:
        """Tell whether curves are here without any of the trials that they were made from."""
        return (self.folder / "scores.csv.gz").exists() and not self.finished()

    def write_trial(self, trial: int, rows: pd.DataFrame) -> None:
        """Store a finished trial, and forget its former failure."""
        self._write(self.trials / f"{trial:04d}.csv.gz", _csv_bytes(rows, compress=True))
        (self.trials / f"{trial:04d}.error.txt").unlink(missing_ok=True)

    def write_failure(self, trial: int, report: str) -> Path:
        """Store why a trial failed; return where."""
        path = self.trials / f"{trial:04d}.error.txt"
        self._write(path, report.encode())
        return path

    def summarize(self, n_trials: int) -> pd.DataFrame:
        """Write ``scores.csv.gz`` and ``curves.csv`` from the stored trials below ``n_trials``; return the curves.

        Raises
        ------
        StoreError
            When a stored trial cannot be read.
        """
        wanted = sorted(trial for trial in self.finished() if trial < n_trials)
        scores = pd.concat([self._read_trial(trial) for trial in wanted], ignore_index=True)
        curves = summarize(scores)
        self._write(self.folder / "scores.csv.gz", _csv_bytes(scores, compress=True))
        self._write(self.folder / "curves.csv", _csv_bytes(curves, compress=False))
        return curves

    def clear(self) -> None:
        """Remove what a former run stored, and nothing else."""
        with _explained(self.folder):
            for path in [*self._shards(), *self.trials.glob("*.error.txt")]:
                path.unlink()
            for name in ("manifest.json", "scores.csv.gz", "curves.csv", "example.json"):
                (self.folder / name).unlink(missing_ok=True)

    def _shards(self) -> Iterator[Path]:
        return (path for path in self.trials.glob("*.csv.gz") if path.name.removesuffix(".csv.gz").isdigit())

    def _read_trial(self, trial: int) -> pd.DataFrame:
        path = self.trials / f"{trial:04d}.csv.gz"
        try:
            rows = pd.read_csv(path, dtype=TEXT)
        except (OSError, EOFError, ValueError) as error:
            raise StoreError(f"{path} cannot be read: {error}. Remove it and run again.") from error
        if not {"f_measure", *_KEY}.issubset(rows.columns) or set(rows["trial"]) != {trial}:
            raise StoreError(f"{path} cannot be read: it does not hold trial {trial}. Remove it and run again.")
        return rows

    def _write(self, path: Path, content: bytes) -> None:
        part = path.with_name(f".{path.name}.part")
        with _explained(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                with open(part, "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(part, path)
            except OSError:
                part.unlink(missing_ok=True)
                raise
            folder = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def summarize(scores: pd.DataFrame) -> pd.DataFrame:
    """Turn scores per trial into learning curves: mean and standard error of every cell over the trials."""
    cells = scores.sort_values("trial", kind="stable").groupby(CELL, sort=False, dropna=False)
    f = cells["f_measure"]
    others = [name for name in scores.columns if name not in (*_KEY, "f_measure")]
    curves = pd.DataFrame(
        {"mean": f.mean(), "standard_error": f.std(ddof=1) / np.sqrt(f.size()), "trials": f.size()}
        | {name: cells[name].mean() for name in others}
    )
    return curves.reset_index()


def _json_bytes(tree: dict[str, Any]) -> bytes:
    return (json.dumps(tree, indent=2, ensure_ascii=False) + "\n").encode()


def _csv_bytes(table: pd.DataFrame, *, compress: bool) -> bytes:
    text = table.to_csv(index=False, lineterminator="\n").encode()
    if not compress:
        return text
    packed = BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0, filename="") as file:  # no time, no name: the same bytes
        file.write(text)
    return packed.getvalue()


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"{path} cannot be written: {error.strerror}. What was stored before is intact; free space or choose "
            f"another folder by --out, and run again."
        ) from error
