"""A data set of another package is one function and one entry point."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from mvcc import Dataset, load_dataset
from mvcc.datasets import file_checksums, registry
from mvcc.datasets._dataset import _checked
from mvcc.exceptions import ConfigError, DataError, InvalidInputError
from mvcc.experiments import load_config, plan_run, run_experiment
from tests.command_line import mvcc
from tests.packages import install

MODULE = """
import numpy as np
from mvcc import Dataset, JointGraphClustering
from mvcc.exceptions import InvalidInputError

def load(rng, *, n=40):
    y = np.arange(n) % 2
    views = [y[:, None] + rng.normal(0, 0.1, (n, 2)) for _ in range(2)]
    return Dataset(views, [y, y], {(0, 1): np.column_stack([np.arange(n)] * 2)}, ("one", "two"))

def nothing(rng):
    return None

def broken(rng):
    return {}["rows"]

def calling(rng, *, n=40, k=2):
    if k < 2:
        raise InvalidInputError(f"k must be 2 or more, got {k}.")
    JointGraphClustering(k).fit([[1, 2]])

def flawed(rng):
    data = load(rng)
    data.labels[1] = data.labels[1][5:]
    return data
"""
CONFIG = """
name: zoo
dataset: apes
dataset_options: {n: 60}
trials: 1
multi_view:
  {bases: [pck-means], transfers: [direct-mapping], threshold: 0.5,
   mapped: [0.5], constraints: [10]}
