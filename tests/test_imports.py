"""No circle of imports: neither between files nor between rooms, wherever in a file an import stands.

A name of a room with a door is imported from the file that the door's stub names, because nothing else is loaded for it.
Imports for type checkers alone do not count.
"""

import ast
import graphlib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def _name(file: Path) -> str:
    return ".".join(part for part in file.relative_to(ROOT).with_suffix("").parts if part != "__init__")


FILES = {_name(file): file for top in ("depthjax", "experiments", "theory") for file in sorted((ROOT / top).rglob("*.py"))}


@cache
def _door(room: str) -> dict[str, str]:
    """Public name -> the file that a room's stub names for it; empty where the room has no door."""
    stub = FILES[room].with_suffix(".pyi")
    if FILES[room].name != "__init__.py" or not stub.exists():
        return {}
    statements = [one for one in ast.parse(stub.read_text()).body if isinstance(one, ast.ImportFrom)]
    return {alias.asname or alias.name: str(one.module) for one in statements for alias in one.names if one.module != room}


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a tree that run."""
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING")):
            yield child
            yield from _nodes(child)


def _imported(module: str) -> set[str]:
    """The files that a file imports anywhere, all files behind a door whose name it holds."""
    found: set[str] = set()
    whole: list[str] = []
    package = module if FILES[module].name == "__init__.py" else module.rpartition(".")[0]
    for node in _nodes(ast.parse(FILES[module].read_text())):
        if isinstance(node, ast.Import):
            whole += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                if base in FILES and alias.name in _door(base):
                    found.add(_door(base)[alias.name])
                elif f"{base}.{alias.name}" in FILES:
                    whole.append(f"{base}.{alias.name}")
                else:
                    whole.append(base)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "import_module":
            whole += [one.value for one in node.args[:1] if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    for name in whole:
        found |= {name, *_door(name).values()} if name in FILES else set()
    return found - {module}


def _room(module: str) -> str:
    """The room of a file: the first two parts of its name, and the front door `depthjax` or `theory` by itself."""
    return ".".join(module.split(".")[:2])


@pytest.fixture(scope="module")
def arrows() -> dict[str, set[str]]:
    return {module: _imported(module) for module in FILES}


def test_the_walk_sees_what_functions_import_and_what_doors_load(arrows):
    assert "depthjax.probe.pages" in arrows["depthjax.probe.networks"], "in a function"
    assert {"theory.lie.tower", "theory.groups.depth"} <= arrows["theory.bounds.index"], "behind a door"
    assert {"depthjax.verify.experiment", "depthjax.verify.judge"} <= arrows["experiments.pictures"], "by a name of the door"


def test_no_circle_between_files(arrows):
    list(graphlib.TopologicalSorter(arrows).static_order())  # raises CycleError, which names the circle


def test_no_circle_between_rooms(arrows):
    rooms: dict[str, set[str]] = defaultdict(set)
    for module, imported in arrows.items():
        rooms[_room(module)] |= {_room(name) for name in imported} - {_room(module)}
    list(graphlib.TopologicalSorter(rooms).static_order())
