"""What a claim states, as plain data: what the judge knows of ``claim.py``, which it does not import."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from depthjax.verify.cell import Cell
from depthjax.verify.trials import Said


class NoCell(ValueError):
    """A name of a cell that a grid does not have; lists those it has."""


@dataclasses.dataclass(frozen=True)
class StatedTrial:
    """A control or a rival.

    Attributes:
        kind: "control" or "rival".
        name: Its name.
        statement: The false statement; empty where the name says enough.
        everywhere: Every judged cell must refute it, or one is enough.
        measure: Function of ``measure.py`` that measures for it; empty where it has none of its own.
        measured: Whether cells are measured for it alone.
        apart: Whether something is measured for it: cells of its own, or quantities beside those of the claim.
        predicts: Whether it has a prediction of its own.
        said: What is held against the data, by cell.
        finds: What is known of its own measurement, by cell.
        given: The objects of each cell, where they are not the claim's.
    """

    kind: str
    name: str
    statement: str
    everywhere: bool
    measure: str = ""
    measured: bool = False
    apart: bool = False
    predicts: bool = False
    said: tuple[Said, ...] = ()
    finds: tuple[Said, ...] = ()
    given: tuple[tuple, ...] | None = None


@dataclasses.dataclass(frozen=True)
class Stated:
    """What a claim states of the cells of one grid.

    Attributes:
        grid: The grid, as text.
        domain: What the claim's statement quantifies over, in sentences; empty where the claim does not say.
        axes: Its axes.
        cells: Its cells, then those that the seed draws from the claim's domain.
        chosen: How many of them are the grid's.
        given: The objects of each cell, as the further arguments of the claim's functions.
        said: The predictions for each cell.
        trials: The controls, then the rivals.
        definitions: Way to an object -> why it is a definition and no prediction.
        reads: Files and modules that the claim reads.
        noted: What theory returned to ``objects`` in each cell: the call, and the number or array.
        seconds: What it took to say all this.
    """

    grid: str
    domain: tuple[str, ...]
    axes: tuple[str, ...]
    cells: tuple[Cell, ...]
    chosen: int
    given: tuple[tuple, ...]
    said: tuple[Said, ...]
    trials: tuple[StatedTrial, ...]
    definitions: Mapping[str, str]
    reads: tuple[str, ...]
    noted: tuple[tuple[tuple[str, Any], ...], ...]
    seconds: float
