"""Experiments of §6: from a config to trials, their scores, and the curves (config → plan → trial → runner → store)."""

from mvcc.experiments._config import Config, load_config
from mvcc.experiments._plan import list_cells
from mvcc.experiments._runner import Plan, RunReport, plan_run, run_experiment

__all__ = ["Config", "Plan", "RunReport", "list_cells", "load_config", "plan_run", "run_experiment"]
