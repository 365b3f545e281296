r"""Raises.

Statement: Nothing.
    $$ x $$
Hypotheses: none.
Source: nobody, “nothing”.
Refuted by: .
Cost: a second.
"""

import dataclasses

from depthjax.verify import Grid, Relation, claim, scaled

CLAIM = claim(Relation.EQUALS)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    pass


GRIDS = {size: Sizes() for size in ("test", "quick", "full", "paper")}


def predict(cell):
    raise ValueError("the mass 3 is not below log 2\nat all")


RIVALS = (scaled(2.0, of="measured", name="two", statement="it is two"),)
