"""Clustering in one graph of all views, exact or by anchors, and the clusters of new rows."""
