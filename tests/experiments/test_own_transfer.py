"""A transfer method of another package runs as ours do, and its package is noted."""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from joblib.externals.loky import get_reusable_executor
from pydantic import ValidationError

from mvcc import Constraints
from mvcc.exceptions import InvalidInputError, StoreError
from mvcc.experiments import load_config, plan_run, replay_trial, run_experiment
from mvcc.experiments._plan import list_cells
from mvcc.experiments._trial import run_trial
from mvcc.experiments._workers import attempt
from mvcc.multiview.co_em import _methods as methods_module
from mvcc.multiview.co_em._transfer import ViewState
from tests.experiments.conftest import edit_manifest
from tests.experiments.test_trial import small_config
from tests.multiview.test_methods import offer

__all__ = ["offer"]  # a fixture

EXAMPLE = Path(__file__).parents[2] / "examples" / "exhaustive_propagation"
MODULE = "exhaustive_propagation.py"
SOURCE = """\
    from mvcc import ConstraintPropagation, Constraints, DirectMapping, SingleView

    class Copy(DirectMapping):
        pass

    class Near(ConstraintPropagation):
        pass

    class Alone(SingleView):
        pass

    class Whole(DirectMapping):
        def __init__(self, share=1.0):
            self.share = share

        def infer(self, view):
            inside = super().infer(view)
            n = round(self.share * len(inside))
            return Constraints(inside.pairs[:n], inside.must_link[:n], inside.weights[:n])

    class Nothing(DirectMapping):
        def infer(self, view):
            return None

    class Outside(DirectMapping):
        def infer(self, view):
            return Constraints([(0, len(view.X) + 7)], [True])

    class Many(DirectMapping):
        def infer(self, view):
            assert len(view.X) > 12
            return super().infer(view)
"""
NAMES = ("Copy", "Near", "Alone", "Whole", "Nothing", "Outside", "Many")
OFFERED = {f"z-{name.lower()}": f":{name}" for name in NAMES}


@pytest.fixture
def zoo(offer):
    offer("zoo", OFFERED, SOURCE)


def config(*transfers, trials=2, **multi_view):
    few = {"bases": ("pck-means",), "mapped": (0.4,), "constraints": (20,)}
    return small_config(trials=trials, multi_view={"transfers": transfers} | few | multi_view)


def measures(rows, method):
    return rows[rows["method"] == method].drop(columns="method").reset_index(drop=True)


def test_a_copy_of_a_method_gives_its_numbers_and_changes_no_others(zoo):
    alone = measures(run_trial(config("direct-mapping"), 0), "direct-mapping")
    beside = run_trial(config("direct-mapping", "z-copy"), 0)
    for method in ("direct-mapping", "z-copy"):
        pd.testing.assert_frame_equal(measures(beside, method), alone)


@pytest.mark.slow
def test_workers_find_the_package_and_change_no_byte(zoo, tmp_path):
    get_reusable_executor().shutdown(wait=True)  # workers of former tests do not know the package
    for jobs in (1, 2):
        report = run_experiment(config("z-copy", "z-near"), tmp_path / str(jobs), n_jobs=jobs)
        assert not report.failed
    one, two = ((tmp_path / jobs / "curves.csv").read_bytes() for jobs in ("1", "2"))
    assert one == two
    assert set(pd.read_csv(tmp_path / "2" / "curves.csv")["method"]) == {"z-copy", "z-near"}


def test_thresholds_and_mappings_go_to_the_methods_that_take_them(zoo):
    plan = {"threshold": (0.5, "cv"), "mapped": (0.4, 1.0)}
    cells = list_cells(config("z-copy", "z-near", "z-alone", **plan))
    for method, places in {
        "z-copy": {(None, 0.4, 0.0), (None, 1.0, 0.0)},
        "z-near": {(threshold, m, 0.0) for threshold in ("0.5", "cv") for m in (0.4, 1.0)},
        "z-alone": {(None, None, None)},
    }.items():
        assert {(c.threshold, c.mapped, c.rewired) for c in cells if c.method == method} == places


def test_a_subclass_of_propagation_cross_validates_its_threshold_as_propagation_does(zoo):
    few = {"threshold": "cv", "constraints": (10,)}
    rows = run_trial(config("constraint-propagation", "z-near", **few), 0)
    near, ours = (measures(rows, name) for name in ("z-near", "constraint-propagation"))
    pd.testing.assert_frame_equal(near, ours)
    assert rows["chosen_threshold"].notna().all()


