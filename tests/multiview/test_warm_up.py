"""After the warm-up nothing is left to compile: for no trial, and for no clustering of tables."""

import json
import subprocess
import sys

import pytest

# in a process of its own, where other tests have called no kernel
PRELUDE = """
import json, sys, warnings
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import numpy as np

from mvcc import Constraints, MPCKMeans, PCKMeans
from mvcc._utils import kernels
from mvcc.cluster import _kernels
from mvcc.multiview._warm_up import compile_all_kernels
from mvcc.tables import cluster_job, load_job, write_example
from mvcc.experiments import Config
from mvcc.experiments._trial import run_trial, warm_up

warnings.simplefilter("ignore")

def called():
    found = set()
    modules = ["mvcc.constraints._kernels", "mvcc.propagation._kernels", "mvcc._utils.kernels"]
    modules += [file.name for file in iter_modules(_kernels.__path__, "mvcc.cluster._kernels.")]
    for module in map(import_module, modules):
        for name, kernel in vars(module).items():
            if getattr(kernel, "__module__", "") == module.__name__:
                entry = getattr(kernel, "entry", None)
                found |= {f"{name}{types}" for types in getattr(entry, "signatures", ())}
    return found
"""
TRIALS = """
multi_view = {"threshold": [0.75, "cv"], "mapped": (0.5,), "closure": ("full", "none")}
multi_view["constraints"] = (10,)
single_view = {"thresholds": {"A": 0.75}, "constraints": (10,)}
settings = {"name": "small", "dataset": "four_quadrants", "multi_view": multi_view}
config = Config.model_validate(settings | {"single_view": single_view})
warm_up(config)
before = called()
run_trial(config, 0)
"""
TABLES = """
compile_all_kernels()
before = called()
write_example(Path())
weighted = Path("pairs.csv").read_text().splitlines()
Path("alike.csv").write_text("\\n".join(line.rpartition(",")[0] for line in weighted))
jobs = [
    {},
    {"method": "co-em", "base": "pck-means", "threshold": "cv"},
    {"method": "co-em", "transfer": "direct-mapping", "closure": "view"},
    {"method": "co-em", "transfer": "cluster-membership", "closure": "none"},
    {"method": "co-em", "transfer": "single-view", "features": "none"},
]
for number, settings in enumerate(jobs):
    for pairs in ("pairs.csv", "alike.csv"):
        options = {"stability_runs": 1} | settings
        given = [((key,), value, "") for key, value in options.items()]
        given.append((("constraints", "catalog"), pairs, ""))
        job = load_job(Path("cluster.yaml"), given)
        cluster_job(job, Path(f"{number} {pairs}"))
"""
MANY = """
compile_all_kernels()
before = called()
X = np.arange(kernels._WORTH_SHARING)[:, None] % 7.0
chain = np.column_stack((np.arange(1500), np.arange(1500) + 1))
held = Constraints(chain, np.ones(1500, np.bool_)).closure()
for base in (PCKMeans(2, random_state=0), MPCKMeans(2, random_state=0)):
    base.fit(X).predict(X[:5])
    base.fit(X[:2000], constraints=held)
"""
END = """
for types in (before, called() - before):
    print(json.dumps(sorted(types)))
"""


@pytest.mark.reliability
@pytest.mark.compiled
@pytest.mark.parametrize(
    "code", [TRIALS, TABLES, MANY], ids=["trials", "tables", "many rows and pairs"]
)
def test_kernels_are_called_with_no_types_that_the_warm_up_has_not_called_them_with(code, tmp_path):
    command = [sys.executable, "-c", PRELUDE + code + END]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    before, new = map(json.loads, done.stdout.splitlines())
    assert before
    assert new == []
