"""A trial computes every cell of its experiment on one shared, nested and reproducible draw."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mvcc.datasets import load_dataset
from mvcc.embedding import spectral_features, unscaled_spectral_features
from mvcc.exceptions import InvalidInputError
from mvcc.experiments import Config
from mvcc.experiments._config import Features
from mvcc.experiments._plan import Role, draw_trial, embed, multi_view_cells, stream
from mvcc.experiments._trial import run_trial


def small_config(**changes):
    multi_view = {"threshold": 0.75, "mapped": (0.2, 0.4, 1.0), "constraints": (10, 20)} | changes.pop("multi_view", {})
    given = {"name": "small", "dataset": "four_quadrants", "dataset_options": {"instances_per_view": 40}}
    return Config.model_validate({**given, "multi_view": multi_view, **changes})


def keys(constraints):
    return {(i, j, bool(must)) for (i, j), must in zip(constraints.pairs.tolist(), constraints.must_link, strict=True)}


def test_draws_are_nested_along_the_schedule():
    draw = draw_trial(small_config(), 0)
    for few, many in zip(draw.constraints[10], draw.constraints[20], strict=True):
        assert keys(few) < keys(many)
        assert few.must_link.sum() == 5
    rows = [set(map(tuple, draw.relations[mapped][0, 1].tolist())) for mapped in (0.2, 0.4, 1.0)]
    assert rows[0] < rows[1] < rows[2]
    assert [len(r) for r in rows] == [8, 16, 40]


def test_draws_agree_with_the_labels():
    draw = draw_trial(small_config(), 3)
    for constraints, y in zip(draw.constraints[20], draw.labels, strict=True):
        i, j = constraints.pairs.T
        np.testing.assert_array_equal(y[i] == y[j], constraints.must_link)
    a, b = draw.relations[1.0][0, 1].T
    np.testing.assert_array_equal(draw.labels[0][a], draw.labels[1][b])
    # the two clusters are the right and the left half plane
    np.testing.assert_array_equal(np.sign(draw.views[0][draw.views[0][:, 0] ** 2 > 1, 0]) > 0, _right(draw))


def _right(draw):
    far = draw.views[0][:, 0] ** 2 > 1
    right = draw.labels[0][np.argmax(draw.views[0][:, 0])]
    return draw.labels[0][far] == right


def test_features_are_scaled_unless_the_config_says_that_they_are():
    X = np.random.default_rng(0).normal(size=(20, 3)) * [1, 10, 100]
    scaled, unscaled = (
        embed(X, Features(method="spectral", n_components=2, scaling=scaling)) for scaling in ("minmax", "none")
    )
    np.testing.assert_array_equal(scaled, spectral_features(X, 2))
    np.testing.assert_array_equal(scaled, embed(X, Features(method="spectral", n_components=2)))
    np.testing.assert_array_equal(unscaled, unscaled_spectral_features(X, 2))
    assert not np.array_equal(scaled, unscaled)
    np.testing.assert_array_equal(embed(X, Features()), X)


def test_the_order_of_instances_does_not_tell_their_class():
    changes = [np.mean(np.diff(draw_trial(small_config(), trial).labels[0]) != 0) for trial in range(20)]
    assert np.mean(changes) == pytest.approx(20 / 39, abs=0.08)


def test_trials_are_different_and_repeatable():
    first, again, other = (draw_trial(small_config(), trial) for trial in (0, 0, 1))
    np.testing.assert_array_equal(first.views[0], again.views[0])
    assert first.constraints[20][1] == again.constraints[20][1]
    assert not np.array_equal(first.views[0], other.views[0])
    assert draw_trial(small_config(seed=1), 0).constraints[20][0] != first.constraints[20][0]


def test_streams_of_different_roles_parts_and_trials_never_coincide():
    config = small_config()
    states = {
        tuple(stream(config, trial, role, part).generate_state(4))
        for trial in range(20)
        for role in Role
        for part in range(3)
    }
    assert len(states) == 20 * len(Role) * 3


def test_every_cell_has_one_row_and_single_view_no_mapping():
    config = small_config()
    rows = run_trial(config, 0)
    assert len(rows) == len(list(multi_view_cells(config))) == config.multi_view.n_cells == 2 * (3 * 3 + 1) * 2
    assert rows["mapped"].isna().sum() == 4
    assert set(rows.loc[rows["mapped"].isna(), "method"]) == {"single-view"}
    assert rows["f_measure"].between(0, 1).all()
    passed_on = rows[rows["method"] != "single-view"]
    assert (passed_on["propagated_cannot_links"] > 0).any()
    assert (rows.loc[rows["method"] == "single-view", "propagated_must_links"] == 0).all()


def test_a_method_added_to_the_plan_changes_no_number_of_the_others():
    few = small_config(multi_view={"transfers": ("direct-mapping",), "bases": ("pck-means",), "mapped": (0.4,)})
    all_rows = run_trial(small_config(), 2)
    chosen = all_rows.query("method == 'direct-mapping' and base == 'pck-means' and mapped == 0.4")
    pd.testing.assert_frame_equal(run_trial(few, 2), chosen.reset_index(drop=True))


def test_constraints_that_the_labels_do_not_allow_are_refused():
    with pytest.raises(
        InvalidInputError, match="500 must-link constraints were asked for, but the labels allow only 380"
    ):
        draw_trial(small_config(multi_view={"constraints": (1000,)}), 0)


@pytest.mark.data
@pytest.mark.parametrize(
    ("dataset", "n_components", "shapes"), [("protein", 5, (67, 49)), ("letters_digits", 4, (227, 317))]
)
def test_real_data_are_embedded_before_they_are_shuffled(dataset, n_components, shapes):
    features = {"method": "spectral", "n_components": n_components}
    draws = [draw_trial(small_config(dataset=dataset, dataset_options={}, features=features), t) for t in (0, 1)]
    for view, n in enumerate(shapes):
        first, second = (np.sort(draw.views[view], axis=0) for draw in draws)
        assert first.shape == (n, n_components)
        np.testing.assert_array_equal(first, second)


@pytest.mark.data
def test_documents_are_drawn_in_every_trial_and_embedded_at_unit_length():
    features = {"method": "spectral", "n_components": 5, "scaling": "none"}
    config = small_config(dataset="rec_talk", dataset_options={}, features=features)
    first, second = (draw_trial(config, trial) for trial in (0, 1))
    documents = load_dataset("rec_talk", random_state=stream(config, 0, Role.DATA))
    for view in range(2):
        embedded = unscaled_spectral_features(documents.views[view], 5)
        np.testing.assert_array_equal(np.sort(first.views[view], axis=0), np.sort(embedded, axis=0))
        assert not np.allclose(np.sort(second.views[view], axis=0), np.sort(embedded, axis=0))
