r"""Doubled uniform draws stay under two.

Statement: Doubled draws from [0, 1) are at most 2.
    $$ 2u \le 2 $$
Hypotheses: draws are uniform.
Source: everybody, “folklore”.
Refuted by: .
Cost: a second.
"""

import dataclasses

import numpy as np

from depthjax.verify import UNSHARP, Grid, Prediction, Relation, claim, rival

CLAIM = claim(Relation.AT_MOST)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    scale: tuple[float, ...] | float = (2.0, 20.0, 200.0)


GRIDS = {size: Sizes() for size in ("test", "quick", "full", "paper")}


def predict(cell):
    return Prediction(cell.scale * np.ones(16), of="draw", dims=("sample",), formula="c", resolution=UNSHARP)


def _half(cell):
    return Prediction(cell.scale * 0.5, of="draw")


RIVALS = (rival("half the bound", _half, "draws are at most half of it", everywhere=False),)
