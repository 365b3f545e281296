"""Groups of affine maps, as homogenised integer matrices [[A, b], [0, 1]]."""

from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int


@jax.jit
def commutator_defect(pairs: Int[Array, "batch 2 size size"]) -> Int[Array, " batch"]:
    """Return the largest entry of fg - gf for every pair of maps."""
    f, g = pairs[:, 0], pairs[:, 1]
    return jnp.abs(f @ g - g @ f).max(axis=(-2, -1))


@partial(jax.jit, static_argnames="most")
def reached_maps(
    generators: Int[Array, "batch letters size size"], word: Int[Array, " length"], *, most: int = 64
) -> Int[Array, " batch"]:
    """Return how many different maps the prefixes of the word reach, at most `most`; one word for all batches.

    A long random word reaches every element of a small finite group; in an infinite one the count keeps growing.
    Cost: one product a letter, and a comparison with the `most` maps found so far.
    """
    batch, _, size, _ = generators.shape
    start = jnp.broadcast_to(jnp.eye(size, dtype=generators.dtype)[None], (batch, size, size))
    found = jnp.zeros((batch, most, size, size), generators.dtype).at[:, 0].set(start)

    def step(carry: tuple[Array, Array, Array], letter: Array) -> tuple[tuple[Array, Array, Array], None]:
        product, found, count = carry
        product = generators[:, letter] @ product
        known = (found == product[:, None]).all(axis=(-2, -1)).any(axis=-1)
        # the all-zero map, which fills the list, is none of the maps
        place = jnp.where(known, most, count)
        found = found.at[jnp.arange(batch), place].set(product, mode="drop")
        return (product, found, jnp.where(known, count, jnp.minimum(count + 1, most))), None

    count = jnp.ones(batch, jnp.int32)
    return jax.lax.scan(step, (start, found, count), word)[0][2]
