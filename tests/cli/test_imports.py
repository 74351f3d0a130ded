"""Every command imports what it works with, and nothing else that takes long."""

import json
import subprocess
import sys
from pathlib import Path
from shutil import copytree

import pytest

from mvcc.cli import _SUMMARIES
from mvcc.tables import write_example

pytestmark = pytest.mark.slow  # processes

ROOT = Path(__file__).parents[2]
HEAVY = set(
    """
    dask distributed jinja2 joblib matplotlib matplotlib.pyplot numba numpy pandas pooch pyarrow
    pydantic requests rich scipy scipy.stats sklearn sklearn.decomposition sklearn.manifold
    sklearn.model_selection yaml
    """.split()
)
PANDAS = {"numpy", "pandas", "pyarrow"}  # pyarrow where it is installed
NUMBA = {"numba", "numpy", "scipy", "yaml"}
FIGURES = {"matplotlib", "scipy", "yaml", *PANDAS}
STATISTICS = {"scipy", "scipy.stats", "yaml", *PANDAS}

OF_SETTINGS = ("cluster", "ask", "match")  # whose options are the fields of a pydantic model

# it says what features will be made; sklearn.neighbors imports decomposition, and that
# model_selection
FEATURES = {
    "sklearn",
    *(f"sklearn.{name}" for name in "decomposition manifold model_selection".split()),
}

# Processes, and the commands that each runs one after the other: what a command may add to what is
# there before it.
ALONE = [
    *((f"{name} --help", set()) for name in _SUMMARIES if name not in OF_SETTINGS),
    ("--help", set()),
    *((f"{name} --help", {"pydantic", "yaml"}) for name in OF_SETTINGS),
    ("data list", set()),
    ("check {folder}/results", set()),
    ("init {folder}/job", set()),
    ("run {root}/configs/four_quadrants.yaml --dry-run --out {folder}/run", NUMBA | {"pydantic"}),
    (
        "cluster {folder}/job/cluster.yaml --dry-run",
        PANDAS | FEATURES | {"joblib", "rich", "scipy.stats"},
    ),
    ("ask {folder}/job/cluster.yaml --json", set()),
    ("cluster {folder}/job/cluster.yaml --stability-runs 0 --out {folder}/out", {"jinja2"}),
]
CLUSTERING = [
    ("report {folder}/out", {"jinja2", "numpy", "pydantic"}),
    ("claims {folder}/results", {"rich", *STATISTICS}),
]
EXPERIMENTS = [
    ("plot {folder}/drawn --figure 7 --out {folder}/figures", FIGURES),
    ("report {folder}/results --out {folder}/report.html", {"jinja2", "pydantic", *STATISTICS}),
]
CODE = """
import json, os, sys

def end_at_first_table(event, arguments):
    if event == "open" and str(arguments[0]).endswith(table):
        print(json.dumps(loaded()), flush=True)
        os._exit(0)

def loaded():
    return sorted(HEAVY.intersection(sys.modules))

commands, HEAVY, table = map(json.loads, sys.argv[1:])
HEAVY = set(HEAVY)
if table:
    sys.addaudithook(end_at_first_table)
from mvcc.cli import cli

found = []
for arguments in commands:
    try:
        cli.main(arguments, prog_name="mvcc")
    except SystemExit as stop:
        found.append([stop.code, loaded()])
print("\\n" + json.dumps(found))
"""


def modules_after(commands, folder, table=""):
    """Run commands in a process: exit codes and heavy modules, or those when a table is opened."""
    words = [command.format(folder=folder, root=ROOT).split() for command, _ in commands]
    program = [sys.executable, "-c", CODE, *map(json.dumps, (words, sorted(HEAVY), table))]
    done = subprocess.run(program, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def refuse_other_modules(commands, found):
    allowed = set()
    for (command, more), (code, there) in zip(commands, found, strict=True):
        allowed |= more
        too_many = set(there) - allowed
        assert not too_many, f"mvcc {command} imports {', '.join(too_many)}"
        assert code in ((0, 3) if command.startswith("claims") else (0,)), command


def test_a_command_imports_what_it_works_with_alone(tmp_path):
    copytree(ROOT / "results" / "shapes_rings", tmp_path / "results")  # small
    copytree(ROOT / "results" / "protein", tmp_path / "drawn")
    for commands in (ALONE, CLUSTERING, EXPERIMENTS):
        refuse_other_modules(commands, modules_after(commands, tmp_path))


def test_the_first_table_is_read_before_what_clusters_is_imported(tmp_path):
    write_example(tmp_path / "job")
    command = "cluster {folder}/job/cluster.yaml --dry-run"
    first = modules_after([(command, set())], tmp_path, "catalog.csv")
    assert set(first) <= {"pydantic", "yaml", *PANDAS}
    assert "pandas" in first
