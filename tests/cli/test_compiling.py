"""Commands say that they wait for the compiler when something is compiled, and only then."""

from itertools import count
from pathlib import Path

import pytest
from numba import njit

import mvcc.experiments
import mvcc.tables
from mvcc.cli._shared import told_of_compiling
from mvcc.experiments import RunReport
from tests.command_line import invoke
from tests.tables.problems import write_csv

pytestmark = pytest.mark.compiled

LINE = "compiling kernels (once)"
_numbers = count()


def compile_something(module="mvcc.kernels"):
    """Compile a kernel within a kernel, neither of which numba can load."""
    number = next(_numbers)

    def inner(x):
        return x + number

    inner.__module__ = module
    inner = njit(inner)

    def outer(x):
        return inner(x)

    outer.__module__ = module
    assert njit(outer)(0) == number


def test_on_a_terminal_it_is_a_step_until_everything_is_compiled(capsys):
    said = []
    with told_of_compiling(said.append):
        compile_something()
        assert said == [LINE, ""]
        compile_something("another.package")
        assert said == [LINE, ""]
        compile_something()
    assert said == 2 * [LINE, ""]
    compile_something()
    assert said == 2 * [LINE, ""]
    assert capsys.readouterr() == ("", "")


def test_in_a_log_it_is_one_line(capsys):
    with told_of_compiling(None):
        assert capsys.readouterr() == ("", "")
        compile_something()
        compile_something()
    assert capsys.readouterr() == ("", f"{LINE}\n")


def cluster(folder, *options):
    write_csv(folder / "a.csv", [["x"], *([n % 5 + n / 100] for n in range(20))])
    quick = "-k 2 --stability-runs 0 --no-comparison"
    return invoke(f"cluster {quick} --out", folder / "out", folder / "a.csv", *options)


def run(folder, *options):
    (folder / "small.yaml").write_text(
        "{name: small, dataset: four_quadrants, multi_view: {threshold: 0.5, mapped: [0.5],"
        " constraints: [10]}}"
    )
    return invoke("run --out", folder / "out", folder / "small.yaml", *options)


@pytest.fixture
def compiling(monkeypatch):
    """Let both commands compile something, as they do where nothing is compiled yet."""
    cluster_job = mvcc.tables.cluster_job

    def cluster_something(*arguments, **options):
        compile_something()
        return cluster_job(*arguments, **options)

    def run_nothing(config, folder, **options):
        compile_something()
        return RunReport(Path(folder), 0, 0, {}, 0.0)

    monkeypatch.setattr(mvcc.tables, "cluster_job", cluster_something)
    monkeypatch.setattr(mvcc.experiments, "run_experiment", run_nothing)


@pytest.mark.parametrize("command", [cluster, run])
def test_a_command_that_compiles_says_so_on_stderr_unless_quiet(compiling, command, tmp_path):
    done = command(tmp_path)
    assert done.stderr.splitlines().count(LINE) == 1
    assert LINE not in done.stdout
    assert command(tmp_path, "--quiet", "--fresh").output == ""


def test_a_command_that_compiles_nothing_does_not_say_so(tmp_path):
    cluster(tmp_path)
    assert LINE not in cluster(tmp_path, "--fresh").stderr
