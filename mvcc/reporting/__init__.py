"""Figures, claims and pages from results: this package reads results and never runs anything."""