def test_options_of_a_method_come_from_the_config(zoo):
    none = {"z-whole": {"share": 0.0}}
    given = (config("z-whole"), config("z-whole", transfer_options=none))
    whole, nothing = (run_trial(one, 0)["propagated_must_links"].item() for one in given)
    assert whole > nothing == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"z-hole": {"share": 1}}, "not in the list of transfers; did you mean 'z-whole'? Listed:"),
        ({"z-whole": {"shore": 1}}, "no option shore; did you mean 'share'? Known: share."),
        ({"constraint-propagation": {"threshold": 0.5}}, "threshold. Known: regularization."),
        ({"direct-mapping": {"k": 1}}, "direct-mapping has no option k. Known: none."),
        ({"z-whole": {}}, "must be a section for each method"),
        ({"z-whole": 1}, "must be a section for each method"),
        (7, "must be a section for each method"),
        ({"z-whole": {"share": [1]}}, "must be a single text, number, true or false"),
    ],
    ids=["elsewhere", "unknown", "threshold", "none", "empty", "number", "no-section", "list"],
)
def test_options_that_no_chosen_method_has_are_refused(zoo, options, words):
    with pytest.raises(ValidationError) as caught:
        config("z-whole", "constraint-propagation", "direct-mapping", transfer_options=options)
    assert words in str(caught.value)


def test_a_config_file_may_name_the_method_and_an_unknown_one_has_its_line(zoo, tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text(yaml.safe_dump(config("z-copy").resolved()))
    assert load_config(path).multi_view.transfers == ("z-copy",)
    why = r"--set multi_view.*: item 1: there is no transfer method 'z-cpy'; did you"
    unknown = ["multi_view.transfers=[z-cpy]", "multi_view.transfer_options={z-copy: {a: 1}}"]
    with pytest.raises(ValueError, match=why):
        load_config(path, unknown)


def run_of(folder, *transfers):
    """Compute a trial, and return what the manifest notes of its run."""
    run_experiment(config(*transfers, trials=1), folder, n_jobs=1)
    (run,) = json.loads((folder / "manifest.json").read_text())["runs"]
    return run


def test_a_manifest_tells_package_version_and_module_of_methods_of_other_packages(zoo, tmp_path):
    run = run_of(tmp_path / "both", "direct-mapping", "z-copy")
    assert run["transfers"] == {"z-copy": {"package": "zoo", "module": "zoo_module:Copy"}}
    assert run["versions"]["zoo"] == "1.0"
    run = run_of(tmp_path / "ours", "direct-mapping")
    assert "transfers" not in run
    assert "zoo" not in run["versions"]


def test_another_version_or_source_of_the_method_neither_goes_on_nor_stays_unnamed(zoo, tmp_path):
    run_of(tmp_path, "z-copy")
    assert replay_trial(tmp_path, 0).causes == []

    def older(manifest):
        manifest["runs"][0]["versions"]["zoo"] = "0.9"
        manifest["runs"][0]["transfers"]["z-copy"]["module"] = "zoo_module:Former"

    edit_manifest(tmp_path, older)
    version = "zoo: version 0.9 in the folder, 1.0 now"
    source = "z-copy: zoo_module:Former of zoo in the folder, zoo_module:Copy of zoo now"
    with pytest.raises(StoreError) as caught:
        plan_run(config("z-copy", trials=2), tmp_path)
    assert f"  {version}\n  {source}\n" in str(caught.value)
    replay = replay_trial(tmp_path, 0)
    assert replay.differing == 0
    assert replay.causes == [version, source]


def test_without_the_package_results_cannot_be_computed_again(zoo, tmp_path, monkeypatch):
    run_of(tmp_path, "z-copy")
    monkeypatch.setattr(methods_module, "entry_points", lambda group: ())
    methods_module._offers_on.cache_clear()
    why = r"multi_view\.transfers\.0: .*there is no transfer method 'z-copy'"
    with pytest.raises(StoreError, match=why):
        replay_trial(tmp_path, 0)


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("z-nothing", "Nothing.infer() returned None; mvcc.Constraints are needed."),
        ("z-outside", "returned a constraint on row 47 of view 0, which is not in view.mapped"),
    ],
)
def test_what_a_method_must_not_return_fails_its_trials_with_a_message(zoo, method, words):
    assert words in attempt(config(method), None, 0).failure


