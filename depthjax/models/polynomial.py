"""Networks whose units are powers: one hidden layer of z^k, a recurrence of squares, a tree of squares.

Inputs are words over a finite alphabet of codes: position j of a word holds the vector `codes[word[j]]`. Linear maps of a
code are therefore taken once for each letter and looked up.

The recurrence is h_1 = (first x_1 + drive x_2)^2, h_t = (mix h_{t-1} + drive x_{t+1})^2, y = out h_{k-1}; the tree joins
neighbours, h = (mix h_left + join h_right)^2, after a first layer (first x_left + drive x_right)^2. Squares are taken entry by
entry. For words of length two all three are one hidden layer of squares.
"""

from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from depthjax.checks import at_least


@partial(jax.tree_util.register_dataclass, data_fields=["inputs", "out"], meta_fields=[])
@dataclass(frozen=True)
class TwoLayer:
    """Weights of one hidden layer: a block for each position, and the output map."""

    inputs: Float[Array, "length width features"]
    out: Float[Array, "width features"]

    @property
    def width(self) -> int:
        """Number of hidden units."""
        return self.out.shape[0]


@partial(jax.tree_util.register_dataclass, data_fields=["first", "drive", "mix", "out"], meta_fields=[])
@dataclass(frozen=True)
class Recurrent:
    """Weights of the quadratic recurrence."""

    first: Float[Array, "width features"]
    drive: Float[Array, "width features"]
    mix: Float[Array, "width width"]
    out: Float[Array, "width features"]

    @property
    def width(self) -> int:
        """Number of units in the state."""
        return self.out.shape[0]


@partial(jax.tree_util.register_dataclass, data_fields=["first", "drive", "mix", "join", "out"], meta_fields=[])
@dataclass(frozen=True)
class Tree:
    """Weights of the quadratic tree, shared by all nodes and by all layers after the first."""

    first: Float[Array, "width features"]
    drive: Float[Array, "width features"]
    mix: Float[Array, "width width"]
    join: Float[Array, "width width"]
    out: Float[Array, "width features"]

    @property
    def width(self) -> int:
        """Number of units in a node."""
        return self.out.shape[0]


def two_layer(
    weights: TwoLayer, codes: Float[Array, "letters features"], words: Int[Array, "batch length"]
) -> Float[Array, "batch features"]:
    """Return out^T (sum_j <inputs_j, x_j>)^k with k the length of the words."""
    length = weights.inputs.shape[0]
    if words.shape[1] != length:
        raise ValueError(f"the network reads {length} positions but the words have {words.shape[1]}: one block a position")
    seen = jnp.einsum("lf,kwf->klw", codes, weights.inputs)
    hidden = sum(seen[j][words[:, j]] for j in range(length))
    return (hidden**length) @ weights.out


def recurrent(
    weights: Recurrent, codes: Float[Array, "letters features"], words: Int[Array, "batch length"]
) -> Float[Array, "batch features"]:
    """Return the reading of the last state; words of length at least two, any length for the same weights."""
    at_least("the length of the words", words.shape[1], 2, "the first state holds two letters")
    drive = codes @ weights.drive.T
    state = ((codes @ weights.first.T)[words[:, 0]] + drive[words[:, 1]]) ** 2

    def step(state: Array, letter: Array) -> tuple[Array, None]:
        return (state @ weights.mix.T + drive[letter]) ** 2, None

    return jax.lax.scan(step, state, words[:, 2:].T)[0] @ weights.out


def tree(
    weights: Tree, codes: Float[Array, "letters features"], words: Int[Array, "batch length"]
) -> Float[Array, "batch features"]:
    """Return the reading of the root of log2(length) quadratic layers.

    Raises:
        ValueError: the length is not a power of two, or below two.
    """
    return tree_layers(weights, codes, words)[-1][:, 0] @ weights.out


def tree_layers(
    weights: Tree, codes: Float[Array, "letters features"], words: Int[Array, "batch length"]
) -> list[Float[Array, "batch _ width"]]:
    """Return the states of all layers, length / 2^l nodes in the l-th; read by `out`, each node is a tree of its own."""
    length = words.shape[1]
    if length < 2 or length & (length - 1):
        raise ValueError(f"a word of length {length}: neighbours are joined in pairs, so the length must be 2, 4, 8, ...")
    layers = [((codes @ weights.first.T)[words[:, 0::2]] + (codes @ weights.drive.T)[words[:, 1::2]]) ** 2]
    while layers[-1].shape[1] > 1:
        layers.append((layers[-1][:, 0::2] @ weights.mix.T + layers[-1][:, 1::2] @ weights.join.T) ** 2)
    return layers
