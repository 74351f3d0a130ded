"""Our fits are those of WekaUT, which the paper used, but for WekaUT's listed defects."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy.spatial.distance import pdist, squareform

from mvcc import Constraints, MPCKMeans, PCKMeans, pairwise_f_measure

pytestmark = [pytest.mark.reference, pytest.mark.compiled]

DATASETS = ["letters", "protein_a", "iris"]
COUNTS = [10, 50, 100, 200]
MPCK = {"MPCKMeans_percluster": False, "MPCKMeans_single": True}
of_every_dataset = pytest.mark.parametrize("dataset", DATASETS)
of_both_metrics = pytest.mark.parametrize("algorithm", MPCK, ids=["per-cluster", "single"])


@dataclass
class Case:
    """One trial of one data set: what WekaUT was given, and what it returned."""

    dataset: str
    count: int
    trial: int
    X: np.ndarray
    y: np.ndarray
    k: int
    given: tuple[np.ndarray, np.ndarray]  # must-links, cannot-links
    outputs: dict[str, np.ndarray]
    results: pd.DataFrame

    def __str__(self):
        return f"{self.dataset}, {self.count} constraints, trial {self.trial}"

    def output(self, name):
        return self.outputs[name][COUNTS.index(self.count), self.trial]

    def result(self, algorithm):
        return self.results.loc[(self.dataset, algorithm, self.count, self.trial)]

    @cached_property
    def neighborhoods(self):
        component = np.arange(len(self.X))
        for i, j in self.given[0]:
            low, high = sorted((component[i], component[j]))
            component[component == high] = low
        members = [np.flatnonzero(component == first) for first in np.unique(component)]
        return [rows for rows in members if len(rows) > 1]

    @cached_property
    def closed(self):
        """The list as WekaUT closes it: inside and between the k largest neighborhoods."""
        used = self.neighborhoods
        if len(used) >= self.k:
            used = sorted(used, key=len, reverse=True)[: self.k]
        must, cannot = ({tuple(sorted(pair)) for pair in kind.tolist()} for kind in self.given)
        for rows in used:
            must |= set(combinations(rows.tolist(), 2)) - cannot
        for one, other in combinations(used, 2):
            across = {tuple(sorted(pair)) for pair in product(one.tolist(), other.tolist())}
            if across & (must | cannot):
                cannot |= across - must
        return Constraints.from_pairs(sorted(must), sorted(cannot))

    @property
    def enough_neighborhoods(self):
        """Whether no center is missing; WekaUT makes nearly zero vectors of missing ones."""
        return len(self.neighborhoods) >= self.k


@cache
def cases(dataset):
    folder = Path(os.environ["MVCC_REFERENCE"]) / "wekaut"
    inputs, outputs = (
        dict(np.load(folder / f"{kind}_{dataset}.npz")) for kind in ("inputs", "outputs")
    )
    assert outputs["n_constraints"].tolist() == COUNTS
    results = pd.read_csv(folder / "results.csv").set_index(
        ["dataset", "algorithm", "n_constraints", "trial"]
    )
    results = results.sort_index()
    made = []
    data = inputs["X"], inputs["y"], int(inputs["k"])
    for count, trial in product(COUNTS, range(20)):
        kinds = inputs["must_link"][trial], inputs["cannot_link"][trial]
        given = tuple(pairs[: count // 2].astype(int) for pairs in kinds)
        made.append(Case(dataset, count, trial, *data, given, outputs, results))
    return made


@cache
def mpck_fits(dataset, algorithm):
    return [
        MPCKMeans(case.k, shared_metric=MPCK[algorithm], init="neighborhoods", random_state=0).fit(
            case.X, constraints=case.closed
        )
        for case in cases(dataset)
    ]


def same_partition(one, other):
    n_pairs = len(np.unique(np.column_stack((one, other)), axis=0))
    return n_pairs == len(np.unique(one)) == len(np.unique(other))


@of_every_dataset
def test_the_closure_of_this_test_is_wekauts(dataset):
    for case in cases(dataset):
        expected = case.result("PCKMeans")
        assert len(case.neighborhoods) == expected.n_neighbourhoods, str(case)
        n_must_links = case.closed.must_link.sum()
        assert n_must_links == expected.n_ml_after_closure, str(case)
        assert len(case.closed) - n_must_links == expected.n_cl_after_closure, str(case)


# ---- PCK-Means


@of_every_dataset
def test_pck_equals_wekaut_in_every_fit_with_k_neighborhoods(dataset, record_property):
    compared = [case for case in cases(dataset) if case.enough_neighborhoods]
    assert len(compared) >= 60
    differing = []
    for case in compared:
        found, first = (
            PCKMeans(case.k, init="neighborhoods", **limits).fit(case.X, constraints=case.closed)
            for limits in ({"tol": 1e-5, "max_iter": 10_000}, {"max_iter": 1})
        )
        expected = case.result("PCKMeans")
        if not (
            same_partition(found.labels_, case.output("labels_PCKMeans"))
            and same_partition(first.labels_, case.output("first_estep_labels_PCKMeans"))
            and found.objective_ == pytest.approx(expected.objective_reported, rel=1e-6)
            and found.n_iter_ == expected.iterations
        ):
            differing.append(str(case))
    n_equal = len(compared) - len(differing)
    told = f"{'PCKMeans':20} {dataset:9} equals WekaUT in {n_equal} of {len(compared)} fits"
    record_property("agreement", told)
    assert not differing, differing


# ---- MPCK-Means


@of_both_metrics
@of_every_dataset
def test_the_mean_f_measure_of_mpck_is_wekauts(dataset, algorithm, record_property):
    rows = []
    for case, found in zip(cases(dataset), mpck_fits(dataset, algorithm), strict=True):
        rows.append(
            {
                "count": case.count,
                "wekaut": case.result(algorithm).f_measure,
                "ours": pairwise_f_measure(case.y, found.labels_),
                "equal": same_partition(found.labels_, case.output(f"labels_{algorithm}")),
                "enough": case.enough_neighborhoods,
            }
        )
        theirs = pairwise_f_measure(case.y, case.output(f"labels_{algorithm}"))
        assert theirs == pytest.approx(case.result(algorithm).f_measure, abs=1e-12)
    table = pd.DataFrame(rows)
    groups = {"all": table}
    if not table["enough"].all():
        groups["with k neighborhoods"] = table[table["enough"]]
    for which, part in groups.items():
        for count, fits in part.groupby("count"):
            wekaut, ours, equal = fits[["wekaut", "ours", "equal"]].mean()
            record_property(
                "agreement",
                f"{algorithm:20} {dataset:9} {count:3d} constraints, {which} {len(fits)} fits: mean"
                f" F WekaUT {wekaut:.4f}, ours {ours:.4f}, difference {ours - wekaut:+.4f}, equal"
                f" labels {equal:.0%}",
            )
            assert abs(ours - wekaut) <= 0.02, (count, which)


def spread_of_box(Z):
    """D of WekaUT: the squared sides of the box around Z and the origin."""
    return (np.maximum(Z.max(axis=0, initial=0), 0) - np.minimum(Z.min(axis=0, initial=0), 0)) ** 2


def spread_of_farthest_pair(X, weights):
    """D of Eq. 3: the squared differences of the two rows farthest apart, of all pairs."""
    distances = squareform(pdist(X * np.sqrt(weights), "sqeuclidean"))
    i, j = np.unravel_index(np.argmax(distances), distances.shape)
    return (X[i] - X[j]) ** 2


def mpck_loop(case, shared, labels, centers, n_iterations, *, defects):
    """Run MPCK-Means with diagonal metrics, with WekaUT's defects or without them.

    The defects: box corners (containing the origin) instead of the farthest pair, under the metric
    of cluster 0 up to the end of the first iteration and d-fold from the second one on; λ = 0.01;
    squares in single precision; rounding errors of the mean that pass for the spread of a feature
    equal in all rows of a cluster. The reset of the first rows is in the labels to start from.
    """
    X, k, (n, d) = case.X, case.k, case.X.shape
    pairs, must = case.closed.pairs, case.closed.must_link
    weights, labels, centers = np.ones((k, d)), labels.copy(), centers.copy()
    scale = 0.01 if defects else 1
    squares = (X[pairs[:, 0]] - X[pairs[:, 1]]) ** 2
    summed = squares.astype(np.float32).astype(float) if defects else squares
    links = [[] for _ in range(n)]
    for link, (i, j) in enumerate(pairs):
        links[i].append((link, j))
        links[j].append((link, i))
    links = [np.array(mine, dtype=int).reshape(-1, 2).T for mine in links]

    def separations(iteration):
        if not defects:
            D = np.array([spread_of_farthest_pair(X, weights[h]) for h in range(k)])
            return D, (weights * D).sum(axis=1)
        if shared or iteration < 2:
            D = np.tile(spread_of_box(X), (k, 1))
            return D, (weights[:1] * D).sum(axis=1)
        D = np.array([spread_of_box(X[labels == h]) for h in range(k)])
        return D, d * (weights * D).sum(axis=1)

    D, reach = separations(0)
    total, n_blank = np.inf, 0
    for iteration in range(1, n_iterations + 1):
        former, former_total, total = labels.copy(), total, 0.0
        log_dets = scale * np.log(weights).sum(axis=1) * (iteration > 1)
        costs = (weights * (X[:, np.newaxis] - centers) ** 2).sum(axis=2) - log_dets
        lengths = squares @ weights.T
        for i, (link, partner) in enumerate(links):
            known = labels[partner] >= 0
            link, own = link[known], labels[partner[known]]
            if len(link):
                together = must[link]
                penalties = 0.5 * (lengths[link] + lengths[link, own][:, np.newaxis])
                penalties[np.arange(len(link)), own] = 0
                costs[i] += penalties[together].sum(axis=0)
                link, own = link[~together], own[~together]
                costs[i] += np.bincount(own, reach[own] - lengths[link, own], minlength=k)
            labels[i] = np.argmin(costs[i])
            total += costs[i, labels[i]]
        S, sizes = np.zeros((k, d)), np.bincount(labels, minlength=k)
        for h in np.flatnonzero(sizes):
            members = X[labels == h]
            centers[h] = members.mean(axis=0)
            spread = (members - centers[h]) ** 2
            S[h] = (spread.astype(np.float32).astype(float) if defects else spread).sum(axis=0)
            if not defects:
                S[h, np.ptp(members, axis=0) == 0] = 0
        one, other = labels[pairs.T]
        apart, joined = must & (one != other), ~must & (one == other)
        np.add.at(S, one[apart], 0.5 * summed[apart])
        np.add.at(S, other[apart], 0.5 * summed[apart])
        np.add.at(S, one[joined], D[one[joined]] - summed[joined])
        if shared:
            S, sizes = np.tile(S.sum(axis=0), (k, 1)), np.full(k, n)
        weights = np.where(S > 0, scale * sizes[:, np.newaxis] / np.where(S > 0, S, 1), weights)
        D, reach = separations(iteration)
        n_blank = 0 if (labels != former).any() else n_blank + 1
        if defects and (abs(former_total - total) < 1e-5 or n_blank == 20):
            break
    return labels


@of_both_metrics
@of_every_dataset
def test_mpck_fits_that_differ_do_so_by_wekauts_defects_alone(dataset, algorithm, record_property):
    """The plain loop gives WekaUT's labels with the defects, and ours without them."""
    n_fits, differing = 0, []
    for case, found in zip(cases(dataset), mpck_fits(dataset, algorithm), strict=True):
        theirs = case.output(f"labels_{algorithm}")
        if not case.enough_neighborhoods:
            continue
        n_fits += 1
        if same_partition(found.labels_, theirs):
            continue
        differing.append(str(case))
        labels = case.output(f"init_labels_{algorithm}").astype(int)
        centers = case.output(f"init_centroids_{algorithm}")
        with_defects = mpck_loop(case, MPCK[algorithm], labels, centers, 1000, defects=True)
        assert_array_equal(with_defects, theirs, str(case))
        labels, centers = MPCKMeans(case.k, init="neighborhoods")._start(
            case.X, case.closed.spanning(), case.k
        )
        without = mpck_loop(case, MPCK[algorithm], labels, centers, found.n_iter_, defects=False)
        assert_array_equal(without, found.labels_, str(case))
    record_property(
        "agreement",
        f"{algorithm:20} {dataset:9} equals WekaUT in {n_fits - len(differing)} of {n_fits} fits,"
        f" and in the other {len(differing)} but for WekaUT's defects",
    )
    assert len(differing) < n_fits / 2, differing
