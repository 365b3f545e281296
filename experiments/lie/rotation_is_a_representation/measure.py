"""What the claim measures."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.tasks.rotation import breadth_first_matrices, homomorphism_defects
from depthjax.verify import Cell, Quantity, measured


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The same counts in float64; no randomness."""
    order = slice(None) if cell.first == "three" else slice(None, None, -1)
    matrices = [
        breadth_first_matrices(given["table"], pair[order], given["turns"][order], side=cell.side)
        for pair in given["pairs"].tolist()
    ]
    table = jnp.asarray(given["table"])
    defects = jax.lax.map(lambda m: homomorphism_defects(m, table), jnp.asarray(np.stack(matrices)), batch_size=32)
    # entries of two rotations of the group differ by 0.8 somewhere or by rounding, below 1e-13
    counts = np.asarray((defects > 1e-6).sum(axis=(-2, -1)))
    return measured(
        violations=Quantity(counts, "pair", label="violated products", unit="of 3600"),
        representations=Quantity((counts == 0).sum(), label="pairs that extend to a representation", unit="of 480"),
        published_violations=Quantity(counts[given["published"]], label="violated products, published pair"),
    )
