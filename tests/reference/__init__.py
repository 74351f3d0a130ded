"""Slow, obvious reference versions of every step of the algorithm, written from the paper's
equations.

They exist to be read beside the paper and to test the fast code against; they share no code with
it. Plain arrays everywhere: ``X`` (n, d); constraints as ``pairs`` (m, 2), ``must_link`` (m,) bool
and ``weights`` (m,), or as a dict ``{(i, j, is_must_link): weight}`` with i < j.
"""
