"""Models of every kind, for all tests of their file."""

import pandas as pd
import pytest

from tests.tables.problems import by_co_em, cluster, options_of, write_problem

KINDS = ["joint", "by anchors", "by anchors, unconstrained", "three views", "mixed"]
KINDS += ["spectral", "pca", "none", "mixed pca", "mixed spectral"]


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """Give the content of a model of every kind, and rows of its first view."""
    from tests.tables.test_columns import mixed

    found = {}
    for kind in KINDS:
        folder = tmp_path_factory.mktemp("model")
        is_mixed, features = kind.startswith("mixed"), kind.removeprefix("mixed").strip()
        if is_mixed:
            rows = mixed()[0]
            rows.to_csv(folder / "t.csv", index=False)
            options = options_of({"shop": folder / "t.csv"}, n_clusters=3)
        else:
            judged = {"judged": ()} if kind != "by anchors" else {}
            options = write_problem(folder, n_views=3 if kind == "three views" else 2, **judged)
            rows = pd.read_csv(folder / "view0.csv")
        if features in ("spectral", "pca", "none"):
            base = "pck-means" if kind == "pca" else "mpck-means"
            options = by_co_em(options, features=features, base=base)
        with pytest.MonkeyPatch.context() as patched:
            if kind.startswith("by anchors"):
                patched.setattr("mvcc.embedding._any_graph.ANCHORS_FROM", 1)
            cluster(options, folder / "out")
        found[kind] = (folder / "out/model.skops").read_bytes(), rows
    return found
