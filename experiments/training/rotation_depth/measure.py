"""What the claim measures."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.instruments.trained import travel
from depthjax.models import sequence_model
from depthjax.rounding import rounding_floor
from depthjax.tasks.rotation import Rotations, rotation_matrices
from depthjax.training import Ensemble, Recipe, ensemble
from depthjax.training.losses import mean_square
from depthjax.verify import Cell, Quantity, measured
from depthjax.verify.means import critical
from depthjax.verify.rates import RATE
from experiments.studies.scores import scores
from experiments.training.rotation_depth.order_blind import commuting_turns, order_blind_errors

COMMUTING = 256  # words at each position, for a control whose errors are zero without sampling


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Errors by depth, seed and position; the error of the best guess without order; which runs are surely below it."""
    sampler, start = _sampler(given), np.full(3, 3**-0.5)
    matrices = sampler.matrices
    blind = order_blind_errors(jax.random.fold_in(key, 1), matrices, start, cell.length - 1, cell.shuffled)
    shuffled = np.pad(blind.error, (1, 0))
    doubt = np.pad(critical(cell.shuffled, RATE / cell.length) * blind.spread, (1, 0))
    rounding = rounding_floor(9 * cell.length, jnp.dtype(matrices.dtype))
    found, moved = _trained(cell, key, sampler)
    errors, spread = found.test["mse_1x"], found.test["mse_spread_1x"]
    places, spreads = found.test["mse_by_position_1x"], found.test["mse_spread_by_position_1x"]
    widths = critical(cell.tests, RATE / spreads[0].size) * spreads  # of the mean over test words
    highest = errors + critical(cell.tests, RATE / errors.size) * spread
    floor = shuffled.mean() - critical(cell.shuffled, RATE) * np.linalg.norm(blind.spread) / len(shuffled)
    below = np.where(found.fit.failed >= 0, np.nan, highest < floor)
    early = (found.fit.losses[1:, :, 0] < floor).astype(float)  # the mean loss of the first twentieth of the steps

    one, two = (
        Quantity(places[n], "seed position", sampling=widths[n], rate=RATE, label=f"error of {name}")
        for n, name in enumerate(("one layer", "two layers"))
    )
    weights = sum(leaf.size for leaf in jax.tree.leaves(found.fit.params)) // errors.size
    single = jnp.dtype("float32")
    return measured(
        steps=Quantity(np.asarray(found.fit.steps), "depth seed", label="steps of the optimiser"),
        travel=Quantity(
            moved, floor=rounding_floor(cell.steps, single, moved), label="distance that training moves a weight of slope one"
        ),
        weights=Quantity(weights, label="numbers that a network is made of"),
        allowance=Quantity(
            (highest - errors) / spread,
            "depth seed",
            floor=rounding_floor(4, single, highest / spread),
            label="standard errors of a mean that are allowed for",
        ),
        depth=list(found.depths),
        deeper=list(found.depths[1:]),
        position=np.arange(cell.length + 1),
        mse_1x=Quantity(errors, "depth seed", label="mean square error"),
        mse_2x=Quantity(found.test["mse_2x"], "depth seed", label="mean square error at twice the length"),
        order_blind=Quantity(shuffled, "position", floor=rounding, sampling=doubt, rate=RATE, label="best guess without order"),
        blind_error=one,
        two_layer_error=two,
        blind_below=Quantity(below[0], "seed", label="one layer below its floor"),
        two_layers_below=Quantity(below[1], "seed", label="two layers below the floor of one"),
        deeper_below=Quantity(below[1:], "deeper seed", label="two layers or more below the floor of one"),
        deeper_below_early=Quantity(early, "deeper seed", label="the same, a twentieth of the steps"),
    )


def commuting(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The best guess without order of letters that turn about one axis."""
    blind = order_blind_errors(key, commuting_turns(3), np.full(3, 3**-0.5), cell.length - 1, COMMUTING)
    floor = rounding_floor(9 * cell.length, jnp.dtype(blind.error.dtype))
    return measured(order_blind=Quantity(np.pad(blind.error, (1, 0)), "position", floor=floor))


def _sampler(given: dict) -> Rotations:
    """Words in the letters of the cell, with the vectors that they turn."""
    matrices = rotation_matrices(given["table"], given["generators"], given["turns"], mode="faithful")
    return Rotations(matrices[list(given["letters"])].astype(np.float32))


def _trained(cell: Cell, key: jax.Array, sampler: Rotations) -> tuple[Ensemble, float]:
    """Attention that sees no positions, at depths 1 to `deepest`; and how far the recipe moves a weight of slope one."""
    every = cell.steps // 20
    recipe = Recipe(cell.steps, cell.learning_rate, warmup=every, clip=1.0, record_every=every)
    sizes = {"letters": sampler.letters, "width": cell.width, "max_depth": cell.deepest}
    model = sequence_model("transformer", **sizes, coordinates=3, positions="none")
    words = partial(sampler.sample, batch=cell.batch, length=cell.length)
    found = ensemble(
        key,
        model.init,
        lambda params, batch, depth: mean_square(model.apply(params, batch.tokens, depth), batch),
        words,
        recipe,
        depths=tuple(range(1, cell.deepest + 1)),
        seeds=cell.seeds,
        validate=words,
        optimiser=recipe.optimiser(),
        test=partial(scores, sampler, model, cell.tests, cell.length),
    )
    return found, float(travel(recipe))
