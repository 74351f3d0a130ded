"""Measure what is found among matches: wrong ones that are suspicious, and the counterparts of
rows without a match.

    python -m scripts.matches --tasks 10
        writes results/matches.csv; a stopped command goes on where it was

Digits: the left halves of half of the images, the right halves of six in ten, with the former
among them. Newsgroups: the first halves of 1,000 documents and the second halves of 1,000, 700
of which are in both. ``suspicious``: a share of the known matches is mixed up; precision and
recall of those with a suspicion above .4. ``candidates``: for the rows whose match is not known,
the share whose counterpart is found first, among the first five, and in the hundred lines with
the highest scores. ``cut`` is what ``candidate_hits`` tells of the same matches.
"""

from __future__ import annotations

import argparse
import zlib
from itertools import product
from pathlib import Path

import numpy as np

from mvcc import AutoScaler, JointGraphClustering, candidate_hits, load_dataset, match_candidates
from mvcc.multiview import seem_wrong
from scripts.questions import halves_of_news
from scripts.studies import Floats, Ints, completed, means

OUT = Path(__file__).parents[1] / "results" / "matches.csv"
SETS = ("digits_halves", "newsgroups")
WRONG, MAPPED = (0.05, 0.1, 0.25), (0.1, 0.3, 1.0)
_SHARED = 700  # documents that both views have halves of


def task(data: str, seed: int, mapped: float) -> tuple[list[Floats], int, Ints, Ints]:
    """Return scaled views, the number of classes, the matches that are known and those that are
    not.
    """
    rng = np.random.default_rng([zlib.crc32(data.encode()), seed])
    if data == "newsgroups":
        views, labels, matches = halves_of_news(rng, _SHARED)
    else:
        dataset = load_dataset(data, random_state=seed)
        views, labels, matches = dataset.views, dataset.labels, dataset.relations[0, 1]
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


def main() -> None:
    """Run what is not in the file yet, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tasks", type=int, default=10)
    parser.add_argument("--data", nargs="+", default=list(SETS))
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    cells = [("candidates", mapped, 0.0) for mapped in MAPPED[:2]]
    cells += [("suspicious", mapped, wrong) for mapped in MAPPED[1:] for wrong in WRONG]
    frame = completed(
        args.out,
        [
            {"what": kind, "data": data, "mapped": mapped, "wrong": wrong, "task": seed}
            for seed, data, (kind, mapped, wrong) in product(range(args.tasks), args.data, cells)
        ],
        measured,
    )
    for kind, rows in frame.drop(columns="task").groupby("what"):
        shown = rows.drop(columns="what").dropna(axis=1, how="all")
        text = means(shown.groupby(["data", "mapped", "wrong"])).to_string()
        print(f"{kind}\n{text}\n")


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
    main()
