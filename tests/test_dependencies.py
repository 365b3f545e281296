"""What the packages import is declared, and what is declared is imported."""

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("theory", "depthjax", "experiments")
MODULES = {"python-flint": "flint", "automata-lib": "automata"}  # where the two names differ
pytestmark = pytest.mark.skipif(not (ROOT / "theory").exists(), reason="the packages do not lie beside the tests")


def declared(*extras: str) -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = project["dependencies"] + [line for extra in extras for line in project["optional-dependencies"][extra]]
    names = [re.match(r"[\w-]+", line)[0] for line in lines]
    return {MODULES.get(name, name.replace("-", "_")) for name in names}


def imported() -> set[str]:
    found = set()
    for file in (file for package in PACKAGES for file in (ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names) - {*PACKAGES}


def test_what_is_imported_is_declared():
    assert imported() <= declared("exact", "automata", "cluster", "mutation", "testing", "test") | {"jaxlib"}


def test_what_is_declared_is_imported():
    assert declared() <= imported()


@pytest.mark.skipif(not (ROOT / "docs").exists(), reason="the pages do not lie beside the tests")
def test_the_page_of_the_house_weighs_every_dependency_and_nothing_else():
    page = (ROOT / "docs" / "house.md").read_text("utf-8").split("## What is installed")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    assert sorted(re.findall(r"`([\w-]+)`", " ".join(rows))) == sorted(declared())
