"""Networks of squares, trained on all pairs of elements at several widths, and the least width at which a run ends at zero."""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Float

from depthjax.instruments.flattening import centred, flattening_rank
from depthjax.instruments.trained import Facts, watched
from depthjax.instruments.trained_composition import floor_of_products, scaled_codes
from depthjax.models.polynomial import TwoLayer, two_layer_table
from depthjax.rounding import rounding_floor
from depthjax.training import Fit, Learner, Recipe, Streams, trials, where_trained
from depthjax.verify import Cell, Quantity, measured
from experiments.composition.least_width_trained.common import EARLY, ZERO


class LeftOver(NamedTuple):
    """The shares that the runs of one width leave: at the end, at the first record, and the rounding of the former.

    Beside them the share that a network leaves which answers nothing, and what was trained; the parts of a network are units.
    """

    last: np.ndarray
    early: np.ndarray
    floor: np.ndarray
    nothing: np.ndarray
    facts: Facts


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The least width at which a run ends at zero, what is left there, at its neighbours and below the rank of the target."""
    table = given["table"]
    rank = flattening_rank(centred(np.eye(len(table))[table]))
    zero = ZERO * floor_of_products(table, 2, rank - 1)
    tried: dict[int, LeftOver] = {}

    def left(width: int) -> LeftOver:
        if width not in tried:
            tried[width] = _left(cell, jax.random.fold_in(key, width), table, table, width)
        return tried[width]

    narrowest = _narrowest(lambda width: left(width).last, 2 * rank, zero)
    early = _narrowest(lambda width: left(width).early, 2 * rank, zero)
    few, fewer, enough, more = (left(width) for width in (rank - 1, narrowest - 1, narrowest, narrowest + 2))
    mixed = np.random.default_rng(cell.numbering).permutation(table.ravel()).reshape(table.shape)
    of_mixed = _left(cell, key, table, mixed, narrowest + 2)
    runs = few, fewer, enough, more, of_mixed
    facts = jax.tree.map(lambda *parts: np.stack(parts), *(run.facts for run in runs)).named()

    def found(left: np.ndarray, label: str) -> Quantity:
        return Quantity(where_trained(left < zero, left), "seed", label=label)

    return measured(
        narrowest=Quantity(narrowest, label="least width at which a run ends at zero"),
        narrowest_early=Quantity(early, label="the same after a twentieth of the steps"),
        left_by_few=Quantity(few.last, "seed", floor=few.floor, label="share left by too few units"),
        left_by_fewer=Quantity(fewer.last, "seed", floor=fewer.floor, label="share left by one unit fewer"),
        left_by_enough=Quantity(enough.last, "seed", floor=enough.floor, label="share left by enough units"),
        found=found(enough.last, "ends at zero"),
        found_with_more=found(more.last, "ends at zero with two units more"),
        found_with_fewer=found(fewer.last, "ends at zero with one unit fewer"),
        found_in_mixed=found(of_mixed.last, "the same for products in random places"),
        zero=Quantity(
            zero, floor=rounding_floor(len(table) ** 2, np.dtype(float), zero), label="share left that counts as zero"
        ),
        whole=Quantity(
            np.stack([run.nothing for run in runs]),
            "width seed",
            floor=rounding_floor(cell.most**3, jnp.dtype("float32"), 1.0),
            label="share left by a network that answers nothing",
        ),
        **{name: Quantity(values, "width seed", floor=floor, label=label) for name, (values, floor, label) in facts.items()},
    )


def _narrowest(left: Callable[[int], np.ndarray], width: int, zero: float) -> int:
    """The width above the first one, from `width` down, at which no run ends below zero."""
    while (left(width) < zero).any():
        width -= 1
    return width + 1


def _left(cell: Cell, key: jax.Array, table: np.ndarray, answers: np.ndarray, width: int) -> LeftOver:
    """What the runs of one width leave of these answers."""
    part, codes, order, size = cell.steps // EARLY, np.asarray(scaled_codes(table)), len(table), cell.most
    recipe = Recipe(cell.steps, cell.rate, "cosine", part, 0.0, (0.9, 0.99), record_every=part)
    letters, pairs, target = np.zeros((size, size + 1)), np.zeros((size, size)), np.zeros((size, size, size))
    letters[:order, :order], letters[:order, size] = codes, 1.0  # units read a constant
    pairs[:order, :order], target[:order, :order, :order] = 1 / order**3, codes[answers]
    units = np.arange(cell.widest) < width
    shared = tuple(jnp.asarray(array, jnp.float32) for array in (units, letters, pairs, target))
    done = trials(_trial, recipe, jax.random.split(key, cell.seeds), shared=shared, together=True)
    shares, facts = done.found
    return LeftOver(*(part.astype(float) for part in done.finite(shares)), done.finite(facts))  # type: ignore[call-arg]


def _trial(recipe: Recipe, own: Streams, units: Array, letters: Array, pairs: Array, target: Array) -> Learner:
    first, second, last = jax.random.split(own.initial, 3)
    shape, outputs = (letters.shape[1], units.shape[0]), target.shape[-1]
    order = jnp.sqrt(jnp.square(letters[:, -1]).sum())  # of the letters that there are
    params = {
        "first": jax.random.normal(first, shape, letters.dtype) / (2**0.5 * order),
        "second": jax.random.normal(second, shape, letters.dtype) / (2**0.5 * order),
        "out": jax.random.normal(last, (outputs, shape[1]), letters.dtype) / jnp.sqrt(units.sum()),
    }

    def loss(params: dict[str, Array], batch: tuple) -> tuple[Array, dict[str, Array]]:
        left = _share(params, units, letters, pairs, target)
        return left, {"left": left}

    def test(found: Fit) -> tuple[Array, Array, Array, Array]:
        left = _share(found.params, units, letters, pairs, target)
        mass = _table(jax.tree.map(jnp.abs, found.params), units, jnp.abs(letters)).max()
        rounding = rounding_floor(sum(shape), left.dtype, mass)
        nothing = _share(jax.tree.map(jnp.zeros_like, params), units, letters, pairs, target)
        return left, found.metrics["left"][0], 2 * jnp.sqrt(left) * rounding + rounding**2, nothing

    learner = Learner(params, loss, lambda key: (), recipe, test, validate=lambda key: ())
    return watched(learner, lambda params: jax.tree.map(jnp.transpose, params))


def _table(params: dict[str, Array], units: Array, letters: Array) -> Float[Array, "order order outputs"]:
    """The outputs for all pairs; units that are not there write nothing."""
    return two_layer_table(TwoLayer(jnp.stack([params["first"], params["second"]]), params["out"] * units[None]), letters)


def _share(params: dict[str, Array], units: Array, letters: Array, pairs: Array, target: Array) -> Float[Array, ""]:
    """The share of the target that is left; letters have mean square one, and so has the target."""
    return jnp.einsum("gh,ghf->", pairs, jnp.square(_table(params, units, letters) - target))