def test_a_method_that_needs_many_points_is_not_tried_on_few(zoo):
    assert not attempt(config("z-many"), None, 0).failure


@pytest.fixture
def exhaustive(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLE)
    import exhaustive_propagation

    yield exhaustive_propagation
    del sys.modules["exhaustive_propagation"]


def view_of(n=30, mapped=None, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) + 6 * (np.arange(n) % 2)[:, None]
    given = Constraints([(0, 2), (1, 3), (0, 1)], [True, True, False], [1.0, 0.5, 0.8])
    return ViewState(0, 2, X, given, np.arange(n) if mapped is None else mapped, None)


def test_the_example_is_the_limit_of_propagation_to_the_one_end_then_to_the_other(exhaustive):
    view = view_of()
    method = exhaustive.ExhaustivePropagation(min_weight=1e-9, n_neighbors=5, alpha=0.7)
    S, Z = method._graph(view.X).toarray(), exhaustive.signed(view.constraints, 30).toarray()
    np.testing.assert_allclose(S, S.T)
    vertical = horizontal = Z
    for _ in range(300):
        vertical = 0.7 * S @ vertical + 0.3 * Z
    for _ in range(300):
        horizontal = 0.7 * horizontal @ S + 0.3 * vertical
    found, given = method.infer(view), tuple(view.constraints.pairs.T)
    expected = horizontal / np.abs(horizontal[given]).max()
    expected[given] = 0
    expected = np.triu(expected, 1)
    signs = np.zeros((30, 30))
    signs[tuple(found.pairs.T)] = np.where(found.must_link, 1, -1) * found.weights
    signs[given] = 0
    np.testing.assert_allclose(signs, np.clip(expected, -1, 1), atol=2e-9)
    assert np.count_nonzero(signs) > 200


def test_the_example_passes_given_constraints_on_as_they_are_and_stays_in_mapped_rows(exhaustive):
    view = view_of(mapped=np.array([0, 1, 2, 10, 11]))
    found = exhaustive.ExhaustivePropagation(min_weight=0.01).infer(view)
    assert set(found.pairs.ravel().tolist()) <= {0, 1, 2, 10, 11}
    weights = {(i, j): link for i, j, *link in found.rows()}
    assert weights[0, 2] == [True, 1.0]
    assert weights[0, 1] == [False, 0.8]
    assert len(weights) > 2
    assert found.weights.max() <= 1


def test_the_example_infers_nothing_from_nothing(exhaustive):
    view, method = view_of(), exhaustive.ExhaustivePropagation()
    nothing = ViewState(0, 2, view.X, Constraints([], []), view.mapped, None)
    for one in (nothing, view_of(mapped=view.mapped[:1]), view_of(mapped=view.mapped[:0])):
        assert len(method.infer(one)) == 0


@pytest.mark.parametrize(
    "X", [np.zeros((4, 2)), np.array([[0.0], [1e-9], [2e-9], [1e9]])], ids=["same", "outlier"]
)
def test_the_example_takes_equal_and_far_points(exhaustive, X):
    given = Constraints([(0, 1), (2, 3)], [True, False])
    found = exhaustive.ExhaustivePropagation().infer(ViewState(0, 2, X, given, np.arange(4), None))
    assert np.isfinite(found.weights).all()
    assert len(found) >= 2


def test_the_examples_config_is_one_where_its_package_is(offer):
    offered = {"exhaustive-propagation": ":ExhaustivePropagation"}
    offer("exhaustive", offered, (EXAMPLE / MODULE).read_text())
    config = load_config(EXAMPLE / "four_quadrants.yaml")
    papers = load_config("configs/four_quadrants.yaml")
    assert config.multi_view.transfers == (*papers.multi_view.transfers, "exhaustive-propagation")
    assert (config.multi_view.mapped, config.seed) == (papers.multi_view.mapped, papers.seed)


@pytest.mark.parametrize(
    "options",
    [{"min_weight": 0}, {"min_weight": 1.1}, {"alpha": 1}, {"alpha": -0.1}, {"n_neighbors": 0}],
    ids=["zero", "heavy", "endless", "negative", "none"],
)
def test_the_example_refuses_parameters_that_it_has_no_use_for(exhaustive, options):
    with pytest.raises(InvalidInputError, match="are needed"):
        exhaustive.ExhaustivePropagation(**options).infer(view_of())
