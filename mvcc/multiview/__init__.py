"""Clustering of several views: Algorithm 2 by co-EM (§5), and in one graph of their objects."""

from typing import TYPE_CHECKING

from mvcc._lazy import lazy_names

if TYPE_CHECKING:
    from mvcc.multiview._algorithm_2 import MultiViewConstrainedClustering, ViewRecord
    from mvcc.multiview._joint_graph_clustering import JointGraphClustering
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        _algorithm_2="MultiViewConstrainedClustering ViewRecord",
        _joint_graph_clustering="JointGraphClustering",
    )

__all__ = ["JointGraphClustering", "MultiViewConstrainedClustering", "ViewRecord"]
