"""The doors of the rooms: what a stub lists is what the room has, whatever else was loaded before."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STUBS = [stub for top in ("depthjax", "experiments", "theory") for stub in sorted((ROOT / top).rglob("__init__.pyi"))]
ROOMS = [".".join(stub.parent.relative_to(ROOT).parts) for stub in STUBS]


def test_rooms_have_doors():
    assert {"depthjax", "depthjax.training", "depthjax.verify", "theory", "theory.bounds", "theory.lie"} <= {*ROOMS}


@pytest.mark.parametrize("room", ROOMS)
def test_every_listed_name_is_that_of_its_file(room):
    package = importlib.import_module(room)
    stub = ast.parse(Path(package.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    listed = [(statement.module, alias) for statement in stub.body for alias in statement.names]
    assert sorted(alias.name for _, alias in listed) == package.__all__
    for module, alias in listed:
        assert alias.asname == alias.name, "a stub exports what it imports under the same name again"
        home = importlib.import_module(f"{module}.{alias.name}" if module == room else module)
        assert getattr(package, alias.name) is (home if module == room else getattr(home, alias.name))


@pytest.mark.parametrize("room", ROOMS)
def test_a_name_that_is_not_listed_is_refused(room):
    package = importlib.import_module(room)
    with pytest.raises(AttributeError, match=f"{room}.*no_such_name"):
        package.no_such_name  # noqa: B018
    assert set(package.__all__) <= {*dir(package)} and "_listed" not in dir(package)


def test_a_file_does_not_hide_the_public_name_that_it_shares():
    code = (
        "import theory.lie.bch, theory.groups.group, theory.automata.semiautomaton\n"
        "from theory import automata, groups, lie\n"
        "print(callable(lie.bch), groups.group('S3').order, automata.semiautomaton('parity').num_states)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["True", "6", "2"]


def test_no_package_of_the_toolkit_loads_its_files_before_they_are_asked_for():
    code = (
        "import sys, importlib\n"
        f"for room in {ROOMS}: importlib.import_module(room)\n"
        "print(*(name for name in sys.modules if name.startswith(('depthjax', 'experiments', 'theory'))), 'jax' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {*found.stdout.split()} == {*ROOMS, "depthjax.doors", "depthjax.displays", "experiments", "False"}


def test_theory_takes_nothing_but_the_door_and_the_version_from_depthjax():
    door = ast.parse((ROOT / "depthjax/doors.py").read_text(encoding="utf-8"))
    taken = {name for node in ast.walk(door) for name in _imported(node)}
    assert taken <= {*sys.stdlib_module_names}


def _imported(node):
    if isinstance(node, ast.Import):
        return [alias.name.partition(".")[0] for alias in node.names]
    return [str(node.module).partition(".")[0]] if isinstance(node, ast.ImportFrom) else []
