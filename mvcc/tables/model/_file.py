"""The file of a model: a zip of JSON and arrays, read by skops; nothing can run when it is read.

It is written here as skops would: its import looks for all estimators of scikit-learn, which takes
most of a second.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from math import prod
from typing import Any

import numpy as np
from skops import __version__ as skops_version

from mvcc._utils.contexts import without_warnings
from mvcc._utils.messages import clipped
from mvcc._utils.reading import check_zip, parse_json
from mvcc._version import __version__
from mvcc.exceptions import StoreError
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
_PRIVATE = re.compile(r"(mvcc\.\w+)(?:\.\w+)*\._\w+")
_HEADS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def model_bytes(views: list[dict[str, Any]]) -> bytes:
    states = _States()
    schema = states.state(views) | {"protocol": 2, "_skops_version": skops_version}
    head = {"format": FORMAT, "version": __version__}
    jsons = {_HEAD: json.dumps(head).encode(), _SCHEMA: json.dumps(schema).encode()}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted((jsons | states.files).items()):
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)  # of no time
    return file.getvalue()


def _of_former_format(view: dict[str, Any]) -> dict[str, Any]:
    """Return a view whose columns had notes, which began with how they are written."""
    used = []
    for column in view["used"]:
        written = column["note"].partition(", ")[0]
        if written not in list(Written):
            written = ""
        fields = {"name": column["name"], "kind": column["kind"]}
        used.append(fields | {"written": written, "unit": ""})
    return view | {"used": used, "missing": []}


def read_model(content: bytes, path: str) -> list[dict[str, Any]]:
    """Return the views of a model of known types; messages call the file ``path``."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            check_zip(archive, len(content))
            for name in archive.namelist():
                _check_entry(archive, name)
            head = parse_json(archive.read(_HEAD))
            _check_schema(parse_json(archive.read(_SCHEMA)))
            version, written = head["format"], clipped(str(head["version"]))
        if version == FORMAT:
            return _views(content, path)
        if version == _FORMER_FORMAT:
            return list(map(_of_former_format, _views(content, path)))
    except StoreError:
        raise
    except Exception as error:  # a damaged file raises whatever its first odd byte leads to
        raise damaged(path, clipped(" ".join(str(error).split()), 200).rstrip(".")) from error
    raise StoreError(
        f"{path} is of format {clipped(str(version))}, written by mvcc {written}; this is mvcc"
        f" {__version__}, which reads formats {_FORMER_FORMAT} and {FORMAT}. Cluster again."
    )


def _check_entry(archive: zipfile.ZipFile, name: str) -> None:
    """Refuse anything but an array whose header asks for as much memory as it has bytes."""
    if name in (_HEAD, _SCHEMA):
        return
    if not name.endswith(".npy"):
        raise ValueError(f"it holds {name}")
    with archive.open(name) as file:
        shape, _, dtype = _HEADS[np.lib.format.read_magic(file)](file)
        if prod(shape) * dtype.itemsize != archive.getinfo(name).file_size - file.tell():
            raise ValueError(f"{name} has other bytes than an array of shape {shape}")


def _check_schema(schema: Any) -> None:
    """Refuse states that name others again and again: read, they would take too much memory."""
    sizes: dict[int, int] = {}  # of objects, with all that they hold
    owners: dict[str, int] = {}  # of files

    def size_of(states: Any) -> int:
        if isinstance(states, list):
            return 1 + sum(map(size_of, states))
        if not isinstance(states, dict):
            return 0
        size = 1 + sum(map(size_of, states.values()))
        object_id, file = states.get("__id__"), states.get("file")
        if isinstance(object_id, int):
            if isinstance(file, str) and owners.setdefault(file, object_id) != object_id:
                raise ValueError(f"two arrays are in {file}")
            if sizes.setdefault(object_id, size) != size:
                raise ValueError(f"object {object_id} is not written in each of its places")
        return size

    size_of(schema)


def _views(content: bytes, path: str) -> list[dict[str, Any]]:
    import skops.io  # slow, as said above

    types = skops.io.get_untrusted_types(data=content)
    if unknown := sorted(set(types) - _TYPES):
        raise StoreError(
            f"{path} holds types that mvcc never writes: {clipped(', '.join(unknown), 300)}."
            " Somebody has changed it; do not load it."
        )
    with without_warnings(Warning):  # of another scikit-learn: its estimators are made anew
        views = skops.io.loads(content, trusted=types)
    if not (isinstance(views, list) and all(isinstance(view, dict) for view in views)):
        raise damaged(path, "it holds no views")
    return views


def damaged(path: str, why: str) -> StoreError:
    return StoreError(
        f"{path} is damaged, or no model that `mvcc cluster` has written: {why}. Cluster again."
    )


class _States:
    """The states of objects and the ``files`` of arrays; equal models have equal bytes."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        # with the objects themselves, so that no two have the same address
        self._numbers: dict[int, tuple[int, Any]] = {}

    def state(self, value: Any) -> dict[str, Any]:
        return self._named(type(value)) | self._content(value) | {"__id__": self._number(value)}

    def _number(self, value: Any) -> int:
        return self._numbers.setdefault(id(value), (len(self._numbers), value))[0]

    def _named(self, kind: type) -> dict[str, str]:
        # by the packages that export them: classes may move inside, and models stay readable
        return {"__class__": kind.__name__, "__module__": _PRIVATE.sub(r"\1", kind.__module__)}

    def _content(self, value: Any) -> dict[str, Any]:
        if isinstance(value, type):
            return self._named(value) | {"__loader__": "TypeNode"}
        if isinstance(value, dict):
            content = {key: self.state(item) for key, item in value.items()}
            key_types = self.state(list(map(type, value)))
            return {"__loader__": "DictNode", "content": content, "key_types": key_types}
        if isinstance(value, list | tuple):
            loader = {list: "ListNode", tuple: "TupleNode"}[type(value)]
            return {"__loader__": loader, "content": list(map(self.state, value))}
        if isinstance(value, np.ndarray | np.generic):
            return {"__loader__": "NdArrayNode"} | self._array(value)
        if isinstance(value, np.dtype):
            empty = self.state(np.empty(0, value))
            name = {"__class__": "dtype", "__module__": "numpy", "__loader__": "DTypeNode"}
            return name | {"content": empty}
        if value is None or isinstance(value, str | int | float):
            text = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode"}
            return text | {"content": json.dumps(value), "is_json": True}
        if type(value).__module__.partition(".")[0] not in ("mvcc", "sklearn"):
            raise TypeError(f"{type(value).__name__} is not a part of a model")
        return {"__loader__": "ObjectNode", "content": self.state(value.__getstate__())}

    def _array(self, value: Any) -> dict[str, Any]:
        if value.dtype == object:
            content = list(map(self.state, value.tolist()))
            return {"content": content, "type": "json", "shape": self.state(value.shape)}
        file = io.BytesIO()
        np.save(file, value, allow_pickle=False)
        name = f"{self._number(value)}.npy"
        self.files[name] = file.getvalue()
        return {"type": "numpy", "file": name}
