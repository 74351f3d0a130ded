"""Multi-view constrained clustering with an incomplete mapping between views.

An open implementation of Eaton, desJardins and Jacob, and a method for any half-matched tables.
Names are imported when first used, so that ``import mvcc`` and ``mvcc --help`` stay fast.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
