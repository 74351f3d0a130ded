"""Compiled kernels of PCK-Means and MPCK-Means (Eq. 1–3, §3.1): plain arrays in, plain arrays out.

``links`` are the constraints seen from every point, as (start, partner, weight): those of point i
are the entries start[i] to start[i+1], must-links with weight w and cannot-links with weight −w.
``labels`` of −1 mean "not assigned yet". A metric is the diagonal (d,) or the whole matrix (d, d)
of M_h. All sums run in the order of the indices, so that the same input gives the same bits.
"""
