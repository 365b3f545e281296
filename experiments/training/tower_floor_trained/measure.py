"""What the claim measures."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.training import Recipe, where_trained
from depthjax.verify import Cell, Quantity, measured
from experiments.training.tower_floor_trained.common import FORGET, MIDDLE
from experiments.training.tower_floor_trained.summing_layers import Kind, listed, rounding_of_squares, trained_errors

WITHIN = 1.1  # times the floor: so near must the typical seed of one layer come


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Variances within classes of words, and the errors of trained networks of one layer and of two."""
    eps, start, part = [float(size) for size in cell.eps], given["start"].astype(float), cell.trained
    found = listed(np.concatenate([given["rotations"], given["commuting"][None]]).astype(float), start, cell.length)
    kinds = [Kind(number, eps[number], cascade=cascade) for cascade in (0.0, 1.0) for number in range(part)]
    kinds += [Kind(MIDDLE, eps[MIDDLE], rate=FORGET), Kind(cell.steps, eps[MIDDLE])]
    last, early, floor, seen, facts = trained_errors(key, found, start, kinds, cell.seeds, _recipe(cell), cell.width)
    one, two, least = slice(part), slice(part, 2 * part), found.within[:part, None]

    def variance(values: np.ndarray, dims: str, label: str = "variance within words of equal counts") -> Quantity:
        rounding = rounding_of_squares(values, 9 * cell.length, jnp.dtype(values.dtype))
        return Quantity(values, dims, floor=rounding, label=label)

    def below(values: np.ndarray, times: float, label: str) -> Quantity:
        return Quantity(where_trained(values <= times * least, values), "eps seed", label=label)

    return measured(
        step=Quantity(eps, "step", label="eps"),
        eps=eps[:part],
        variance=variance(found.within[:-1], "step"),
        variance_at=variance(found.within[:part], "eps"),
        variance_with_last=variance(found.with_last[:-1], "step", "the same, the last letter known"),
        blind_error=Quantity(last[one], "eps seed", floor=floor[one], label="error of one layer"),
        two_error=Quantity(last[two], "eps seed", floor=floor[two], label="error of two layers"),
        forgetting_error=Quantity(last[-2], "seed", floor=floor[-2], label="error of a layer that forgets"),
        commuting_error=Quantity(last[-1], "seed", floor=floor[-1], label="error of one layer, commuting letters"),
        near_floor=below(last[one], WITHIN, "one layer within a tenth of the floor"),
        near_early=below(early[one], WITHIN, "the same, a twentieth of the steps"),
        two_below=below(last[two], 1.0, "two layers below the floor"),
        allowed=Quantity(int(np.sum(np.arange(1, 201) / 100 <= WITHIN)), label="hundredths of the floor that are near"),
        one_below=below(last[one], 1.0, "one layer below the floor"),
        words=Quantity(seen, "kind seed", floor=0.0, label="words that a network is tested on"),
        **{
            name: Quantity(values, "kind seed", floor=floor, label=label)
            for name, (values, floor, label) in facts.named().items()
        },
    )


def about_one_axis(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Variances within classes of words where all letters have the axis of the first one."""
    rotations, start = given["rotations"][: cell.trained, :1].astype(float), given["start"].astype(float)
    powers = np.stack([np.linalg.matrix_power(rotations[:, 0], 1 + letter) for letter in range(cell.letters)], axis=1)
    found, operations = listed(powers, start, cell.length), 9 * cell.letters * cell.length
    spread = np.square(found.ends - found.ends.mean(axis=1, keepdims=True)).sum(axis=-1).mean(axis=-1)

    def variance(values: np.ndarray, label: str) -> Quantity:
        return Quantity(values, "eps", floor=rounding_of_squares(values, operations, jnp.dtype(values.dtype)), label=label)

    return measured(
        eps=[float(size) for size in cell.eps][: cell.trained],
        variance_at=variance(found.within, "variance within words of equal counts"),
        spread=variance(spread, "variance of all words"),
        listed=Quantity(len(found.words), label="words"),
    )


def _recipe(cell: Cell) -> Recipe:
    """Every batch is all words, so that averages of gradients may be short."""
    part = cell.updates // 20
    return Recipe(cell.updates, cell.rate, warmup=part, clip=1.0, betas=(0.9, 0.99), record_every=part)
