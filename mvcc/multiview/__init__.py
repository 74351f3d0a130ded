"""Clustering of several views: Algorithm 2 by co-EM (§5), and in one graph of their objects."""

from typing import TYPE_CHECKING

from mvcc._lazy import lazy_names

if TYPE_CHECKING:
    from mvcc.multiview._algorithm_2 import MultiViewConstrainedClustering, ViewRecord
    from mvcc.multiview._joint_graph_clustering import JointGraphClustering
    from mvcc.multiview._suspicious_matches import SUSPICIOUS, suspicious_matches
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        _algorithm_2="MultiViewConstrainedClustering ViewRecord",
        _joint_graph_clustering="JointGraphClustering",
        _suspicious_matches="SUSPICIOUS suspicious_matches",
    )

__all__ = ["SUSPICIOUS", "JointGraphClustering", "MultiViewConstrainedClustering", "ViewRecord", "suspicious_matches"]
