r"""Sixty post-norm layers do not train at a rate at which six do; with the ADMIN weights of the stream, or pre-norm, they do.

Statement: residual perceptrons learn the sign of x_1 x_2 from fresh samples by Adam at one fixed rate. The coefficient of
`residual_sensitivity`, 1 - cos = c (1 - rho) to first order, is L/2 for post-norm and H_{L+1} - 1 for pre-norm and ADMIN: 3 for
six post-norm layers, 30 for sixty, 3.7 for sixty with the ADMIN weights sqrt(l + 1). The typical seed trains where c < 10 and
does not where c > 10.

Trained statement: it speaks of this task, width, rate and number of steps; at the rate 5e-3 and width 32 sixty ADMIN layers
failed too, while pre-norm trained. What is derived is c. Success: accuracy at least 0.8 on fresh samples at the end.

Seeds of the size `quick`: 17, of which 14 must agree in each of the six statements. In a pilot run of 40 seeds all agreed but
one of sixty ADMIN layers, at 0.797: by the binomial law that leaves the claim open in 1 of 1000 runs, and in 3 of 100 if only
93 of 100 seeds train. There were 10 seeds, of which all had to agree: open in one run of four or five.

Source: X. Liu et al. 2020 (60 + 12 layers diverge without ADMIN, train with it). Refuted by: a typical seed on the other side.
Cost: 15 s on a CPU.
"""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.models.residual import ResidualStack, init_residual_stack, residual_logits
from depthjax.training import Fit, Recipe, fit, streams
from depthjax.verify import Claim, Control, Grid, Picture, Prediction, Relation, Source, axis
from theory.width import residual

LARGEST = 10.0  # the sensitivity between six and sixty post-norm layers, 3 and 30, on a log scale
ACCURACY = 0.8  # that counts as trained; chance is 0.5
LATE = 4  # of twenty records, whose fresh batches are the test

CLAIM = Claim(
    slug="sixty_layers_train",
    title="Sixty post-norm layers fail where six train; the ADMIN weights or pre-norm make sixty train",
    statement=(
        "At a rate at which six post-norm layers learn the sign of a product of two inputs, sixty do not; sixty layers "
        "whose stream is weighed by sqrt(l + 1) do, and so do sixty pre-norm layers."
    ),
    latex=r"c_{\mathrm{post}}(L) = \tfrac L2,\qquad c_{\mathrm{pre}}(L) = c_{\mathrm{ADMIN}}(L) = H_{L+1}-1",
    relation=Relation.TREND,
    source=Source(
        "Liu, Duh, Liu, Gao",
        "Very deep transformers for neural machine translation",
        "arXiv 2008.07772",
        "60 layers with ADMIN; the coefficients derived here",
    ),
    assumes=("Adam at one fixed rate, without warm-up", "the task, width and number of steps of the grid"),
    refuted_by="a typical seed that trains where the sensitivity is above 10, or fails where it is below",
    cost="15 s on a CPU",
)


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
    "quick": Sizes(),
    "full": Sizes(width=32, inputs=16, batch=64, steps=600, rate=1e-3, seeds=32),
    "paper": Sizes(width=64, inputs=16, batch=128, steps=1200, rate=5e-4, seeds=64),
}


def setting(cell: Sizes) -> np.ndarray:
    """Weights of the stream by placement of the norm and layer; pre-norm's own growth is not a weight."""
    weights = [[residual.stream_weight(norm, layer) ** 0.5 for layer in range(cell.depth)] for norm in residual.NORMS]
    weights[residual.NORMS.index("pre")] = [1.0] * cell.depth
    return np.array(weights)


def predict(cell: Sizes, weights: np.ndarray) -> Prediction:
    """Who trains, by the coefficient of the sensitivity."""
    return Prediction([_sensitivity(norm, cell.depth) < LARGEST for norm in residual.NORMS], of="trains", dims=("norm",))


def _sensitivity(norm: str, depth: int) -> float:
    rho = 1 - 1e-6
    return (1 - residual.agreement(norm, depth, rho)[-1].limit) / (1 - rho)


