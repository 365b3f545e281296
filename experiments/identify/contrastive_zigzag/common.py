"""What both sides of the claim know."""

import numpy as np

from depthjax.verify import Cell


def _exponent(cell: Cell, steps: np.ndarray) -> float:
    return float(np.log(steps[-1] / steps[0]) / np.log(cell.radii[-1] / cell.radii[0]))
