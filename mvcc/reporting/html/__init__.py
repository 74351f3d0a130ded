"""Reports that open in a browser: one file each, with everything in it and no need of a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mvcc._lazy import lazy_names

if TYPE_CHECKING:
    from mvcc.reporting.html._clustering import write_clustering_report
    from mvcc.reporting.html._experiment import write_experiment_report
    from mvcc.reporting.html._folder import write_report
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        _clustering="write_clustering_report",
        _experiment="write_experiment_report",
        _folder="write_report",
    )

__all__ = ["write_clustering_report", "write_experiment_report", "write_report"]
