"""Multi-view constrained clustering with an incomplete mapping between views.

The reference implementation of Eaton, desJardins and Jacob. Names are imported when first used, so that
``import mvcc`` and ``mvcc --help`` stay fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mvcc._lazy import lazy_names
from mvcc._version import __version__

if TYPE_CHECKING:
    from mvcc._constrained_views import ConstrainedViews
    from mvcc.cluster import MPCKMeans, PCKMeans
    from mvcc.constraints import Constraints
    from mvcc.datasets import Dataset, load_dataset
    from mvcc.embedding import AutoScaler, JointSpectralFeatures, PairMetric, SpectralFeatures, spectral_features
    from mvcc.mapping import close_views, drop_conflicts
    from mvcc.matching import match_clusters
    from mvcc.metrics import pairwise_f_measure, weighted_precision
    from mvcc.model_selection import NeighborhoodKFold
    from mvcc.multiview import JointGraphClustering, MultiViewConstrainedClustering, suspicious_matches
    from mvcc.per_view import PerView
    from mvcc.propagation import propagate_constraints
    from mvcc.transfer import ClusterMembership, ConstraintPropagation, DirectMapping, SingleView, TransferMethod
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        _constrained_views="ConstrainedViews",
        cluster="MPCKMeans PCKMeans",
        constraints="Constraints",
        datasets="Dataset load_dataset",
        embedding="AutoScaler JointSpectralFeatures PairMetric SpectralFeatures spectral_features",
        mapping="close_views drop_conflicts",
        matching="match_clusters",
        metrics="pairwise_f_measure weighted_precision",
        model_selection="NeighborhoodKFold",
        multiview="JointGraphClustering MultiViewConstrainedClustering suspicious_matches",
        per_view="PerView",
        propagation="propagate_constraints",
        transfer="ClusterMembership ConstraintPropagation DirectMapping SingleView TransferMethod",
    )

__all__ = [
    "AutoScaler",
    "ClusterMembership",
    "ConstrainedViews",
    "ConstraintPropagation",
    "Constraints",
    "Dataset",
    "DirectMapping",
    "JointGraphClustering",
    "JointSpectralFeatures",
    "MPCKMeans",
    "MultiViewConstrainedClustering",
    "NeighborhoodKFold",
    "PCKMeans",
    "PairMetric",
    "PerView",
    "SingleView",
    "SpectralFeatures",
    "TransferMethod",
    "__version__",
    "close_views",
    "drop_conflicts",
    "load_dataset",
    "match_clusters",
    "pairwise_f_measure",
    "propagate_constraints",
    "spectral_features",
    "suspicious_matches",
    "weighted_precision",
]
