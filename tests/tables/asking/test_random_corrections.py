"""Corrections in any order: each is made or refused, and the log gives the same result again."""

import random
import shutil

import pytest

from mvcc.exceptions import MvccError
from mvcc.tables import ReviewSession, check_clustering
from tests.tables.problems import cluster, with_values, write_problem

N = 40
RESULTS = {"connected": {}, "unconnected": {"matches": {}}, "co-EM": {"method": "co-em"}}


@pytest.fixture(params=RESULTS)
def made(request, tmp_path):
    options = write_problem(tmp_path, n=N, n_matches=25, judged=())
    changed = with_values(options, n_clusters=3, stability_runs=2, **RESULTS[request.param])
    cluster(changed, tmp_path / "results")
    return tmp_path / "results"


def any_line(rng, session):
    """Draw a correction, of which some name what there is no longer."""
    view = rng.choice(["view0:a", "view1:b"])
    rows = "\n".join(f"{view}{rng.randrange(N)}" for _ in range(rng.choice([1, 1, 2, 12])))
    cluster, other = (rng.randrange(session.facts.n_clusters) for _ in range(2))
    alike = len(session.facts.numbered_alike) == 1
    named = str(cluster) if alike else f"{view[:5]}:{cluster}"
    two = f"view0:a{rng.randrange(N)}\nview1:b{rng.randrange(N)}"
    return rng.choice(
        [
            (named, f"rename:{rng.choice('pqr')}"),
            (named, f"merge:{other}"),
            (named, "split"),
            (rows, str(other)),
            (rows, f"new:{rng.choice('xyz')}"),
            (rows, "outlier"),
            (two, "match"),
            (two, "no match"),
            ("", "undo"),
        ]
    )


@pytest.mark.parametrize(
    "n_logs",
    [pytest.param(10, marks=pytest.mark.slow), pytest.param(200, marks=pytest.mark.reliability)],
)
def test_corrections_in_any_order(made, tmp_path, tried, n_logs):
    n_made = 0
    for number in range(n_logs):
        results = tmp_path / "made" / "results"
        shutil.copytree(made.parent, results.parent)
        rng = random.Random(number)
        with ReviewSession(results) as session:
            for _ in range(rng.randint(1, 12)):
                try:
                    session.record([any_line(rng, session)])
                except MvccError:
                    continue
                n_made += 1
        with ReviewSession(results) as again:
            assert again.facts == session.facts
        assert check_clustering(results)[1:] == ([], [])
        shutil.rmtree(results.parent)
    assert n_made > n_logs
    tried("corrections in random order", n_made)
