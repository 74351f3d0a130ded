"""The registry has the module, sizes and sources of every data set, and helps with its name."""

import dataclasses
import re
from hashlib import sha256
from inspect import Parameter, signature
from pathlib import Path
from pkgutil import resolve_name

import pytest

from mvcc.datasets import dataset_info, registry, registry_version
from mvcc.exceptions import DataError, InvalidInputError, UnknownDatasetError


@pytest.mark.parametrize("name", registry())
def test_every_data_set_has_a_module_that_takes_its_files(name):
    parameters = signature(resolve_name(registry()[name].loader)).parameters.values()
    positional = [p.name for p in parameters if p.kind is Parameter.POSITIONAL_OR_KEYWORD]
    assert len(positional) == 1 + len(registry()[name].files)


def test_every_file_has_a_name_a_secure_address_a_checksum_a_size_and_terms():
    files = [file for info in registry().values() for file in info.files]
    assert {"protein.arff", "letter-0.1-IJL.arff"} <= {file.name for file in files}
    assert len({file.sha256 for file in files}) == len(files)
    for file in files:
        assert not Path(file.name).is_absolute()
        assert ".." not in Path(file.name).parts
        assert file.url.startswith("https://")
        assert re.fullmatch("[0-9a-f]{64}", file.sha256)
        assert 0 < file.size < 2**25
        assert file.licence
        assert file.citation


def test_the_registry_cannot_be_changed():
    with pytest.raises(TypeError):
        registry()["mine"] = registry()["protein"]


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("proteins", "protein"),
        ("Letters/Digits", "letters_digits"),
        ("Four Quadrants", "four_quadrants"),
        ("rectalk", "rec_talk"),
        ("Half-Moons", "half_moons"),
        ("ring", "rings"),
    ],
)
def test_an_unknown_name_gets_the_nearest_match_and_all_names(name, nearest):
    with pytest.raises(UnknownDatasetError, match=f"Did you mean '{nearest}'") as caught:
        dataset_info(name)
    assert all(known in str(caught.value) for known in registry())
    assert isinstance(caught.value, DataError)
    assert isinstance(caught.value, InvalidInputError)


@pytest.mark.parametrize("name", ["", "xyzzy", None, 3, []])
def test_a_name_unlike_any_gets_no_guess(name):
    with pytest.raises(UnknownDatasetError, match="Known data sets: four_quadrants") as caught:
        dataset_info(name)
    assert "Did you mean" not in str(caught.value)


# what each version of the registry holds; a new version is a new line here and in data/README.md
CONTENT = {1: "7c806e061b90ba24", 2: "270e590709cd6f47", 3: "cea5a00d720ca3d2"}


def test_what_the_registry_holds_changes_only_with_its_version():
    entries = [dataclasses.asdict(info) for info in registry().values()]
    for entry in entries:
        del entry["loader"], entry["package"]
    assert sha256(repr(entries).encode()).hexdigest()[:16] == CONTENT[registry_version()]
    listed = (Path(__file__).parents[2] / "data" / "README.md").read_text("utf-8")
    assert all(f"\n| {version} | mvcc " in listed for version in CONTENT)
