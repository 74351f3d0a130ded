"""Every command imports what it works with, and nothing else that takes long."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from shutil import copytree

from mvcc.cli import _SUMMARIES
from mvcc.tables import write_example

ROOT = Path(__file__).parents[2]
HEAVY = {
    "dask", "distributed", "jinja2", "joblib", "matplotlib", "matplotlib.pyplot", "numba",
    "numpy", "pandas", "pooch", "pyarrow", "pydantic", "requests", "rich", "scipy",
    "scipy.stats", "sklearn", "sklearn.decomposition", "sklearn.manifold",
    "sklearn.model_selection", "yaml",
}  # fmt: skip
PANDAS = {"numpy", "pandas", "pyarrow"}  # pyarrow where it is installed
NUMBA = {"numba", "numpy", "scipy", "yaml"}
FIGURES = {"matplotlib", "scipy", "yaml", *PANDAS}
STATISTICS = {"scipy", "scipy.stats", "yaml", *PANDAS}

OF_SETTINGS = ("cluster", "ask", "match")  # whose options are the fields of a pydantic model

# Processes, and the commands that each runs one after the other: what a command may add to what is
# there before it.
ALONE = [
    *(([name, "--help"], set()) for name in _SUMMARIES if name not in OF_SETTINGS),
    (["--help"], set()),
    *(([name, "--help"], {"pydantic", "yaml"}) for name in OF_SETTINGS),
    (["data", "list"], set()),
    (["check", "{folder}/results"], set()),
    (["init", "{folder}/job"], {"numpy"}),
    (
        [
            "run",
            str(ROOT / "configs" / "four_quadrants.yaml"),
            "--dry-run",
            "--out",
            "{folder}/run",
        ],
        NUMBA | {"pydantic"},
    ),
    (
        ["cluster", "{folder}/job/cluster.yaml", "--dry-run"],
        # it says what features will be made; sklearn.neighbors imports decomposition, and that
        # model_selection
        PANDAS
        | {
            "joblib",
            "rich",
            "scipy.stats",
            "sklearn",
            "sklearn.decomposition",
            "sklearn.manifold",
            "sklearn.model_selection",
        },
    ),
    (["ask", "{folder}/job/cluster.yaml", "--json"], set()),
    (
        ["cluster", "{folder}/job/cluster.yaml", "--stability-runs", "0", "--out", "{folder}/out"],
        {"jinja2"},
    ),
]
CLUSTERING = [
    (["report", "{folder}/out"], {"jinja2", "numpy", "pydantic"}),
    (["claims", "{folder}/results"], {"rich", *STATISTICS}),
]
EXPERIMENTS = [
    (["plot", "{folder}/drawn", "--figure", "7", "--out", "{folder}/figures"], FIGURES),
    (
        ["report", "{folder}/results", "--out", "{folder}/report.html"],
        {"jinja2", "pydantic", *STATISTICS},
    ),
]
CODE = """
import json, sys

first = None

def note_first_table(event, arguments):
    global first
    if event == "open" and first is None and str(arguments[0]).endswith("catalog.csv"):
        first = loaded()

def loaded():
    return sorted(HEAVY.intersection(sys.modules))

commands, HEAVY = map(json.loads, sys.argv[1:])
HEAVY = set(HEAVY)
sys.addaudithook(note_first_table)
from mvcc.cli import cli

found = []
for arguments in commands:
    try:
        cli.main(arguments, prog_name="mvcc")
    except SystemExit as stop:
        found.append([stop.code, loaded()])
print("\\n" + json.dumps([found, first]))
"""


def modules_after(commands, folder):
    """Run commands in one process.

    Return exit code and heavy modules after each, and those at the first table.
    """
    arguments = [
        [part.replace("{folder}", str(folder)) for part in command] for command, _ in commands
    ]
    texts = (json.dumps(arguments), json.dumps(sorted(HEAVY)))
    done = subprocess.run(
        [sys.executable, "-c", CODE, *texts], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def refuse_other_modules(commands, found):
    allowed = set()
    for (arguments, more), (code, there) in zip(commands, found, strict=True):
        allowed |= more
        assert set(there) <= allowed, (
            f"mvcc {' '.join(arguments)} imports {', '.join(set(there) - allowed)}"
        )
        assert code == 0 or (arguments[0], code) == (
            "claims",
            3,
        ), f"mvcc {' '.join(arguments)} ends with {code}"


def test_a_command_imports_what_it_works_with_alone(tmp_path):
    copytree(ROOT / "results" / "shapes_rings", tmp_path / "results")  # small
    copytree(ROOT / "results" / "protein", tmp_path / "drawn")
    for commands in (ALONE, CLUSTERING, EXPERIMENTS):
        refuse_other_modules(commands, modules_after(commands, tmp_path)[0])


def test_the_first_table_is_read_before_what_clusters_is_imported(tmp_path):
    write_example(tmp_path / "job")
    _, first = modules_after(
        [(["cluster", "{folder}/job/cluster.yaml", "--dry-run"], set())], tmp_path
    )
    assert set(first) <= {"pydantic", "yaml", *PANDAS}
    assert "pandas" in first
