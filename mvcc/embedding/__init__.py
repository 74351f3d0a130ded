"""Features to cluster by: scaled, spectral (§6.1), of several views; the metric of pairs."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
