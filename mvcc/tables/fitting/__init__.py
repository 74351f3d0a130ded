"""From tables to clusters: features, methods, and whether the clusters are better than others."""
