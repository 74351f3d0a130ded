"""What mvcc reads cannot run anything, and what it is told to write stays where it belongs (``docs/security.md``)."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

import mvcc
from mvcc.datasets import registry
from mvcc.exceptions import ConfigError
from mvcc.experiments import check_results, load_config

ROOT = Path(mvcc.__file__).parent
SOURCES = sorted(ROOT.rglob("*.py"))

# what runs code that it reads, trusts a path that it reads, or hands a text to a shell
FORBIDDEN_MODULES = {"pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "xml", "code", "codeop"}
FORBIDDEN_CALLS = {
    *("eval", "exec", "compile", "__import__", "os.system", "os.popen", "extractall", "extract", "unpack_archive"),
    *("yaml.load", "yaml.full_load", "yaml.unsafe_load", "yaml.load_all", "np.load", "numpy.load", "joblib.load"),
    *("pd.read_pickle", "pandas.read_pickle", "read_hdf", "to_pickle", "loads_pickle"),
}


def called(node: ast.Call) -> str:
    return ast.unparse(node.func)


def is_safe(node: ast.Call, path: Path) -> bool:
    """Tell whether a call of such a name is none that runs what it reads, or trusts its paths."""
    words = ast.unparse(node)
    return (
        called(node) == "re.compile"
        or (called(node) == "np.load" and "allow_pickle=False" in words)
        or (words == "archive.extractall(folder)" and "with ZipFile(" in path.read_text("utf-8"))
    )


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_that_is_read_can_run(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            assert not {alias.name.split(".")[0] for alias in node.names} & FORBIDDEN_MODULES
        elif isinstance(node, ast.ImportFrom):
            assert (node.module or "").split(".")[0] not in FORBIDDEN_MODULES
        elif isinstance(node, ast.Call):
            name = called(node)
            forbidden = {one for one in FORBIDDEN_CALLS if name == one or name.endswith(f".{one}")}
            assert not forbidden or is_safe(node, path), f"line {node.lineno}: {name}"
            assert not any(word.arg == "shell" for word in node.keywords), f"line {node.lineno}: a shell"
            if name == "yaml.parse":
                assert "Loader=yaml.SafeLoader" in ast.unparse(node)


def test_the_rules_find_what_they_forbid():
    calls = [node for node in ast.walk(ast.parse("np.load(f); yaml.load(g); eval(h)")) if isinstance(node, ast.Call)]
    assert {called(node) for node in calls} < FORBIDDEN_CALLS


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "/tmp/evil",
        "a/b",
        "a\\b",
        "..",
        ".",
        "-x",
        "a\nb",
        "a b",
        "a" * 65,
        "con:",
        "~",
        "$HOME",
        "\u202eevil",
    ],
)
def test_the_name_of_an_experiment_cannot_lead_out_of_the_results(name):
    with pytest.raises(ConfigError, match=r"name: .* is not allowed\. Allowed: 1 to 64 letters, digits, _ and -"):
        load_config(ROOT.parent / "configs" / "four_quadrants.yaml", [f"name={json.dumps(name)}"])


def test_a_manifest_cannot_make_a_check_look_elsewhere(tmp_path):
    outside = tmp_path / "outside.csv"
    outside.write_text("secret")
    folder = tmp_path / "results"
    folder.mkdir()
    run = {"command": "", "commit": None, "versions": {}, "machine": {}, "started": "", "finished": ""}
    manifest = {"config": {"trials": 1}, "data": {}, "runs": [run]}
    for name in ("../outside.csv", str(outside), "trials/../../outside.csv", "a/../../outside.csv"):
        (folder / "manifest.json").write_text(json.dumps(manifest | {"checksums": {name: "0" * 64}}))
        (finding,), _ = check_results([folder])
        assert finding.status == "damaged"
        assert "checksums: a name that leads out of the folder" in finding.notes[0]


def test_every_address_is_https_and_every_content_is_known():
    files = [file for info in registry().values() for file in info.files]
    assert files
    for file in files:
        assert file.url.startswith("https://")
        assert len(file.sha256) == 64
        assert not Path(file.name).is_absolute()
        assert ".." not in Path(file.name).parts
        assert 0 < file.size < 2**25
