"""Your own tables: from tables, matches and judged pairs to clusters, and why each row is where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mvcc._lazy import lazy_names

if TYPE_CHECKING:
    from mvcc.analysis._config import Job, load_job
    from mvcc.analysis._init import write_example
    from mvcc.analysis._inputs import Inputs, read_inputs
    from mvcc.analysis._run import check_job, cluster_job
    from mvcc.analysis._saved import SavedClustering
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        _config="Job load_job",
        _init="write_example",
        _inputs="Inputs read_inputs",
        _run="check_job cluster_job",
        _saved="SavedClustering",
    )

__all__ = ["Inputs", "Job", "SavedClustering", "check_job", "cluster_job", "load_job", "read_inputs", "write_example"]
