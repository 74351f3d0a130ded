"""The registry of data sets: what there is, from which files, and where these come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

import yaml

from mvcc._utils.messages import shown
from mvcc.exceptions import UnknownDatasetError

_REGISTRY = files("mvcc.datasets") / "registry.yaml"


@dataclass(frozen=True)
class DataFile:
    """A file of a data set.

    Parameters
    ----------
    name : str
        File name, the same in every folder that is searched.
    url : str
        Address for downloading, https only.
    sha256 : str
        Checksum, 64 hexadecimal digits. No other content is ever used.
    size : int
        Size in bytes.
    licence, citation : str
        What is known about the terms of use, and whom to cite.
    """

    name: str
    url: str
    sha256: str
    size: int
    licence: str
    citation: str


@dataclass(frozen=True)
class DataFolder(DataFile):
    """A newsgroup of 20 Newsgroups: a folder with one file per document, whose name is the document's number.

    `sha256` and `size` are those of the documents one after the other, in the order of their names as text. `url` is
    that of an archive with all groups in it, the one that scikit-learn downloads as well, and `archive_sha256` its
    checksum.
    """

    archive_sha256: str


@dataclass(frozen=True)
class ViewInfo:
    """The size of a view, as in Table 1.

    Parameters
    ----------
    name : str
        Name of the view.
    instances, features : int
        Number of instances, and number of raw features.
    """

    name: str
    instances: int
    features: int


@dataclass(frozen=True)
class DatasetInfo:
    """What is known about a data set without loading it.

    Parameters
    ----------
    name : str
        The name :func:`mvcc.load_dataset` takes; the data set's module is called the same, with an underscore.
    title, description : str
        The paper's name for it, and one line on what it is.
    clusters : int
        Number of clusters k in every view with default options.
    views : tuple of ViewInfo
        The sizes of the views with default options.
    relations : int
        Number of relations in the full list with default options.
    files : tuple of DataFile
        Its files and folders, in the order in which the data set's module takes them; empty if it is generated.
    """

    name: str
    title: str
    description: str
    clusters: int
    views: tuple[ViewInfo, ...]
    relations: int
    files: tuple[DataFile, ...]


@cache
def registry() -> Mapping[str, DatasetInfo]:
    """All data sets by name, read from ``registry.yaml`` in this package.

    Returns
    -------
    mapping of str to DatasetInfo
        In the order of the registry; it cannot be changed.
    """
    document = _document()
    known = {name: DataFile(name=name, **entry) for name, entry in document["files"].items()}
    known |= {name: DataFolder(name=name, **entry) for name, entry in document.get("folders", {}).items()}
    return MappingProxyType(
        {
            name: DatasetInfo(
                name=name,
                title=entry["title"],
                description=entry["description"],
                clusters=entry["clusters"],
                views=tuple(ViewInfo(**view) for view in entry["views"]),
                relations=entry["relations"],
                files=tuple(known[file] for file in entry["files"]),
            )
            for name, entry in document["datasets"].items()
        }
    )


def registry_version() -> int:
    """Return the version of the registry: a larger one has other data."""
    version: int = _document()["version"]
    return version


def _document() -> Any:
    return yaml.safe_load(_REGISTRY.read_text(encoding="utf-8"))


def dataset_info(name: str) -> DatasetInfo:
    """Look a data set up by its name.

    Parameters
    ----------
    name : str
        Name of the data set.

    Returns
    -------
    DatasetInfo
        Its entry in the registry.

    Raises
    ------
    UnknownDatasetError
        If there is none; the message lists the known names and the nearest match.
    """
    known = registry()
    if not isinstance(name, str) or name not in known:
        nearest = get_close_matches(name[:60].lower(), known, n=1, cutoff=0.4) if isinstance(name, str) else []
        hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
        raise UnknownDatasetError(f"Unknown data set {shown(name)}.{hint} Known data sets: {', '.join(known)}.")
    return known[name]
