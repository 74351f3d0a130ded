"""Clustering of several views: Algorithm 2 by co-EM (§5), and in one graph of their objects."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
