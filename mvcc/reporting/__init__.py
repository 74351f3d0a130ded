"""Figures, claims and pages from results: this package reads results and never runs anything."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
