"""Which report a folder gives."""

from __future__ import annotations

from collections.abc import Iterable
from os.path import exists  # which takes what is no path at all for nothing
from pathlib import Path

from mvcc._utils.outputs import write_output
from mvcc.exceptions import StoreError
from mvcc.results import CLUSTERING, find_experiments, read_facts

REPORT, REPORT_KIND = "report.html", "a report"


def write_report(folder: Path, path: Path | None = None, *, fresh: bool = False, inputs: Iterable[str] = ()) -> Path:
    """Write the report of a folder: that of its clustering if it holds one, else that of the experiments below it.

    Parameters
    ----------
    folder : Path
        What ``mvcc cluster`` or ``mvcc run`` wrote to, or any folder above some experiments.
    path : Path, optional
        The file to write; by default ``report.html`` inside `folder`.
    fresh : bool
        Replace another report.
    inputs : iterable of str
        Files that are never replaced, such as the tables of a clustering.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    StoreError
        If there is neither a clustering nor an experiment, if one of its files is damaged, or if the report cannot be
        written: if the file exists, is not a report of mvcc, or was changed since.
    """
    path = folder / REPORT if path is None else path
    if exists(folder / CLUSTERING):
        from mvcc.reporting.html._clustering import clustering_page

        page = clustering_page(read_facts(folder))
    else:
        try:
            find_experiments(folder)
        except StoreError as error:
            raise StoreError(f"there is no {CLUSTERING} in {folder}, and {error}") from error
        # pandas and scipy.stats, which the report of a clustering does without
        from mvcc.reporting.html._experiment import experiment_page

        page = experiment_page(folder)
    write_output(path, page, REPORT_KIND, fresh=fresh, inputs=inputs)
    return path
