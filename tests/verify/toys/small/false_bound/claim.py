r"""Uniform draws stay under one half.

Statement: Draws from [0, 1) are at most 1/2.
    $$ u \le \tfrac12 $$
Hypotheses: none.
Source: nobody, “this is false”.
Refuted by: .
Cost: a second.
"""

import dataclasses

from depthjax.verify import Grid, Prediction, Relation, claim, scaled

CLAIM = claim(Relation.AT_MOST)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    draws: tuple[int, ...] | int = (8, 16)


GRIDS = {size: Sizes() for size in ("test", "quick", "full", "paper")}


def predict(cell):
    return Prediction(0.5, of="draw")


RIVALS = (scaled(0.5, of="draw", name="under a quarter", statement="draws are at most 1/4"),)
