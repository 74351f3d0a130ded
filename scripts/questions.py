"""Measure what answers to questions buy: F after 0 to 160 of them, for several ways of choosing
them.

    python -m scripts.questions
        writes results/questions.csv; a stopped command goes on where it was

Answers go to ``JointGraphClustering`` as constraints: those that ``Questions`` makes of groups,
or pairs as they are. In each task three in ten matches are known; of newsgroups, the first
halves of 1,000 documents and the second halves of 1,000, 300 documents are in both. Explore &
Consolidate of Basu, Banerjee and Mooney (2004), Min-Max of Mallapragada, Jin and Jain (2008) and
NPU of Xiong, Azimi and Fern (2014) ask about matched objects, which they compare by the scaled
columns of all views, and about random rows when there are no more of them.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from itertools import chain, islice, product
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

from mvcc import AutoScaler, Constraints, JointGraphClustering, Questions
from mvcc._utils.arrays import Ints
from mvcc.embedding import find_objects, membership, object_columns
from scripts.studies import mean_f, means, run
from scripts.tables import RESULTS
from scripts.two_tables import N_ROWS, two_tables

OUT = RESULTS / "questions.csv"
KEYS = ["data", "task", "wrong", "strategy"]
SETS = ("digits_halves", "letters_digits", "newsgroups", "wine", "breast_cancer")
BUDGETS = (0, 10, 20, 40, 80, 160)
WRONG = (0.0, 0.05)
MAPPED = 0.3
BETWEEN_LOOKS = 4  # other questions, as ``mvcc ask`` has them
BATCH = 10  # NPU needs a clustering, which is renewed after so many answers


class Task:
    """Views with known classes, the model without answers, and a person who answers."""

    def __init__(self, data: str, seed: int, wrong: float) -> None:
        self.seed = seed
        self.rng = np.random.default_rng([zlib.crc32(data.encode()), seed])
        # all matches of newsgroups are known, three in ten of what could match
        views, self.y, known = two_tables(data, seed, self.rng, n_shared=round(MAPPED * N_ROWS))
        if data != "newsgroups":
            order = self.rng.permutation(len(known))
            known = known[np.sort(order[: round(MAPPED * len(order))])]
        self.relations = {(0, 1): known}
        self.views = [AutoScaler().fit_transform(X) for X in views]
        self.k = len(np.unique(np.concatenate(self.y)))
        self.model = JointGraphClustering(
            self.k, on_conflict="drop", random_state=seed, features="none"
        )
        self.model.fit(self.views, mappings=self.relations)
        n, self.objects = find_objects([len(X) for X in self.views], self.relations)
        self.columns = object_columns(self.views, [membership(ids, n) for ids in self.objects])
        self.matched = np.unique(self.objects[0][self.relations[0, 1][:, 0]])
        self.truth = np.empty(n, np.int64)
        for ids, labels in zip(self.objects, self.y, strict=True):
            self.truth[ids] = labels
        self.said = self.truth.copy()
        mistaken = self.rng.random(n) < wrong
        others = self.rng.integers(1, self.k, mistaken.sum())
        self.said[mistaken] = (self.said[mistaken] + others) % self.k
        self.wrong = wrong
        self.looking = np.random.default_rng([9, seed])

    def say_again(self, obj: int) -> None:
        """Answer a second look at an object, wrong as often as at first."""
        self.said[obj] = self.truth[obj]
        if self.looking.random() < self.wrong:
            self.said[obj] = (self.said[obj] + self.looking.integers(1, self.k)) % self.k

    def row_of(self, obj: int) -> tuple[int, int]:
        """Return view and row of an object."""
        return next(
            (v, int(np.argmax(ids == obj)))
            for v, ids in enumerate(self.objects)
            if (ids == obj).any()
        )

    def object_of(self, id: str) -> int:
        """Return the object of a row, "view:row"."""
        view, row = map(int, id.split(":"))
        return int(self.objects[view][row])

    def labels(self, constraints: list[Constraints | None]) -> list[Ints]:
        """Cluster by answers."""
        return self.model.labels_by(constraints, random_state=self.seed)

    def f_measure(self, constraints: list[Constraints | None]) -> float:
        """Return F of the clusters by answers, the mean of the views."""
        return mean_f(self.y, self.labels(constraints))


Chosen = Iterator[int]


def ours(task: Task, questions: Questions) -> Chosen:
    """Choose objects as ``Questions.next`` does."""
    while asked := questions.next():
        yield task.object_of(asked[0].id)


def second_looks(task: Task, questions: Questions) -> Chosen:
    """Choose as `ours`, but give an object once more as ``mvcc ask`` does: one in five at most."""
    since = 0
    for obj in ours(task, questions):
        yield obj
        since += 1
        if since >= BETWEEN_LOOKS and (looks := questions.second_looks):
            yield task.object_of(looks[0].question.id)
            since = 0


def random_rows(task: Task, questions: Questions) -> Chosen:
    """Choose rows of any view at random."""
    yield from task.rng.permutation(np.concatenate(task.objects)).tolist()


def min_max(task: Task, questions: Questions) -> Chosen:
    """Choose a matched object at random, then always the one farthest from all chosen ones."""
    X = task.columns[task.matched]
    index, gaps = int(task.rng.integers(len(X))), np.full(len(X), np.inf)
    for _ in range(len(X)):
        yield int(task.matched[index])
        gaps = np.minimum(gaps, ((X - X[index]) ** 2).sum(axis=1))
        gaps[index] = -1
        index = int(gaps.argmax())


def explore_consolidate(task: Task, questions: Questions) -> Chosen:
    """Choose the farthest object until there are k groups, then at random."""
    chosen = []
    for obj in min_max(task, questions):
        if len(questions.groups) == task.k:
            break
        chosen.append(obj)
        yield obj
    yield from (obj for obj in task.rng.permutation(task.matched).tolist() if obj not in chosen)


def npu(task: Task, questions: Questions) -> Chosen:
    """Choose by entropy of neighborhoods over expected yes/no answers, after one of each kind."""
    chosen: list[int] = []
    leaves = None
    start = explore_consolidate(task, questions)
    X = task.columns[task.matched]
    index_of = {int(obj): index for index, obj in enumerate(task.matched)}
    for count in range(len(task.matched)):
        if len(questions.groups) < 2:
            chosen.append(next(obj for obj in start if obj not in chosen))
            yield chosen[-1]
            continue
        if count % BATCH == 0 or leaves is None:
            labels = task.labels(questions.constraints)
            y = np.empty(len(task.columns), np.int64)
            for ids, of_view in zip(task.objects, labels, strict=True):
                y[ids] = of_view
            leaves = RandomForestClassifier(50, random_state=0).fit(X, y[task.matched]).apply(X)
        near = (leaves[:, None] == leaves[[index_of[obj] for obj in chosen]]).mean(axis=2)
        said = task.said[chosen]
        shares = (
            np.column_stack([near[:, said == kind].mean(axis=1) for kind in np.unique(said)]) + 1e-9
        )
        shares = -np.sort(-shares / shares.sum(axis=1, keepdims=True), axis=1)
        score = -(shares * np.log(shares)).sum(axis=1) / (
            shares @ np.arange(1, shares.shape[1] + 1)
        )
        score[[index_of[obj] for obj in chosen]] = -1
        chosen.append(int(task.matched[score.argmax()]))
        yield chosen[-1]


STRATEGIES: dict[str, Callable[[Task, Questions], Chosen]] = {
    f.__name__: f for f in (ours, second_looks, random_rows, explore_consolidate, min_max, npu)
}


def distinct(chosen: Chosen) -> Chosen:
    """Give every object once."""
    seen: set[int] = set()
    for obj in chosen:
        if obj not in seen:
            seen.add(obj)
            yield obj


def by_groups(task: Task, strategy: str) -> Iterator[dict[str, float]]:
    """Ask for the group of each chosen object; give F and the hint of k after every budget."""
    questions = Questions(task.views, task.relations)
    asked = 0
    answered: set[int] = set()
    chosen = STRATEGIES[strategy](task, questions)
    if strategy != "second_looks":
        chosen = distinct(chain(chosen, random_rows(task, questions)))
    for budget in BUDGETS:
        for obj in islice(chosen, budget - asked):
            if again := obj in answered:
                task.say_again(obj)
            answered.add(obj)
            name = f"kind {task.said[obj]}"
            known = {group.name for group in questions.groups}
            said = name if name in known else f"new:{name}"
            questions.answer(task.row_of(obj), said, again=again)
        asked = budget
        hint = questions.n_clusters_hint
        F = task.f_measure(questions.constraints)
        of_k = {"k": hint.n_clusters, "settled": hint.settled, "right_k": task.k}
        yield {"questions": budget, "F": F, **of_k}


def by_pairs(task: Task) -> Iterator[dict[str, float]]:
    """Constrain random pairs of the first view, half of them must-links."""
    for budget in BUDGETS:
        drawn = Constraints.from_labels(task.y[0], budget, task.seed)
        flip = np.random.default_rng(task.seed).random(max(BUDGETS))[:budget] < task.wrong
        judged = Constraints(drawn.pairs, drawn.must_link ^ flip)
        yield {"questions": budget, "F": task.f_measure([judged, None]), "right_k": task.k}


def keys(n_draws: int) -> Iterator[tuple[Any, ...]]:
    """Give what is measured."""
    places = product(range(n_draws), SETS, WRONG, (*STRATEGIES, "random_pairs"))
    return ((data, task, wrong, strategy) for task, data, wrong, strategy in places)


def measured(data: str, task: int, wrong: float, strategy: str) -> Iterator[dict[str, float]]:
    """Give the rows of a task and strategy."""
    given = Task(data, task, wrong)
    return by_pairs(given) if strategy == "random_pairs" else by_groups(given, strategy)


def lines(rows: pd.DataFrame) -> Iterator[str]:
    """Give the table: F of every data set, share of wrong answers and strategy."""
    cells = rows.groupby(["data", "wrong", "strategy", "questions"])["F"]
    yield means(cells).unstack("questions").to_string()


if __name__ == "__main__":
    run(__doc__, OUT, KEYS, keys, measured, lines, n_draws=10)
