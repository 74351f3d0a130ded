"""The E-step of Algorithm 2.

Constraints propagated within a view (Eq. 4–11), and what they come from.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
