"""What both sides of the claim know."""

import math

from depthjax.verify import Cell


def _short(cell: Cell, order: int) -> tuple[int, int]:
    """At most three letters, and a length of which there are few enough words."""
    letters = min(order, 3)
    return letters, int(math.log(cell.exhaustive) / math.log(letters))
