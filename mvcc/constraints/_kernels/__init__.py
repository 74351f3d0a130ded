"""Compiled kernels of closures: plain arrays in, plain arrays out."""
