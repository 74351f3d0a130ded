"""An import only ever points downwards: each room may use the rooms below it, never those above."""

import ast
from collections import defaultdict
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import mvcc

ROOT = Path(mvcc.__file__).parent
FLOORS = [
    ["cli"],
    ["tables", "experiments"],
    ["multiview", "reporting"],
    ["embedding"],
    ["views", "propagation", "cluster", "metrics", "datasets"],
    ["constraints", "results"],
    ["_utils"],
    ["exceptions", "_version"],
]
FLOORS_OF_MULTIVIEW = [["questions"], ["joint", "co_em"], ["matches", "_estimator", "_matching"]]
FLOORS_OF_TABLES = [
    ["_run", "_clustering", "_in_memory", "_correctable"],
    ["asking"],
    ["output", "drafting"],
    ["correcting"],
    ["explaining", "_folders"],
    ["_folder_labels"],
    ["fitting", "model"],
    ["reading"],
    ["_config"],
    ["_job", "_layout"],
]


def by_floor(floors: list[list[str]]) -> dict[str, int]:
    return {room: number for number, rooms in enumerate(floors) for room in rooms}


FLOOR = by_floor(FLOORS)
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
        assert not (isinstance(node, ast.ImportFrom) and node.level), (
            f"{path} has a relative import"
        )
    return found


@cache
def uses() -> list[tuple[Path, str, str]]:
    """Give every import of mvcc by one of its modules: module, room, and what it imports."""
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        if path.parent != ROOT or path.name not in ENTRANCES:
            here = path.relative_to(ROOT).parts[0].removesuffix(".py")
            found += [(path.relative_to(ROOT), here, module) for module in imports(path)]
    return found


def test_imports_point_downwards():
    others = [(path, here, module) for path, here, module in uses() if room_of(module) != here]
    assert not [(path, used) for path, here, used in others if FLOOR[room_of(used)] <= FLOOR[here]]
    assert 50 < len({(here, room_of(module)) for _, here, module in others}) <= MOST_ARROWS


def test_no_module_needs_itself():
    needed = defaultdict(set)
    for path, _, used in uses():
        needed[".".join(("mvcc", *path.with_suffix("").parts))].add(used)
    order = list(TopologicalSorter(needed).static_order())  # which raises an error of a circle
    assert order.index("mvcc.exceptions") < order.index("mvcc.tables._run")


def test_private_modules_are_imported_only_by_their_own_room():
    def is_private(module: str) -> bool:
        return any(part.startswith("_") for part in module.split(".")[2:])

    # the commands reach into their neighbors only through public names
    assert not [
        (path, module)
        for path, here, module in uses()
        if is_private(module) and room_of(module) != here
    ]


@pytest.mark.parametrize(
    ("room", "floors", "n_arrows"),
    [("tables", FLOORS_OF_TABLES, 16), ("multiview", FLOORS_OF_MULTIVIEW, 4)],
)
def test_imports_inside_a_room_point_downwards(room, floors, n_arrows):
    floor = by_floor(floors)
    inside = [(path, module) for path, here, module in uses() if here == room == room_of(module)]
    arrows = {(path.with_suffix("").parts[1], module.split(".")[2]) for path, module in inside}
    arrows = {
        (user, used) for user, used in arrows if user != used and floor.keys() >= {user, used}
    }
    entrances = set(floors[0]) if room == "tables" else set()  # they call each other
    assert not [
        arrow
        for arrow in arrows
        if not entrances >= set(arrow) and floor[arrow[1]] <= floor[arrow[0]]
    ]
    assert len(arrows) >= n_arrows
