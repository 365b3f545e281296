r"""Cutting exp after a term errs by the next one.

Statement: exp(h) minus its Taylor polynomial of degree c is of order c + 1 <exactly>.
    $$ e^h - \sum_{j \le c} \frac{h^j}{j!} = \Theta(h^{c+1}) $$
Hypotheses: h is small.
Source: B. Taylor, “Methodus incrementorum”.
Refuted by: another slope.
Cost: a second.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from depthjax.verify import Grid, Prediction, Quantity, Relation, claim, measured, off_by

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


def measure(cell, key):
    steps = jnp.asarray(0.5 ** np.arange(1, cell.halvings + 1))
    jitter = 1 + 0 * jax.random.normal(key, steps.shape)
    terms = jnp.cumprod(jnp.stack([jnp.ones_like(steps)] + [steps / j for j in range(1, cell.degree + 1)]), axis=0)
    error = jnp.abs(jnp.exp(steps) - jitter * terms.sum(axis=0))
    return measured(step=steps, error=Quantity(error, "step", floor=4e-16, label="error of the cut series"))


RIVALS = (
    off_by(-1, of="error", name="one order lower", statement="the error is of order c"),
    off_by(+1, of="error", name="one order higher", statement="the error is of order c + 2"),
)
