"""Several starts of PCKMeans and MPCKMeans: what they promise, and how whole neighborhoods move."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mvcc import Constraints, MPCKMeans, PCKMeans
from mvcc.cluster._descent import Problem
from mvcc.cluster._search import Search, search_pck
from mvcc.exceptions import InvalidInputError
from tests.reference import search as reference
from tests.reference.pck import objective as reference_objective

both = pytest.mark.parametrize("Estimator", [PCKMeans, MPCKMeans])


def blobs(seed: int, n_pairs: int):
    """Gaussian blobs of any sizes and spreads, with pairs that are all correct, closed."""
    rng = np.random.default_rng(seed)
    k, d = int(rng.integers(2, 9)), int(rng.integers(1, 6))
    y = rng.permutation(np.repeat(np.arange(k), rng.integers(5, 120, size=k)))
    spread = rng.uniform(0.3, 1.2, size=k)
    X = rng.uniform(1, 6) * rng.normal(size=(k, d))[y] + spread[y, None] * rng.normal(
        size=(len(y), d)
    )
    return X, y, k, Constraints.from_labels(y, n_pairs, random_state=seed).closure()


@pytest.mark.parametrize("n_pairs", [2, 20])
def test_no_end_is_above_the_searchs_own_k_means_however_few_the_pairs(n_pairs):
    for seed in range(20):
        X, _, k, c = blobs(seed, n_pairs)
        rng = np.random.default_rng(seed)
        search = Search(Problem.of(X, c), c, k, 300, rng, 0)
        at_its_labels = search.rows.objective(search.k_means.labels, search.k_means.centers)
        assert next(search.descents(X[:0])).objective <= at_its_labels * (1 + 1e-12)


@both
def test_the_papers_start_is_the_first_and_no_end_is_above_it(Estimator):
    lower = 0
    for seed in range(10):
        X, _, k, c = blobs(seed, 40)
        paper, one, several = (
            Estimator(k, random_state=seed, **kind).fit(X, constraints=c)
            for kind in ({"init": "neighborhoods"}, {"n_init": 1}, {})
        )
        assert_array_equal(one.labels_, paper.labels_)
        assert_array_equal(one.cluster_centers_, paper.cluster_centers_)
        assert one.objective_ == paper.objective_
        assert several.objective_ <= paper.objective_
        lower += several.objective_ < paper.objective_ - 1e-6 * abs(paper.objective_)
    assert lower >= 3


@both
def test_of_equal_ends_the_first_start_wins(Estimator):
    X = np.array([[0.0, 0.0], [0.1, 0.0], [9.0, 0.0], [9.1, 0.1], [0.0, 0.1], [9.0, 0.2]])
    c = Constraints.from_pairs(must_link=[(2, 3), (3, 5), (0, 1)]).closure()
    paper, several = (
        Estimator(2, init=init, random_state=0).fit(X, constraints=c)
        for init in ("neighborhoods", "auto")
    )
    assert paper.labels_.tolist() == several.labels_.tolist() == [1, 1, 0, 0, 1, 0]


def test_of_mpck_means_k_means_is_a_start():
    for seed in range(5):
        X, _, k, c = blobs(seed, 40)
        search = Search(Problem.of(X, c), c, k, 300, np.random.default_rng(0), 0)
        centers = next(search.distinct_centers(X[:0], 9))
        assert_array_equal(centers, search.k_means.centers)
        labels = search.k_means.labels
        means = [X[labels == h].mean(axis=0) for h in range(k)]
        assert_allclose(centers, means, rtol=1e-9, atol=1e-12)


def test_the_second_start_is_the_means_of_neighborhoods(monkeypatch):
    X, y, k, c = blobs(0, 40)
    search = Search(Problem.of(X, c), c, k, 300, np.random.default_rng(0), 0)
    means = np.array([X[y == h][:3].mean(axis=0) for h in range(k)])
    descents, begun, descend = search.descents(means), [], Problem.descend
    next(descents)

    def noted(self, centers, *arguments):
        begun.append(centers.copy())
        return descend(self, centers, *arguments)

    monkeypatch.setattr(Problem, "descend", noted)
    next(descents)
    assert_array_equal(begun[0], means)


def test_k_means_swaps_the_center_missed_least_until_ten_in_a_row_have_not_helped(monkeypatch):
    ranks, descend = [], Problem.descend

    def swapped(self, centers, rank, rng):
        ranks.append(rank)
        return good if len(ranks) == 4 else centers

    X, y, k, _ = blobs(0, 0)
    none = Constraints.empty()
    search = Search(Problem.of(X, none), none, k, 300, np.random.default_rng(0), 0)
    good = np.array([X[y == h].mean(axis=0) for h in range(k)])

    def from_a_bad_place(self, centers, labels, rng, sweeps):
        found = descend(self, centers, labels, rng, sweeps)
        return found if centers is good else replace(found, objective=found.objective + 1e6)

    monkeypatch.setattr(Problem, "swapped", swapped)
    monkeypatch.setattr(Problem, "descend", from_a_bad_place)
    assert search.k_means.objective < 1e6
    assert ranks == [0, 1, 2, 3, *range(10)]


@pytest.mark.parametrize("most_listed", [2**20, 0], ids=["listed", "held"])
def test_neighborhoods_as_points_have_the_objective_of_their_rows(most_listed, monkeypatch):
    """Eq. 1 differs by the scatter of neighborhoods and by the cannot-links inside of them."""
    monkeypatch.setattr("mvcc.constraints._constraints.MOST_LISTED", most_listed)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(50, 3)), rng.integers(4, size=50)
        c = Constraints.from_labels(y, 30, random_state=seed).closure()
        assert (c._parts is not None) == (most_listed == 0)
        search = Search(Problem.of(X, c), c, 4, 300, rng, 0)
        problem, point = search._whole
        scatter = sum(((X[point == p] - problem.X[p]) ** 2).sum() for p in range(len(problem.X)))
        for _ in range(5):
            of_points, centers = rng.integers(4, size=len(problem.X)), rng.normal(size=(4, 3))
            of_rows = of_points[point]
            found = problem.objective(of_points, centers) + scatter
            expected = reference_objective(X, of_rows, centers, *c.listed())
            assert found == pytest.approx(expected, rel=1e-10)
            assert search.rows.objective(of_rows, centers) == pytest.approx(expected, rel=1e-10)


def test_descents_differ_and_moving_neighborhoods_as_a_whole_lowers_some():
    moved = 0
    for seed in range(10):
        X, _, k, c = blobs(seed, 40)
        search = Search(Problem.of(X, c), c, k, 300, np.random.default_rng(seed), seed)
        ends = list(islice(search.descents(X[:0]), 6))
        for found in ends:
            assert found.objective == search.rows.objective(found.labels, found.centers)
        centers = X[:k]
        alone = search.rows.descend(centers, None, np.random.default_rng(seed), 40)
        search._rng = np.random.default_rng(seed)
        assert not np.array_equal(search._as_wholes(centers)[0], centers), "they have descended"
        after = search._descend(centers, None)
        assert after.objective <= alone.objective
        moved += after.objective < alone.objective * (1 - 1e-6)
    assert moved >= 2


@both
def test_ten_starts_end_no_higher_than_two_of_them_and_some_lower(Estimator):
    lower = 0
    for seed in range(5):
        X, _, k, c = blobs(seed, 40)
        two, ten = (
            Estimator(k, n_init=n, random_state=seed).fit(X, constraints=c).objective_
            for n in (2, 10)
        )
        assert ten <= two
        lower += ten < two * (1 - 1e-6)
    assert lower >= 1


def test_a_start_that_is_given_is_the_only_one():
    X, _, k, c = blobs(3, 40)
    for init in ("neighborhoods", X[:k]):
        for n_init in ("auto", 1):
            PCKMeans(k, init=init, n_init=n_init).fit(X, constraints=c)
        with pytest.raises(InvalidInputError, match=r"n_init must be 'auto' or 1 unless.*got 3"):
            PCKMeans(k, init=init, n_init=3).fit(X, constraints=c)


@both
@pytest.mark.parametrize("max_iter", [1, 5])
def test_no_start_exceeds_the_limit_of_iterations(Estimator, max_iter):
    for seed in range(3):
        X, _, k, c = blobs(seed, 40)
        model = Estimator(k, max_iter=max_iter, random_state=0).fit(X, constraints=c)
        assert model.n_iter_ <= max_iter


def test_the_best_descent_goes_on_to_its_end_where_the_limit_of_sweeps_stopped_it(monkeypatch):
    monkeypatch.setattr("mvcc.cluster._search._SWEEPS", 1)
    for seed in range(5):
        X, _, k, c = blobs(seed, 40)
        assert PCKMeans(k, random_state=0).fit(X, constraints=c).converged_


@both
def test_rows_without_differences_and_as_many_clusters_as_rows(Estimator):
    assert Estimator(3, random_state=0).fit(np.ones((7, 2))).labels_.shape == (7,)
    model = Estimator(4, random_state=0).fit(np.arange(8.0).reshape(4, 2) ** 2)
    assert sorted(model.labels_.tolist()) == [0, 1, 2, 3]
    assert Estimator(1, random_state=0).fit(np.eye(3)).labels_.tolist() == [0, 0, 0]


# ---- the search of the joint clustering


def problem(seed: int, n: int = 60, k: int = 4, d: int = 3, n_pairs: int = 30):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    X = 2 * rng.normal(size=(k, d))[y] + rng.normal(size=(n, d))
    c = Constraints.from_labels(y, n_pairs, random_state=seed) if n_pairs else Constraints.empty()
    wrong = rng.random(len(c)) < 0.1
    return X, Constraints(c.pairs, c.must_link ^ wrong, rng.uniform(0.2, 2, size=len(c)))


@pytest.mark.parametrize(
    ("seed", "n_pairs", "weighted"),
    [(0, 0, False), (1, 0, True), (2, 30, False), (3, 30, True), (4, 30, True)],
)
def test_agrees_with_the_reference(seed, n_pairs, weighted):
    X, c = problem(seed, n_pairs=n_pairs)
    rng = np.random.default_rng(seed)
    masses = rng.uniform(0.5, 3, size=len(X)) if weighted else np.ones(len(X))
    starts, rng, again = [X[:4], X[4:6]], np.random.default_rng(seed), np.random.default_rng(seed)
    options = {"masses": masses if weighted else None, "starts": starts}
    pairs = c.pairs, c.must_link, 0.5 * c.weights
    found = search_pck(X, 4, *pairs, n_init=4, rng=rng, **options)
    labels, centers, objective = reference.search(
        X, 4, *pairs, masses, starts, 4, 40, again, weighted=weighted
    )
    assert_array_equal(found.labels, labels)
    assert_allclose(found.centers, centers, rtol=1e-10, atol=1e-12)
    assert found.objective == pytest.approx(objective, rel=1e-10)


def test_of_a_sample_three_starts_that_end_in_the_lowest_objective_are_enough(monkeypatch):
    ends, descend = [], Problem.descend

    def noted(self, *arguments):
        found = descend(self, *arguments)
        ends.append(found.objective)
        return found

    monkeypatch.setattr(Problem, "descend", noted)
    rng = np.random.default_rng(0)
    y = rng.integers(4, size=60)
    X = 6 * np.eye(4)[y] + rng.normal(size=(60, 4))
    means = np.array([X[y == cluster].mean(axis=0) for cluster in range(4)])
    apart = np.array([0.0, 0, 0, 2])
    # one cluster in halves, and two as one
    bad = np.array([means[0] - apart, means[0] + apart, means[1], means[2:].mean(axis=0)])
    for masses, number in ((None, 10), (np.ones(60), 4)):
        ends.clear()
        options = {"n_init": 10, "masses": masses, "starts": [bad], "rng": rng}
        found = search_pck(X, 4, *Constraints.empty().listed(), **options)
        lowest = np.isclose(ends, found.objective, rtol=1e-12)
        assert lowest.tolist() == [False] + [True] * (number - 1)
