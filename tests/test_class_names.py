"""A class of the project can be told by its name alone."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = {"Sizes"}  # every claim has its own


def test_no_two_public_classes_have_one_name():
    found = defaultdict(list)
    for file in (file for top in ("depthjax", "experiments", "theory") for file in (ROOT / top).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(f"{file.relative_to(ROOT)}:{node.lineno}")
    assert len(found) > 100
    assert not {name: places for name, places in found.items() if len(places) > 1 and name not in ROOMS}
