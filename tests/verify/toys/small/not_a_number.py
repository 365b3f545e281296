r"""Measures nothing.

Statement: Nothing.
    $$ x = \mathrm{NaN} $$
Hypotheses: none.
Source: nobody, “nothing”.
Refuted by: .
Cost: a second.
"""

import dataclasses

import numpy as np

from depthjax.verify import Grid, Prediction, Quantity, Relation, claim, measured, scaled

CLAIM = claim(Relation.EQUALS)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    pass


GRIDS = {size: Sizes() for size in ("test", "quick", "full", "paper")}


def predict(cell):
    return Prediction(1.0, of="value")


def measure(cell, key):
    return measured(value=Quantity(np.array([1.0, np.nan]), "point", floor=0.0))


RIVALS = (scaled(2.0, of="value", name="two", statement="it is two"),)
