"""The pictures of the documentation, drawn anew.

``python -m scripts.pictures.joint``, ``… .method``, ``… .report``.
"""
