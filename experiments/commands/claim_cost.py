"""What claims cost at a size: their cells, and of those that train networks the steps and tokens of these networks.

The sizes of a claim that trains on batches have the fields `batch` and `steps`. The other numbers are read from the fields that
carry them, under the names below. Not counted are controls that train networks of their own, and the further tasks of a cell
that trains on several.
"""

import dataclasses
import importlib
from collections.abc import Mapping
from typing import Any

from depthjax.card import read_card
from depthjax.verify.experiment import Experiment
from depthjax.verify.grid import Grid
from experiments.studies.cost import OPERATIONS, calibrate
from experiments.studies.study import Study

SEVERAL = ("depths", "deepest")  # these depths, or networks of 1, ..., so many layers, where `depth` does not name one
LENGTHS = ("length", "longest", "instructions", "entries")  # positions of a training word
WIDTHS = ("width", "wide")
WEIGHTS = 12  # of a layer, times the square of its width: four for attention, eight for an MLP


@dataclasses.dataclass(frozen=True)
class Training:
    """What a cell, or several, train: with `whole` false, some of them do not name the length of their words or their width."""

    network_steps: int = 0
    tokens: int = 0
    operations: float = 0.0
    rule_seconds: float = 0.0
    whole: bool = True

    def __add__(self, other: "Training") -> "Training":
        return Training(
            self.network_steps + other.network_steps,
            self.tokens + other.tokens,
            self.operations + other.operations,
            self.rule_seconds + other.rule_seconds,
            self.whole and other.whole,
        )


def claim_costs(modules: Mapping[str, str], size: str) -> list[dict[str, Any]]:
    """Return slug, cells, what they train, and its card's own words, of every claim."""
    found = []
    for slug, module in modules.items():
        cells = Experiment.of(importlib.import_module(module)).grids[size].cells()
        trained = sum(map(training, cells), Training())
        found.append({"slug": slug, "cells": len(cells), **dataclasses.asdict(trained), "card": read_card(module).cost})
    return found


def scaled() -> tuple[float, float]:
    """Return network-steps per second of a small network on this machine, and measured seconds over those of the rule."""
    from depthjax.runs.provenance import configure

    configure("float32", cache=True)
    found = calibrate({"small": Study(batch=16)})
    (rate,), (factor,) = found.rate.values(), found.factor.values()
    return rate, factor


def training(cell: Grid) -> Training:
    """Return what a cell trains, with seconds by the rule of `depthjax.training.layout`; nothing without batches and steps."""
    from depthjax.training.layout import running

    if not (hasattr(cell, "batch") and hasattr(cell, "steps")):
        return Training()
    depths = _depths(cell)
    steps = cell.steps * getattr(cell, "seeds", 1)  # type: ignore[attr-defined]
    length, width = _first(cell, LENGTHS), _first(cell, WIDTHS)
    if length is None or width is None:
        return Training(steps * len(depths), whole=False)
    tokens = cell.batch * length  # type: ignore[attr-defined]
    works = [WEIGHTS * width**2 * depth * tokens for depth in depths]
    seconds = sum(running(work, steps) for work in works)
    return Training(steps * len(depths), steps * len(depths) * tokens, float(OPERATIONS * steps * sum(works)), seconds)


def _depths(cell: Grid) -> list[int]:
    if hasattr(cell, "depth"):
        return [cell.depth]  # type: ignore[attr-defined]
    several = next((getattr(cell, name) for name in SEVERAL if hasattr(cell, name)), 1)
    return list(range(1, several + 1)) if isinstance(several, int) else list(several)


def _first(cell: Grid, names: tuple[str, ...]) -> int | None:
    return next((value for name in names if isinstance(value := getattr(cell, name, None), int)), None)
