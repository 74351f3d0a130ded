"""Measure what predicting new rows costs: F of rows that come later, against that of the same
rows clustered at once.

    python -m scripts.new_rows        prints a line for each data set and method

A fifth of the rows of each view is held out. One model is fitted to the other rows and predicts
these; another one is fitted to all rows, with the matches of the held-out rows or without. They
know three in ten matches, and the same 40 constraints between rows that are not held out. F is
the pairwise F-measure (Eq. 19) of the held-out rows, mean of the views.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from mvcc import Constraints, cluster_views, load_dataset
from scripts.studies import as_frames, line, mean, mean_f, print_lines

SETS = ("digits_halves", "wine", "letters_digits")
METHODS = ("joint", "co-em")
HELD_OUT, MAPPED, N_CONSTRAINTS = 0.2, 0.3, 40


def scores(data: str, method: str, seed: int) -> list[float]:
    """Return F of held-out rows: predicted, clustered without their matches, and with them."""
    rng = np.random.default_rng(seed)
    loaded = load_dataset(data, random_state=seed)
    views, all_matches = as_frames(loaded.views, loaded.relations[0, 1])
    (between, every_match), *_ = all_matches.items()
    late = {
        name: np.sort(rng.permutation(len(X))[: round(HELD_OUT * len(X))])
        for name, X in views.items()
    }
    early = {name: X.drop(index=late[name]) for name, X in views.items()}
    y = dict(zip(views, loaded.labels, strict=True))
    order = rng.permutation(len(every_match))
    known = every_match.iloc[order[: round(MAPPED * len(order))]]
    early_matches = known[np.all([known[name].isin(X.index) for name, X in early.items()], axis=0)]
    judged = {}
    for name, X in early.items():
        drawn = Constraints.from_labels(
            y[name][X.index], N_CONSTRAINTS // len(views), random_state=seed
        )
        kinds = np.where(drawn.must_link, "must-link", "cannot-link")
        i, j = X.index.to_numpy()[drawn.pairs].T
        judged[name] = pd.DataFrame({"i": i, "j": j, "kind": kinds})
    k = len(np.unique(np.concatenate(loaded.labels)))
    options = {"n_clusters": k, "constraints": judged, "method": method}
    options |= {"stability_runs": 0, "seed": seed}
    some = cluster_views(early, matches={between: early_matches}, **options)
    all_labels = [[some.predict(X.loc[late[name]], name) for name, X in views.items()]]
    for matches in (early_matches, known):
        every = cluster_views(views, matches={between: matches}, **options)
        all_labels.append([every.labels[name][late[name]] for name in views])
    truth = [y[name][late[name]] for name in views]
    return [mean_f(truth, labels) for labels in all_labels]


def lines(n_draws: int) -> Iterator[str]:
    """Give a line of the table for each data set and method."""
    for data in SETS:
        for method in METHODS:
            table = np.array([scores(data, method, seed) for seed in range(n_draws)])
            shown = [*table.T, table[:, 0] - table[:, 1], table[:, 0] - table[:, 2]]
            yield line([data, method], map(mean, shown))


if __name__ == "__main__":
    print_lines(__doc__, lines)
