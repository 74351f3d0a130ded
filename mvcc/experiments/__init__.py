"""Experiments of §6: from a config to trials, their scores, and the curves."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
