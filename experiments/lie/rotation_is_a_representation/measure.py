"""What the claim measures."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.tasks.rotation import breadth_first_matrices, homomorphism_defects
from depthjax.verify import Cell, Quantity, measured


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The same counts in float64, and where the 5-cycle turns twice as far; the pairs read from the table; no randomness."""
    three, five = given["turns"]
    counts, twice = _violations(cell, given, given["turns"]), _violations(cell, given, np.stack([three, five @ five]))
    orders = _orders(given["table"])
    first, second = given["pairs"].T
    table = given["table"]
    cubed = table[first, table[second, table[second, second]]]  # a rotation is the cube of its square, in the icosahedral group
    presented = orders[table[first, second]] == 2
    read = len({(a, b) for a, b in given["pairs"].tolist() if orders[a] == 3 and orders[b] == 5})
    return measured(
        violations=Quantity(counts, "pair", label="violated products", unit="of 3600"),
        violations_twice=Quantity(twice, "pair", label="violated products, turned twice", unit="of 3600"),
        representations=Quantity((counts == 0).sum(), label="pairs that extend to a representation", unit="of 480"),
        representations_twice=Quantity((twice == 0).sum(), label="pairs that extend, turned twice", unit="of 480"),
        representations_of_both=Quantity(((counts == 0) & (twice == 0)).sum(), label="pairs that extend both times"),
        presented=Quantity(presented.sum(), label="pairs whose product has order 2"),
        agree=Quantity((presented == (counts == 0)).sum(), label="pairs that extend just if their product has order 2"),
        agree_twice=Quantity(
            ((orders[cubed] == 2) == (twice == 0)).sum(), label="pairs that extend, turned twice, just if p r^3 has order 2"
        ),
        read=Quantity(
            [len(given["pairs"]), read, len(given["table"])], "of", label="pairs, those of 3- and 5-cycles, elements"
        ),
        published_violations=Quantity(counts[given["published"]], label="violated products, published pair"),
    )


def _violations(cell: Cell, given: dict, turns: np.ndarray) -> np.ndarray:
    order = slice(None) if cell.first == "three" else slice(None, None, -1)
    matrices = [
        breadth_first_matrices(given["table"], pair[order], turns[order], side=cell.side) for pair in given["pairs"].tolist()
    ]
    table = jnp.asarray(given["table"])
    defects = jax.lax.map(lambda m: homomorphism_defects(m, table), jnp.asarray(np.stack(matrices)), batch_size=32)
    # entries of two rotations of the group differ by 0.8 somewhere or by rounding, below 1e-13
    return np.asarray((defects > 1e-6).sum(axis=(-2, -1)))


def _orders(table: np.ndarray) -> np.ndarray:
    """The order of every element, by its powers."""
    elements = np.arange(len(table))
    one = int(np.flatnonzero((table == elements).all(axis=1))[0])
    orders, power = np.zeros(len(table), int), elements
    for exponent in range(1, len(table) + 1):
        orders = np.where((orders == 0) & (power == one), exponent, orders)
        power = table[power, elements]
    return orders
