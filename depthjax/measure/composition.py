"""How far a network is from composing, and how far rounding alone would take it."""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from depthjax.measure.errors import rounding_floor
from depthjax.models.polynomial import Recurrent, Tree, TwoLayer, recurrent, tree_layers, two_layer
from depthjax.tasks.composition import products

Network = TwoLayer | Recurrent


@partial(jax.jit, static_argnames="chunk")
def composition_error(
    weights: Network,
    codes: Float[Array, "order order"],
    table: Int[Array, "order order"],
    words: Int[Array, "batch length"],
    chunk: int = 1024,
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """Return the largest error over these words, relative to the largest entry of a code, and its rounding floor.

    The terms that cancel are as large as the same network makes them with the absolute values of all weights and codes. In a
    recurrence that holds for one step; an orthogonal recurrence carries the error of every step along, and letters come
    back with the same reading error, so that errors may add up: the floor grows like the length.
    """
    apply: Callable[..., Array] = two_layer if isinstance(weights, TwoLayer) else recurrent
    scale = jnp.abs(codes).max()
    pieces = _pieces(words, chunk)
    targets = jax.lax.map(lambda piece: products(table, piece), pieces)
    errors = jax.lax.map(lambda pair: jnp.abs(apply(weights, codes, pair[0]) - codes[pair[1]]).max(), (pieces, targets))
    steps = 1 if isinstance(weights, TwoLayer) else words.shape[1] - 1
    few = pieces[0, :, : weights.inputs.shape[0]] if isinstance(weights, TwoLayer) else pieces[0, :, :2]
    mass = jnp.abs(apply(jax.tree.map(jnp.abs, weights), jnp.abs(codes), few)).max()
    operations = weights.width + codes.shape[0]
    return errors.max() / scale, steps * rounding_floor(operations, codes.dtype, mass / scale)


@jax.jit
def tree_errors(
    weights: Tree, codes: Float[Array, "order order"], table: Int[Array, "order order"], words: Int[Array, "batch length"]
) -> tuple[Float[Array, " layers"], Float[Array, " layers"], Float[Array, " layers"]]:
    """Return, for every layer, the largest error of a node, that of half a node read for the whole, and the floor.

    A node of layer l is a tree on 2^l letters, so that one pass tries all lengths up to that of the words.
    """
    scale = jnp.abs(codes).max()
    mass = jnp.abs(tree_layers(jax.tree.map(jnp.abs, weights), jnp.abs(codes), words[:, :2])[0] @ jnp.abs(weights.out).T).max()
    elements, errors, halves, floors = words, [], [], []
    below = codes[words]
    for state in tree_layers(weights, codes, words):
        elements = table[elements[:, 0::2], elements[:, 1::2]]
        target, read = codes[elements], state @ weights.out.T
        errors.append(jnp.abs(read - target).max() / scale)
        halves.append(jnp.abs(below[:, 0::2] - target).max() / scale)
        letters = words.shape[1] // state.shape[1]
        floors.append((letters - 1) * rounding_floor(weights.width + codes.shape[0], codes.dtype, mass / scale))
        below = read
    return jnp.stack(errors), jnp.stack(halves), jnp.stack(floors)


def _pieces(words: Array, chunk: int) -> Array:
    """The words in pieces of at most `chunk`, the last one filled up with the first words."""
    count = -(-words.shape[0] // chunk)
    size = -(-words.shape[0] // count)
    return jnp.resize(words, (count * size, words.shape[1])).reshape(count, size, -1)
