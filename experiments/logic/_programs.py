"""Formulas as plain arrays: what the measurements of this topic compile to attention."""

from collections.abc import Iterable

import numpy as np

from theory.logic import Formula
from theory.logic.program import LogicProgram, program

__all__ = ["programs"]


def programs(formulas: Iterable[Formula], letters: str, depth: int | None = None) -> dict[str, list | np.ndarray]:
    """Return the parts of `theory.logic.program` by name, each with one entry for each formula.

    Args:
        formulas: Formulas over one alphabet.
        letters: The alphabet.
        depth: The number of layers of every program; by default the nesting depth of each formula.
    """
    found = [program(formula, letters) for formula in formulas]
    if depth is not None:
        found = [one._replace(depth=depth) for one in found]
    parts = {name: [getattr(one, name) for one in found] for name in LogicProgram._fields}
    return {name: np.array(part) if name in ("output", "depth", "rounds") else part for name, part in parts.items()}
