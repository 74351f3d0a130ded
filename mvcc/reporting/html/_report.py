"""The report of a folder: of its clustering, or of its experiments."""

from __future__ import annotations

from collections.abc import Iterable
from os.path import exists, realpath  # the first is false for what cannot be a path
from pathlib import Path

from mvcc._utils.outputs import put_back, write_output
from mvcc.exceptions import StoreError
from mvcc.results import CLUSTERING, find_experiments, read_facts, refuse_aside

REPORT, REPORT_KIND = "report.html", "a report"


def write_report(
    folder: Path, path: Path | None = None, *, fresh: bool = False, inputs: Iterable[str] = ()
) -> Path:
    """Write the report of a folder.

    That of its clustering if it holds one, else that of the experiments below it. It goes to
    ``path``, by default ``report.html`` in the folder. Another report is replaced only if
    ``fresh``, and none that was changed since, nor any of ``inputs``, such as the tables of a
    clustering.
    """
    path = path or folder / REPORT
    if realpath(path.parent) == realpath(folder):
        put_back(folder)
    if exists(folder / CLUSTERING):
        from mvcc.reporting.html._clustering import clustering_page

        page = clustering_page(read_facts(folder))
    else:
        refuse_aside(folder / CLUSTERING)
        try:
            find_experiments(folder)
        except StoreError as error:
            raise StoreError(f"there is no {CLUSTERING} in {folder}, and {error}") from error
        # pandas and scipy.stats, which the report of a clustering does without
        from mvcc.reporting.html._experiment import experiment_page

        page = experiment_page(folder)
    write_output(path, page, REPORT_KIND, fresh=fresh, inputs=inputs)
    return path
