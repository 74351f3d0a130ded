"""Every claim of the paper, put to the test on the results of finished experiments."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
