"""No kernel is used that was compiled from other sources; numba sees only its own file."""

import ast
import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from numba import config

import mvcc
from mvcc._utils import kernels
from mvcc.propagation._kernels import cluster_moments

pytestmark = pytest.mark.slow

PLACES = {"beside the sources": "mvcc", "NUMBA_CACHE_DIR": "chosen", "the user's folder": "user"}
if hasattr(config, "CACHE_LOCATOR_CLASSES"):
    PLACES["NUMBA_CACHE_LOCATOR_CLASSES"] = "mvcc"

INNER = "from mvcc._utils.kernels import kernel\n\n@kernel\ndef inner(x):\n    return x + {}\n"
OUTER = (
    "from mvcc._utils.kernels import kernel\nfrom mvcc.constraints._kernels import inner\n\n"
    "@kernel\ndef outer(x):\n    return inner(x)\n"
)
CALL = (
    "from mvcc.cluster._kernels.outer import outer\nprint('ready',"
    " flush=True)\ninput()\nprint(outer(0.0))"
)


class Package:
    """Two kernels in two rooms, of which one calls the other, as mvcc's own are laid out."""

    def __init__(self, folder: Path, place: str) -> None:
        self.folder = folder
        self.inner, outer = (
            folder / "mvcc/constraints/_kernels.py",
            folder / "mvcc/cluster/_kernels",
        )
        self.environment = {
            name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"
        }
        self.environment |= {"XDG_CACHE_HOME": str(folder / "user"), "HOME": str(folder / "user")}
        utils = folder / "mvcc/_utils"
        for room in (utils, self.inner.parent, outer.parent, outer):
            room.mkdir(parents=True)
            (room / "__init__.py").touch()
            if place == "the user's folder":
                (room / "__pycache__").touch()  # no folder can be made here
        (utils.parent / "__init__.py").touch()
        shutil.copy(kernels.__file__, utils)
        if place == "NUMBA_CACHE_DIR":
            self.environment["NUMBA_CACHE_DIR"] = str(folder / "chosen")
        if place == "NUMBA_CACHE_LOCATOR_CLASSES":
            self.environment["NUMBA_CACHE_LOCATOR_CLASSES"] = "InTreeCacheLocator"
        (outer / "outer.py").write_text(OUTER)

    def add(self, number: int) -> None:
        """Let the inner kernel add a number; its file is as old as ever."""
        self.inner.write_text(INNER.format(number))
        os.utime(self.inner, (1000, 1000))

    def start(self) -> subprocess.Popen[str]:
        """Start a process that has read the sources, and calls the outer kernel with 0 once it is
        told to.
        """
        process = subprocess.Popen(
            [sys.executable, "-c", CALL],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout.readline() == "ready\n"
        return process

    def call(self) -> float:
        return answer(self.start())

    def kept(self) -> set[Path]:
        return set(self.folder.rglob("*.nbi"))


def answer(process: subprocess.Popen[str]) -> float:
    out, _ = process.communicate("\n")
    assert process.returncode == 0
    return float(out)


@pytest.mark.compiled
@pytest.mark.parametrize("place", PLACES)
def test_a_change_of_a_kernel_reaches_those_that_call_it(tmp_path, place):
    package = Package(tmp_path, place)
    other = tmp_path / "chosen/_kernels_of_another_package/kernel-1.py311.nbi"
    other.parent.mkdir(parents=True)
    other.touch()
    package.add(1)
    assert package.call() == 1
    first = package.kept() - {other}
    # the inner one is a part of it
    assert [path.name.split("-")[0] for path in first] == ["outer.outer"]
    assert {path.relative_to(tmp_path).parts[0] for path in first} == {PLACES[place]}
    package.add(20)
    assert package.call() == 20
    second = package.kept()
    assert not first & second
    assert other in second, "folders of other packages are left alone"


@pytest.mark.compiled
def test_what_a_process_compiles_that_began_before_a_change_is_not_used_after_it(tmp_path):
    package = Package(tmp_path, "NUMBA_CACHE_DIR")
    package.add(1)
    before = package.start()
    package.add(20)
    assert answer(before) == 1
    assert package.kept()
    assert package.call() == 20
    kept = package.kept()
    assert package.call() == 20
    assert package.kept() == kept, "what is compiled is used again"


@pytest.fixture
def unused(monkeypatch):
    monkeypatch.setattr(kernels, "_folders", set())


def test_what_other_sources_were_compiled_to_is_removed_once_if_it_can_be(unused, tmp_path):
    ours = [f"kernel-1-{kernels._DIGEST}.py311.{ending}" for ending in ("nbi", "1.nbc")]
    names = [*ours, "kernel-1.py311.nbi", "kernel-1-0123456789abcdef.py311.1.nbc", "kernel.pyc"]
    for name in names:
        (tmp_path / name).touch()
    (tmp_path / "kernel-2.py311.nbi").mkdir()  # as good as a file that belongs to somebody else
    kernels._use(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {*ours, "kernel.pyc", "kernel-2.py311.nbi"}
    assert kernels.compiled() == {tmp_path: 1}
    (tmp_path / names[2]).touch()
    kernels._use(tmp_path)
    assert (tmp_path / names[2]).exists()


@pytest.mark.compiled
def test_a_kernel_is_called_from_python_and_from_kernels_and_keeps_its_name():
    @kernels.kernel
    def twice(x):
        """Double a number."""
        return 2 * x

    @kernels.kernel
    def four_times(x):
        return twice(twice(x))

    assert (twice(3), four_times(3)) == (6, 12)
    assert (twice.__name__, twice.__doc__) == ("twice", "Double a number.")
    assert kernels._DIGEST in twice.entry.py_func.__qualname__
    assert kernels._DIGEST not in twice.__qualname__


def test_without_the_compiler_a_kernel_is_its_function():
    code = "def f(): pass\nfrom mvcc._utils.kernels import kernel\nprint(kernel(f) is f)"
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    assert subprocess.check_output([sys.executable, "-c", code], env=environment) == b"True\n"


def test_kernels_depend_on_nothing_that_the_digest_leaves_out():
    outside = set()
    package = Path(mvcc.__file__).parent
    for path in (*package.glob("*/*kernels.py"), *package.glob("*/_kernels/*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mvcc"):
                home = import_module(node.module)
                outside |= {
                    getattr(getattr(home, name.name), "__module__", node.module)
                    for name in node.names
                }
    assert outside
    assert all(re.search(r"\b_?kernels\b", module) for module in outside)


@pytest.mark.compiled
def test_inputs_that_nobody_may_write_to_are_not_compiled_anew():
    X, labels = np.eye(4), np.zeros(4, np.int64)
    cluster_moments(X, labels, 1)
    before = list(cluster_moments.entry.signatures)
    X.flags.writeable = False
    cluster_moments(X, labels, 1)
    assert cluster_moments.entry.signatures == before
    assert not before[0][0].mutable
