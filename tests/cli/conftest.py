"""Results that are made up, as tests of figures and claims have them."""

from tests.reporting.conftest import curves, finish, scores

__all__ = ["curves", "finish", "scores"]  # fixtures
