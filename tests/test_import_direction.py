"""An import only ever points downwards: each room may use the rooms below it, never those above."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import mvcc

ROOT = Path(mvcc.__file__).parent
ROOMS = [
    "cli",
    "reporting",
    "analysis",
    "experiments",
    "datasets",
    "_warm_up",
    "multiview",
    "per_view",
    "model_selection",
    "_threshold",
    "_co_em",
    "_origins",
    "diagnostics",
    "methods",
    "transfer",
    "propagation",
    "gaussians",
    "cluster",
    "embedding",
    "_fitted_views",
    "_constrained_views",
    "_views",
    "matching",
    "mapping",
    "_constraint_map",
    "metrics",
    "constraints",
    "_closure",
    "_neighborhoods",
    "_conflicts",
    "_constraint_sampling",
    "_constraint_files",
    "_constraint_checks",
    "_row_ids",
    "_kernels",
    "_environment",
    "_validation",
    "_settings",
    "_arff",
    "_messages",
    "_disk",
    "_csv",
    "_text",
    "_results_format",
    "exceptions",
    "_lazy",
    "_version",
]
ENTRANCES = {"__init__.py", "__main__.py"}


def room_of(module: str) -> str:
    return module.split(".")[1]


def imports(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name.startswith("mvcc.")]
        elif isinstance(node, ast.ImportFrom) and node.module == "mvcc":
            found += [f"mvcc.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mvcc."):
            found.append(node.module)
        assert not (isinstance(node, ast.ImportFrom) and node.level), f"{path} has a relative import"
    return found


def uses() -> Iterator[tuple[Path, str, str]]:
    """Give every import of mvcc by one of its modules: the module, its room, and what it imports."""
    for path in sorted(ROOT.rglob("*.py")):
        if path.parent != ROOT or path.name not in ENTRANCES:
            here = path.relative_to(ROOT).parts[0].removesuffix(".py")
            yield from ((path.relative_to(ROOT), here, module) for module in imports(path))


def test_imports_point_downwards():
    upwards = [(path, module) for path, here, module in uses() if ROOMS.index(room_of(module)) < ROOMS.index(here)]
    assert not upwards
    assert len(list(uses())) > 500


def test_private_modules_are_imported_only_by_their_own_room():
    def is_private(module: str) -> bool:
        return any(part.startswith("_") for part in module.split(".")[2:])

    # the commands reach into their neighbors only through public names
    assert not [(path, module) for path, here, module in uses() if is_private(module) and room_of(module) != here]
