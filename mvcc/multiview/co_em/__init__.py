"""The paper's method.

Algorithm 2 by co-EM over the views (§5), and what one view tells the others.
"""