def measure(cell: Sizes, key: jax.Array, weights: np.ndarray) -> xr.Dataset:
    """All placements and seeds in one program."""
    before = jnp.array([False, True, False])
    runs = [jnp.repeat(part, cell.seeds, axis=0) for part in (jnp.asarray(weights, jnp.dtype("float32")), before)]
    found = _train(jnp.tile(jax.random.split(key, cell.seeds), len(before)), *runs, cell)
    losses = np.asarray(found.losses).reshape(len(before), cell.seeds, -1)
    # validation batches choose nothing here: they are fresh samples
    score = np.asarray(found.metrics["accuracy"]).reshape(losses.shape)[:, :, -LATE:].mean(axis=2)
    return xr.Dataset(
        {
            "trains": (("norm", "seed"), (score >= ACCURACY).astype(float), {"long_name": "seeds that train"}),
            "accuracy": (("norm", "seed"), score, {"long_name": "accuracy on fresh samples"}),
            "losses": (("norm", "seed", "record"), losses, {"long_name": "training loss"}),
        },
        coords={"norm": ["post", "pre", "admin"]},
    )


@partial(jax.jit, static_argnums=3)
def _train(keys: jax.Array, weights: jax.Array, before: jax.Array, cell: Sizes) -> Fit:
    recipe = Recipe(
        steps=cell.steps, learning_rate=cell.rate, schedule="constant", weight_decay=0.0, record_every=cell.steps // 20
    )

    def sample(key: jax.Array) -> tuple[jax.Array, jax.Array]:
        x = jax.random.normal(key, (cell.batch, cell.inputs), jnp.dtype("float32"))
        return x, (x[:, 0] * x[:, 1] > 0).astype(jnp.int32)

    def run(key: jax.Array, stream: jax.Array, norm: jax.Array) -> Fit:
        def loss(params: ResidualStack, batch: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, dict[str, jax.Array]]:
            logits = jax.nn.log_softmax(residual_logits(params, batch[0], stream, norm))
            right = (jnp.argmax(logits, axis=1) == batch[1]).mean()
            return -jnp.take_along_axis(logits, batch[1][:, None], axis=1).mean(), {"accuracy": right}

        sizes = {"inputs": cell.inputs, "width": cell.width, "depth": cell.depth, "classes": 2}
        start = init_residual_stack(streams(key).initial, **sizes, dtype=jnp.dtype("float32"))
        return fit(key, start, loss, sample, recipe)

    given = keys, weights, before
    # on a CPU one run after the other: compiled in half the time
    return jax.lax.map(lambda one: run(*one), given, batch_size=None if jax.default_backend() == "cpu" else len(keys))


def _draw(place, dataset: xr.Dataset) -> None:
    """Training losses: every seed thin, the median thick."""
    axes = place.subplots(1, dataset.sizes["cell"], sharey=True, squeeze=False)[0]
    for index, axis_ in enumerate(axes):
        cell = dataset.isel(cell=index)
        for norm, colour in zip(cell["norm"].to_numpy(), ("#D55E00", "#0072B2", "#009E73"), strict=True):
            losses = cell["losses"].sel(norm=norm).to_numpy()
            axis_.plot(losses.T, color=colour, lw=0.4, alpha=0.4)
            axis_.plot(np.median(losses, axis=0), color=colour, lw=2, label=norm)
        axis_.set(title=str(cell["cell"].to_numpy()), xlabel="record")
    axes[0].set_ylabel("training loss")
    axes[0].legend()


PICTURES = (Picture(2.8, _draw),)

CONTROLS = (
    Control(
        "depth decides",
        "sixty layers do not train, whatever the norm",
        lambda cell, weights: Prediction([cell.depth < 30] * 3, of="trains", dims=("norm",)) if cell.depth > 30 else None,
    ),
    Control(
        "depth is free",
        "what trains with six layers trains with sixty",
        lambda cell, weights: Prediction([True] * 3, of="trains", dims=("norm",)) if cell.depth > 30 else None,
    ),
)
