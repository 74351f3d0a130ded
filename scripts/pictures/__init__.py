"""The pictures of the documentation, each drawn anew by a module: ``python -m scripts.pictures.…``.

Those that draw, not photograph, take another folder than that of the documentation.
"""
