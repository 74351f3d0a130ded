"""A configuration is complete and repeatable, or every mistake is named at its line."""

import copy
import json
import re
from pathlib import Path

import pytest
import yaml

from mvcc.datasets import registry
from mvcc.exceptions import ConfigError
from mvcc.experiments._config import Config, load_config
from mvcc.experiments._plan import list_cells
from mvcc.results import TRANSFERS

CONFIGS = Path(__file__).parents[2] / "configs"
PLAN = {"threshold": 0.5, "mapped": [0.2, 1], "constraints": [10, 25]}
MINIMAL = {"name": "tiny", "dataset": "protein", "multi_view": PLAN}
METHODS = {"bases": ["pck-means"], "transfers": ["single-view", "direct-mapping"]}
FULL = {
    **MINIMAL,
    "dataset": "four_quadrants",
    "dataset_options": {"instances_per_view": 100},
    "features": {"method": "spectral", "n_components": 5, "sigma": 2, "scaling": "none"},
    "trials": 3,
    "seed": 7,
    "multi_view": {**PLAN, **METHODS, "closure": "view"},
}


@pytest.fixture
def load(tmp_path):

    def load(content, overrides=()):
        path = tmp_path / "x.yaml"
        if not isinstance(content, str):
            content = yaml.safe_dump(content, sort_keys=False)
        path.write_text(content, "utf-8")
        return load_config(path, overrides)

    return load


@pytest.fixture
def problems(load, tmp_path):
    """Load a wrong configuration and return its problems, without the folder."""

    def problems(content, overrides=()):
        with pytest.raises(ConfigError) as caught:
            load(content, overrides)
        first, *lines, last = str(caught.value).replace(f"{tmp_path}/", "").splitlines()
        assert first == f"{len(lines)} problem{'s' * (len(lines) > 1)} in x.yaml:"
        assert "mvcc run" in last
        return lines

    return problems


def changed(**values):
    """Replace values of ``multi_view``, or of the top level, of the minimal configuration."""
    config = copy.deepcopy(MINIMAL)
    for key, value in values.items():
        (config if key in Config.model_fields else config["multi_view"])[key] = value
    return config


# What is accepted


@pytest.mark.parametrize(
    ("name", "threshold", "n_components", "alone"),
    [
        ("four_quadrants", 0.75, None, None),
        ("protein", 0.5, 5, {"all": 0.7}),
        ("letters_digits", 0.95, 4, {"letters": 0.95, "digits": 0.98}),
        ("rec_talk", 0.75, 5, None),
    ],
)
def test_shipped_configs_are_those_of_table_1_and_section_6_4(name, threshold, n_components, alone):
    config = load_config(CONFIGS / f"{name}.yaml")
    assert (config.name, config.dataset) == (name, name)
    assert config.multi_view.threshold == (threshold,)
    assert config.features.n_components == n_components
    assert (config.trials, config.seed, config.multi_view.closure) == (100, 0, ("full",))
    assert alone is None or config.single_view.thresholds == alone
    multi_view = [cell for cell in list_cells(config) if cell.experiment == "multi-view"]
    assert len(multi_view) == 2 * (3 * 3 + 1) * 6


def test_only_document_vectors_come_with_a_scale_of_their_own():
    scalings = {}
    configs = map(load_config, CONFIGS.glob("*.yaml"))
    for config in (config for config in configs if config.study != "beyond"):
        scalings.setdefault(config.dataset, set()).add(config.features.scaling)
    # None: of the raw features, in studies without the embedding, too
    raw = {name: {None} for name in ("four_quadrants", "half_moons", "rings")}
    scaled = {name: {"minmax", None} for name in ("protein", "letters_digits")}
    assert scalings == raw | scaled | {"rec_talk": {"none", None}}


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_line_of_a_shipped_config_is_explained(path):
    inside_list = "  constraints:", "    -"
    for line in path.read_text("utf-8").splitlines():
        assert not line.strip() or "#" in line or line.startswith(inside_list), line


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*_*.yaml")), ids=lambda path: path.stem)
def test_a_study_repeats_the_features_and_options_of_the_data_sets_own_config(path):
    config, own = load_config(path), CONFIGS / f"{load_config(path).dataset}.yaml"
    if own.exists():
        main = load_config(own)
        assert config.study in ("main", "embedding", "beyond") or config.features == main.features
        assert config.dataset_options.items() >= main.dataset_options.items()
        assert config.trials == main.trials
        # cross-validation was designed on the draws of the main configs, and is put to the test on
        # others
        is_sweep = config.study == "thresholds"
        assert config.seed == main.seed + 2 * is_sweep
        assert is_sweep or main.multi_view.threshold[0] in config.multi_view.threshold


def test_defaults(load):
    config = load(MINIMAL)
    assert config.dataset_options == {}
    assert config.features.method == "none"
    assert (config.trials, config.seed) == (100, 0)
    assert config.multi_view.bases == ("pck-means", "mpck-means")
    assert config.multi_view.transfers == tuple(TRANSFERS)
    assert (config.multi_view.closure, config.multi_view.rewired) == (("full",), (0.0,))
    assert (config.study, config.single_view) == ("main", None)
    spectral = load(changed(features={"method": "spectral", "n_components": 2})).features
    assert (spectral.sigma, spectral.scaling) == (1.0, "minmax")


