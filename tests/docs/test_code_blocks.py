"""Every code block of the documentation works, the slow ones by slow tests."""

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from shutil import which

import pytest

import mvcc
from scripts.check_packages import build, environment
from tests.docs.blocks import HERE, ROOT, blocks_of, pages
from tests.docs.reader import Reader, variables
from tests.experiments.test_dask_scheduler import free_port

pytestmark = pytest.mark.slow

# these show what is done in a checkout; all others begin with an empty folder
IN_A_CHECKOUT = set(
    """
    README.md CONTRIBUTING.md docs/compared.md docs/how-to/data-set.md
    docs/how-to/transfer-method.md docs/reproduction.md
    """.split()
)
MARKS = {"docs/reproduction.md": [pytest.mark.data, pytest.mark.exact_bits, pytest.mark.reference]}
# a command that works with two trials works with ten
FEWER = {"--trials 10": "--trials 2", "range(10)": "range(2)", "--nworkers -1": "--nworkers 1"}
SLOW_PAGES = {
    # what installs nothing is run where the tests are, what installs mvcc begins without it
    "CONTRIBUTING.md": "here",
    "docs/compared.md": "here",
    "docs/how-to/cluster.md": "installed",
    "docs/how-to/large-data.md": "installed",
    "docs/how-to/transfer-method.md": "installed",
    "docs/reproduction.md": "here",
    "docs/tutorial.md": "empty",
}
PROGRAMS = {"docs/compared.md": "python3.8", "docs/how-to/cluster.md": "java"}


def lay_out_a_checkout(folder):
    """Copy what commands read; results without single trials, since a command may write there."""
    for name in "Makefile examples pyproject.toml scripts tests .pre-commit-config.yaml".split():
        (folder / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "configs", folder / "configs")
    single = shutil.ignore_patterns("trials", "set-aside", ".mvcc-lock")
    shutil.copytree(ROOT / "results", folder / "results", ignore=single)
    # a data set is added to it; links would change the digest of the kernels, and all would be
    # compiled anew
    half_written = shutil.ignore_patterns("*.pyc.*", "*.tmp.*")  # by another process
    shutil.copytree(ROOT / "mvcc", folder / "mvcc", ignore=half_written)
    programs = folder / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "activate").touch()  # the programs are in the path already
    for name in ("pre-commit", "pytest"):
        (programs / name).symlink_to(HERE / name)
    subprocess.run(["git", "init", "--quiet", folder], check=True)


@pytest.fixture
def ports():
    return {"8786": str(free_port())}


@pytest.mark.compiled
@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=MARKS.get(page, ())) for page in pages()]
)
def test_the_code_blocks_of_a_page_work(page, tmp_path, ports):
    more = {}
    if page in IN_A_CHECKOUT:
        lay_out_a_checkout(tmp_path)
        more["PYTHONPATH"] = str(tmp_path)
    blocks = blocks_of(page)
    with Reader(tmp_path, variables(HERE, **more), instead=ports | FEWER) as reader:
        reader.follow(blocks)
    places = [block.place for block in blocks if block.is_code]
    assert sorted(reader.done + reader.left) == sorted(places)


def runs(program):
    """Tell whether a program is there; a name may be, and stand for nothing."""
    path = which(program)
    return path and subprocess.run([path, "--version"], capture_output=True).returncode == 0


@pytest.fixture(scope="session")
def packages(tmp_path_factory):
    return build(tmp_path_factory.mktemp("packages"))


def a_newcomer(folder, sdist):
    """Return the environment of somebody who has Python and the source in ``mvcc``."""
    (folder / "bin").mkdir()
    (folder / "bin" / "python3").symlink_to(Path(sys.executable).resolve())
    (folder / "constraint.txt").write_text(f"mvcc=={mvcc.__version__}\n")
    shutil.rmtree(folder / "mvcc", ignore_errors=True)
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (folder / sdist.name.removesuffix(".tar.gz")).rename(folder / "mvcc")
    return variables(
        folder / "mvcc-env" / "bin", folder / "bin", PIP_CONSTRAINT=str(folder / "constraint.txt")
    )


@pytest.mark.reliability
@pytest.mark.compiled
@pytest.mark.parametrize(
    ("page", "begins"),
    [pytest.param(*item, marks=MARKS.get(item[0], ())) for item in SLOW_PAGES.items()],
)
def test_code_blocks_work_after_what_their_page_installs(page, begins, tmp_path, ports, request):
    if page in PROGRAMS and not runs(PROGRAMS[page]):
        pytest.skip(f"needs {PROGRAMS[page]}")
    if page in IN_A_CHECKOUT:
        lay_out_a_checkout(tmp_path)
    if begins == "here":
        env = variables(HERE, TMPDIR=str(tmp_path))
    else:
        wheel, sdist = request.getfixturevalue("packages")
        env = a_newcomer(tmp_path, sdist)
        if begins == "installed":
            environment(sys.executable, tmp_path / "mvcc-env", str(wheel))
    blocks = blocks_of(page)
    with Reader(tmp_path, env, instead=ports, slow=True) as reader:
        reader.follow(blocks)
    assert reader.done == [block.place for block in blocks if block.is_code and block.mark != "ci"]


def test_slow_blocks_are_run_by_a_slow_test_and_those_of_ci_by_ci():
    blocks = [block for page in pages() for block in blocks_of(page)]
    assert {block.page for block in blocks if block.mark == "slow"} == set(SLOW_PAGES)
    ci = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    of_ci = [block for block in blocks if block.mark == "ci"]
    for command in (command for block in of_ci for command in block.commands):
        words = command.partition("#")[0].strip()
        # `make test test-all` has both
        assert any(set(words.split()) <= set(line.partition(" 2>")[0].split()) for line in ci), (
            f"{words} is not in .ci/run"
        )
