"""The results have the same bytes whatever computes them, and in which order."""

from __future__ import annotations

import os
import subprocess
import sys

import joblib
import pytest
from joblib.parallel import ThreadingBackend

from mvcc._utils.files import sha256_of_file
from mvcc.experiments import _runner as runner
from mvcc.experiments import load_config, run_experiment

pytestmark = [pytest.mark.slow, pytest.mark.compiled]  # as plain Python, trials take minutes

# everything that a bit may hang on: eigenvectors, both bases, full metrics, every method, a
# cross-validated threshold
CONFIG = """\
name: bits
dataset: four_quadrants
dataset_options: {instances_per_view: 80}
features: {method: spectral, n_components: 4}
trials: 3
multi_view:
  threshold: [0.6, cv]
  mapped: [0.4]
  constraints: [30]
single_view:
  thresholds: {all: 0.7}
  constraints: [20]
"""


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    path = tmp_path_factory.mktemp("config") / "bits.yaml"
    path.write_text(CONFIG)
    return path


def digest(folder):
    return [sha256_of_file(folder / name) for name in ("curves.csv", "scores.csv.gz")]


@pytest.fixture(scope="module")
def expected(config, tmp_path_factory):
    folder = tmp_path_factory.mktemp("expected")
    run_experiment(load_config(config), folder, n_jobs=1)
    return digest(folder)


@pytest.mark.parametrize("n_jobs", [2, pytest.param(4, marks=pytest.mark.reliability)])
def test_the_number_of_workers_does_not_matter(config, expected, tmp_path, tried, n_jobs):
    run_experiment(load_config(config), tmp_path, n_jobs=n_jobs)
    assert digest(tmp_path) == expected
    tried("same bytes computed in another way", 1)


class GivesAllAtTheEnd(ThreadingBackend):
    """Like ray's and Spark's: results come when all are there."""

    supports_return_generator = False


joblib.register_parallel_backend("all-at-the-end", GivesAllAtTheEnd)


def test_threads_that_give_their_results_at_the_end_do_not_matter(
    config, expected, tmp_path, tried
):
    with joblib.parallel_config(backend="all-at-the-end"):
        report = run_experiment(load_config(config), tmp_path, n_jobs=3)
    assert report.computed == 3
    assert digest(tmp_path) == expected
    tried("same bytes computed in another way", 1)


def test_the_order_of_trials_does_not_matter(config, expected, tmp_path, tried, monkeypatch):
    real = runner.attempt_trials
    monkeypatch.setattr(
        runner, "attempt_trials", lambda config, trials, *rest: real(config, [2, 0, 1], *rest)
    )
    order, options = [], {"on_trial": lambda trial, ok: order.append(trial)}
    with joblib.parallel_config(backend="sequential"):
        run_experiment(load_config(config), tmp_path, n_jobs=1, **options)
    assert order == [2, 0, 1]
    assert digest(tmp_path) == expected
    tried("same bytes computed in another way", 1)


@pytest.mark.parametrize(
    ("hash_seed", "threads"),
    [
        pytest.param("0", "1", marks=pytest.mark.reliability),
        pytest.param("4242", "2", marks=pytest.mark.reliability),
        ("random", "7"),
    ],
)
def test_hash_seed_and_threads_do_not_matter(config, expected, tmp_path, tried, hash_seed, threads):
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    environment = os.environ | {"PYTHONHASHSEED": hash_seed} | dict.fromkeys(names, threads)
    command = [sys.executable, "-m", "mvcc", "run", str(config), "--out", str(tmp_path), "-j", "1"]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    assert digest(tmp_path) == expected
    tried("same bytes computed in another way", 1)