def test_wrong_relations_cannot_be_closed_together_with_the_constraints(load, problems):
    assert load(changed(rewired=[0, 0.5], closure="view")).multi_view.rewired == (0.0, 0.5)
    (line,) = problems(changed(rewired=[0, 0.5]))
    assert "multi_view.rewired: relations between instances of different classes contradict" in line
    assert "`closure: view`" in line


def test_there_must_be_something_to_run(load, problems):
    alone = {"name": "x", "dataset": "protein"}
    (line,) = problems(alone)
    assert "there is nothing to run; add a section `multi_view:`, `single_view:` or both." in line
    alone["single_view"] = {"thresholds": {"all": 0.7}, "constraints": [10]}
    assert load(alone).multi_view is None


NO_VIEW = "protein has no view c1-c4; did you mean 'c1-c3'? Allowed: c1-c3, c4-c6, all."


@pytest.mark.parametrize(
    ("thresholds", "message"),
    [
        ({"c1-c4": 0.7}, NO_VIEW),
        ({"all": 2}, "single_view.thresholds.all: must be a number above 0, up to 1, got 2."),
        ({}, "must be a section, such as `thresholds: {letters: 0.95}`, got {}."),
    ],
)
def test_single_views_are_those_of_the_data_set(problems, thresholds, message):
    (line,) = problems(changed(single_view={"thresholds": thresholds, "constraints": [10]}))
    assert message in line


# What a manifest holds


SHIPPED = [path.read_text("utf-8") for path in sorted(CONFIGS.glob("*.yaml"))]


@pytest.mark.parametrize("content", [MINIMAL, FULL, *SHIPPED])
def test_what_a_manifest_holds_is_a_config_too(load, content):
    config = load(content)
    assert load(json.dumps(config.resolved())) == config  # JSON is YAML


def test_resolved_is_complete_and_does_not_depend_on_the_order_of_the_file(load):
    forwards = {**FULL, "dataset_options": {"a": 2, "b": 1}}
    backwards = dict(reversed(forwards.items()))
    for key in ("dataset_options", "multi_view"):
        backwards[key] = dict(reversed(forwards[key].items()))
    assert json.dumps(load(backwards).resolved()) == json.dumps(load(forwards).resolved())
    both = {**MINIMAL, "single_view": {"thresholds": {"all": 0.5}, "constraints": [10]}}
    assert list(load(both).resolved()) == list(Config.model_fields)
    assert "single_view" not in load(MINIMAL).resolved()
    assert load(MINIMAL).resolved()["features"] == {"method": "none"}


# What is refused


