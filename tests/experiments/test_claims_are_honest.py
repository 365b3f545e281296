"""The prediction and the measurement of a claim use their own side of the border, as far as its text shows."""

import ast
import importlib.util
from pathlib import Path

import pytest

from depthjax.runs import catalogue

MODULES = catalogue.modules()


def text_of(module: str) -> str:
    """The text of a claim's file."""
    return Path(importlib.util.find_spec(module).origin).read_text()


def functions(slug: str) -> tuple[dict[str, ast.FunctionDef], dict[str, str]]:
    """Top-level functions of a claim's module, and where each imported name comes from."""
    tree = ast.parse(text_of(MODULES[slug]))
    origins = {}
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            source = node.module if isinstance(node, ast.ImportFrom) else ""
            for name in node.names:
                origins[name.asname or name.name.split(".")[0]] = source or name.name
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}, origins


def packages_reached(slug: str, start: str) -> set[str]:
    """First parts of the packages that a function uses, through the module's own functions."""
    known, origins = functions(slug)
    todo, seen, reached = [start], set(), set()
    while todo:
        name = todo.pop()
        if name in seen or name not in known:
            continue
        seen.add(name)
        for node in (part for statement in known[name].body for part in ast.walk(statement)):  # not its annotations
            if isinstance(node, ast.Name):
                todo.append(node.id)
                if node.id in origins:
                    reached.add(origins[node.id].split(".")[0])
    return reached


@pytest.mark.parametrize("slug", MODULES)
def test_predictions_use_theory_and_measurements_do_not(slug):
    assert "theory" not in packages_reached(slug, "measure")
    assert "jax" not in packages_reached(slug, "predict")
    if "depthjax" in packages_reached(slug, "predict"):
        _, origins = functions(slug)
        known, _ = functions(slug)
        used = {node.id for node in ast.walk(known["predict"]) if isinstance(node, ast.Name)}
        assert all(origins[n].startswith("depthjax.verify") for n in used if origins.get(n, "").startswith("depthjax"))
