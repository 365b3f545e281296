"""Pointer chasing: a table f of numbers below n as a word, then a query q; the answer is f(q), f(f(q)), ...

Letters 0 ... n - 1 are the entries of the table and n + q is the query. The answer is asked for at the last position.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key


def pointer_words(
    key: Key[Array, ""], entries: int, batch: int, hops: Int[Array, ""] | int
) -> tuple[Int[Array, "batch length"], Int[Array, " batch"]]:
    """Return uniform tables with uniform queries, and the answer after `hops` applications, which may be traced."""
    numbers = jax.random.randint(key, (batch, entries + 1), 0, entries)  # one draw: each draw takes a second to compile
    table, query = numbers[:, :entries], numbers[:, entries:]
    answer = jax.lax.fori_loop(0, hops, lambda _, at: jnp.take_along_axis(table, at, axis=1), query)
    return jnp.concatenate([table, query + entries], axis=1), answer[:, 0]
