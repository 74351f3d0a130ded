"""Constrained k-means, the M-step of Algorithm 2: PCK-Means and MPCK-Means (§3.1), and a search of Eq. 1."""

from typing import TYPE_CHECKING

from mvcc._lazy import lazy_names

if TYPE_CHECKING:
    from mvcc.cluster._mpck import MPCKMeans
    from mvcc.cluster._pck import PCKMeans
    from mvcc.cluster.search import search_pck
else:
    __getattr__, __dir__ = lazy_names(__name__, _mpck="MPCKMeans", _pck="PCKMeans", search="search_pck")

__all__ = ["MPCKMeans", "PCKMeans", "search_pck"]
