"""Models of every kind, for all tests of their file."""

import pytest

from tests.tables.problems import by_co_em, cluster, options_of, write_problem

KINDS = ["joint", "by anchors", "by anchors, unconstrained", "three views", "mixed"]
KINDS += ["spectral", "pca", "none", "mixed pca", "mixed spectral"]


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """Give the folder of a clustering of every kind, with its results in ``out``."""
    from tests.tables.test_columns import mixed

    found = {}
    for kind in KINDS:
        folder = found[kind] = tmp_path_factory.mktemp("model")
        is_mixed, features = kind.startswith("mixed"), kind.removeprefix("mixed").strip()
        if is_mixed:
            mixed()[0].to_csv(folder / "view0.csv", index=False)
            options = options_of({"shop": folder / "view0.csv"}, n_clusters=3)
        else:
            judged = {"judged": ()} if kind != "by anchors" else {}
            options = write_problem(folder, n_views=3 if kind == "three views" else 2, **judged)
        if features in ("spectral", "pca", "none"):
            base = "mpck-means" if is_mixed else "pck-means"
            options = by_co_em(options, features=features, base=base)
        with pytest.MonkeyPatch.context() as patched:
            if kind.startswith("by anchors"):
                patched.setattr("mvcc.embedding._any_graph.ANCHORS_FROM", 1)
            cluster(options, folder / "out")
    return found


@pytest.fixture(scope="session")
def contents(models):
    """Give the content of the model of every kind."""
    return {kind: (folder / "out/model.skops").read_bytes() for kind, folder in models.items()}


@pytest.fixture(scope="module")
def address():
    """Give workers in threads: processes would import everything once more."""
    import distributed

    in_threads = {"processes": False, "protocol": "tcp://", "threads_per_worker": 1}
    with distributed.LocalCluster(2, dashboard_address="127.0.0.1:0", **in_threads) as workers:
        yield workers.scheduler_address
