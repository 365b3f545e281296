r"""Powers of two count subsets.

Statement: A set of n elements has 2^n subsets.
    $$ |2^S| = 2^{|S|} $$
Hypotheses: finite sets.
Source: folklore, “subsets”.
Refuted by: .
Cost: a second.
"""

import dataclasses

from depthjax.verify import Grid, Prediction, Relation, claim, control, off_by

CLAIM = claim(Relation.EQUALS)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    elements: tuple[int, ...] | int = (3, 10, 40)


GRIDS = {size: Sizes() for size in ("test", "quick", "full", "paper")}


def objects(cell):
    return {"elements": cell.elements}


def predict(cell, given):
    return (
        Prediction(2 ** given["elements"], of="subsets", formula="2^{|S|}"),
        Prediction(0, of="errors", dims=()),
        Prediction(1, of="finite", resolution=1.0),
    )


def _subsets(cell, given):
    return Prediction(2 ** given["elements"], of="subsets")


CONTROLS = (control("another set", "2^n of another set", measure="shifted", predict=_subsets),)
RIVALS = (off_by(+1, of="subsets", name="one subset more", statement="2^n + 1"),)
