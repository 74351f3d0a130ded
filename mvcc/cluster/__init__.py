"""Constrained k-means, the M-step of Algorithm 2: PCK-Means and MPCK-Means (§3.1)."""

from mvcc.cluster._mpck import MPCKMeans
from mvcc.cluster._pck import PCKMeans

__all__ = ["MPCKMeans", "PCKMeans"]
