"""The paper's method: Algorithm 2 by co-EM (§5), and what one view tells the others."""
