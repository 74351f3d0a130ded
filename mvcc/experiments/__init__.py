"""Experiments of §6: from a config to trials, their scores, and the curves (config → plan → trial → runner → store)."""

from mvcc.experiments._check import Finding, check_results
from mvcc.experiments._config import Config, load_config
from mvcc.experiments._dask import connect_to_dask
from mvcc.experiments._plan import list_cells
from mvcc.experiments._replay import Replay, replay_trial
from mvcc.experiments._runner import Plan, RunReport, plan_run, replay_command, run_experiment

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
