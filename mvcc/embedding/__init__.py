"""Features to cluster by.

Scaled columns, spectral ones of one view (§6.1) or of several, the metric of pairs.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
