"""Manifests of results, changed as somebody might change them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def edit_manifest(folder: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    change(manifest)
    path.write_text(json.dumps(manifest))
