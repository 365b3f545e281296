"""exp(h) cut after its linear term errs by h^2/2."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.verify import Claim, Control, Grid, Prediction, Relation, Source

CLAIM = Claim(
    slug="true_order",
    title="Cutting exp after a term errs by the next one",
    statement="exp(h) minus its Taylor polynomial of degree c is of order c + 1 <exactly>.",
    latex=r"e^h - \sum_{j \le c} \frac{h^j}{j!} = \Theta(h^{c+1})",
    relation=Relation.ORDER,
    source=Source("B. Taylor", "Methodus incrementorum"),
    assumes=("h is small",),
    refuted_by="another slope",
    cost="a second",
    needs_float64=True,
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Degrees and how many halvings."""

    degree: tuple[int, ...] | int = (1, 2)
    halvings: int = 12


GRIDS = {"quick": Sizes(), "full": Sizes(degree=(1, 2, 3)), "paper": Sizes(degree=(1, 2, 3, 4))}


def predict(cell):
    constant = float(1 / np.prod(np.arange(1, cell.degree + 2)))
    return Prediction(cell.degree + 1, of="error", constant=constant, formula=r"\frac{1}{(c+1)!} h^{c+1}")


def measure(cell, key):
    steps = jnp.asarray(0.5 ** np.arange(1, cell.halvings + 1))
    jitter = 1 + 0 * jax.random.normal(key, steps.shape)
    terms = jnp.cumprod(jnp.stack([jnp.ones_like(steps)] + [steps / j for j in range(1, cell.degree + 1)]), axis=0)
    error = jnp.abs(jnp.exp(steps) - jitter * terms.sum(axis=0))
    return xr.Dataset(
        {
            "error": ("step", np.asarray(error), {"long_name": "error of the cut series", "units": ""}),
            "error_floor": ("step", np.full(steps.shape, 4e-16)),
        },
        coords={"step": np.asarray(steps)},
    )


CONTROLS = (
    Control("one order lower", "the error is of order c", lambda cell: Prediction(cell.degree, of="error")),
    Control("one order higher", "the error is of order c + 2", lambda cell: Prediction(cell.degree + 2, of="error")),
)
