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
# In the order of their names as text, which is not that of the numbers. One byte is not UTF-8.
TINY_GROUP = {"10": b"Subject: caf\xe9\n\nOne.\n", "11": b"From: me\n\n> One.\nTwo.\n", "9": b"From: you\n\nThree.\n"}


@dataclass
class Sandbox:
    """A registry with one tiny file and one tiny newsgroup, and an empty cache, in a folder of the test's own."""

    cache: Path
    file: _registry.DataFile
    group: _registry.DataFile
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
    documents = b"".join(TINY_GROUP.values())
    group = {**entry, "sha256": hashlib.sha256(documents).hexdigest(), "size": len(documents)}
    news = {**protein, "title": "News", "files": ["20newsgroups/rec.autos"]}
    path = tmp_path / "registry.yaml"
    path.write_text(
        yaml.safe_dump(
            {
                "datasets": {"protein": protein, "news": news},
                "files": {"protein.arff": entry},
                "folders": {"20newsgroups/rec.autos": group},
            }
        )
    )
    cache = tmp_path / "cache"
    monkeypatch.delenv("MVCC_DATA", raising=False)
    monkeypatch.setattr(_registry, "_REGISTRY", path)
    monkeypatch.setattr(_files, "cache_folder", lambda: cache)
    _registry.registry.cache_clear()
    known = _registry.registry()
    yield Sandbox(cache, known["protein"].files[0], known["news"].files[0])
    _registry.registry.cache_clear()
