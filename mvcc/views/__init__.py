"""What users pass: views, constraints and mappings, checked, as arrays and for scikit-learn."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
