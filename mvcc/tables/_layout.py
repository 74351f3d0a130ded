"""The names of the files in a results folder, and the columns of its tables.

The reference of output files in the documentation is made from the comments and from `COLUMNS`.
"""

from __future__ import annotations

MODEL = "model.skops"  # the fitted model, for `mvcc predict` and `load_model`
FOUND = "found.json"  # the facts as clusters were found, before `mvcc review` changed them
CORRECTIONS = "corrections.csv"  # the log of `mvcc review`
ANSWERS = "answers.csv"  # all answers, with the people who gave them (if there are some)
DISPUTED = "disputed.csv"  # rows about which people answered differently
CONFIG = "cluster.yaml"  # the settings, ready to run again
LABELS = "labels.csv"  # of a view: the cluster of every row
ALL_LABELS = "labels"  # of a view that is a folder: the clusters of all its rows
MOVED = "moved.csv"  # of a view: the rows that constraints moved (joint method)
SUSPICIOUS = "suspicious.csv"  # of a view: its matches that seem to be wrong (joint method)
PROPAGATED = "propagated.csv"  # of a view: constraints that it transferred to others (co-EM)
RECEIVED = "received.csv"  # of a view: constraints that others transferred to it (co-EM)

_TRANSFERRED = {
    "i": "id of a row of the view",
    "j": "id of another row of the view",
    "kind": "must-link or cannot-link",
    "weight": "as given, or less if it was inferred",
    "from_view": "the view that the constraint comes from",
    "from_i": "the row of that view which `i` comes from",
    "from_j": "the row of that view which `j` comes from",
    "because": "the chain of constraints, matches and near rows behind it",
}
COLUMNS = {
    LABELS: {
        "id": "id of the row",
        "cluster": "number of its cluster, from 0; −1 if it was left out as an outlier",
        "name": "name of the cluster, if a person named it",
        "probability": "probability of that cluster (joint method)",
        "second": "next cluster (joint method)",
        "second_probability": "probability of that (joint method)",
        "stability": "share of stability runs that keep the row in its cluster",
        "fit": "how well the row fits its cluster, as a rank from 0 to 1",
        "label": "known class, if a column has it",
    },
    MOVED: {
        "id": "id of the row",
        "cluster_without": "its cluster without constraints",
        "because": "the nearest constraint, and the way from it to the row",
    },
    SUSPICIOUS: {
        "id": "id of the row",
        "matched_view": "the other view",
        "matched_id": "the row there that it is matched with",
        "suspicion": "probability that the match is wrong",
        "left_out": "yes if it was not used",
    },
    PROPAGATED: _TRANSFERRED,
    RECEIVED: _TRANSFERRED,
}
TABLES = tuple(COLUMNS)  # of a view
OF_PEOPLE = {
    ANSWERS: {
        "id": "row as view:id, or the group that a line changes",
        "answer": "as in `asked.csv`",
        "when": "date and time",
        "who": "the person: the name of the folder of answers",
        "rows": "the rows of its object, one a line, which stand for it if it is gone later",
    },
    DISPUTED: {
        "id": "row as view:id",
        "who": "a person",
        "answer": "what this person answered: a group, or outlier",
        "settled": "the cluster that `mvcc review` put the row into; −1 if it was left out",
    },
}
