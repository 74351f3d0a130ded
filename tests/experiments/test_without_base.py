"""Methods without a base run once in every cell, and change no row of the others."""

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError
from sklearn.cluster import KMeans

from mvcc import JointGraphClustering, pairwise_f_measure
from mvcc.embedding import AutoScaler
from mvcc.exceptions import ConfigError
from mvcc.experiments import replay_trial, run_experiment
from mvcc.experiments._plan import list_cells
from mvcc.experiments._trial import clustering_seed, draw_trial, run_trial
from mvcc.multiview.co_em._methods import (
    needs_base,
    transfer_class,
    transfer_names,
    transfer_options,
)
from mvcc.reporting.figures import FIGURES
from mvcc.reporting.html._experiment import learning_curves
from mvcc.results._format import MEASURES, TRANSFERS
from mvcc.results._reading import Results
from tests.experiments.test_trial import small_config

ALONE = ("joint", "k-means")
PLAN = {"bases": ["pck-means"], "mapped": (0.3, 1.0), "constraints": (0, 10, 30)}


def config(*transfers, **more):
    plan = {**PLAN, "transfers": [*transfers], **more}
    return small_config(multi_view=plan, features={"method": "auto"}, trials=2)


def of(rows, method):
    return rows[rows["method"] == method].reset_index(drop=True)


def test_they_are_no_transfer_methods_and_in_no_config_that_does_not_name_them():
    assert not set(ALONE) & {*TRANSFERS, *transfer_names()}
    assert [needs_base(name) for name in (*ALONE, "single-view")] == [False, False, True]
    assert small_config().transfers() == tuple(TRANSFERS)
    with pytest.raises(ConfigError, match="joint is not a transfer method: it clusters by itself"):
        transfer_class("joint")


def test_each_has_its_cells_once_whatever_the_bases_thresholds_and_closures():
    more = {"bases": ["pck-means", "mpck-means"], "closure": ["full", "none"]}
    cells = list_cells(config(*ALONE, "single-view", threshold=[0.5, 0.75], **more))
    cells = [cell for cell in cells if cell.method in ALONE]
    assert {(cell.base, cell.closure, cell.threshold) for cell in cells} == {(None, None, None)}
    for method, fractions in (("joint", (0.3, 1.0)), ("k-means", (None,))):
        places = [(cell.mapped, cell.n_constraints) for cell in cells if cell.method == method]
        assert places == [(mapped, n) for mapped in fractions for n in (0, 10, 30)]


def test_their_rows_hold_the_f_measure_of_their_estimators_and_nothing_else():
    chosen = config(*ALONE, constraints=(0, 30))
    rows, draw, seed = run_trial(chosen, 1), draw_trial(chosen, 1), clustering_seed(chosen, 1)
    views, labels = [view.X for view in draw.views], [view.y for view in draw.views]

    def score(found):
        return np.mean(list(map(pairwise_f_measure, labels, found)))

    plain = score([KMeans(2, n_init=10, random_state=seed).fit_predict(X) for X in views])
    assert of(rows, "k-means")["f_measure"].tolist() == [plain] * 2
    for row in of(rows, "joint").itertuples():
        model = JointGraphClustering(2, random_state=seed)
        judged = [view.constraints[row.n_constraints] for view in draw.views]
        model.fit(views, constraints=judged, mappings=draw.relations[row.mapped, 0.0])
        assert row.f_measure == score(model.labels_)
    assert rows[list(MEASURES)].isna().all(axis=None)


def test_the_other_methods_have_the_same_rows_beside_them():
    few, ours = {"mapped": (0.3,), "constraints": (10,)}, "direct-mapping"
    both, alone = (run_trial(config(ours, *more, **few), 0) for more in (ALONE, ()))
    pd.testing.assert_frame_equal(of(both, "direct-mapping"), alone, check_dtype=False)
    assert list(both.columns) == list(alone.columns)


def test_options_reach_them():
    assert "n_neighbors" in transfer_options("joint")
    assert not {"n_clusters", "random_state"} & set(transfer_options("joint"))
    options = [{"k-means": {"n_init": n, "max_iter": 1}} for n in (1, 10)]
    few, ten = (run_trial(config("k-means", transfer_options=one), 0) for one in options)
    assert few["f_measure"].iloc[0] != ten["f_measure"].iloc[0]
    why = "joint has no option n_neighbours; did you mean 'n_neighbors'"
    with pytest.raises(ValidationError, match=why):
        config("joint", transfer_options={"joint": {"n_neighbours": 3}})


def test_joint_takes_no_relations_that_contradict_constraints():
    why = "joint refuses relations that contradict constraints"
    with pytest.raises(ValidationError, match=why):
        config("joint", rewired=[0.0, 0.5], closure="none")


def test_features_are_scaled_by_the_automatic_rule():
    wine = {"dataset": "wine", "dataset_options": {}}
    auto, none = (small_config(features={"method": name}, **wine) for name in ("auto", "none"))
    scaled, raw = (draw_trial(one, 0).views[0].X for one in (auto, none))
    np.testing.assert_array_equal(scaled, AutoScaler().fit_transform(raw))
    assert auto.resolved()["features"] == {"method": "auto"}
    with pytest.raises(ValidationError, match="goes only with `method: spectral`"):
        small_config(features={"method": "auto", "n_components": 3})


@pytest.mark.parametrize(
    "transfers", [("direct-mapping", *ALONE), ALONE], ids=["beside another", "alone"]
)
def test_results_with_them_are_stored_replayed_read_and_drawn(tmp_path, transfers):
    folder = tmp_path / "run"
    few = config(*transfers, mapped=(0.3,), constraints=(0, 10))
    report = run_experiment(few, folder, n_jobs=1)
    assert (report.computed, report.failed) == (2, {})
    replay = replay_trial(folder, 1)
    assert (replay.compared, replay.differing) == (True, 0)
    curves, scores = Results(folder).curves, Results(folder).scores
    assert of(curves, "joint")[["base", "closure"]].isna().all(axis=None)
    assert len(of(scores, "k-means")) == 2 * 2
    assert FIGURES["4"](Results(folder)) is not None
    for chosen in learning_curves(curves):
        drawn = {curve["name"] for curve in chosen["curves"]}
        assert {"Joint Graph", "k-means"} <= drawn
