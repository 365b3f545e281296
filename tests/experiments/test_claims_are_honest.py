"""Every claim of the catalogue is complete, and its prediction and its measurement cannot see each other's side."""

import ast
import importlib.util
import re
from pathlib import Path

import pytest

from depthjax.verify import Experiment
from depthjax.verify.rehearsal import hopeless, seeds_needed, seeds_of
from experiments import catalogue

MODULES = catalogue.modules()


def text_of(module: str) -> str:
    """The text of a claim's file."""
    return Path(importlib.util.find_spec(module).origin).read_text()


OVER_SEEDS = [slug for slug, module in MODULES.items() if re.search(r"Relation\.(TREND|RANKING)", text_of(module))]


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
        for node in ast.walk(known[name]):
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


@pytest.mark.parametrize("slug", MODULES)
def test_claims_are_complete(slug):
    experiment = Experiment.of(importlib.import_module(MODULES[slug]))
    claim = experiment.claim
    assert claim.assumes and claim.refuted_by and claim.latex and claim.cost and claim.source.cite()
    for grid in experiment.grids.values():
        names = [cell.name for cell in grid.cells()]
        assert names and len(set(names)) == len(names)


@pytest.mark.parametrize("slug", OVER_SEEDS)
def test_every_size_has_the_seeds_that_a_verdict_needs(slug):
    """Perfect data are SUPPORTED and refute the controls: no size trains for days and ends open whatever it learned."""
    experiment = Experiment.of(importlib.import_module(MODULES[slug]))
    for size, grid in experiment.grids.items():
        cells = grid.cells()
        given = [() if experiment.setting is None else (experiment.setting(cell),) for cell in cells]
        predictions, *falsehoods = (
            [predict(cell, *more) for cell, more in zip(cells, given, strict=True)]
            for predict in (experiment.predict, *(control.predict for control in experiment.controls))
        )
        seeds = seeds_of(cells)
        assert seeds is not None and seeds_needed(experiment.claim, predictions, falsehoods) > 0
        assert hopeless(experiment.claim, predictions, seeds, falsehoods) == "", size
