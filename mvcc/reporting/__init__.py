"""Figures from finished experiments: this room reads results and never runs anything."""

from __future__ import annotations

from mvcc.reporting._plot import FIGURES, plot
from mvcc.reporting._results import find_experiments, read_curves, read_scores

__all__ = ["FIGURES", "find_experiments", "plot", "read_curves", "read_scores"]
