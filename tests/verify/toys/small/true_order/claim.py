r"""Cutting exp after a term errs by the next one.

Statement: exp(h) minus its Taylor polynomial of degree c is of order c + 1 <exactly>.
    $$ e^h - \sum_{j \le c} \frac{h^j}{j!} = \Theta(h^{c+1}) $$
Hypotheses: h is small.
Source: B. Taylor, “Methodus incrementorum”.
Refuted by: another slope.
Cost: a second.
"""

import dataclasses

import numpy as np

from depthjax.verify import Grid, Prediction, Relation, claim, off_by

CLAIM = claim(Relation.ORDER, needs_float64=True)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Degrees and how many halvings."""

    degree: tuple[int, ...] | int = (1, 2)
    halvings: int = 12


GRIDS = {"test": Sizes(), "quick": Sizes(), "full": Sizes(degree=(1, 2, 3)), "paper": Sizes(degree=(1, 2, 3, 4))}


def predict(cell):
    constant = float(1 / np.prod(np.arange(1, cell.degree + 2)))
    return Prediction(cell.degree + 1, of="error", constant=constant, formula=r"\frac{1}{(c+1)!} h^{c+1}")


RIVALS = (
    off_by(-1, of="error", name="one order lower", statement="the error is of order c"),
    off_by(+1, of="error", name="one order higher", statement="the error is of order c + 2"),
)
