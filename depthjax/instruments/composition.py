"""The errors of networks that compose group elements, and their rounding floors.

Features, units and letters that are zero everywhere add no rounding, so networks of several groups may be padded to one shape.
"""

import functools
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Integer

from depthjax.models.polynomial import Recurrent, Tree, TwoLayer, recurrent_readings, tree_layers, two_layer
from depthjax.rounding import rounding_floor
from depthjax.scans.tables import prefix_products
from depthjax.tasks.composition import CompositionTask, products


class TreeErrors(NamedTuple):
    """The largest errors of a quadratic tree in every layer, relative to the largest entry of a code.

    Attributes:
        nodes: Errors of the nodes.
        halves: Errors of the first half of every node, read in its place.
        roots: Errors of the first node, read as the product of the whole word.
        floors: What rounding explains of the errors of the nodes.
    """

    nodes: Float[Array, " layers"]
    halves: Float[Array, " layers"]
    roots: Float[Array, " layers"]
    floors: Float[Array, " layers"]


@partial(jax.jit, static_argnames="chunk")
def two_layer_error(
    weights: TwoLayer,
    codes: Float[Array, "order order"],
    table: Int[Array, "order order"],
    words: Integer[Array, "batch length"],
    chunk: int = 1024,
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """Return the largest error over these words, relative to the largest entry of a code, and its rounding floor.

    The size of the terms that cancel is the output of the same network with the absolute values of all weights and codes.
    """
    scale = jnp.abs(codes).max()
    pieces = _pieces(words, chunk)

    def error(piece: Array) -> Array:
        return jnp.abs(two_layer(weights, codes, piece) - codes[products(table, piece)]).max()

    few = pieces[0, :, : weights.inputs.shape[0]]
    mass = jnp.abs(two_layer(jax.tree.map(jnp.abs, weights), jnp.abs(codes), few)).max()
    return jax.lax.map(error, pieces).max() / scale, rounding_floor(_operations(weights, codes), codes.dtype, mass / scale)


@jax.jit
def recurrent_errors(
    weights: Recurrent,
    codes: Float[Array, "order order"],
    table: Int[Array, "order order"],
    words: Integer[Array, "batch length"],
) -> tuple[Float[Array, " prefixes"], Float[Array, " prefixes"]]:
    """Return the largest error, relative to the largest entry of a code, for prefixes of 2, 3, ... letters; and the floors.

    The floor is that of one step, as for `two_layer_error`, times the number of steps: an orthogonal recurrence carries the
    error of every step along, and repeated letters have the same reading error, so errors may add up.
    """
    scale = jnp.abs(codes).max()
    targets = codes[prefix_products(table, words)[:, 1:]]
    errors = jnp.abs(recurrent_readings(weights, codes, words) - targets).max(axis=(0, 2))
    mass = jnp.abs(recurrent_readings(jax.tree.map(jnp.abs, weights), jnp.abs(codes), words[:, :2])).max()
    step = rounding_floor(_operations(weights, codes), codes.dtype, mass / scale)
    return errors / scale, step * jnp.arange(1, words.shape[1], dtype=codes.dtype)


@jax.jit
def tree_errors(
    weights: Tree,
    codes: Float[Array, "letters features"],
    table: Int[Array, "letters letters"],
    words: Integer[Array, "batch length"],
) -> TreeErrors:
    """Return the errors of every layer.

    A node of layer l is a tree on 2^l letters, so one pass tries all lengths up to that of the words.
    """
    scale = jnp.abs(codes).max()
    mass = jnp.abs(tree_layers(jax.tree.map(jnp.abs, weights), jnp.abs(codes), words[:, :2])[0] @ jnp.abs(weights.out).T).max()
    step = rounding_floor(_operations(weights, codes), codes.dtype, mass / scale)
    whole = codes[products(table, words)]
    elements, found, below = words, [], codes[words]
    for state in tree_layers(weights, codes, words):
        elements = table[elements[:, 0::2], elements[:, 1::2]]
        target, read = codes[elements], state @ weights.out.T
        wrong = read - target, below[:, 0::2] - target, read[:, 0] - whole
        errors = [jnp.abs(difference).max() / scale for difference in wrong]
        found.append([*errors, (words.shape[1] // state.shape[1] - 1) * step])
        below = read
    return TreeErrors(*jnp.array(found).T)


def units_in_use(weights: TwoLayer | Recurrent | Tree) -> int:
    """Return the number of units that read something and that something reads; of a tree, in one node."""
    blocks = {name: np.asarray(block) != 0 for name, block in vars(weights).items()}
    mixes = [blocks[name] for name in ("mix", "join") if name in blocks]
    fed = [block.any(axis=tuple(range(block.ndim - 1))) for name, block in blocks.items() if name != "out"]
    read = [blocks["out"].any(axis=0), *(block.any(axis=1) for block in mixes)]
    return int((np.any(fed, axis=0) & np.any(read, axis=0)).sum())


def units_without_last_irrep(task: CompositionTask, build: Callable[..., TwoLayer | Tree]) -> int:
    """Return the units in use of the network for all irreps but the last; none where it is the only one.

    Args:
        task: The group, its codes and its irreps.
        build: Encoding, irreps -> weights.
    """
    rest = task.without_last_irrep()
    if np.abs(rest.encoding).max() < 1e-9 * np.abs(task.encoding).max():  # rounding is left of the code
        return 0
    return units_in_use(build(rest.encoding, rest.irreps))


def letters_said(
    weights: TwoLayer, codes: Float[np.ndarray, "order order"], words: Integer[np.ndarray, "batch length"]
) -> Int[np.ndarray, " batch"]:
    """Return, for each word, the letter whose code is nearest to what the network says; the first of letters with one code.

    Cost: one pass over the words, by numpy.
    """
    inputs, out = np.asarray(weights.inputs), np.asarray(weights.out)
    read = np.einsum("gf,lfu->lgu", codes, inputs, optimize=True)
    said = sum(read[place, letters] for place, letters in enumerate(np.asarray(words).T)) ** words.shape[1] @ out.T
    return np.argmin((codes**2).sum(axis=1) - 2 * said @ codes.T, axis=1)


def units_needed(
    weights: TwoLayer,
    codes: Float[np.ndarray, "order order"],
    table: Int[np.ndarray, "order order"],
    words: Integer[np.ndarray, "batch length"],
    floor: float,
) -> int:
    """Return the number of hidden units that are missed: with each of them switched off alone some word is read wrongly.

    Args:
        weights: One hidden layer that is right up to `floor`.
        codes: The codes of the letters.
        table: The Cayley table, which says the product of a word.
        words: Words that are tried.
        floor: Largest error that rounding explains, relative to the largest entry of a code.

    Cost: one pass over the words, because the output is a sum over units, and a comparison of all outputs for each unit.
    """
    inputs, out = np.asarray(weights.inputs), np.asarray(weights.out)
    hidden = np.einsum("blf,lfu->bu", codes[words], inputs, optimize=True) ** words.shape[1]
    answers = functools.reduce(lambda product, letter: np.asarray(table)[product, letter], np.asarray(words).T)
    error, most = hidden @ out.T - codes[answers], 2 * floor * np.abs(codes).max()  # an error of one floor may hide as much
    without = (error - np.outer(seen, written) for seen, written in zip(hidden.T, out.T, strict=True))
    return sum(bool((np.abs(one) > most).any()) for one in without)


def _operations(weights: TwoLayer | Recurrent | Tree, codes: Array) -> Array:
    """Number of terms of the longest sums: units and features that are not zero everywhere."""
    units = (weights.out != 0).any(axis=0)
    if not isinstance(weights, TwoLayer):
        units |= (weights.mix != 0).any(axis=1)
    return (units.sum() + (codes != 0).any(axis=0).sum()).astype(codes.dtype)


def _pieces(words: Array, chunk: int) -> Array:
    """The words in pieces of at most `chunk`; the last piece is padded with the first words."""
    count = -(-words.shape[0] // chunk)
    size = -(-words.shape[0] // count)
    return jnp.resize(words, (count * size, words.shape[1])).reshape(count, size, -1)
