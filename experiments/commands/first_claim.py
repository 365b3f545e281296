r"""Two steps in turn miss one joint step by half their commutator, at order two.

This docstring is the card of the claim: the title above and the five fields below. `depthjax show` prints it. The claim runs as
it is. Put your theorem in its place, and keep the parts: CLAIM, GRIDS, predict, measure, and CONTROLS or RIVALS.

Statement: For matrices X and Y, exp(hX) exp(hY) differs from exp(h(X + Y)) by h^2 ||[X, Y]|| / 2 to leading order.
    $$ \left\|e^{hX} e^{hY} - e^{h(X + Y)}\right\| = \tfrac12 \|[X, Y]\|\, h^2 + O(h^3) $$
Hypotheses: X and Y do not commute.
Source: Hall, “Lie Groups, Lie Algebras, and Representations”, 2nd edition, Theorem 2.11.
Refuted by: a clean local slope other than 2, or another leading constant.
Cost: a few seconds on a CPU at every size.

Derivation: multiply both power series out to h^2. Only (XY - YX) / 2 is left.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.linalg import expm

from depthjax.rounding import rounding_floor
from depthjax.verify import Grid, Hypothesis, Prediction, Quantity, Relation, axis, claim, control, measured, off_by, scaled

# ORDER: the error is a power of the step. Others are EQUALS, AT_MOST, AT_LEAST, ... (depthjax.verify.Relation).
CLAIM = claim(Relation.ORDER, needs_float64=True)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """What is varied. Every value of an axis is a cell, which is measured and judged on its own."""

    size: int = axis(2, 3, 4)
    steps: int = 14


GRIDS = {"test": Sizes(size=axis(2)), "quick": Sizes(), "full": Sizes(size=axis(2, 3, 4, 6, 8)), "paper": Sizes(size=axis(8))}


def objects(cell: Sizes, seed: int) -> np.ndarray:
    """What both sides need: two random matrices of norm one. The seed follows from --seed and the cell."""
    pair = np.random.default_rng(seed).normal(size=(2, cell.size, cell.size))
    return pair / np.linalg.norm(pair, ord=2, axis=(1, 2), keepdims=True)


def predict(cell: Sizes, pair: np.ndarray) -> Prediction:
    """What theory says, computed and never typed in. Names of `theory` may be used here, and not in `measure`."""
    x, y = pair
    constant = float(np.linalg.norm(x @ y - y @ x, ord=2)) / 2
    return Prediction(2, of="error", constant=constant, hypotheses=(Hypothesis("X and Y do not commute", constant > 0),))


def measure(cell: Sizes, key: jax.Array, pair: np.ndarray):
    """What the program does. Whatever else is random draws from the key."""
    return _errors(cell, pair, lambda x, y: expm(x) @ expm(y))


def _errors(cell: Sizes, pair: np.ndarray, product):
    """The distance of a product from the joint step, for every step size, and the rounding floor below which it is noise."""
    steps = jnp.exp2(-jnp.arange(1.0, 1 + cell.steps))
    x, y = jnp.asarray(pair)
    errors = jax.vmap(lambda h: jnp.linalg.norm(product(h * x, h * y) - expm(h * (x + y)), ord=2))(steps)
    floor = rounding_floor(3 * 13 * cell.size, steps.dtype, np.e)  # three exponentials of at most 13 products each
    return measured(step=steps, error=Quantity(errors, "step", floor=floor, label="distance", unit="operator norm"))


def _symmetric(cell: Sizes, key: jax.Array, pair: np.ndarray):
    return _errors(cell, pair, lambda x, y: expm(x / 2) @ expm(y) @ expm(x / 2))


# A control measures something for which the theorem must fail. A rival is another prediction of the same data. The judge must
# refute each of them. Otherwise the verdict is INCONCLUSIVE, because it would not have noticed a false theorem either.
CONTROLS = (control("symmetric splitting", "the symmetric product errs by the same order", measure=_symmetric),)
RIVALS = (off_by(+1, of="error"), scaled(1.1, of="constant", name="constant a tenth larger"))
