"""The registry names every data set with its module, sizes and verified sources, and helps with
misspelt names.
"""

from __future__ import annotations

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


def test_every_file_has_a_secure_address_a_checksum_a_size_and_terms():
    files = [file for info in registry().values() for file in info.files]
    assert {file.name for file in files} >= {
        "protein.arff",
        "letter-0.1-IJL.arff",
        "digits-0.1-389.arff",
    }
    assert len({file.sha256 for file in files}) == len(files)
    for file in files:
        assert file.url.startswith("https://")
        assert re.fullmatch("[0-9a-f]{64}", file.sha256)
        assert file.size > 0
        assert file.licence
        assert file.citation


def test_sizes_are_those_of_table_1():
    sizes = {
        name: [(v.instances, v.features) for v in info.views] for name, info in registry().items()
    }
    assert sizes["four_quadrants"] == [(200, 2), (200, 2)]
    assert sizes["protein"] == [(67, 20), (49, 20)]
    assert sizes["letters_digits"] == [(227, 16), (317, 16)]
    assert sizes["rec_talk"] == [(100, 50), (94, 50)]
    clusters = {name: info.clusters for name, info in registry().items()}
    assert [
        clusters[name] for name in ("four_quadrants", "protein", "letters_digits", "rec_talk")
    ] == [2, 3, 3, 2]


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
    entries = repr(
        [
            {key: entry[key] for key in entry if key not in ("loader", "package")}
            for entry in entries
        ]
    )
    assert sha256(entries.encode()).hexdigest()[:16] == CONTENT[registry_version()]
    listed = (Path(__file__).parents[2] / "data" / "README.md").read_text("utf-8")
    assert all(f"\n| {version} | mvcc " in listed for version in CONTENT)
