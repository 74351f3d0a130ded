"""Reports that open in a browser: one file each, with everything in it and no need of a network."""

from __future__ import annotations

from mvcc.reporting.html._clustering import write_clustering_report
from mvcc.reporting.html._experiment import write_experiment_report
from mvcc.reporting.html._folder import write_report

__all__ = ["write_clustering_report", "write_experiment_report", "write_report"]