@pytest.mark.parametrize(
    ("key", "values"),
    {
        "name": ["", "ä", "a\n", 5, True, None, ["a"], {"a": 1}],
        "dataset": ["protien", 5, True, None, [], {}],
        "dataset_options": [
            *(5, "a", ["a"], {"a": [1]}, {"a": {}}, {"a": None}, {"a": float("inf")}),
            {"random_state": 1},
        ],
        "features": [
            *("none", [], {"method": "pca"}, {"method": "spectral"}, {"n_components": 5}),
            {"scaling": "none"},
            *(FULL["features"] | {"scaling": scaling} for scaling in ("min-max", True, 1)),
        ],
        "trials": [0, -1, "100", 1.5, 5.0, True, None, [], 10**7],
        "seed": [-1, 2**63, 10**400, "0", 0.5, False],
        "multi_view": [5, [], None, "full"],
        "bases": [
            *("pck-means", [], ["k-means"], ["pck-means", "pck-means"], [5], [["pck-means"]]),
            {"pck-means": 1},
        ],
        "transfers": ["single-view", [], ["none"], ["single-view", "single-view"], [True]],
        "threshold": [
            *(0, -0.1, 1.1, "0.5", "CV", True, None, {}, 10**400, 1e999, float("nan")),
            *([], [0.5, 0.5], [0.5, 2], [[0.5], 0.5], ["cv", "cv"]),
        ],
        "closure": ["Full", 5, True, [], {"full": 1}, ["full", "full"], ["ful"]],
        "mapped": [0.5, [], [1.1], [-0.1], [20], ["0.2"], [True], [0.4, 0.2], [0.2, 0.2], [[0.2]]],
        "constraints": [10, [], [-1], [1.5], ["10"], [True], [10, 5], [10, 10], [10**10]],
    }.items(),
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_impossible_values_are_refused_where_they_stand(problems, key, values):
    path = key if key in Config.model_fields else f"multi_view.{key}"
    for value in values:
        (line,) = problems(changed(**{key: value}))
        assert path in line, value


def test_all_problems_are_reported_at_once_each_with_its_line(problems):
    text = """\
name: my experiment
dataset: protien
features:
  method: spectral
trails: 100
seed: "1"
multi_view:
  bases: [pck-means, mpck-mean]
  treshold: 0.5
  mapped:
    - 0.2
    - 40
  closure:
"""
    names, keys = ", ".join(registry()), ", ".join(Config.model_fields)
    expected = f"""\
1: name: must be 1 to 64 letters, digits, _ and -, not beginning with -, got 'my experiment'.
2: dataset: must be one of {names}, got 'protien'; did you mean 'protein'?
3: features.n_components: is missing; `method: spectral` needs a line such as `n_components: 5`.
5: trails: unknown key 'trails'; did you mean 'trials'? Known: {keys}.
6: seed: must be a whole number from 0 to 2^63 - 1, got '1'. Write it without quotes.
7: multi_view.constraints: is missing; add a line such as `constraints: [10, 25, 50]`.
7: multi_view.threshold: is missing; add a line such as `threshold: [0.5]`.
8: multi_view.bases: item 2: must be one of pck-means, mpck-means, got 'mpck-mean'; \
did you mean 'mpck-means'?
9: multi_view.treshold: unknown key 'treshold'; did you mean 'threshold'? Known: bases, init, \
transfers, transfer_options, threshold, closure, mapped, rewired, constraints.
12: multi_view.mapped: item 2: must be a number from 0 to 1 (0.2 for 20 %), got 40.
13: multi_view.closure: has no value; write one, or leave the key out.
"""
    assert problems(text) == [f"x.yaml:{line}" for line in expected.splitlines()]


def test_a_key_in_the_wrong_section_is_sent_home(problems):
    inside = MINIMAL | {"multi_view": {**MINIMAL["multi_view"], "seed": 1}}
    assert "it belongs at the top level" in problems(inside)[0]
    assert "it belongs in the section 'multi_view'" in problems(MINIMAL | {"closure": "full"})[0]


def test_no_jargon_and_no_address_of_pydantic(problems):
    wrong = {"name": 5, "dataset": 5, "features": 5, "trials": "a", "multi_view": {"mapped": 5}}
    jargon = r"\b(pydantic|[Ii]nput|valid|type|dict|tuple|str|int|None|https)\b"
    assert not re.search(jargon, "\n".join(problems(wrong)))


def test_many_problems_are_counted_but_not_all_listed(load):
    with pytest.raises(ConfigError, match=r"(?s)^100 problems in .* and 50 more\.\nCorrect them"):
        load(changed(constraints=[-1] * 100))


# Overrides


def test_overrides_replace_add_and_come_last_wins(load):
    overrides = ["trials=5", "trials=6", "multi_view.mapped=[0.3]", "dataset_options.a=b=c"]
    overrides += ["features={method: spectral, n_components: 2}", "features.sigma=0.5"]
    config = load(MINIMAL, overrides)
    assert config.trials == 6
    assert config.multi_view.mapped == (0.3,)
    assert (config.features.n_components, config.features.sigma) == (2, 0.5)
    assert config.dataset_options == {"a": "b=c"}


def test_an_override_can_mend_a_file(load):
    overrides = ["trials=1", "multi_view={threshold: 1, mapped: [1], constraints: [1]}"]
    assert load(changed(trials="many", multi_view=5), overrides).trials == 1


PROBLEMS_OF_OVERRIDES = """\
multi_view.threshold=2 → multi_view.threshold: must be a number above 0, up to 1, or cv, got 2.
multi_view.transfer_options.direct-mapping.k=1 → multi_view.transfer_options.direct-mapping.k:
trails=5 → trails: unknown key 'trails'; did you mean 'trials'?
multiview.mapped=[1] → multiview: unknown key 'multiview'; did you mean
trials.a=5 → trials.a: 3 has no keys
multi_view.mapped.0=1 → multi_view.mapped.0: [0.2, 1] has no keys
trials= → trials: has no value
trials=[ → trials: this cannot be read as YAML
trials=*a → trials: this cannot be read as YAML, column 1: the alias *a is not supported
seed={a: 1, a: 2} → seed.a: is given twice
trials → write KEY=VALUE
=5 → write KEY=VALUE
a..b=5 → write KEY=VALUE
multi_view={mapped: 5} → multi_view.mapped: must be a list, such as \
`mapped: [0.2, 0.4, 1.0]`, got 5.
multi_view.mapped=[0.4,0.2] → multi_view.mapped: the numbers must increase, without \
repeats, got 0.2 after 0.4.
"""


@pytest.mark.parametrize("case", PROBLEMS_OF_OVERRIDES.splitlines())
def test_problems_of_overrides_name_the_option(problems, case):
    override, _, message = case.partition(" → ")
    lines = problems(FULL, [override])
    assert any(line.startswith(f"--set {override}: {message}") for line in lines)


# Names


def test_an_experiment_that_mvcc_comes_with_is_known_by_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert load_config("four_quadrants") == load_config(CONFIGS / "four_quadrants.yaml")
    with pytest.raises(ConfigError, match=r"did you mean 'four_quadrants'\? These do: beyond_"):
        load_config("four_quadrant")
    Path("four_quadrants").write_text("name: mine")
    with pytest.raises(ConfigError, match="dataset"):
        load_config("four_quadrants")
