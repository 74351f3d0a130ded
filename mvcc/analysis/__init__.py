"""Data of one's own: from tables, matches and judged pairs to clusters, with the reason for whatever was inferred."""

from mvcc.analysis._config import Job, load_job
from mvcc.analysis._init import write_example
from mvcc.analysis._run import Inputs, check_job, cluster_job, read_inputs
from mvcc.analysis._saved import SavedClustering

__all__ = ["Inputs", "Job", "SavedClustering", "check_job", "cluster_job", "load_job", "read_inputs", "write_example"]
