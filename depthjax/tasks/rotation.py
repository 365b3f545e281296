"""The rotation task: one matrix for every group element, filled from generators, and how far that is from a representation.

Everything takes the Cayley table as an integer array, so any group and any generators will do.
"""

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int


def breadth_first_matrices(
    table: Int[np.ndarray, "order order"],
    generators: Sequence[int],
    turns: Float[np.ndarray, "generators d d"],
    *,
    side: str = "right",
) -> Float[np.ndarray, "order d d"]:
    """A matrix for every element, as a search from the identity first reaches it; nothing is checked on the way.

    Args:
        table: Cayley table, identity 0.
        generators: elements, in the order in which the search tries them.
        turns: the matrix of each generator.
        side: whether the search multiplies on the "right" (x -> x g) or the "left" (x -> g x).

    Raises:
        ValueError: if the generators do not reach every element, or the side is neither "right" nor "left".
    """
    if side not in ("right", "left"):
        raise ValueError(f"the search multiplies on the 'right' or the 'left', not {side!r}")
    found = {0: np.eye(turns.shape[-1], dtype=turns.dtype)}
    queue = [0]
    for element in queue:  # grows while it is walked
        for generator, turn in zip(generators, turns, strict=True):
            product = int(table[element, generator] if side == "right" else table[generator, element])
            if product not in found:
                found[product] = found[element] @ turn if side == "right" else turn @ found[element]
                queue.append(product)
    if len(found) < len(table):
        raise ValueError(f"the generators {tuple(generators)} reach {len(found)} of {len(table)} elements: choose others")
    return np.stack([found[g] for g in range(len(table))])


def homomorphism_defects(matrices: Float[Array, "order d d"], table: Int[Array, "order order"]) -> Float[Array, "order order"]:
    """Largest entry of M[x] M[y] - M[xy], in absolute value, for every pair: all zero for a representation. O(order^2 d^3)."""
    products = jnp.einsum("xij,yjk->xyik", matrices, matrices, precision="highest")
    return jnp.abs(products - matrices[table]).max(axis=(-2, -1))
