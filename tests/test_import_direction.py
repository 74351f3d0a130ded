"""An import only ever points downwards: each room may use the rooms below it, never those above."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import mvcc

ROOT = Path(mvcc.__file__).parent
FLOORS = [
    ["cli"],
    ["tables", "experiments"],
    ["multiview", "reporting"],
    ["embedding"],
    ["views", "propagation", "cluster", "metrics"],
    ["constraints", "datasets", "results"],
    ["_utils"],
    ["exceptions", "_version"],
]
FLOORS_OF_TABLES = [
    ["_run", "_clustering", "_in_memory", "_range_of_k", "_example"],
    ["output", "asking"],
    ["explaining", "folders"],
    ["fitting", "model"],
    ["reading"],
    ["_job", "_layout"],
]


def by_floor(floors: list[list[str]]) -> dict[str, int]:
    return {room: number for number, rooms in enumerate(floors) for room in rooms}


FLOOR, FLOOR_OF_TABLES = by_floor(FLOORS), by_floor(FLOORS_OF_TABLES)
MOST_ARROWS = 85
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
    others = [(path, here, module) for path, here, module in uses() if room_of(module) != here]
    assert not [(path, module) for path, here, module in others if FLOOR[room_of(module)] <= FLOOR[here]]
    assert 50 < len({(here, room_of(module)) for _, here, module in others}) <= MOST_ARROWS


def test_private_modules_are_imported_only_by_their_own_room():
    def is_private(module: str) -> bool:
        return any(part.startswith("_") for part in module.split(".")[2:])

    # the commands reach into their neighbors only through public names
    assert not [(path, module) for path, here, module in uses() if is_private(module) and room_of(module) != here]


def test_imports_among_the_rooms_of_tables_point_downwards():
    inside = [(path, module) for path, here, module in uses() if here == "tables" == room_of(module)]
    arrows = {(path.with_suffix("").parts[1], module.split(".")[2]) for path, module in inside}
    others = {(user, used) for user, used in arrows if user != used and not {user, used} <= set(FLOORS_OF_TABLES[0])}
    assert not [arrow for arrow in others if FLOOR_OF_TABLES[arrow[1]] <= FLOOR_OF_TABLES[arrow[0]]]
    assert len(others) > 15
