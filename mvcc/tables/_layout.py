"""The names of the files in a results folder."""

from __future__ import annotations

MODEL = "model.skops"
FORMER_MODEL = "model.joblib"  # a pickle, which is never read
CONFIG = "cluster.yaml"  # the settings, ready to run again
LABELS = "labels.csv"  # of a view: the cluster of every row
ALL_LABELS = "labels"  # of a view that is a folder: the clusters of all its rows
TABLES = (LABELS, "moved.csv", "suspicious.csv", "propagated.csv", "received.csv")
