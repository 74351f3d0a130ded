"""No kernel is used that was compiled from other sources, wherever numba keeps it: numba sees only its own file."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from mvcc import _kernels
from mvcc.cluster import _kernels as cluster_kernels

pytestmark = pytest.mark.slow

PLACES = {"beside the sources": "mvcc", "NUMBA_CACHE_DIR": "chosen", "the user's folder": "user"}
FOLDERS = [Path(package.__file__).parent for package in (_kernels, cluster_kernels)]

INNER = "from numba import njit\n\n@njit(cache=True)\ndef inner(x):\n    return x + {}\n"
OUTER = (
    "from numba import njit\nfrom mvcc._kernels.inner import inner\n\n"
    "@njit(cache=True)\ndef outer(x):\n    return inner(x)\n"
)
CALL = "from mvcc.cluster._kernels.outer import outer\nprint('ready', flush=True)\ninput()\nprint(outer(0.0))"


class Package:
    """A package of two kernels in two rooms, of which one calls the other, as mvcc's own are laid out."""

    def __init__(self, folder: Path, place: str) -> None:
        self.folder = folder
        self.rooms = [folder / "mvcc/_kernels", folder / "mvcc/cluster/_kernels"]
        self.environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
        self.environment |= {"XDG_CACHE_HOME": str(folder / "user"), "HOME": str(folder / "user")}
        for room, origin in zip(self.rooms, FOLDERS, strict=True):
            room.mkdir(parents=True)
            (room.parent / "__init__.py").touch()
            shutil.copy(origin / "__init__.py", room)
            if place == "the user's folder":
                (room / "__pycache__").touch()  # no folder can be made here
        if place == "NUMBA_CACHE_DIR":
            self.environment["NUMBA_CACHE_DIR"] = str(folder / "chosen")
        (self.rooms[1] / "outer.py").write_text(OUTER)

    def add(self, number: int) -> None:
        """Let the inner kernel add a number; its file is as old as ever."""
        path = self.rooms[0] / "inner.py"
        path.write_text(INNER.format(number))
        os.utime(path, (1000, 1000))

    def start(self) -> subprocess.Popen[str]:
        """Start a process that has read the sources, and calls the outer kernel with 0 once it is told to."""
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
    package.add(1)
    assert package.call() == 1
    first = package.kept()
    assert sorted(path.name.split("-")[0] for path in first) == ["inner.inner", "outer.outer"]
    assert {path.relative_to(tmp_path).parts[0] for path in first} == {PLACES[place]}
    package.add(20)
    assert package.call() == 20
    second = package.kept()
    assert not first & second
    assert package.call() == 20
    assert package.kept() == second


@pytest.mark.compiled
def test_what_a_process_compiles_that_began_before_a_change_is_not_used_after_it(tmp_path):
    package = Package(tmp_path, "NUMBA_CACHE_DIR")
    package.add(1)
    before = package.start()
    package.add(20)
    assert answer(before) == 1
    assert package.kept()
    assert package.call() == 20


@pytest.mark.compiled
def test_folders_of_other_packages_are_left_alone(tmp_path):
    package = Package(tmp_path, "NUMBA_CACHE_DIR")
    other = tmp_path / "chosen/_kernels_of_another_package/kernel-1.py311.nbi"
    other.parent.mkdir(parents=True)
    other.touch()
    package.add(1)
    package.call()
    assert other in package.kept()


@pytest.fixture
def unused(monkeypatch):
    """Let no folder of kernels be in use."""
    monkeypatch.setattr(_kernels, "_folders", set())


def test_what_other_sources_were_compiled_to_is_removed_once_and_what_cannot_be_removed_stays(unused, tmp_path):
    ours = [f"kernel-1-{_kernels._DIGEST}.py311.{ending}" for ending in ("nbi", "1.nbc")]
    names = [*ours, "kernel-1.py311.nbi", "kernel-1-0123456789abcdef.py311.1.nbc", "kernel.pyc"]
    for name in names:
        (tmp_path / name).touch()
    (tmp_path / "kernel-2.py311.nbi").mkdir()  # as good as a file that belongs to somebody else
    _kernels._use(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {*ours, "kernel.pyc", "kernel-2.py311.nbi"}
    assert _kernels.compiled() == {tmp_path: 1}
    (tmp_path / names[2]).touch()
    _kernels._use(tmp_path)
    assert (tmp_path / names[2]).exists()


class Locator:
    """What numba's locators do, in one place; none for sources that are called so."""

    @classmethod
    def from_function(cls, py_func, py_file):
        return None if py_file == "nowhere" else cls()

    def get_cache_path(self):
        return "place"

    def get_disambiguator(self):
        return "7"


def test_kernels_of_mvcc_alone_get_other_names(unused):
    def kernel():
        pass

    locator = _kernels._with_digest(Locator)
    assert locator.from_function(kernel, "kernel.py") is None
    kernel.__module__ = "mvcc.cluster._kernels.pck"
    assert locator.from_function(kernel, "nowhere") is None
    assert _kernels.compiled() == {}
    assert locator.from_function(kernel, "pck.py").get_disambiguator() == f"7-{_kernels._DIGEST}"
    assert _kernels.compiled() == {Path("place"): 0}


def imported(code, **environment):
    """Import the kernels' package in a process of its own and return what it says."""
    command = [sys.executable, "-c", f"{code}; import mvcc._kernels"]
    return subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=True).stderr


@pytest.mark.skipif(not hasattr(numba.config, "CACHE_LOCATOR_CLASSES"), reason="needs a newer numba")
def test_where_numba_asks_other_locators_there_is_a_warning():
    assert "NUMBA_CACHE_LOCATOR_CLASSES is set" in imported("pass", NUMBA_CACHE_LOCATOR_CLASSES="InTreeCacheLocator")


def test_where_numba_keeps_kernels_in_another_way_there_is_a_warning_and_no_error():
    other = "import numba.core.caching; del numba.core.caching.CacheImpl._locator_classes"
    assert "this version of numba keeps them in another way" in imported(other)
    assert not imported("pass")


def test_kernels_depend_on_nothing_that_the_digest_leaves_out():
    outside = set()
    for path in (path for folder in FOLDERS for path in folder.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mvcc"):
                outside.add(node.module)
    assert outside
    assert all(module.startswith(("mvcc._kernels", "mvcc.cluster._kernels")) for module in outside)
