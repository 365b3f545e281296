"""What claims cost at a size: their cells, and of those that train networks the steps and tokens of these networks.

The sizes of a claim that trains on batches have a field `batch`. The other numbers are read from the fields that carry them,
under the names below. Controls that train networks of their own are not counted.
"""

import importlib
from collections.abc import Mapping
from typing import Any

from depthjax.card import read_card
from depthjax.verify.experiment import Experiment
from depthjax.verify.grid import Grid

SEVERAL = ("depths", "deepest")  # networks of 1, ..., so many layers, where `depth` does not name one
LENGTHS = ("length", "longest", "instructions", "entries")  # positions of a training word
WIDTHS = ("width", "wide")
WEIGHTS = 12  # of a layer, times the square of its width: four for attention, eight for an MLP
OPERATIONS = 6  # for each weight and token: two forward and four backward


def claim_costs(modules: Mapping[str, str], size: str) -> list[dict[str, Any]]:
    """Return slug, cells, network-steps, tokens and operations of every claim, and its card's own words."""
    found = []
    for slug, module in modules.items():
        cells = Experiment.of(importlib.import_module(module)).grids[size].cells()
        costs = [_trained(cell) for cell in cells]
        names = ("network_steps", "tokens", "operations", "rule_seconds")
        sums = {name: sum(cost[number] for cost in costs) for number, name in enumerate(names)}
        found.append({"slug": slug, "cells": len(cells), **sums, "card": read_card(module).cost})
    return found


def scaled() -> tuple[float, float]:
    """Return network-steps per second of a small network on this machine, and measured seconds over those of the rule."""
    from depthjax.runs.provenance import configure
    from experiments.studies.cost import calibrate
    from experiments.studies.study import Study

    configure("float32", cache=True)
    found = calibrate({"small": Study(batch=16)})
    (rate,), (factor,) = found.rate.values(), found.factor.values()
    return rate, factor


def _trained(cell: Grid) -> tuple[int, int, float, float]:
    """Network-steps, tokens, operations, and seconds by the rule of `depthjax.training.layout`; zeros without training."""
    from depthjax.training.layout import running

    if not hasattr(cell, "batch"):
        return 0, 0, 0.0, 0.0
    several = next((getattr(cell, name) for name in SEVERAL if hasattr(cell, name)), 1)
    depths = [cell.depth] if hasattr(cell, "depth") else list(range(1, several + 1))  # type: ignore[attr-defined]
    steps = _first(cell, ("steps",)) * getattr(cell, "seeds", 1)
    tokens, width = _first(cell, ("batch",)) * _first(cell, LENGTHS), _first(cell, WIDTHS)
    works = [WEIGHTS * width**2 * depth * tokens for depth in depths]
    seconds = sum(running(work, steps) for work in works)
    return steps * len(depths), steps * len(depths) * tokens, float(OPERATIONS * steps * sum(works)), seconds


def _first(cell: Grid, names: tuple[str, ...]) -> int:
    for name in names:
        if isinstance(value := getattr(cell, name, None), int):
            return value
    raise TypeError(f"{type(cell).__module__}: sizes with `batch` train networks and need one of {', '.join(names)}")
