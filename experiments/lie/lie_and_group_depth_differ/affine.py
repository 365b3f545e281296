"""Groups of affine maps, as homogenised integer matrices [[A, b], [0, 1]]."""

from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Integer

from depthjax.checks import at_least, in_alphabet, marked, strange


@jax.jit
def commutator_defect(pairs: Integer[Array, "batch 2 size size"]) -> Int[Array, " batch"]:
    """Return the largest entry of fg - gf for every pair of maps."""
    f, g = (pairs[:, i].astype(int) for i in (0, 1))  # products of bytes do not fit bytes
    return jnp.abs(f @ g - g @ f).max(axis=(-2, -1))


def reached_maps(
    generators: Integer[Array, "batch letters size size"], word: Integer[Array, " length"], *, most: int = 64
) -> Int[Array, " batch"]:
    """Return the number of different maps that the prefixes of the word reach, at most `most`; all batches share the word.

    A long random word reaches every element of a small finite group; in an infinite group the count keeps growing. Cost: one
    product and a comparison with the maps found so far for each letter.

    Raises:
        ValueError: A letter has no map (under jit: -1).
    """
    at_least("most", most, 1)
    return _reached_maps(generators.astype(int), in_alphabet("word", word, generators.shape[1]), most)


@partial(jax.jit, static_argnums=2)
def _reached_maps(generators: Array, word: Array, most: int) -> Array:
    batch, _, size, _ = generators.shape
    start = jnp.broadcast_to(jnp.eye(size, dtype=generators.dtype)[None], (batch, size, size))
    found = jnp.zeros((batch, most, size, size), generators.dtype).at[:, 0].set(start)

    def step(carry: tuple[Array, Array, Array], letter: Array) -> tuple[tuple[Array, Array, Array], None]:
        product, found, count = carry
        product = generators[:, letter] @ product
        known = (found == product[:, None]).all(axis=(-2, -1)).any(axis=-1)
        # the list is padded with the zero map, which is none of the maps
        place = jnp.where(known, most, count)
        found = found.at[jnp.arange(batch), place].set(product, mode="drop")
        return (product, found, jnp.where(known, count, jnp.minimum(count + 1, most))), None

    count = jnp.ones(batch, jnp.int32)
    counts = jax.lax.scan(step, (start, found, count), word)[0][2]
    return marked(counts, jnp.broadcast_to(strange(word), counts.shape))
