"""What a worker needs for a trial, and what becomes of it: values that travel between processes and machines."""

from __future__ import annotations

import os
import traceback
from dataclasses import dataclass

import pandas as pd

from mvcc._version import __version__
from mvcc.datasets import pack_files, unpack_files
from mvcc.exceptions import WorkerError
from mvcc.experiments._config import Config
from mvcc.experiments._trial import run_trial


@dataclass(frozen=True)
class Attempt:
    """What became of a trial: its rows, or the traceback of its failure."""

    trial: int
    rows: pd.DataFrame | None
    failure: str = ""


@dataclass(frozen=True)
class Errand:
    """What a worker on another machine is sent along, which may have neither the data nor this version of mvcc."""

    config: Config
    files: bytes
    version: str


def pack_errand(config: Config, data_dir: str | os.PathLike[str] | None) -> Errand:
    """Verify the data files here, and put them into what is sent to the workers.

    Raises
    ------
    DataError
        When a data file is missing or damaged.
    """
    return Errand(config, pack_files(config.dataset, data_dir), __version__)


def attempt_here(config: Config, data_dir: str | os.PathLike[str] | None, trial: int) -> Attempt:
    """Run a trial; one that fails must not take the others with it."""
    try:
        return Attempt(trial, run_trial(config, trial, data_dir))
    except Exception:
        return Attempt(trial, None, traceback.format_exc())


def attempt_away(errand: Errand, trial: int) -> Attempt:
    """Run a trial on a machine that shares no disk with the one that asks for it.

    Raises
    ------
    WorkerError
        When this machine has another version of mvcc.
    OSError
        When the data files cannot be written to its temporary folder.
    """
    if errand.version != __version__:
        raise WorkerError(f"a worker runs mvcc {__version__}, the run {errand.version}")
    return attempt_here(errand.config, unpack_files(errand.files), trial)
