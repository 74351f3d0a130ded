"""Experiments of §6: from a config to trials, their scores, and the curves (config → plan → trial → runner → store)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mvcc._lazy import lazy_names

if TYPE_CHECKING:
    from mvcc.experiments._check import Finding, check_results
    from mvcc.experiments._config import Config, load_config
    from mvcc.experiments._dask import connect_to_dask
    from mvcc.experiments._plan import list_cells
    from mvcc.experiments._planning import Plan, plan_run
    from mvcc.experiments._replay import Replay, replay_trial
    from mvcc.experiments._runner import RunReport, replay_command, run_experiment
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        _check="Finding check_results",
        _config="Config load_config",
        _dask="connect_to_dask",
        _plan="list_cells",
        _planning="Plan plan_run",
        _replay="Replay replay_trial",
        _runner="RunReport replay_command run_experiment",
    )

__all__ = [
    "Config",
    "Finding",
    "Plan",
    "Replay",
    "RunReport",
    "check_results",
    "connect_to_dask",
    "list_cells",
    "load_config",
    "plan_run",
    "replay_command",
    "replay_trial",
    "run_experiment",
]
