"""The E-step (Eq. 4–11): constraints propagated within a view, and where they come from."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
