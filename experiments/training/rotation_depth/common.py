"""What both sides of the claim know."""

import numpy as np

from depthjax.verify import Cell
from experiments.training.rotation_depth.orderings import mean_overlap, overlaps
from theory.groups import rotation


def floors(cell: Cell) -> np.ndarray:
    """The floor by position; position 0 is the beginning-of-sequence token, and up to position 2 there is one order."""
    if cell.alphabet == "all":
        known = np.array([float(mean_overlap(n, 3)) for n in range(cell.length)])
    else:
        turns = np.stack([turn.numpy() for turn in rotation.icosahedral_generators()])
        known = overlaps(turns, np.full(3, 3**-0.5), cell.length - 1)
    return np.concatenate([np.zeros(3), np.maximum(1 - known[2:], 0.0) / 3])
