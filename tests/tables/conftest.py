"""Models of every kind, for all tests of their file."""

import pandas as pd
import pytest

from mvcc.tables import cluster_job
from tests.tables.problems import by_co_em, cluster, write_problem

KINDS = ["joint", "by anchors", "by anchors, unconstrained", "three views", "mixed"]
KINDS += ["spectral", "pca", "none", "mixed pca", "mixed spectral"]


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """Give the content of a model of every kind, and rows of its first view."""
    from tests.tables.test_columns import job, mixed

    found = {}
    for kind in KINDS:
        folder = tmp_path_factory.mktemp("model")
        if kind.startswith("mixed"):
            frame, features = mixed()[0], kind.removeprefix("mixed").strip()
            values = {"method": "co-em", "features": features} if features else {}
            cluster_job(job(folder, frame, **values), folder / "out")
            rows = frame
        else:
            judged = {"judged": ()} if kind != "by anchors" else {}
            options = write_problem(folder, n_views=3 if kind == "three views" else 2, **judged)
            if kind in ("spectral", "pca", "none"):
                base = "pck-means" if kind == "pca" else "mpck-means"
                options = by_co_em(options, features=kind, base=base)
            with pytest.MonkeyPatch.context() as patched:
                if kind.startswith("by anchors"):
                    patched.setattr("mvcc.embedding._any_graph.ANCHORS_FROM", 1)
                cluster(options, folder / "out")
            rows = pd.read_csv(folder / "view0.csv")
        found[kind] = (folder / "out/model.skops").read_bytes(), rows
    return found
