r"""Two steps in turn miss one joint step by half their commutator, at order two.

This docstring is the card of the claim: the title above and the five fields below. `depthjax show` prints it. The claim runs as
it is. Put your theorem in its place, and keep the parts: CLAIM, GRIDS, predict, and CONTROLS or RIVALS.

Statement: For matrices X and Y, exp(hX) exp(hY) differs from exp(h(X + Y)) by h^2 ||[X, Y]|| / 2 to leading order.
    $$ \left\|e^{hX} e^{hY} - e^{h(X + Y)}\right\| = \tfrac12 \|[X, Y]\|\, h^2 + O(h^3) $$
Hypotheses: X and Y do not commute.
Source: Hall, “Lie Groups, Lie Algebras, and Representations”, 2nd edition, Theorem 2.11.
Refuted by: a clean local slope other than 2, or another leading constant.
Cost: a few seconds on a CPU at every size.
"""

import dataclasses

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, off_by, scaled, whole

# ORDER: the error is a power of the step. Others are EQUALS, AT_MOST, AT_LEAST, ... (depthjax.verify.Relation).
CLAIM = claim(Relation.ORDER, needs_float64=True)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """What is varied. Every value of an axis is a cell, which is measured and judged on its own."""

    size: int = axis(2, 3, 4)
    steps: int = 14


DOMAIN = domain(size=whole(2, 8))  # what the statement speaks of: every run draws further cells from it, by its seed
GRIDS = {"test": Sizes(size=axis(2)), "quick": Sizes(), "full": Sizes(size=axis(2, 3, 4, 6, 8)), "paper": Sizes(size=axis(8))}


def objects(cell: Sizes, seed: int) -> np.ndarray:
    """What both sides need, as plain data: two random matrices of norm one. The seed follows from --seed and the cell."""
    pair = np.random.default_rng(seed).normal(size=(2, cell.size, cell.size))
    return pair / np.linalg.norm(pair, ord=2, axis=(1, 2), keepdims=True)


def predict(cell: Sizes, pair: np.ndarray) -> Prediction:
    """What theory says, computed and never typed in. This file may import `theory`, and neither JAX nor measure.py."""
    x, y = pair
    constant = float(np.linalg.norm(x @ y - y @ x, ord=2)) / 2
    return Prediction(2, of="error", constant=constant, hypotheses=(Hypothesis("X and Y do not commute", constant > 0),))


# A control measures something for which the theorem must fail, by a function of measure.py. A rival is another prediction of
# the same data. The judge must refute each of them: a verdict that would not have noticed a false theorem is INCONCLUSIVE.
CONTROLS = (control("symmetric splitting", "the symmetric product errs by the same order", measure="symmetric"),)
RIVALS = (off_by(+1, of="error"), scaled(1.1, of="constant", name="constant a tenth larger"))
