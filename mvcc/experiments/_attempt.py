"""What becomes of a trial: a value that travels between processes and machines."""

from __future__ import annotations

import os
import traceback
from dataclasses import dataclass

import pandas as pd

from mvcc.experiments._config import Config
from mvcc.experiments._trial import run_trial


@dataclass(frozen=True)
class Attempt:
    """What became of a trial: its rows, or the traceback of its failure."""

    trial: int
    rows: pd.DataFrame | None
    failure: str = ""


def attempt(config: Config, data_dir: str | os.PathLike[str] | None, trial: int) -> Attempt:
    """Run a trial; one that fails must not take the others with it."""
    try:
        return Attempt(trial, run_trial(config, trial, data_dir))
    except Exception:
        return Attempt(trial, None, traceback.format_exc())
