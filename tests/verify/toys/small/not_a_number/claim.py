r"""Measures nothing.

Statement: Nothing.
    $$ x = \mathrm{NaN} $$
Hypotheses: none.
Source: nobody, “nothing”.
Refuted by: .
Cost: a second.
"""

import dataclasses

from depthjax.verify import Grid, Prediction, Relation, claim, scaled

CLAIM = claim(Relation.EQUALS)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    pass


GRIDS = {size: Sizes() for size in ("test", "quick", "full", "paper")}


def predict(cell):
    return Prediction(1.0, of="value")


RIVALS = (scaled(2.0, of="value", name="two", statement="it is two"),)
