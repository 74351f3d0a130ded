"""Nothing that mvcc reads can run, and it writes where it is told (``docs/security.md``)."""

import ast
import json
from pathlib import Path

import pytest

import mvcc
from mvcc.exceptions import ConfigError
from mvcc.experiments import check_results, load_config

ROOT = Path(mvcc.__file__).parent
SOURCES = sorted(ROOT.rglob("*.py"))

# what runs code that it reads, trusts a path that it reads, or hands a text to a shell
FORBIDDEN_MODULES = {
    *("pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle"),
    *("xml", "code", "codeop"),
}
FORBIDDEN_CALLS = {
    *("eval", "exec", "compile", "__import__", "os.system", "os.popen"),
    *("extractall", "extract", "unpack_archive"),
    *("yaml.load", "yaml.full_load", "yaml.unsafe_load", "yaml.load_all"),
    *("np.load", "numpy.load", "joblib.load", "skops.io.load", "skops.io.loads"),
    *("pd.read_pickle", "pandas.read_pickle", "read_hdf", "to_pickle", "loads_pickle"),
}


def called(node: ast.Call) -> str:
    return ast.unparse(node.func)


def is_safe(node: ast.Call, path: Path) -> bool:
    """Tell whether a call of such a name is none that runs what it reads, or trusts its paths."""
    words = ast.unparse(node)
    return (
        called(node) == "re.compile"
        or called(node).endswith(".str.extract")  # of pandas: a part of a text
        or (called(node) == "np.load" and "allow_pickle=False" in words)
        or (
            words == "skops.io.loads(content, trusted=types)"
            and path.parts[-2:] == ("model", "_file.py")
        )
        or (words == "archive.extractall(folder)" and "with ZipFile(" in path.read_text("utf-8"))
    )


def offenses(source: str, path: Path) -> list[str]:
    """Return the lines that could run what is read, or trust its paths."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            imported = {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported = {(node.module or "").split(".")[0]}
            expat = imported == {"xml"} and ast.unparse(node) == "from xml.parsers import expat"
            if expat and "StartDoctypeDeclHandler" in source:
                imported = set()  # it refuses every document type, and with it all entities
        elif isinstance(node, ast.Call):
            imported = set()
            name = called(node)
            forbidden = any(name == one or name.endswith(f".{one}") for one in FORBIDDEN_CALLS)
            unsafe = name == "yaml.parse" and "Loader=yaml.SafeLoader" not in ast.unparse(node)
            if (
                unsafe
                or (forbidden and not is_safe(node, path))
                or any(word.arg == "shell" for word in node.keywords)
            ):
                found.append(f"{path}:{node.lineno}: {ast.unparse(node)}")
        else:
            continue
        found += [
            f"{path}:{node.lineno}: import {name}" for name in sorted(imported & FORBIDDEN_MODULES)
        ]
    return found


def test_nothing_that_is_read_can_run():
    assert len(SOURCES) > 100
    assert not [offense for path in SOURCES for offense in offenses(path.read_text("utf-8"), path)]


def test_the_rules_find_what_they_forbid():
    lines = (
        *("import pickle", "from marshal import loads", "np.load(f)", "yaml.load(g)", "eval(h)"),
        *("skops.io.loads(content, trusted=types)", "archive.extractall(x)"),
        *("run(x, shell=True)", "yaml.parse(text)"),
    )
    allowed = ("re.compile(x)", "np.load(f, allow_pickle=False)", "from json import loads")
    assert len(offenses("\n".join([*lines, *allowed]), Path(__file__))) == len(lines)


def test_the_name_of_an_experiment_cannot_lead_out_of_the_results():
    names = ["../evil", "/tmp/evil", "a/b", "a\\b", "..", ".", "-x", "a\nb", "a b", "a" * 65]
    for name in (*names, "con:", "~", "$HOME", "\u202eevil"):
        message = r"name: must be 1 to 64 letters, digits, _ and -, .*got "
        with pytest.raises(ConfigError, match=message):
            load_config(
                ROOT.parent / "configs" / "four_quadrants.yaml", [f"name={json.dumps(name)}"]
            )


def test_a_manifest_cannot_make_a_check_look_elsewhere(tmp_path):
    outside = tmp_path / "outside.csv"
    outside.write_text("secret")
    folder = tmp_path / "results"
    folder.mkdir()
    run = {"command": "", "commit": None, "versions": {}, "machine": {}}
    run |= {"started": "", "finished": ""}
    manifest = {"config": {"trials": 1}, "data": {}, "runs": [run]}
    for name in ("../outside.csv", str(outside), "trials/../../outside.csv", "a/../../outside.csv"):
        (folder / "manifest.json").write_text(
            json.dumps(manifest | {"checksums": {name: "0" * 64}})
        )
        (finding,), _ = check_results([folder])
        assert finding.status == "damaged"
        assert "checksums: a name that leads out of the folder" in finding.notes[0]
