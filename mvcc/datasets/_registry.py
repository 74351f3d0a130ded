"""The registry of data sets: mvcc's own, and those of the entry points ``mvcc.datasets``.

An entry point names a function like ``load``. One that is taken, or that several packages offer, is
left out.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from importlib.resources import files
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

import yaml

from mvcc._utils.messages import nearest_of, shown
from mvcc.exceptions import DataError, UnknownDatasetError

GROUP = "mvcc.datasets"
_REGISTRY = files("mvcc.datasets") / "registry.yaml"


@dataclass(frozen=True)
class DataFile:
    name: str  # file name, the same in every folder that is searched
    url: str  # address for downloading, https only
    sha256: str  # checksum, 64 hexadecimal digits. No other content is ever used
    size: int  # in bytes
    licence: str  # what is known about the terms of use, and whom to cite
    citation: str


@dataclass(frozen=True)
class DataFolder(DataFile):
    """A newsgroup: a folder with a file per document, which is called by its number."""

    # `sha256` and `size` are those of the documents one after the other, by their names as text
    archive_sha256: str  # of what is at `url`: all groups, as scikit-learn downloads them


@dataclass(frozen=True)
class ViewInfo:
    """The size of a view, as in Table 1."""

    name: str
    instances: int
    features: int  # raw ones


@dataclass(frozen=True)
class DatasetInfo:
    """What is known about a data set without loading it."""

    name: str  # the name :func:`mvcc.load_dataset` takes
    title: str  # the paper's name for it
    description: str  # one line on what it is
    clusters: int  # k in every view, as the sizes and relations with default options
    views: tuple[ViewInfo, ...]
    relations: int  # in the full list
    # in the order in which the loader takes them; empty if it is generated
    files: tuple[DataFile, ...]
    loader: str  # module and function that load it: ``module:function``
    # the package that offers it, of whose sizes nothing is known; empty for those of mvcc
    package: tuple[tuple[str, str], ...] = ()

    def options(self) -> dict[str, str]:
        """Return the options of its loader, each with its default as written, without an import."""
        module, _, function = self.loader.partition(":")
        try:
            source_of = getattr(getattr(find_spec(module), "loader", None), "get_source", None)
            # what was compiled has no source
            tree = ast.parse(source_of(module) or "" if source_of else "")
        except Exception as error:  # the code of others is damaged, or its package fails
            raise DataError(
                f"The options of the data set {self.name!r} cannot be read from {self.loader}:"
                f" {error!r}."
            ) from error
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name == function:
                pairs = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
                return {
                    argument.arg: ast.unparse(default) if default else "required"
                    for argument, default in pairs
                }
        return {}


def registry() -> Mapping[str, DatasetInfo]:
    """All data sets by name: those of ``registry.yaml``, then those of other packages, sorted.

    Returns
    -------
    mapping of str to DatasetInfo
        It cannot be changed.
    """
    return _registry_on(tuple(sys.path))


@cache
def _registry_on(path: tuple[str, ...]) -> Mapping[str, DatasetInfo]:
    offers = entry_points(group=GROUP)
    times, known = Counter(offer.name for offer in offers), _own()
    times.update(list(known))
    for offer in sorted(offers, key=lambda offer: offer.name):
        if times[offer.name] == 1 and offer.dist is not None:
            package = offer.dist.name, offer.dist.version
            about = f"From the package {' '.join(package)}"
            known[offer.name] = DatasetInfo(
                offer.name, offer.name, about, 0, (), 0, (), offer.value, (package,)
            )
    return MappingProxyType(known)


def _own() -> dict[str, DatasetInfo]:
    document = _document()
    known = {name: DataFile(name=name, **entry) for name, entry in document["files"].items()}
    known |= {
        name: DataFolder(name=name, **entry) for name, entry in document.get("folders", {}).items()
    }
    infos = {}
    for name, entry in document["datasets"].items():
        entry["views"] = tuple(ViewInfo(view, *size) for view, size in entry["views"].items())
        entry["files"] = tuple(known[file] for file in entry.get("files", ()))
        entry["loader"] = f"mvcc.datasets._{entry.get('loader', f'{name}:load')}"
        infos[name] = DatasetInfo(name, **entry)
    return infos


def registry_version() -> int:
    """Return the version of the registry: a larger one has other data."""
    return _document()["version"]


def _document() -> Any:
    return yaml.safe_load(_REGISTRY.read_text(encoding="utf-8"))


def dataset_info(name: str) -> DatasetInfo:
    """Look a data set up by its name; the error for another lists the known and the nearest."""
    known = registry()
    if not isinstance(name, str) or name not in known:
        hint = nearest_of(name, known, cutoff=0.4) if isinstance(name, str) else ""
        raise UnknownDatasetError(
            f"Unknown data set {shown(name)}.{hint} Known data sets: {', '.join(known)}."
        )
    return known[name]
