"""``mvcc validate`` says what a configuration will run, or everything that is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from mvcc.cli._validate import command
from mvcc.exceptions import ConfigError

CONFIGS = Path(__file__).parents[2] / "configs"


def validate(*arguments):
    return CliRunner().invoke(command, [str(argument) for argument in arguments], catch_exceptions=False)


def test_the_summary_names_results_data_cells_and_trials():
    result = validate(CONFIGS / "protein.yaml", "--set", "trials=7", "--set", "multi_view.mapped=[0.5]")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        f"{CONFIGS / 'protein.yaml'} is valid.",
        "  name      protein: results go to results/protein",
        "  data set  protein",
        "  cells     48 in every trial: 2 bases × 4 transfers × 1 mapped portion (single-view needs none) × "
        "6 constraint counts",
        "  cells     32 in every trial: 1 single view × 2 bases × with and without propagation × 8 constraint counts",
        "  trials    7",
    ]


def test_several_files_are_summed_up_one_after_the_other():
    paths = sorted(CONFIGS.glob("*.yaml"))
    output = validate(*paths).output
    assert [line for line in output.splitlines() if "is valid" in line] == [f"{path} is valid." for path in paths]


def test_json_holds_the_complete_configuration():
    (result,) = json.loads(validate(CONFIGS / "four_quadrants.yaml", "--json").output)
    assert result["path"] == str(CONFIGS / "four_quadrants.yaml")
    assert result["cells"] == 120 + 32
    assert result["config"]["features"] == {"method": "none"}
    assert result["config"]["multi_view"]["threshold"] == [0.75]


def test_the_problems_of_all_files_are_reported(tmp_path):
    (tmp_path / "a.yaml").write_text("name: a\nmulti_view: {threshold: 1, mapped: [1]}\n")
    with pytest.raises(ConfigError) as caught:
        validate(tmp_path / "a.yaml", CONFIGS / "protein.yaml", tmp_path / "b.yaml", "--json")
    first, second = str(caught.value).split("\n\n")
    assert first.startswith(f"2 problems in {tmp_path / 'a.yaml'}:")
    assert second == f"{tmp_path / 'b.yaml'}: there is no such file."


def test_a_config_of_mvcc_cluster_is_known_by_its_views(tmp_path):
    path = tmp_path / "cluster.yaml"
    path.write_text("views: {texts: texts.csv}\nn_clusters: 5\n")
    done = validate(path, CONFIGS / "protein.yaml", "--set", "seed=3")
    assert done.stdout.splitlines()[:5] == [
        f"{path} is valid.",
        f"  views     texts ({tmp_path / 'texts.csv'})",
        "  clusters  5",
        "  method    joint",
        "",
    ]
    assert json.loads(validate(path, "--set", "seed=3", "--json").stdout)[0]["config"]["seed"] == 3
    assert f"Next: mvcc cluster {path} --out FOLDER" in validate(path).stderr
    with pytest.raises(ConfigError, match=rf"--set n_clusters=0: .*\n.*: mvcc validate {path} --set …"):
        validate(path, "--set", "n_clusters=0")


def test_problems_of_an_override_name_the_option():
    with pytest.raises(ConfigError, match=r"--set multi_view\.threshold=2: multi_view\.threshold: must be .*, got 2"):
        validate(CONFIGS / "protein.yaml", "--set", "multi_view.threshold=2")


def test_without_a_file_the_usage_is_shown():
    result = validate()
    assert result.exit_code == 2
    assert "Missing argument 'CONFIG...'" in result.output


def test_help_shows_an_example():
    assert "mvcc validate my-data/cluster.yaml\n" in validate("--help").output
