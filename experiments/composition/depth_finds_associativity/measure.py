"""Networks of three kinds, trained on equally many steps and tested on all words, beside the floor of one layer."""

import jax
import numpy as np
import xarray as xr

from depthjax.instruments.trained_composition import floor_of_products, trained_composers
from depthjax.rounding import rounding_floor
from depthjax.training import Recipe, where_trained
from depthjax.verify import Cell, Quantity, measured


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """What trained networks of both kinds leave over all words, and the tail of the flattened target."""
    table, units = given["table"], given["units"]
    keys = dict(zip((cell.network, "two-layer"), jax.random.split(key), strict=True))
    sizes = cell.length, units, _recipe(cell), cell.batch, cell.seeds
    deep, flat = (trained_composers(keys[network], table, network, *sizes) for network in keys)  # type: ignore[arg-type]
    floor = floor_of_products(table, cell.length, units)

    def below(left: np.ndarray, label: str) -> Quantity:
        return Quantity(where_trained(left < floor, left), "seed", label=label)

    rounding = rounding_floor(len(table) ** ((cell.length + 1) // 2), np.dtype(float), 1.0)
    both = jax.tree.map(lambda *parts: np.stack(parts), deep, flat)
    return measured(
        **{
            name: Quantity(values, "layers seed", floor=floor, label=label)
            for name, (values, floor, label) in both.facts.named().items()
        },
        words=Quantity(both.words, "layers seed use", floor=0.0, label="words of a step, of a record and of the test"),
        recorded=Quantity(
            both.last - both.again,
            "layers seed",
            floor=2 * both.floor,
            label="share that the last record leaves above the test",
        ),
        floor=Quantity(floor, floor=float(rounding), label="share left by H products", unit="of the mean square"),
        deep_left=Quantity(deep.last, "seed", floor=deep.floor, label="share left by the recurrence or the tree"),
        one_layer_left=Quantity(flat.last, "seed", floor=flat.floor, label="share left by one hidden layer"),
        right=Quantity(deep.right, "seed", label="share of right products"),
        below=below(deep.last, "leaves less than H products"),
        below_one_layer=below(flat.last, "the same, one hidden layer"),
        below_shuffled=below(deep.shuffled, "the same, letters in random order"),
        below_early=below(deep.early, "the same, a twentieth of the steps"),
    )


def of_cyclic_group(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """What as many products leave of words in the cyclic group of the same order."""
    numbers = np.arange(len(given["table"]))
    table = (numbers[:, None] + numbers) % len(numbers)
    rounding = rounding_floor(len(table) ** ((cell.length + 1) // 2), np.dtype(float), 1.0)
    few = [floor_of_products(table, cell.length, units) for units in range(len(table))]
    return measured(
        floor=Quantity(floor_of_products(table, cell.length, given["units"]), floor=float(rounding)),
        few=Quantity(few, "products", floor=float(rounding), label="share left by no product, by one, by two, ..."),
    )


def _recipe(cell: Cell) -> Recipe:
    """The recipe of both networks of a cell."""
    part, rate = cell.steps // 20, cell.rate * (6 if cell.network == "tree" else 1)
    return Recipe(cell.steps, rate, warmup=part, clip=1.0, betas=(0.9, 0.99), record_every=part)
