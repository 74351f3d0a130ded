"""Compiled kernels that more than one room calls: plain arrays in, plain arrays out."""
