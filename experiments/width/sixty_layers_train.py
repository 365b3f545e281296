r"""Sixty post-norm layers fail at a rate at which six train; the ADMIN weights or pre-norm make sixty train.

Statement: Residual perceptrons learn the sign of x_1 x_2 from fresh samples by Adam at one fixed rate. The coefficient c of
    `residual_sensitivity`, 1 - cos = c (1 - rho) to first order, is L/2 for post-norm and H_{L+1} - 1 for pre-norm and ADMIN.
    The typical seed trains where c < 10 and does not train where c > 10.
    $$ c_{\mathrm{post}}(L) = \tfrac L2,\qquad c_{\mathrm{pre}}(L) = c_{\mathrm{ADMIN}}(L) = H_{L+1}-1 $$
Hypotheses: Adam at one fixed rate, without warm-up; the task, width and number of steps of the grid.
Source: Liu, Duh, Liu, Gao, “Very deep transformers for neural machine translation”, arXiv 2008.07772,
    60 + 12 layers diverge without ADMIN and train with it (coefficients derived here).
Refuted by: a typical seed that trains where the sensitivity is above 10, or fails where it is below.
Cost: 15 s on a CPU.

The coefficient c is 3 for six post-norm layers, 30 for sixty, and 3.7 for sixty with the ADMIN weights sqrt(l + 1).

The claim is a trained one: c is derived, but the rest speaks of this task, width, rate and number of steps. At the rate 5e-3
and width 32 sixty ADMIN layers failed too, while pre-norm trained. A seed trains if its accuracy on fresh samples at the end is
at least 0.8.

Seeds of the size `quick`: 17, of which 14 must agree in each of the six statements. In a pilot run of 40 seeds all agreed but
one of sixty ADMIN layers, at 0.797. By the binomial law that leaves the claim open in 1 of 1000 runs, and in 3 of 100 if only
93 of 100 seeds train. Before, there were 10 seeds, of which all had to agree: open in one run of four or five.
"""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.figures.losses import draw_losses
from depthjax.models.residual import init_residual_stack, residual_logits
from depthjax.training import Fit, Recipe, streams
from depthjax.training.classify import every_run, fit_classifier
from depthjax.verify import Grid, Picture, Prediction, Quantity, Relation, axis, claim, measured, rival
from theory.width import residual

CLAIM = claim(Relation.TREND, trains=True)

LARGEST = 10.0  # the sensitivity between six and sixty post-norm layers, 3 and 30, on a log scale
ACCURACY = 0.8  # that counts as trained; chance is 0.5
LATE = 4  # of twenty records, whose fresh batches are the test
NORMS = ("post", "pre", "admin")


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The number of layers."""

    depth: int = axis(6, 60)
    width: int = 16
    inputs: int = 8
    batch: int = 32
    steps: int = 200
    rate: float = 2e-3
    seeds: int = 17


GRIDS = {
    "test": Sizes(depth=axis(60), width=8, batch=8, steps=20, seeds=9),
    "quick": Sizes(),
    "full": Sizes(width=32, inputs=16, batch=64, steps=600, rate=1e-3, seeds=32),
    "paper": Sizes(width=64, inputs=16, batch=128, steps=1200, rate=5e-4, seeds=64),
}


def predict(cell: Sizes) -> Prediction:
    """Who trains, by the coefficient of the sensitivity."""
    return Prediction([_sensitivity(norm, cell.depth) < LARGEST for norm in NORMS], of="trains", dims=("norm",))


def _sensitivity(norm: str, depth: int) -> float:
    rho = 1 - 1e-6
    return (1 - residual.agreement(norm, depth, rho)[-1].limit) / (1 - rho)


def measure(cell: Sizes, key: jax.Array) -> xr.Dataset:
    """All placements and seeds in one program; ADMIN adds to the stream with the weights sqrt(l + 1), the others with 1."""
    ones, admin = np.ones(cell.depth), np.sqrt(np.arange(1, cell.depth + 1))
    weights = np.array([admin if norm == "admin" else ones for norm in NORMS], "float32")
    before = np.array([norm == "pre" for norm in NORMS])
    runs = [jnp.asarray(np.repeat(part, cell.seeds, axis=0)) for part in (weights, before)]
    found = _train(jnp.tile(jax.random.split(key, cell.seeds), len(NORMS)), *runs, cell)
    losses = np.asarray(found.losses).reshape(len(NORMS), cell.seeds, -1)
    # validation batches choose nothing here: they are fresh samples
    score = np.asarray(found.metrics["accuracy"]).reshape(losses.shape)[:, :, -LATE:].mean(axis=2)
    return measured(
        norm=list(NORMS),
        trains=Quantity((score >= ACCURACY).astype(float), "norm seed", label="seeds that train"),
        accuracy=Quantity(score, "norm seed", label="accuracy on fresh samples"),
        losses=Quantity(losses, "norm seed record", label="training loss"),
    )


@partial(jax.jit, static_argnums=3)
def _train(keys: jax.Array, weights: jax.Array, before: jax.Array, cell: Sizes) -> Fit:
    every, dtype = cell.steps // 20, jnp.dtype("float32")
    recipe = Recipe(steps=cell.steps, learning_rate=cell.rate, schedule="constant", weight_decay=0.0, record_every=every)

    def sample(key: jax.Array) -> tuple[jax.Array, jax.Array]:
        x = jax.random.normal(key, (cell.batch, cell.inputs), dtype)
        return x, (x[:, 0] * x[:, 1] > 0).astype(int)

    def run(key: jax.Array, stream: jax.Array, norm: jax.Array) -> Fit:
        sizes = {"inputs": cell.inputs, "width": cell.width, "depth": cell.depth, "classes": 2}
        start = init_residual_stack(streams(key).initial, **sizes, dtype=dtype)
        return fit_classifier(key, start, lambda p, x: residual_logits(p, x, stream, norm), sample, recipe)

    return every_run(run, keys, weights, before)


def _draw(place, dataset: xr.Dataset) -> None:
    """Training losses by depth."""
    axes = place.subplots(1, dataset.sizes["cell"], sharey=True, squeeze=False)[0]
    for index, panel in enumerate(axes):
        cell = dataset.isel(cell=index)
        draw_losses(panel, {norm: cell["losses"].sel(norm=norm).to_numpy() for norm in NORMS}, f"{int(cell['depth'])} layers")
    axes[0].set_ylabel("training loss")
    axes[0].legend()


PICTURES = (Picture(2.8, _draw),)


def _deep(trains: bool):
    """That all sixty-layer networks train, or that none does."""
    return lambda cell: Prediction([trains] * 3, of="trains", dims=("norm",)) if cell.depth > 30 else None


RIVALS = (
    rival("depth decides", _deep(False), "sixty layers do not train, whatever the norm"),
    rival("depth is free", _deep(True), "what trains with six layers trains with sixty"),
)
