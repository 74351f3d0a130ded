"""Clustering of several views: Algorithm 2 by co-EM (§5)."""

from mvcc._co_em import ViewRecord
from mvcc.multiview._algorithm_2 import MultiViewConstrainedClustering

__all__ = ["MultiViewConstrainedClustering", "ViewRecord"]
