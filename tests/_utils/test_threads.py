"""Large data are shared among threads, with the same bits as on one, wherever they are fitted."""

import json
import multiprocessing
import os
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba
import numpy as np
import pytest
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_info, threadpool_limits

import mvcc
from mvcc import Constraints, MPCKMeans, PCKMeans, propagate_constraints
from mvcc._utils import kernels
from mvcc._utils.contexts import one_thread
from mvcc._utils.kernels import for_blocks, may_share
from mvcc.embedding._components import k_means

several_threads = pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="needs two threads")


@pytest.fixture
def limit():
    before = numba.get_num_threads()
    yield numba.set_num_threads
    numba.set_num_threads(before)


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """Share work on far fewer rows than would pay."""
    monkeypatch.setattr(kernels, "_WORTH_SHARING", 10_000)


@pytest.fixture(scope="module")
def large():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=20_000)
    X = rng.normal(size=(len(y), 5)) + 3 * rng.normal(size=(3, 5))[y]
    return X, y, Constraints.from_labels(y, 300, 0)


@pytest.mark.compiled
@several_threads
@pytest.mark.parametrize(
    "estimator", [PCKMeans(3, random_state=0), MPCKMeans(3, random_state=0, max_iter=10)]
)
def test_fits_on_one_thread_and_on_two_have_the_same_bits(large, limit, estimator):
    X, _, constraints = large
    found = []
    for number in (1, 2):
        limit(number)
        assert may_share(len(X)) == (number == 2)
        estimator.fit(X, constraints=constraints.closure())
        learned = estimator.labels_, estimator.cluster_centers_, estimator.objective_
        found.append((*learned, estimator.predict(X)))
    for one, two in zip(*found, strict=True):
        assert np.array_equal(one, two)


@several_threads
@pytest.mark.parametrize("threshold", [0.9, 0.5])
def test_e_steps_on_one_thread_and_on_two_have_the_same_bits(large, limit, threshold):
    X, y, constraints = large
    found = []
    for number in (1, 2):
        limit(number)
        found.append(propagate_constraints(X, y, constraints, threshold))
    assert len(found[0]) > len(constraints)
    assert found[0] == found[1]


def test_blocks_cover_everything_once_and_in_order():
    for n in (1, 6, 7, 8, 20):
        for shared in (False, True):
            parts = for_blocks(lambda block: list(range(20))[block], n, 7, shared=shared)
            assert [item for part in parts for item in part] == list(range(n))
    assert for_blocks(lambda block: (block.start, block.stop), 0, 7, shared=True) == [(0, 0)]


@several_threads
def test_small_data_get_one_thread(limit):
    assert may_share(10_000)
    assert not may_share(9_999)
    limit(1)
    assert not may_share(10_000)


def fit(X):
    return PCKMeans(3, random_state=0, max_iter=3).fit(X).labels_


@pytest.mark.compiled
@several_threads
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_fits_in_several_threads_at_once_give_the_labels_of_one(large):
    X, _, _ = large
    expected, found = fit(X), []
    others = [threading.Thread(target=lambda: found.append(fit(X))) for _ in range(4)]
    for other in others:
        other.start()
    for other in others:
        other.join()
    assert len(found) == 4
    assert all(np.array_equal(labels, expected) for labels in found)


@pytest.mark.compiled
@several_threads
@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)
def test_a_forked_process_fits_large_data(large):
    X, _, _ = large
    expected = fit(X)
    receive, send = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=lambda: send.send(fit(X)))
    child.start()
    assert receive.poll(60), "the forked process did not answer"
    assert np.array_equal(receive.recv(), expected)
    child.join()
    assert child.exitcode == 0


def test_no_kernel_is_made_parallel_by_numba():
    """A cached kernel that calls a cached parallel one of another process crashes."""
    package = Path(mvcc.__file__).parent
    sources = [*package.rglob("*kernels.py"), *package.rglob("_kernels/*.py")]
    assert len(sources) > 6
    assert not [source.name for source in sources if "parallel=True" in source.read_text("utf-8")]


@pytest.mark.reliability
def test_kernels_compiled_by_one_process_after_another_run_in_a_third(tmp_path):
    fit = "getattr(mvcc, sys.argv[1])(2).fit([[0.0], [0.1], [5.0]])"
    code = f"import sys, mvcc; print({fit}.labels_.tolist())"
    for estimator in ("PCKMeans", "MPCKMeans", "MPCKMeans", "PCKMeans"):
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code, estimator],
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        one, same, other = json.loads(done.stdout)
        assert one == same != other


@several_threads
def test_neighbors_are_the_same_by_any_number_of_threads(limit, monkeypatch):
    monkeypatch.setattr(kernels, "_WORTH_SHARING", 100)
    X = np.random.default_rng(0).normal(size=(5_000, 20))
    labels = np.arange(5_000) % 4
    limit(2)
    shared = mvcc.cluster_fit(X, labels)
    limit(1)
    np.testing.assert_array_equal(mvcc.cluster_fit(X, labels), shared)


def test_blas_has_one_thread_until_the_last_of_overlapping_fits_ends():
    def n_threads():
        return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}

    first, second = one_thread(), one_thread()
    with (
        threadpool_limits(2, user_api="blas"),
        ThreadPoolExecutor(1) as one,
        ThreadPoolExecutor(1) as other,
    ):
        one.submit(first.__enter__).result()
        other.submit(second.__enter__).result()
        one.submit(first.__exit__, None, None, None).result()
        assert n_threads() == {1}
        other.submit(second.__exit__, None, None, None).result()
        assert n_threads() == {2}


def test_overlapping_k_means_leave_the_filters_of_warnings_as_they_were(monkeypatch):
    first_is_in, both_are_in, first_is_out = (threading.Event() for _ in range(3))

    def slow_fit(estimator, rows, sample_weight=None, fit=KMeans.fit):
        if estimator.n_clusters == 2:
            first_is_in.set()
            both_are_in.wait(60)
        else:
            both_are_in.set()
            first_is_out.wait(60)
        return fit(estimator, rows, sample_weight=sample_weight)

    monkeypatch.setattr(KMeans, "fit", slow_fit)
    before = [*warnings.filters]
    with ThreadPoolExecutor() as threads:
        threads.submit(k_means, np.eye(4), 2).add_done_callback(lambda _: first_is_out.set())
        first_is_in.wait(60)
        threads.submit(k_means, np.eye(4), 3)
    assert [*warnings.filters] == before
