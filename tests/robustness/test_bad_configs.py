"""A bad configuration is refused by one message with every line that is wrong."""

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import example
from hypothesis import strategies as st

from mvcc.experiments import Config, _plan, load_config
from tests.robustness.cases import command, many
from tests.robustness.damaging import ODD_TEXTS, WORDS
from tests.robustness.spoiling import spoilt_bytes, spoilt_tree


def places(tree, path=""):
    """List the dotted keys of all sections and values inside a tree."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield f"{path}{key}"
            yield from places(value, f"{path}{key}.")


FOLDER = Path(__file__).parents[2] / "configs"
CONFIGS = [path.read_text("utf-8") for path in sorted(FOLDER.glob("*.yaml"))]
TREES = [yaml.safe_load(text) for text in CONFIGS]
KEYS = sorted({place for tree in TREES for place in places(tree)})
VALUES = [json.dumps(value) for tree in TREES for value in tree.values()]
SMALL = (
    "name: small\ndataset: four_quadrants\nmulti_view: {threshold: 0.5, mapped: [0.2, 1],"
    " constraints: [10, 25]}\n"
)

# a place is a line of the file or an assignment; a file that is no text has no lines
WHERE = (
    r"x\.yaml:\d+: .",
    r"--set .*: .",
    r"x\.yaml: (this is a binary file|this is larger than|cannot be read|there is no such file)",
)


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    """Look for no data files and no commit: it is the configuration that is tested."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_plan, "file_checksums", lambda *_: {})
    monkeypatch.setattr(_plan, "commit", lambda: None)


def check(content, *assignments):
    """Give a configuration to `mvcc run --dry-run`, and return whether it is valid."""
    path = Path("x.yaml")
    content = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    path.write_bytes(content)
    options = [f"--set={assignment}" for assignment in assignments]
    planned = command("run", path, "--dry-run", *options, codes=(2,), names=WHERE)
    assert planned is None or planned.startswith("Would compute ")
    assert [*map(str, Path().iterdir())] == ["x.yaml"]
    return planned is not None


def written(tree):
    """Write a tree as YAML; half characters, which YAML refuses to write, as JSON."""
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    try:
        return yaml.dump(tree, Dumper=dumper, sort_keys=False, allow_unicode=True)
    except UnicodeEncodeError:
        return json.dumps(tree)


@many(100, tree=st.sampled_from(TREES) | st.sampled_from(TREES).flatmap(spoilt_tree))
def test_a_tree_of_any_values_is_refused_or_understood_and_again_from_a_manifest(tree):
    if check(written(tree)):
        config = load_config("x.yaml")
        stored = json.dumps(config.resolved(), allow_nan=False)
        assert Config.model_validate(json.loads(stored)) == config


@many(90, content=st.sampled_from(CONFIGS).flatmap(spoilt_bytes))
def test_a_file_is_understood_or_refused(content):
    check(content)


keys = st.sampled_from([*KEYS, *ODD_TEXTS, "a.b.c", ".", "..", "multi_view.", "=", "trials.0"])
values = st.sampled_from(WORDS) | st.sampled_from(VALUES) | st.text(max_size=20)


@many(
    50,
    keys=st.lists(keys, min_size=1, max_size=2),
    equals=st.sampled_from(["=", "=", "=", "==", ": ", ""]),
    values=st.lists(values, min_size=2, max_size=2),
)
@example(keys=["multi_view." * 30_000 + "a", "a." * 19 + "b"], equals="=", values=["1", "2"])
@example(keys=["trials"], equals="=", values=["9" * 100_000])
@example(keys=["trials"], equals="=", values=["[" * 100_000])
def test_assignments_are_understood_or_refused(keys, equals, values):
    check(SMALL, *(f"{key}{equals}{value}" for key, value in zip(keys, values, strict=False)))


FRACTIONS = [number / 1000 for number in range(1, 1000)]


@pytest.mark.parametrize(
    "content",
    [
        SMALL + "\n".join(f"key_{number}: 1" for number in range(4000)),
        SMALL + "seed: 1\n" * 4000,
        SMALL.replace("[0.2, 1]", str(FRACTIONS)).replace("[10, 25]", str([*range(1000)])),
        SMALL.replace("0.5", str([number / 9999 for number in range(1, 9000)])),
        SMALL.replace("0.5", str(["x"] * 9000)),
        SMALL.replace("small", "x" * 500_000),
        SMALL.replace("small", "1" * 500_000),
        SMALL.replace("small", '"' + r"\x41" * 100_000 + '"'),
        "k" * 500_000 + ": 1",
    ],
)
def test_what_grows_beyond_measure_is_refused(content):
    assert not check(content)
