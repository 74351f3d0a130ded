"""Compiled kernels of closures, unions and neighborhoods: plain arrays in, plain arrays out."""
