"""Features to cluster by: scaled columns, spectral ones of one view (§6.1) or of several, the metric of pairs."""

from typing import TYPE_CHECKING

from mvcc._lazy import lazy_names

if TYPE_CHECKING:
    from mvcc.embedding._joint import JointSpectralFeatures
    from mvcc.embedding._joint_graph import (
        JointGraph,
        embedded,
        find_objects,
        joint_graph,
        membership,
        neighbors_for,
        separate_problems,
        unit_rows,
    )
    from mvcc.embedding._neighbors import NeighborSearch, nearness
    from mvcc.embedding._pair_metric import PairMetric
    from mvcc.embedding._raw_columns import object_columns, raw_columns
    from mvcc.embedding._scaling import AutoScaler
    from mvcc.embedding._spectral import MAX_ROWS, SpectralFeatures, spectral_features, unscaled_spectral_features
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        _joint="JointSpectralFeatures",
        _joint_graph="JointGraph embedded find_objects joint_graph membership neighbors_for separate_problems "
        "unit_rows",
        _neighbors="NeighborSearch nearness",
        _pair_metric="PairMetric",
        _raw_columns="object_columns raw_columns",
        _scaling="AutoScaler",
        _spectral="MAX_ROWS SpectralFeatures spectral_features unscaled_spectral_features",
    )

__all__ = [
    "MAX_ROWS",
    "AutoScaler",
    "JointGraph",
    "JointSpectralFeatures",
    "NeighborSearch",
    "PairMetric",
    "SpectralFeatures",
    "embedded",
    "find_objects",
    "joint_graph",
    "membership",
    "nearness",
    "neighbors_for",
    "object_columns",
    "raw_columns",
    "separate_problems",
    "spectral_features",
    "unit_rows",
    "unscaled_spectral_features",
]
