"""The utility of a neuron, E <w, x_{g_1..g_k}> prod_j <u_j, x_{g_j}> over words, and its maximum over unit vectors.

With a_j(g) = <u_j, x_g> and b(g) = <w, x_g> it is |G|^-k times the inner product of b with the convolution a_1 * ... * a_k
on the group: O(k |G|^2) instead of a sum over |G|^k words.
"""

from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key


def utility(
    blocks: Float[Array, "blocks order"],
    codes: Float[Array, "order order"],
    quotients: Int[Array, "order order"],
    order: Int[Array, ""] | int | None = None,
) -> Float[Array, ""]:
    """Return the utility of u_1, ..., u_k, w, the rows of `blocks`.

    `quotients[g, h]` is g^-1 h. For a padded group `order` is the order of the group.
    """
    order = codes.shape[0] if order is None else order
    seen = blocks @ codes.T
    product = seen[0]
    for letter in seen[1:-1]:
        product = product @ letter[quotients] / order
    return product @ seen[-1] / order


def quotient_table(table: Int[Array, "order order"]) -> Int[Array, "order order"]:
    """Return g^-1 h from the Cayley table gh."""
    return table[jnp.argmin(table, axis=1)]


@partial(jax.jit, static_argnames=("length", "starts", "sweeps"))
def largest_utility(
    key: Key[Array, ""],
    codes: Float[Array, "parts order order"],
    table: Int[Array, "order order"],
    length: int,
    starts: int = 16,
    sweeps: int = 400,
    order: Int[Array, ""] | int | None = None,
) -> tuple[Float[Array, " parts"], Float[Array, " parts"]]:
    """Return the largest utility over unit vectors for each encoding, and the gain of the second half of the sweeps.

    The method is alternating maximisation. The utility is linear in each of its k + 1 vectors, so each in turn is replaced by
    its normalised gradient; the value never falls. The best of several random starts is returned.

    Groups may be padded to one shape: codes by zeros, the table by elements that nothing moves (table[g, h] = h for an h that
    is not in the group). Then `order` is the order of the group.
    """
    quotients = quotient_table(table)
    order = codes.shape[1] if order is None else order
    parts, features, _ = codes.shape

    def ascend(start: Array, part: Array) -> tuple[Array, Array]:
        def turn(i: Array, blocks: Array) -> Array:
            j = i % (length + 1)
            gradient = jax.grad(utility)(blocks, part, quotients, order)[j]
            return blocks.at[j].set(gradient / jnp.linalg.norm(gradient))

        def half(blocks: Array, _: None) -> tuple[Array, Array]:
            blocks = jax.lax.fori_loop(0, sweeps // 2 * (length + 1), turn, blocks)
            return blocks, utility(blocks, part, quotients, order)

        first, second = jax.lax.scan(half, start, None, length=2)[1]
        return first, second

    random = jax.random.normal(key, (parts, starts, length + 1, features), codes.dtype)
    half, full = jax.vmap(jax.vmap(ascend, in_axes=(0, None)))(random, codes)
    best = jnp.argmax(full, axis=1, keepdims=True)
    value = jnp.take_along_axis(full, best, axis=1)[:, 0]
    return value, value - jnp.take_along_axis(half, best, axis=1)[:, 0]
