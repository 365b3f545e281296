"""What claims cost at a size: their cells, and of those that train networks the steps and tokens of these networks.

The sizes of a claim that trains on batches have the fields `batch` and `steps`. The other numbers are read from the fields that
carry them, under the names below. Not counted are controls that train networks of their own, and the further tasks of a cell
that trains on several.

Memory is that of the largest cell: weights are counted, and what a gradient keeps besides is taken to be, for each number that
a layer puts out, what XLA plans for a small network.
"""

import dataclasses
import importlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from depthjax.card import read_card
from depthjax.verify.experiment import Experiment
from depthjax.verify.grid import Grid
from experiments.studies.cost import COPIES, FLOAT, OPERATIONS, calibrate, temporary
from experiments.studies.study import Study

SEVERAL = ("depths", "deepest")  # these depths, or networks of 1, ..., so many layers, where `depth` does not name one
LENGTHS = ("length", "longest", "instructions", "entries")  # positions of a training word
WIDTHS = ("width", "wide")
WEIGHTS = 12  # of a layer, times the square of its width: four for attention, eight for an MLP


class Networks(NamedTuple):
    """The networks of one cell.

    Attributes:
        work: Of a step of the deepest one.
        runs: How many there are.
        weights: Of the deepest one.
        outputs: Numbers that its layers put out for a batch.
    """

    work: int = 0
    runs: int = 0
    weights: int = 0
    outputs: int = 0

    def memory(self, runs: int, kept: float) -> float:
        """Return the bytes of so many runs, where a gradient keeps so many for every output."""
        return runs * (COPIES * FLOAT * self.weights + kept * self.outputs)


NONE = Networks()


@dataclasses.dataclass(frozen=True)
class Training:
    """What a cell, or several, train.

    Attributes:
        network_steps: Optimiser steps of all networks.
        tokens: Tokens that they see.
        operations: Floating-point operations.
        rule_seconds: Processor seconds by the rule of `depthjax.training.layout`, not scaled to this machine.
        largest: The networks of the cell with the most work in a step.
        whole: Whether all cells name the length of their words and their width.
    """

    network_steps: int = 0
    tokens: int = 0
    operations: float = 0.0
    rule_seconds: float = 0.0
    largest: Networks = NONE
    whole: bool = True

    def __add__(self, other: "Training") -> "Training":
        return Training(
            self.network_steps + other.network_steps,
            self.tokens + other.tokens,
            self.operations + other.operations,
            self.rule_seconds + other.rule_seconds,
            max(self.largest, other.largest),
            self.whole and other.whole,
        )


@dataclasses.dataclass(frozen=True)
class Scale:
    """What a small network measures on this machine.

    Attributes:
        rate: Network-steps per second.
        factor: Measured seconds over those of the rule.
        kept: Bytes that a gradient keeps for every number that a layer puts out.
    """

    rate: float
    factor: float
    kept: float


def claim_costs(modules: Mapping[str, str], size: str) -> list[tuple[Training, dict[str, Any]]]:
    """Return of every claim what its cells train, and its slug, their number, and its card's own words."""
    found = []
    for slug, module in modules.items():
        experiment = Experiment.of(importlib.import_module(module))
        cells = experiment.grids[size].cells()
        trained = sum(map(training, cells), Training())
        said = {"slug": slug, "cells": len(cells), "card": read_card(module).cost, "trains": experiment.claim.trains}
        found.append((trained, said))
    return found


def scale() -> Scale:
    """Train a small network for some seconds, and compile one gradient of it."""
    from depthjax.runs.provenance import configure

    configure("float32", cache=True)
    study = Study(batch=16)
    found = calibrate({"small": study})
    (rate,), (factor,) = found.rate.values(), found.factor.values()
    positions = study.batch * (study.length + study.bos)
    return Scale(rate, factor, temporary(study) / (positions * study.width * max(study.depths)))


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
    runs = getattr(cell, "seeds", 1) * len(depths)
    largest = Networks(max(works), runs, max(works) // tokens, max(depths) * width * tokens)
    counts = steps * len(depths), steps * len(depths) * tokens, float(OPERATIONS * steps * sum(works))
    return Training(*counts, seconds, largest)


def _depths(cell: Grid) -> list[int]:
    if hasattr(cell, "depth"):
        return [cell.depth]  # type: ignore[attr-defined]
    several = next((getattr(cell, name) for name in SEVERAL if hasattr(cell, name)), 1)
    return list(range(1, several + 1)) if isinstance(several, int) else list(several)


def _first(cell: Grid, names: tuple[str, ...]) -> int | None:
    return next((value for name in names if isinstance(value := getattr(cell, name, None), int)), None)
