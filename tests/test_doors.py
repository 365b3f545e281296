"""The doors of the rooms: what a stub lists is what the room has, whatever else was loaded before."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = sorted(f"{top}.{stub.parent.name}" for top in ("depthjax", "theory") for stub in (ROOT / top).glob("*/__init__.pyi"))


def test_rooms_have_doors():
    assert {"depthjax.verify", "theory.bounds", "theory.groups", "theory.lie"} <= {*ROOMS}


@pytest.mark.parametrize("room", ROOMS)
def test_every_listed_name_is_that_of_its_file(room):
    package = importlib.import_module(room)
    stub = ast.parse(Path(package.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    listed = [(statement.module, alias) for statement in stub.body for alias in statement.names]
    assert sorted(alias.name for _, alias in listed) == package.__all__
    for module, alias in listed:
        assert alias.asname == alias.name, "a stub exports what it imports under the same name again"
        assert getattr(package, alias.name) is getattr(importlib.import_module(module), alias.name)


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


def test_the_two_packages_which_know_nothing_of_each_other_have_the_same_door():
    doors = [ast.parse((ROOT / top / "doors.py").read_text(encoding="utf-8")) for top in ("depthjax", "theory")]
    for tree in doors:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and ast.get_docstring(node):
                node.body = node.body[1:]  # the docstring, whose example is of the package
    assert ast.dump(doors[0]) == ast.dump(doors[1])
