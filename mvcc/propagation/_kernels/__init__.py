"""Compiled kernels of the E-step: plain arrays in, plain arrays out."""
