"""The data sets of §6.1: where their files come from and how they become views with relations."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
