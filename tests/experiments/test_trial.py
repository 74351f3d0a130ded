"""A trial computes every cell of its experiment on one shared, nested and reproducible draw."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from sklearn import config_context

from mvcc.datasets import load_dataset
from mvcc.embedding import spectral_features, unscaled_spectral_features
from mvcc.experiments import Config
from mvcc.experiments._config import Features
from mvcc.experiments._plan import list_cells
from mvcc.experiments._trial import (
    Role,
    _tally,
    clustering_seed,
    draw_trial,
    embed,
    fit,
    make_problem,
    run_trial,
    stream,
)
from tests.strategies import random_constraints, seeds


def small_config(**changes):
    multi_view = {"threshold": 0.75, "mapped": (0.2, 0.4, 1.0), "constraints": (10, 20)}
    given = {"name": "small", "dataset": "four_quadrants"}
    given["dataset_options"] = {"instances_per_view": 40}
    if (changed := changes.pop("multi_view", {})) is not None:
        given["multi_view"] = multi_view | changed
    return Config.model_validate({**given, **changes})


def matches(relations):
    return set(map(tuple, relations[0, 1].tolist()))


def test_draws_agree_with_the_labels():
    draw = draw_trial(small_config(), 3)
    for view in draw.views:
        i, j = view.constraints[20].pairs.T
        np.testing.assert_array_equal(view.y[i] == view.y[j], view.constraints[20].must_link)
    a, b = draw.relations[1.0, 0.0][0, 1].T
    np.testing.assert_array_equal(draw.views[0].y[a], draw.views[1].y[b])
    # the two clusters are the right and the left half plane
    x, y = draw.views[0].X[:, 0], draw.views[0].y
    far = x**2 > 1
    np.testing.assert_array_equal(x[far] > 0, (y == y[np.argmax(x)])[far])


def test_features_are_scaled_unless_the_config_says_that_they_are():
    X = np.random.default_rng(0).normal(size=(20, 3)) * [1, 10, 100]
    spectral = {"method": "spectral", "n_components": 2}
    given = [spectral | {"scaling": "minmax"}, spectral | {"scaling": "none"}, spectral]
    scaled, unscaled, default = (embed(X, Features(**one)) for one in given)
    np.testing.assert_array_equal(scaled, spectral_features(X, 2))
    np.testing.assert_array_equal(scaled, default)
    np.testing.assert_array_equal(unscaled, unscaled_spectral_features(X, 2))
    assert not np.array_equal(scaled, unscaled)
    np.testing.assert_array_equal(embed(X, Features()), X)
    with config_context(transform_output="pandas"):
        assert isinstance(embed(X, Features(method="auto")), np.ndarray)


def test_the_order_of_instances_does_not_tell_their_class():
    drawn = [draw_trial(small_config(), trial).views[0].y for trial in range(20)]
    changes = [np.diff(y) != 0 for y in drawn]
    assert np.mean(changes) == pytest.approx(20 / 39, abs=0.08)


def test_streams_of_different_seeds_trials_roles_and_parts_never_coincide():
    configs = [small_config(seed=seed) for seed in (0, 1)]
    streams = list(product(configs, range(20), Role, range(3)))
    states = {tuple(stream(*one).generate_state(4)) for one in streams}
    assert len(states) == len(streams)


def test_thresholds_that_differ_in_a_late_digit_are_different_cells():
    thresholds = (1e-8, 0.05, 0.75, 0.7500001, 0.9999999, 1)
    cells = list_cells(small_config(multi_view={"threshold": thresholds}))
    named = {"1e-08", "0.05", "0.75", "0.7500001", "0.9999999", "1"}
    assert {cell.threshold for cell in cells} == named | {None}


def test_a_method_added_to_the_plan_changes_no_number_of_the_others():
    plan = {"transfers": ("direct-mapping",), "bases": ("pck-means",), "mapped": (0.4,)}
    few, rows = run_trial(small_config(multi_view=plan), 2), run_trial(small_config(), 2)
    chosen = rows.query("method == 'direct-mapping' and base == 'pck-means' and mapped == 0.4")
    numbers = chosen.select_dtypes("number").reset_index(drop=True)
    pd.testing.assert_frame_equal(few[numbers.columns], numbers)


def test_relations_are_rewired_without_changing_the_others_or_the_mapped_instances():
    plan = {"closure": "none", "rewired": (0.0, 0.25, 0.5), "mapped": (0.4, 1.0)}
    draw = draw_trial(small_config(multi_view=plan), 0)
    right, some, half = (draw.relations[1.0, share][0, 1] for share in (0.0, 0.25, 0.5))
    changed = [(wrong != right).any(axis=1) for wrong in (some, half)]
    assert [rows.sum() for rows in changed] == [10, 20]
    assert (changed[1] >= changed[0]).all()
    for wrong in (some, half):
        np.testing.assert_array_equal(np.sort(wrong, axis=0), np.sort(right, axis=0))
    for share in (0.0, 0.5):
        assert matches(draw.relations[0.4, share]) <= matches(draw.relations[1.0, share])


def test_every_view_can_be_clustered_alone_with_and_without_propagation():
    alone = {"thresholds": {"A": 0.75, "B": 0.9}, "constraints": (10, 20)}
    config = small_config(multi_view=None, single_view=alone)
    rows = run_trial(config, 0)
    assert len(rows) == len(list_cells(config)) == 2 * 2 * 2 * 2
    assert set(rows["experiment"]) == {"single-view"}
    assert rows["mapped"].isna().all()
    propagated = rows[rows["method"] == "constraint-propagation"]
    thresholds = dict(zip(propagated["view"], propagated["threshold"], strict=True))
    assert thresholds == {"A": "0.75", "B": "0.9"}
    # all instances count as mapped, so that every closed constraint is propagated at least to
    # itself
    assert (propagated["propagated_must_links"] - propagated["inferred_must_links"] >= 5).all()
    assert (rows.loc[rows["method"] == "single-view", "propagated_must_links"] == 0).all()


def test_a_view_alone_has_the_draws_of_the_view_among_others():
    config = small_config(single_view={"thresholds": {"B": 0.5}, "constraints": (10, 30)})
    draw = draw_trial(config, 1)
    assert draw.single["B"] is draw.views[1]
    assert set(draw.views[1].constraints) == {10, 20, 30}
    assert set(draw.views[0].constraints) == {10, 20}
    assert draw.views[1].constraints[10] == draw_trial(small_config(), 1).views[1].constraints[10]


def test_pooled_views_keep_their_classes_apart():
    config = small_config(single_view={"thresholds": {"all": 0.5}, "constraints": (10,)})
    draw = draw_trial(config, 0)
    pooled = draw.single["all"]
    assert pooled.X.shape == (80, 2)
    assert np.bincount(pooled.y).tolist() == [20] * 4
    parts = [view.X[view.y == label] for view in draw.views for label in (0, 1)]
    for label, part in enumerate(parts):
        found = pooled.X[pooled.y == label]
        np.testing.assert_array_equal(np.sort(found, axis=0), np.sort(part, axis=0))


def test_the_threshold_that_cross_validation_chose_is_recorded():
    plan = {"threshold": (0.5, "cv"), "transfers": ("constraint-propagation",)}
    plan |= {"bases": ("pck-means",), "mapped": (0.4,), "constraints": (20,)}
    rows = run_trial(small_config(multi_view=plan), 0)
    assert rows["threshold"].tolist() == ["0.5", "cv"]
    assert np.isnan(rows["chosen_threshold"][0])
    assert 0 < rows["chosen_threshold"][1] <= 1


@pytest.mark.data
@pytest.mark.parametrize(
    ("dataset", "n_components", "shapes"),
    [("protein", 5, (67, 49)), ("letters_digits", 4, (227, 317))],
)
def test_real_data_are_embedded_before_they_are_shuffled(dataset, n_components, shapes):
    features = {"method": "spectral", "n_components": n_components}
    config = small_config(dataset=dataset, dataset_options={}, features=features)
    draws = [draw_trial(config, trial) for trial in (0, 1)]
    for view, n in enumerate(shapes):
        first, second = (np.sort(draw.views[view].X, axis=0) for draw in draws)
        assert first.shape == (n, n_components)
        np.testing.assert_array_equal(first, second)


@pytest.mark.data
def test_documents_are_drawn_in_every_trial_and_embedded_at_unit_length():
    features = {"method": "spectral", "n_components": 5, "scaling": "none"}
    config = small_config(dataset="rec_talk", dataset_options={}, features=features)
    first, second = (draw_trial(config, trial) for trial in (0, 1))
    documents = load_dataset("rec_talk", random_state=stream(config, 0, Role.DATA))
    for view in range(2):
        expected = np.sort(unscaled_spectral_features(documents.views[view], 5), axis=0)
        same, other = (np.sort(draw.views[view].X, axis=0) for draw in (first, second))
        np.testing.assert_array_equal(same, expected)
        assert not np.allclose(other, expected)


def test_bases_have_the_papers_start_unless_the_config_asks_for_the_search():
    plan = {"bases": ["pck-means"], "transfers": ["single-view"]}
    plan |= {"mapped": (1.0,), "constraints": (10,)}
    starts = ({}, {"init": "neighborhoods"}, {"init": "auto"})
    paper, named, search = (small_config(multi_view=plan | one) for one in starts)
    assert "init" not in paper.resolved()["multi_view"]
    assert named.resolved() == paper.resolved()
    for config, init in ((named, "neighborhoods"), (search, "auto")):
        (cell,) = list_cells(config)
        problem = make_problem(cell, draw_trial(config, 0))
        model = fit(config, cell, problem, clustering_seed(config, 0))
        assert {clusterer.init for clusterer in model.clusterers_} == {init}


@given(seeds)
def test_constraints_are_told_apart_by_kind_novelty_and_correctness(seed):
    rng = np.random.default_rng(seed)
    passed_on, known = (
        random_constraints(rng, 7, int(rng.integers(0, 30)), [0.0, 0.25, 1.0, 3.0])
        for _ in range(2)
    )
    y = rng.integers(2, size=7)
    there = {row[:3] for row in known.rows()}
    expected = np.zeros((2, 2, 3))
    for i, j, must_link, weight in passed_on.rows():
        is_right = (y[i] == y[j]) == must_link
        for only_new in (False, True):
            if (i, j, must_link) not in there or not only_new:
                expected[int(not must_link), int(only_new)] += 1, weight, weight * is_right
    assert _tally(passed_on, known, y).tolist() == expected.tolist()
