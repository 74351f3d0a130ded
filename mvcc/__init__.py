"""Multi-view constrained clustering with an incomplete mapping between views.

The reference implementation of Eaton, desJardins and Jacob. Names are imported when first used, so that
``import mvcc`` and ``mvcc --help`` stay fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mvcc._version import __version__

if TYPE_CHECKING:
    from mvcc.cluster import MPCKMeans, PCKMeans
    from mvcc.constraints import Constraints
    from mvcc.datasets import Dataset, load_dataset
    from mvcc.embedding import SpectralFeatures, spectral_features
    from mvcc.mapping import close_views, drop_conflicts
    from mvcc.matching import match_clusters
    from mvcc.metrics import pairwise_f_measure, weighted_precision
    from mvcc.model_selection import ConstrainedViews, NeighborhoodKFold
    from mvcc.multiview import MultiViewConstrainedClustering
    from mvcc.per_view import PerView
    from mvcc.propagation import propagate_constraints
    from mvcc.transfer import ClusterMembership, ConstraintPropagation, DirectMapping, SingleView, TransferMethod

_HOMES = {
    "ClusterMembership": "transfer",
    "ConstrainedViews": "model_selection",
    "ConstraintPropagation": "transfer",
    "Constraints": "constraints",
    "Dataset": "datasets",
    "DirectMapping": "transfer",
    "MPCKMeans": "cluster",
    "MultiViewConstrainedClustering": "multiview",
    "NeighborhoodKFold": "model_selection",
    "PCKMeans": "cluster",
    "PerView": "per_view",
    "SingleView": "transfer",
    "SpectralFeatures": "embedding",
    "TransferMethod": "transfer",
    "close_views": "mapping",
    "drop_conflicts": "mapping",
    "load_dataset": "datasets",
    "match_clusters": "matching",
    "pairwise_f_measure": "metrics",
    "propagate_constraints": "propagation",
    "spectral_features": "embedding",
    "weighted_precision": "metrics",
}

__all__ = [
    "ClusterMembership",
    "ConstrainedViews",
    "ConstraintPropagation",
    "Constraints",
    "Dataset",
    "DirectMapping",
    "MPCKMeans",
    "MultiViewConstrainedClustering",
    "NeighborhoodKFold",
    "PCKMeans",
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
    "weighted_precision",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"mvcc.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'mvcc' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
