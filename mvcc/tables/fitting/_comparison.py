"""Does it help? The method of a job beside k-means, itself without constraints, and the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score

from mvcc._utils.arrays import Floats, Ints
from mvcc._utils.contexts import quiet_fit
from mvcc._utils.messages import for_reader, percent
from mvcc._utils.progress import numbered
from mvcc.constraints import Constraints, Relations
from mvcc.embedding import find_objects
from mvcc.exceptions import MvccError
from mvcc.multiview import make_without_base, match_clusters
from mvcc.results import JOINT, K_MEANS
from mvcc.tables._job import DEFAULT_FEATURES, Job
from mvcc.tables.fitting._co_em import CoEM
from mvcc.tables.fitting._features import make_features
from mvcc.tables.fitting._fit import (
    Fit,
    Labels,
    Method,
    against_labels,
    check_given,
    of_some_weight,
    renumbered,
)
from mvcc.tables.fitting._held_out import (
    CO_EM,
    WITHOUT,
    Cut,
    Key,
    Outcome,
    Scores,
    constraint_folds,
    match_folds,
    verdict,
)
from mvcc.tables.fitting._joint import Joint
from mvcc.tables.reading._inputs import Inputs

METHODS: dict[str, type[Method]] = {JOINT: Joint, CO_EM: CoEM}
_MOST_ROWS = 4_000  # of all views; of more, objects are drawn
_ROWS_PER_CLUSTER = 10  # at least, in every view of a sample
_NEAR_CHANCE = 1 / 3  # of the way from chance to full agreement
_RUNS = 3  # of what no constraint changes

Again = Callable[[list[Constraints], int], Labels]


class Contest:
    """The method of a job and others, unless it is alone, on the same rows, pairs and matches."""

    def __init__(self, method: Method, *, alone: bool = False) -> None:
        self.job, self.relations = method.job, method.relations
        self.given = of_some_weight(method.given)
        self.tables, self.sizes = method.tables, [len(X) for X in method.views]
        self.folds = constraint_folds(self.given, self.relations, self.sizes, self.job.seed)
        self.refused = ""  # why the other method cannot be compared
        self._inputs = replace(method.inputs, constraints=self.given)
        self._method, self._alone = method, alone
        self._other, self._other_views = _other_job(self.job), list[Floats]()
        self._by_k_means = _blind(self._k_means)
        if not alone and (self.job.method == CO_EM or self.job.compare_co_em):
            try:
                self._other_views = [make_features(table, self._other).X for table in method.tables]
            except MvccError as error:  # of features that nobody asked for
                self.refused = str(error)
        # these remember what they found without constraints
        self.with_all_matches = self.methods(self.relations)

    def methods(self, relations: Relations) -> dict[str, Again]:
        """Return what clusters by given constraints and a seed, by name, first that of the job."""
        inputs = replace(self._inputs, relations=relations)
        mine = self._method
        if relations is not self.relations:
            mine = _ready(self.job, mine.views, inputs)
        methods: dict[str, Again] = {self.job.method: mine.again}
        if self._alone:
            return methods
        methods[K_MEANS] = self._by_k_means
        if any(map(len, self.given)):
            none = [Constraints.empty() for _ in self.given]
            methods[WITHOUT] = _blind(lambda seed: mine.again(none, seed))
        if self._other_views:
            other = _ready(self._other, self._other_views, inputs)
            methods[self._other.method] = other.again
            if self.job.on_conflict == "drop":
                methods[self._other.method] = lambda given, seed: other.again(
                    check_given(self._other, replace(inputs, constraints=given))[0], seed
                )
        return methods

    def _k_means(self, seed: int) -> Labels:
        k_means = make_without_base(K_MEANS, self.job.k, random_state=seed)
        return [k_means.fit_predict(X).astype(np.int64) for X in self._method.views]


def _blind(cluster: Callable[[int], Labels]) -> Again:
    """Return what clusters without constraints, by a few seeds: others would tell no more."""
    known = cache(cluster)
    return lambda given, seed: known(seed % _RUNS)


def _ready(job: Job, views: list[Floats], inputs: Inputs) -> Method:
    method = METHODS[job.method](job, views, inputs)
    if job.method == JOINT:  # its graph serves any constraints
        method.fit()
    return method


def _other_job(job: Job) -> Job:
    """Return the job for the other method; features that are not the default stay."""
    (other,), features = METHODS.keys() - {job.method}, job.features
    if features == DEFAULT_FEATURES[job.method]:
        features = DEFAULT_FEATURES[other]
    return job.model_copy(update={"method": other, "features": features, "on_conflict": "drop"})


def drawn_rows(job: Job, inputs: Inputs) -> list[Ints] | None:
    """Return rows of objects, all constrained ones among them; None for all if there are few."""
    sizes = [len(table.ids) for table in inputs.tables]
    if sum(sizes) <= _MOST_ROWS:
        return None
    rng = np.random.default_rng(job.seed)
    n_objects, objects = find_objects(sizes, inputs.relations)
    is_drawn = np.zeros(n_objects, np.bool_)
    for row_objects, c in zip(objects, inputs.constraints, strict=True):
        is_drawn[row_objects[c.pairs.ravel()]] = True
        n = max(_MOST_ROWS // len(sizes), _ROWS_PER_CLUSTER * job.k)
        is_drawn[rng.permutation(row_objects)[:n]] = True
    if is_drawn.all():
        return None
    return [np.flatnonzero(is_drawn[row_objects]) for row_objects in objects]


class Comparison(NamedTuple):
    facts: dict[str, Any] | None  # ``comparison`` of ``clustering.json``
    held_out: dict[Key, dict[str, Any]]  # the same of every relation of which matches were cut
    cautions: list[str]  # what must not be overlooked


NOT_COMPARED = Comparison(None, {}, [])


def compare(fit: Fit, on_step: Callable[[str], None]) -> Comparison:
    """Compare the method of a job with others by held-out constraints and matches."""
    method, labels = fit.method, fit.labels
    inputs = replace(method.inputs, constraints=of_some_weight(method.given))
    rows, sampled = drawn_rows(method.job, inputs), None
    with quiet_fit():
        if rows is not None:
            inputs, sampled = inputs.on_rows(rows), sum(map(len, rows))
            views = [X[drawn] for X, drawn in zip(method.views, rows, strict=True)]
            labels = [view_labels[drawn] for view_labels, drawn in zip(labels, rows, strict=True)]
            method = _ready(method.job, views, inputs)
        contest = Contest(method)
        outcomes = held_out_by(contest, labels, on_step)
        by_labels = _against_labels(contest, labels)
    mine = outcomes[contest.job.method]
    said, cautions = verdict(outcomes)
    if contest.refused:
        cautions.append(f"The result was not compared with the other method: {contest.refused}")
    for (u, v), cut in mine.cuts.items():
        if cut.beyond_chance().mean() < _NEAR_CHANCE:
            cautions.append(
                f"{inputs.tables[u].name} and {inputs.tables[v].name} hardly show the same"
                f" clusters: without their match, {percent(cut.agreement)} of {len(cut.first)}"
                f" matched rows share their cluster ({percent(cut.by_chance)} by chance). Add"
                f" constraints ({for_reader('mvcc ask', 'Questions')}). Columns that tell nothing"
                " of them can hide those that do: leave such columns out"
                f" ({for_reader('--ignore', 'ignore')})."
            )
    facts = {
        "folds": len(contest.folds),
        "n_judgments": sum(map(len, contest.given)) if contest.folds else 0,
        "n_matches": sum(len(cut.first) for cut in mine.cuts.values()),
        "sampled": sampled,
        "methods": [
            {"method": name, **outcome.facts(), "reference_f": by_labels.get(name, [])}
            for name, outcome in outcomes.items()
        ],
        **said,
    }
    held_out = {key: cut.facts(fit.n_numbers) for key, cut in mine.cuts.items()}
    return Comparison(facts, held_out, cautions)


def held_out_by(
    contest: Contest, labels: Labels, on_step: Callable[[str], None]
) -> dict[str, Outcome]:
    """Return what every method keeps; clusters of matched rows have the numbers of a result."""
    folds = contest.folds
    seen = [fold.seen for fold in folds] or [contest.given] * _RUNS
    with quiet_fit():
        methods = contest.with_all_matches
        runs_by_name: dict[str, list[Labels]] = {name: [] for name in methods}
        for offset, given in enumerate(numbered("comparison", seen, on_step), 1):
            for name, again in methods.items():
                runs_by_name[name].append(again(given, contest.job.seed + offset))
        cuts = _by_fewer_matches(contest, labels, on_step)
    outcomes = {}
    for name, runs in runs_by_name.items():
        kept = None
        if folds:
            tested = [fold.tested(run) for fold, run in zip(folds, runs, strict=True)]
            kept = Scores(*map(np.concatenate, zip(*tested, strict=True)))
        following = [pair for two in pairwise(runs) for pair in zip(*two, strict=True)]
        stability = np.mean([adjusted_rand_score(*pair) for pair in following])
        outcomes[name] = Outcome(kept, cuts.get(name, {}), float(stability))
    return outcomes


def _by_fewer_matches(
    contest: Contest, result: Labels, on_step: Callable[[str], None]
) -> dict[str, dict[Key, Cut]]:
    """Return the clusters of matched rows by every method without each fold of matches."""
    k = max(contest.job.k, *(1 + int(labels.max()) for labels in result))
    parts: dict[str, dict[Key, list[tuple[Ints, Ints]]]] = defaultdict(lambda: defaultdict(list))
    every = match_folds(contest.relations, contest.sizes, contest.job.seed)
    folds = numbered("comparison without matches", every, on_step)
    for offset, (seen, held_out) in enumerate(folds, 1):
        for name, again in contest.methods(seen).items():
            labels = again(contest.given, contest.job.seed + offset)
            numbers = match_clusters(labels, seen, k)  # by the other matches
            alike = [new[clusters] for new, clusters in zip(numbers, labels, strict=True)]
            for (u, v), rows in held_out.items():
                pooled, like = np.concatenate((alike[u], alike[v])), (result[u], result[v])
                pooled = renumbered(pooled, np.concatenate(like), k)
                parts[name][u, v].append((pooled[rows[:, 0]], pooled[len(alike[u]) + rows[:, 1]]))
    return {
        name: {key: Cut(*map(np.concatenate, zip(*cut, strict=True))) for key, cut in cuts.items()}
        for name, cuts in parts.items()
    }


def _against_labels(contest: Contest, result: Labels) -> dict[str, list[float | None]]:
    """Return F of every method against the labels of every view, with all that is given."""
    reference = [table.reference for table in contest.tables]
    if not any(reference):
        return {}
    clusterings = {contest.job.method: result} | {
        name: again(contest.given, contest.job.seed + 1)
        for name, again in contest.with_all_matches.items()
        if name != contest.job.method
    }
    return {
        name: [against_labels(*pair)["reference_f"] for pair in zip(reference, labels, strict=True)]
        for name, labels in clusterings.items()
    }
