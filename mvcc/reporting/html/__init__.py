"""Reports that open in a browser: one file each, with everything in it and no need of a network."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
