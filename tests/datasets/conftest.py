from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from mvcc.datasets import _files, _registry

# Classes 1 to 6 with 2, 1, 3 and 1, 2, 2 instances: pairs 1 + 1 + 2.
TINY_PROTEIN = b"@relation tiny\n@attribute x real\n@attribute class {1,2,3,4,5,6}\n@data\n" + b"".join(
    b"%d.5   %d\n" % (i, label) for i, label in enumerate([1, 1, 2, 3, 3, 3, 4, 5, 5, 6, 6])
)


@dataclass
class Sandbox:
    """A registry with one tiny file, and an empty cache, in a folder of the test's own."""

    cache: Path
    file: _registry.DataFile
    content: bytes = TINY_PROTEIN


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    entry: dict[str, Any] = {
        "url": "https://example.org/protein.arff",
        "sha256": hashlib.sha256(TINY_PROTEIN).hexdigest(),
        "size": len(TINY_PROTEIN),
        "licence": "none",
        "citation": "nobody",
    }
    protein = {"title": "Protein", "description": "tiny", "clusters": 3, "relations": 4, "files": ["protein.arff"]}
    protein["views"] = [
        {"name": "c1-c3", "instances": 6, "features": 1},
        {"name": "c4-c6", "instances": 5, "features": 1},
    ]
    path = tmp_path / "registry.yaml"
    path.write_text(yaml.safe_dump({"datasets": {"protein": protein}, "files": {"protein.arff": entry}}))
    cache = tmp_path / "cache"
    monkeypatch.delenv("MVCC_DATA", raising=False)
    monkeypatch.setattr(_registry, "_REGISTRY", path)
    monkeypatch.setattr(_files, "cache_folder", lambda: cache)
    _registry.registry.cache_clear()
    yield Sandbox(cache, _registry.registry()["protein"].files[0])
    _registry.registry.cache_clear()
