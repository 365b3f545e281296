"""Masks: which positions a query may attend to."""

import jax.numpy as jnp
from jaxtyping import Array, Bool, Integer

MASKS = ("full", "causal", "strict", "window")


def visible(queries: Integer[Array, "*rows"], keys: Integer[Array, "*columns"], mask: str) -> Bool[Array, "*rows_and_columns"]:
    """Return whether each query position sees each key position, shape (*rows, *columns).

    The masks are "full", "causal" (key <= query), "strict" (key < query) and "window" (the query's position and the one before
    it). The mask of the future is the strict mask with queries and keys exchanged.

    Args:
        queries: Positions of the queries, of any integer type.
        keys: Positions of the keys, of the same type.
        mask: One of `MASKS`.

    Raises:
        ValueError: The mask is not one of `MASKS`.

    >>> visible(jnp.arange(3), jnp.arange(3), "strict").astype(int).tolist()
    [[0, 0, 0], [1, 0, 0], [1, 1, 0]]
    """
    row = queries.reshape(queries.shape + (1,) * keys.ndim)
    column = keys.reshape((1,) * queries.ndim + keys.shape)
    if mask == "full":
        return jnp.ones(queries.shape + keys.shape, bool)
    if mask == "causal":
        return column <= row
    if mask == "strict":
        return column < row
    if mask == "window":
        return (column <= row) & (column >= row - 1)
    raise ValueError(f"mask must be one of {', '.join(MASKS)}, got {mask!r}: it decides which positions a query attends to")
