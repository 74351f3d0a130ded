"""Compiled kernels of the anchor graph: plain arrays in, plain arrays out."""
