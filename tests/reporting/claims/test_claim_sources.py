"""The building blocks pair what belongs together, and nothing else."""

import numpy as np
import pandas as pd
import pytest

from mvcc.exceptions import StoreError
from mvcc.reporting.claims._evidence import prepare
from mvcc.reporting.claims._sources import Difference, Rows, Share, Steps, Values

CP, DM, SV = "constraint-propagation", "direct-mapping", "single-view"
PER_BASE = ("dataset", "base")


def in_main(world, **where):
    chosen = (world["study"] == "main") & (world["experiment"] == "multi-view")
    for name, value in where.items():
        chosen &= world[name] == value
    return chosen


def test_a_difference_is_taken_run_by_run(world, testify):
    cell = {"dataset": "protein", "base": "pck-means", "mapped": 0.4, "n_constraints": 50}
    better, worse = (
        world[in_main(world, method=method, **cell)].set_index("trial")["f_measure"]
        for method in (CP, DM)
    )
    shuffled = world.sample(frac=1, random_state=0)  # the order of rows means nothing
    source = Difference(Rows(CP), Rows(DM), (*PER_BASE, "mapped", "n_constraints"))
    found = source.table(testify(shuffled))["protein", "pck-means", 0.4, 50]
    pd.testing.assert_series_equal(found, better - worse, check_names=False)


def test_single_view_is_compared_at_every_mapped_fraction(world, testify):
    table = Difference(Rows(CP), Rows(SV), (*PER_BASE, "mapped")).table(testify(world))
    assert sorted(set(table.columns.get_level_values("mapped"))) == [0.2, 0.4, 1.0]
    assert table.notna().all(axis=None)


def test_several_methods_are_compared_one_by_one(world, testify):
    table = Difference(Rows(CP), Rows((DM, SV)), (*PER_BASE, "against")).table(testify(world))
    alone = Difference(Rows(CP), Rows(SV), PER_BASE).table(testify(world))
    np.testing.assert_allclose(table.xs(SV, level="against", axis=1), alone)


def test_partial_mappings_are_compared_with_the_complete_one(world, testify):
    world["f_measure"] = world["mapped"]
    source = Difference(
        Rows(CP, partial=True), Rows(CP, mapped=1.0), (*PER_BASE, "mapped"), apart=("mapped",)
    )
    table = source.table(testify(world))
    np.testing.assert_allclose(table.xs(0.2, level="mapped", axis=1), -0.8)
    assert 1.0 not in table.columns.get_level_values("mapped")


def test_steps_go_from_one_fraction_to_the_next(world, testify):
    world["f_measure"] = world["mapped"] ** 2
    table = Steps(Rows(CP), PER_BASE).table(testify(world))
    np.testing.assert_allclose(table.xs("20% → 40%", level="step", axis=1), 0.4**2 - 0.2**2)
    np.testing.assert_allclose(table.xs("40% → 100%", level="step", axis=1), 1 - 0.4**2)
    assert set(table.columns.get_level_values("step")) == {"20% → 40%", "40% → 100%"}


def test_the_middle_of_the_schedule_against_its_ends(world, testify):
    curve = world["n_constraints"].map({10: 0.1, 50: 0.4, 100: 0.6, 200: 0.2})
    world["f_measure"] = curve * (world["method"] == CP)
    source = Difference(Rows(CP), Rows(SV), PER_BASE, over_schedule="middle")
    np.testing.assert_allclose(source.table(testify(world)), (0.4 + 0.6) / 2 - (0.1 + 0.2) / 2)


def test_precisions_come_by_kind_and_skip_runs_without_propagated_constraints(world, testify):
    none = in_main(world, dataset="protein", method=CP) & (world["trial"] == 3)
    world.loc[none, "precision_must_link"] = np.nan
    table = Values(Rows(CP), ("dataset", "kind"), "precision").table(testify(world))
    assert np.isnan(table.loc[3, ("protein", "must-link")])
    assert table.loc[3, ("protein", "cannot-link")] == pytest.approx(0.995, abs=0.002)


def test_a_share_is_the_quotient_of_sums(world, testify):
    times = np.where(world["study"] == "embedding", 1.0, 4.0)
    world["inferred_must_links"] = world["n_constraints"] * times
    world["inferred_cannot_links"] = 0.0
    raw = Rows(CP, study="embedding", threshold="table_1")
    source = Share(raw, Rows(CP), PER_BASE, "inferred_anew")
    np.testing.assert_allclose(source.table(testify(world)), 0.25)


def test_copies_to_exact_duplicates_are_no_inference(world):
    raw = world.eval("study == 'embedding' and threshold == '0.01' and dataset == 'protein'")
    world.loc[raw, ["inferred_must_links", "inferred_weight_must_links"]] = 10.0, 7.6
    world.loc[raw, ["inferred_cannot_links", "inferred_weight_cannot_links"]] = 0.0
    copies = dict.fromkeys(("inferred_must_links", "inferred_weight_must_links"), 6.0)
    at_one = world[raw].assign(threshold="1", **copies)
    prepared = prepare(pd.concat([world, at_one], ignore_index=True))
    lowest = prepared.query("study == 'embedding' and dataset == 'protein' and threshold_lowest")
    assert set(lowest["inferred_anew"]) == {4.0}
    np.testing.assert_allclose(lowest["inferred_weight"], 1.6 / 4)
    main = prepared[in_main(prepared, dataset="protein", mapped=1, method=CP)]
    inferred = main["inferred_must_links"] + main["inferred_cannot_links"]
    np.testing.assert_allclose(main["inferred_anew"], inferred - 6)


def test_thresholds_are_marked_by_what_they_are(world):
    swept = prepare(world).query("study == 'thresholds' and dataset == 'letters_digits'")
    expected = {"table_1": "0.95", "lowest": "0.05", "one": "1", "best": "0.95", "cv": "cv"}
    for name, threshold in expected.items():
        assert set(swept.loc[swept[f"threshold_{name}"], "threshold"]) == {threshold}, name


def test_a_reading_takes_its_own_rows_for_the_main_experiments(world, testify):
    world["f_measure"] = world["closure"].map({"full": 0.0, "view": 1.0, "none": 2.0})
    evidence = testify(world)

    def means(reading):
        scores = evidence.reading(reading).scores
        return scores[in_main(scores)].groupby("method")["f_measure"].mean()

    assert set(means("full")) == {0.0}
    assert set(means("view")) == {1.0}
    assert set(means("none")) == {2.0}
    assert means("own")[CP] == 0.0
    assert set(means("own").drop(CP)) == {1.0}


def test_a_users_own_data_are_no_evidence(world):
    own = world[in_main(world, dataset="protein")].assign(dataset="my_data")
    assert "my_data" not in set(prepare(pd.concat([world, own]))["dataset"])


def test_the_same_run_twice_is_refused_with_its_folders(world):
    again = world[in_main(world, dataset="protein")].assign(folder="old")
    where = "same settings.* trial 0 of protein, study main, in the folders main_protein, old"
    with pytest.raises(StoreError, match=where):
        prepare(pd.concat([world, again]).astype({"trial": float}))  # as tables are read
