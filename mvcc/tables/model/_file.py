"""The file of a model: a zip of JSON and arrays, read by skops; nothing can run when it is read."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from math import prod
from typing import Any

import numpy as np

from mvcc._utils.messages import clipped
from mvcc._utils.reading import check_zip, parse_json
from mvcc._version import __version__
from mvcc.exceptions import StoreError
from mvcc.tables.model._states import States
from mvcc.tables.reading._column import Written

FORMAT = 4  # another one where the types below change what they hold
_FORMER_FORMAT = 3  # has notes in words where columns now say how they are written
_HEAD, _SCHEMA = "mvcc.json", "schema.json"
# of this package and of NumPy; skops itself knows scikit-learn's and Python's own, which run
# nothing either
_TYPES = {
    "mvcc.cluster.MPCKMeans",
    "mvcc.cluster.PCKMeans",
    "mvcc.embedding.Anchors",
    "mvcc.embedding.AutoFeatures",
    "mvcc.embedding.AutoScaler",
    "mvcc.embedding.MixedFeatures",
    "mvcc.embedding.NeighborSearch",
    "mvcc.embedding.SpectralFeatures",
    "mvcc.embedding._Spectrum",
    "mvcc.multiview.NearestAnchors",
    "mvcc.multiview.NearestRows",
    "numpy.dtype",
}
_HEADS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def model_bytes(views: list[dict[str, Any]]) -> bytes:
    """Return the content of the file of a model."""
    states = States()
    head = json.dumps({"format": FORMAT, "version": __version__}).encode()
    entries = {_HEAD: head, _SCHEMA: states.schema(views)} | states.files
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(entries.items()):
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)  # of no time
    return file.getvalue()


def _of_former_format(view: dict[str, Any]) -> dict[str, Any]:
    """Return a view whose columns had notes, which began with how they are written."""
    used = []
    for column in view["used"]:
        written = column["note"].partition(", ")[0]
        if written not in list(Written):
            written = Written.PLAIN
        used.append(
            {"name": column["name"], "kind": column["kind"], "written": str(written), "unit": ""}
        )
    return view | {"used": used, "missing": []}


def read_model(content: bytes, place: str) -> list[dict[str, Any]]:
    """Return the views of a model of known types; messages call the file ``place``."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            check_zip(archive, len(content))
            for name in archive.namelist():
                _check_entry(archive, name)
            head = parse_json(archive.read(_HEAD))
            version, written = head["format"], clipped(str(head["version"]))
        if version == FORMAT:
            return _views(content, place)
        if version == _FORMER_FORMAT:
            return list(map(_of_former_format, _views(content, place)))
    except StoreError:
        raise
    except Exception as error:  # a damaged file raises whatever its first odd byte leads to
        raise damaged(place, clipped(" ".join(str(error).split()), 200).rstrip(".")) from error
    raise StoreError(
        f"{place} is of format {clipped(str(version))}, written by mvcc {written}; this is mvcc"
        f" {__version__}, which reads formats {_FORMER_FORMAT} and {FORMAT}. Cluster again."
    )


def _check_entry(archive: zipfile.ZipFile, name: str) -> None:
    """Refuse anything but an array whose header asks for as much memory as it has bytes."""
    if name in (_HEAD, _SCHEMA):
        return
    if not name.endswith(".npy"):
        raise ValueError(f"it holds {name}")
    with archive.open(name) as file:
        read_head = _HEADS[np.lib.format.read_magic(file)]
        shape, _, dtype = read_head(file)
        if prod(shape) * dtype.itemsize != archive.getinfo(name).file_size - file.tell():
            raise ValueError(f"{name} has other bytes than an array of shape {shape}")


def _views(content: bytes, place: str) -> list[dict[str, Any]]:
    import skops.io  # this looks for all estimators of scikit-learn, which takes most of a second

    found = skops.io.get_untrusted_types(data=content)
    if other := sorted(set(found) - _TYPES):
        raise StoreError(
            f"{place} holds types that mvcc never writes: {clipped(', '.join(other), 300)}."
            " Somebody has changed it; do not load it."
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of another scikit-learn: its estimators are made anew
        views = skops.io.loads(content, trusted=found)
    if not (isinstance(views, list) and all(isinstance(view, dict) for view in views)):
        raise damaged(place, "it holds no views")
    return views


def damaged(place: str, why: str) -> StoreError:
    """Return the error for a file that is not a model."""
    return StoreError(
        f"{place} is damaged, or no model that `mvcc cluster` has written: {why}. Cluster again."
    )
