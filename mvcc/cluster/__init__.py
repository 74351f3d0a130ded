"""Constrained k-means, the M-step: PCK-Means, MPCK-Means (§3.1), and a search of Eq. 1."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
