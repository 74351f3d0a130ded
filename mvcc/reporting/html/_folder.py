"""Which report a folder gives."""

from __future__ import annotations

from os.path import exists  # which takes what is no path at all for nothing
from pathlib import Path

from mvcc.exceptions import StoreError
from mvcc.results import CLUSTERING, find_experiments, read_facts

REPORT = "report.html"


def write_report(folder: Path, path: Path | None = None) -> Path:
    """Write the report of a folder: that of its clustering if it holds one, else that of the experiments below it.

    Parameters
    ----------
    folder : Path
        What ``mvcc cluster`` or ``mvcc run`` wrote to, or any folder above some experiments.
    path : Path, optional
        The file to write; by default ``report.html`` inside `folder`.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    StoreError
        If there is neither a clustering nor an experiment, if one of its files is damaged, or if the report cannot be
        written.
    """
    path = folder / REPORT if path is None else path
    if exists(folder / CLUSTERING):
        from mvcc.reporting.html._clustering import write_clustering_report

        write_clustering_report(read_facts(folder), path)
    else:
        try:
            find_experiments(folder)
        except StoreError as error:
            raise StoreError(f"there is no {CLUSTERING} in {folder}, and {error}") from error
        # pandas and scipy.stats, which the report of a clustering does without
        from mvcc.reporting.html._experiment import write_experiment_report

        write_experiment_report(folder, path)
    return path
