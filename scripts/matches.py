"""Measure what is found among matches: wrong ones that are suspicious, and the counterparts of
rows without a match.

    python -m scripts.matches
        writes results/matches.csv; a stopped command goes on where it was

Digits: the left halves of half of the images, the right halves of six in ten, with the former
among them. Newsgroups: the first halves of 1,000 documents and the second halves of 1,000, 700
of which are in both. ``suspicious``: a share of the known matches is mixed up; precision and
recall of those with a suspicion above .4. ``candidates``: for the rows whose match is not known,
the share whose counterpart is found first, among the first five, and in the hundred lines with
the highest scores. ``cut`` is what ``candidate_hits`` tells of the same matches.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from mvcc import AutoScaler, JointGraphClustering, candidate_hits, match_candidates
from mvcc._utils.arrays import Floats, Ints
from mvcc.multiview import seem_wrong
from scripts.studies import means, run
from scripts.tables import RESULTS
from scripts.two_tables import two_tables

OUT = RESULTS / "matches.csv"
KEYS = ["what", "data", "mapped", "wrong", "task"]
SETS = ("digits_halves", "newsgroups")
WRONG, MAPPED = (0.05, 0.1, 0.25), (0.1, 0.3, 1.0)


def task(data: str, seed: int, mapped: float) -> tuple[list[Floats], int, Ints, Ints]:
    """Return scaled views, the number of classes, the known matches and the others."""
    rng = np.random.default_rng([zlib.crc32(data.encode()), seed])
    views, labels, matches = two_tables(data, seed, rng)
    k = len(np.unique(labels[0]))
    order = rng.permutation(len(matches))
    known, others = np.split(order, [round(mapped * len(order))])
    scaled = [AutoScaler().fit_transform(X) for X in views]
    return scaled, k, matches[np.sort(known)], matches[np.sort(others)]


def suspicious(data: str, mapped: float, wrong: float, seed: int) -> dict[str, float]:
    """Mix up some of the matches; return precision and recall of the suspicious ones."""
    views, k, known, _ = task(data, seed, mapped)
    mixed = np.random.default_rng(seed).choice(len(known), round(wrong * len(known)), replace=False)
    known[mixed, 1] = np.roll(known[mixed, 1], 1)
    is_wrong = dict.fromkeys(map(tuple, known[mixed].tolist()), True)
    suspicion = (
        JointGraphClustering(k, random_state=seed, features="none")
        .fit(views, mappings={(0, 1): known})
        .suspicions_[0, 1]
    )
    listed = seem_wrong(suspicion)
    right = sum(
        is_wrong.get(tuple(match), False) for match in np.unique(known, axis=0)[listed].tolist()
    )
    return {
        "listed": int(listed.sum()),
        "precision": right / listed.sum() if listed.any() else np.nan,
        "recall": right / len(mixed),
    }


def candidates(data: str, mapped: float, seed: int) -> dict[str, float]:
    """Look for the matches that are not known; return how many are found."""
    views, _, known, others = task(data, seed, mapped)
    pairs, true = match_candidates(views, {(0, 1): known})[0, 1], dict(others.tolist())
    hits = pairs.candidates == np.array([true.get(row, -1) for row in pairs.rows.tolist()])[:, None]
    asked = np.isin(pairs.rows, others[:, 0])
    cut = candidate_hits(views, {(0, 1): known})[0, 1]
    return {
        "first": hits[asked, 0].mean(),
        "in_five": hits[asked].any(axis=1).mean(),
        "first_of_100": hits[:100, 0].mean(),
        "cut_first": cut[0],
        "cut_in_five": cut[4],
    }


def keys(n_draws: int) -> Iterator[tuple[Any, ...]]:
    """Give what is measured."""
    cells = [("candidates", mapped, 0.0) for mapped in MAPPED[:2]]
    cells += [("suspicious", mapped, wrong) for mapped in MAPPED[1:] for wrong in WRONG]
    for seed, data, (kind, mapped, wrong) in product(range(n_draws), SETS, cells):
        yield kind, data, mapped, wrong, seed


def lines(rows: pd.DataFrame) -> Iterator[str]:
    """Give a table of either kind."""
    for kind, of_kind in rows.drop(columns="task").groupby("what"):
        shown = of_kind.drop(columns="what").dropna(axis=1, how="all")
        yield f"{kind}\n{means(shown.groupby(['data', 'mapped', 'wrong'])).to_string()}\n"


def measured(
    what: str, data: str, mapped: float, wrong: float, task: int
) -> list[dict[str, float]]:
    """Return the row of a task."""
    if what == "candidates":
        scores = candidates(data, mapped, task)
    else:
        scores = suspicious(data, mapped, wrong, task)
    return [{name: round(score, 6) for name, score in scores.items()}]


if __name__ == "__main__":
    run(__doc__, OUT, KEYS, keys, measured, lines, n_draws=10)
