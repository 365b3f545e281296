r"""Draws are below one.

Statement: Draws from [0, 1) are at most 1.
    $$ u \le 1 $$
Hypotheses: none.
Source: everybody, “folklore”.
Refuted by: .
Cost: a second.
"""

import dataclasses

from depthjax.verify import UNSHARP, Grid, Prediction, Relation, claim, scaled

CLAIM = claim(Relation.AT_MOST)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    part: tuple[int, ...] | int = (0, 1, 2, 3, 4, 5)


GRIDS = {size: Sizes() for size in ("test", "quick", "full", "paper")}


def predict(cell):
    return Prediction(1.0, of="draw", resolution=UNSHARP)


RIVALS = (scaled(-1.0, of="draw", name="below zero", statement="draws are at most -1"),)