"""


@pytest.fixture
def offer(tmp_path, monkeypatch):
    """Install packages that offer data sets, for the time of a test."""

    def offer(package, version="1.0", **offers):
        folder = tmp_path / f"{package}-{version}"
        install(folder, package, offers, MODULE, version, "mvcc.datasets")
        monkeypatch.syspath_prepend(folder)

    yield offer
    for name in ("zoo_module", "ape_module"):
        sys.modules.pop(name, None)


def test_it_is_listed_loaded_and_run_and_its_version_is_noted(offer, tmp_path):
    offer("zoo", apes=":load")
    assert list(registry())[-1] == "apes"
    assert registry()["apes"].options() == {"n": "40"}
    assert len(load_dataset("apes", random_state=0, n=50).views[1]) == 50
    assert file_checksums("apes") == {"zoo": "1.0"}
    (tmp_path / "zoo.yaml").write_text(CONFIG)
    config = load_config(tmp_path / "zoo.yaml")
    assert run_experiment(config, tmp_path / "out", n_jobs=1).computed == 1
    offer("zoo", "2.0", apes=":load")
    with pytest.raises(Exception, match=r"data: zoo: 1\.0 in the folder, 2\.0 now"):
        plan_run(config, tmp_path / "out")


def test_names_that_are_taken_or_offered_twice_are_left_out(offer, tmp_path):
    before = list(registry())
    offer("zoo", wine=":load", apes=":load")
    offer("ape", apes=":load")
    assert list(registry()) == before
    (tmp_path / "zoo.yaml").write_text(CONFIG)
    with pytest.raises(ConfigError, match=r"dataset: must be one of .*, got 'apes'"):
        load_config(tmp_path / "zoo.yaml")


CLASSES = np.arange(40) % 2
DATA = Dataset([np.eye(2)[CLASSES]] * 2, [CLASSES] * 2, {(0, 1): [[0, 0]]}, ("one", "two"))
NOTHING = {"views": [], "labels": [], "relations": {}, "names": ()}


@pytest.mark.parametrize(
    ("flaw", "message"),
    [
        ({"labels": [CLASSES, CLASSES[5:]]}, "the labels of view two must be 40 integers of 0 or"),
        ({"labels": [CLASSES.astype(str), CLASSES]}, "the labels of view one must be 40 integers"),
        ({"views": [[[0, np.nan]] * 40] * 2}, "view one: .* The first one is in row 0, column 1"),
        ({"relations": {(0, 1): [[0, 40]]}}, r"names row 40 of view .two., which has rows 0 … 39"),
        ({"names": ("one",)}, "1 names, 2 views and 2 lists of labels"),
        ({"names": ("a", "a")}, r"the names of the views are .*'a', 'a'"),
        (NOTHING, r"the names of the views are \(\); each view needs a name"),
        ({"labels": [CLASSES + 1] * 2}, "the labels are 1, 2; they must be 0 to 1 for 2 classes"),
        ({"labels": [5 * CLASSES] * 2}, "the labels are 0, 5; they must be 0 to 1 for 2 classes"),
    ],
)
def test_flawed_data_are_refused(flaw, message):
    assert _checked(DATA).names == DATA.names
    with pytest.raises(InvalidInputError, match=message):
        _checked(replace(DATA, **flaw))


def test_a_loader_that_fails_or_returns_flawed_data_does_not_stop_the_check_of_others(offer):
    offer("zoo", broken=":broken", flawed=":flawed", apes=":load")
    done = mvcc("data", "check", "broken", "flawed", "apes")
    assert done.returncode == 1
    broken, flawed, apes = done.stdout.splitlines()[1:]
    assert [line.split()[1] for line in (broken, flawed, apes)] == ["bad", "bad", "ok"]
    assert "zoo_module:broken fails: KeyError('rows')" in broken
    assert "that zoo_module:flawed returns cannot be used: the labels of view two" in flawed


def test_an_error_of_what_a_loader_calls_names_the_loader(offer):
    offer("zoo", apes=":calling")
    for options, message in (({}, "views"), ({"k": 1}, "k must be 2 or more, got 1")):
        with pytest.raises(InvalidInputError, match=f"by zoo_module:calling: {message}"):
            load_dataset("apes", **options)


@pytest.mark.parametrize(
    ("module", "value", "problem"),
    [
        ("def load(:", ":load", "SyntaxError"),
        ("# coding: latin-1\n'ä'".encode("latin-1"), ":load", None),
        (b"'\xe4'", ":load", "SyntaxError"),
        ("raise RuntimeError('no')", ".sub:load", "RuntimeError"),
        (MODULE, "", None),
    ],
    ids=["syntax", "latin", "no UTF-8", "failing package", "no function"],
)
def test_a_damaged_package_is_listed_with_what_is_wrong(offer, tmp_path, module, value, problem):
    offer("zoo", apes=value)
    path = tmp_path / "zoo-1.0" / "zoo_module.py"
    if ".sub" in value:
        (tmp_path / "zoo-1.0" / "zoo_module").mkdir()
        path = path.rename(tmp_path / "zoo-1.0" / "zoo_module" / "__init__.py")
    path.write_bytes(module if isinstance(module, bytes) else module.encode())
    done = mvcc("data", "list")
    assert done.returncode == 0
    assert ("bad" if problem else "generated") == done.stdout.splitlines()[-1].split()[-1]
    loader = f"zoo_module{value}"
    if problem:
        said = (
            f"Warning: The options of the data set 'apes' cannot be read from {loader}: {problem}"
        )
        assert said in done.stderr
    with pytest.raises(DataError, match=f"'apes' cannot be imported from {loader}"):
        load_dataset("apes")


@pytest.mark.parametrize("module", ["sys", "numpy._core._multiarray_umath"])
def test_the_options_of_a_loader_without_source_are_not_known(module):
    assert replace(registry()["wine"], loader=f"{module}:load").options() == {}


def test_what_cannot_be_loaded_says_so(offer, tmp_path):
    offer("zoo", gone=":gone", none=":nothing", apes=":load", lost="_that_is_not_there:load")
    for name, message in (
        ("gone", "cannot be imported from zoo_module:gone"),
        ("none", r"it is None, not a mvcc\.Dataset"),
    ):
        with pytest.raises(DataError, match=message):
            load_dataset(name, random_state=np.random.default_rng(0))
    assert registry()["lost"].options() == {}
    with pytest.raises(InvalidInputError, match="its options are: n"):
        load_dataset("apes", m=3)
    alone = "single_view: {thresholds: {three: 0.5}, constraints: [10]}\n"
    (tmp_path / "zoo.yaml").write_text(CONFIG + alone)
    with pytest.raises(InvalidInputError, match="apes has no view three; it has one, two"):
        run_experiment(load_config(tmp_path / "zoo.yaml"), tmp_path / "out", n_jobs=1)
