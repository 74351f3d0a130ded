"""The states of a model's parts, as skops writes them (protocol 2), which reads them.

The import of skops looks for all estimators of scikit-learn, which takes most of a second.
"""

from __future__ import annotations

import io
import json
import re
from typing import Any

import numpy as np
from skops import __version__

_PROTOCOL = 2
_PRIVATE = re.compile(r"(mvcc\.\w+)(?:\.\w+)*\._\w+")


class States:
    """The states of objects, and the ``files`` with their arrays.

    Objects have numbers where skops has addresses: equal models have equal bytes.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        # with the objects themselves, so that no two have the same address
        self._numbers: dict[int, tuple[int, Any]] = {}

    def schema(self, value: Any) -> bytes:
        """Return the content of ``schema.json``."""
        head = {"protocol": _PROTOCOL, "_skops_version": __version__}
        return json.dumps(self._state(value) | head).encode()

    def _state(self, value: Any) -> dict[str, Any]:
        said = self._named(type(value)) | self._content(value)
        return said | {"__id__": self._number(value)}

    def _number(self, value: Any) -> int:
        return self._numbers.setdefault(id(value), (len(self._numbers), value))[0]

    def _named(self, kind: type) -> dict[str, str]:
        # by the packages that export them: classes may move inside, and models stay readable
        return {"__class__": kind.__name__, "__module__": _PRIVATE.sub(r"\1", kind.__module__)}

    def _content(self, value: Any) -> dict[str, Any]:
        if isinstance(value, type):
            return self._named(value) | {"__loader__": "TypeNode"}
        if isinstance(value, dict):
            content = {key: self._state(one) for key, one in value.items()}
            key_types = self._state(list(map(type, value)))
            return {"__loader__": "DictNode", "content": content, "key_types": key_types}
        if isinstance(value, list | tuple):
            loader = "ListNode" if isinstance(value, list) else "TupleNode"
            return {"__loader__": loader, "content": list(map(self._state, value))}
        if isinstance(value, np.ndarray | np.generic):
            return {"__loader__": "NdArrayNode"} | self._array(value)
        if isinstance(value, np.dtype):
            empty = self._state(np.empty(0, value))
            name = {"__class__": "dtype", "__module__": "numpy", "__loader__": "DTypeNode"}
            return name | {"content": empty}
        if value is None or isinstance(value, str | int | float):
            text = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode"}
            return text | {"content": json.dumps(value), "is_json": True}
        if type(value).__module__.partition(".")[0] not in ("mvcc", "sklearn"):
            raise TypeError(f"{type(value).__name__} is not a part of a model")
        return {"__loader__": "ObjectNode", "content": self._state(value.__getstate__())}

    def _array(self, value: Any) -> dict[str, Any]:
        if value.dtype == object:
            content = list(map(self._state, value.tolist()))
            return {"content": content, "type": "json", "shape": self._state(value.shape)}
        file = io.BytesIO()
        np.save(file, value, allow_pickle=False)
        name = f"{self._number(value)}.npy"
        self.files[name] = file.getvalue()
        return {"type": "numpy", "file": name}
