"""Features in which views are clustered: spectral features of one view (§6.1)."""

from mvcc.embedding._spectral import MAX_ROWS, SpectralFeatures, spectral_features, unscaled_spectral_features

__all__ = ["MAX_ROWS", "SpectralFeatures", "spectral_features", "unscaled_spectral_features"]
