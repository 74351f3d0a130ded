"""Your own tables: from tables, matches and constraints to clusters, and why each row is where it
is.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
