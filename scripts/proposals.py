"""Measure whether the probabilities of proposed matches hold, beside a nearest-neighbor baseline.

    python -m scripts.proposals        prints two tables

Halves of digits and of newsgroup texts as for `scripts.matches`, and two of the six kinds of
features of handwritten digits: two overlapping draws of rows, 700 of 1,000 in both. The first table
has, for proposals in bands of probability, their number, their mean probability, and the shares
that are right: of rows that have a counterpart, and of all. The second table has the number of all
proposals, of those with a probability of a half or more, and of those of the nearest neighbor: the
row nearest to the counterpart of the nearest matched row; the share that is right (precision), and
the share of the unknown matches that they find (recall).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product

import numpy as np
from sklearn.neighbors import NearestNeighbors

from mvcc import AutoScaler, load_dataset
from mvcc._utils.arrays import Floats, Ints
from mvcc.multiview import match_proposals
from scripts.matches import task
from scripts.studies import line, print_lines
from scripts.two_tables import SHARED, overlapping

SETS = ("digits_halves", "newsgroups", "handwritten")
MAPPED = (0.1, 0.3)
BANDS = (0, 0.02, 0.05, 0.1, 0.2, 0.5, 0.8, 1)
_KINDS = (0, 2)  # of features


def views_and_matches(data: str, seed: int, mapped: float) -> tuple[list[Floats], Ints, Ints]:
    """Return scaled views, the matches that are known and those that are not."""
    if data != "handwritten":
        views, _, known, others = task(data, seed, mapped)
        return views, known, others
    rng = np.random.default_rng(seed)
    every = load_dataset(data, random_state=seed).views
    drawn, matches = overlapping(len(every[0]), SHARED, rng)
    views = [
        AutoScaler().fit_transform(every[kind][rows])
        for kind, rows in zip(_KINDS, drawn, strict=True)
    ]
    known, others = np.split(rng.permutation(SHARED), [round(mapped * SHARED)])
    return views, matches[known], matches[others]


def nearest(views: list[Floats], known: Ints) -> Ints:
    """Return the pairs of the baseline."""
    rows, others = (
        np.setdiff1d(np.arange(len(X)), taken) for X, taken in zip(views, known.T, strict=True)
    )
    first = NearestNeighbors(n_neighbors=1).fit(views[0][known[:, 0]])
    matched = known[first.kneighbors(views[0][rows], return_distance=False)[:, 0], 1]
    second = NearestNeighbors(n_neighbors=1).fit(views[1][others])
    closest = second.kneighbors(views[1][matched], return_distance=False)[:, 0]
    return np.column_stack((rows, others[closest]))


def right(pairs: Ints, true: Ints) -> tuple[Floats, Floats]:
    """Tell which pairs are matches, and which have a first row that is in a match."""
    of_row = dict(true.tolist())
    hits = [of_row.get(i) == j for i, j in pairs.tolist()]
    return np.array(hits, dtype=np.float64), np.isin(pairs[:, 0], true[:, 0]).astype(np.float64)


def lines(n_draws: int) -> Iterator[str]:
    """Give the lines of both tables, each after the name of its table."""
    for data, mapped in product(SETS, MAPPED):
        yield from lines_of(data, mapped, n_draws)


def lines_of(data: str, mapped: float, n_draws: int) -> Iterator[str]:
    """Give the lines of a data set."""
    tables, n_others, counts = [], 0, dict[str, Floats]()
    for seed in range(n_draws):
        views, known, others = views_and_matches(data, seed, mapped)
        proposals = match_proposals(views, {(0, 1): known})[0, 1]
        hits, has_match = right(proposals.pairs, others)
        tables.append(np.column_stack((proposals.probabilities, hits, has_match)))
        likely = proposals.probabilities >= 0.5
        plain, _ = right(nearest(views, known), others)
        n_others += len(others)
        for name, is_right in (("all", hits), ("likely", hits[likely]), ("nearest", plain)):
            counts.setdefault(name, np.zeros(2))
            counts[name] += is_right.sum(), len(is_right)
    names = [data, f"{mapped:.0%}"]
    p, hits, has_match = np.concatenate(tables).T
    for low, high in pairwise(BANDS):
        inside = (low <= p) & (p < high)
        if inside.any():
            with_one = inside & (has_match > 0)
            shares = (p[inside].mean(), hits[with_one].mean(), hits[inside].mean())
            cells = [f"{low:g} to {high:g}", f"{inside.sum()}", *map("{:.3f}".format, shares)]
            yield f"bands: {line(names, cells)}"
    for name, (n_right, n) in counts.items():
        precision = f"{n_right / n:.3f}" if n else "–"
        cells = [f"{n:.0f}", precision, f"{n_right / n_others:.3f}"]
        yield f"scores: {line([*names, name], cells)}"


if __name__ == "__main__":
    print_lines(__doc__, lines)
