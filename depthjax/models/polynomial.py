"""Networks with power units: one hidden layer of z^k, a recurrence of squares, a tree of squares.

Inputs are words over a finite alphabet of codes: position j of a word holds the vector `codes[word[j]]`. If a batch has more
words than there are prefixes of some length, every such prefix is computed once and looked up, so the cost for small groups
does not grow with the batch. A letter without a code is refused; under jit the answer for its word is NaN.

The recurrence is h_1 = (x_1 first + x_2 drive)^2, h_t = (h_{t-1} mix + x_{t+1} drive)^2, y = h_{k-1} out^T; the tree joins
neighbours, h = (h_left mix + h_right join)^2, after a first layer (x_left first + x_right drive)^2. Squares are taken entry by
entry. For words of length two all three are one hidden layer of squares.

Weights act on rows and units are the last axis, so the arrays that are updated and multiplied most often are contiguous.
"""

from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Integer

from depthjax.checks import at_least, in_alphabet, marked, strange


@partial(jax.tree_util.register_dataclass, data_fields=["inputs", "out"], meta_fields=[])
@dataclass(frozen=True)
class TwoLayer:
    """Weights of one hidden layer: a block for each position, and the output map."""

    inputs: Float[Array, "length features width"]
    out: Float[Array, "outputs width"]

    @property
    def width(self) -> int:
        """Number of hidden units."""
        return self.out.shape[-1]


@partial(jax.tree_util.register_dataclass, data_fields=["first", "drive", "mix", "out"], meta_fields=[])
@dataclass(frozen=True)
class Recurrent:
    """Weights of the quadratic recurrence; `mix` maps old units (rows) to new ones."""

    first: Float[Array, "features width"]
    drive: Float[Array, "features width"]
    mix: Float[Array, "width width"]
    out: Float[Array, "outputs width"]

    @property
    def width(self) -> int:
        """Number of units in the state."""
        return self.out.shape[-1]


@partial(jax.tree_util.register_dataclass, data_fields=["first", "drive", "mix", "join", "out"], meta_fields=[])
@dataclass(frozen=True)
class Tree:
    """Weights of the quadratic tree, shared by all nodes and by all layers after the first."""

    first: Float[Array, "features width"]
    drive: Float[Array, "features width"]
    mix: Float[Array, "width width"]
    join: Float[Array, "width width"]
    out: Float[Array, "outputs width"]

    @property
    def width(self) -> int:
        """Number of units in a node."""
        return self.out.shape[-1]


def two_layer(
    weights: TwoLayer, codes: Float[Array, "letters features"], words: Integer[Array, "batch length"]
) -> Float[Array, "batch outputs"]:
    """Return out (sum_j <inputs_j, x_j>)^k with k the length of the words.

    Cost: one product of the codes of the batch with the weights, or of all words if there are fewer of them than rows.
    """
    length = _positions(weights, words)
    words = in_alphabet("words", words, codes.shape[0])
    if codes.shape[0] ** length <= words.shape[0]:
        return marked(two_layer_table(weights, codes)[tuple(words.T)], strange(words))
    features = codes[words].reshape(words.shape[0], -1)
    return marked((features @ weights.inputs.reshape(-1, weights.width)) ** length @ weights.out.T, strange(words))


def two_layer_table(weights: TwoLayer, codes: Float[Array, "letters features"]) -> Float[Array, "*letters outputs"]:
    """Return the output for every word: axis j is the letter at position j."""
    length = weights.inputs.shape[0]
    seen = jnp.einsum("lf,kfw->klw", codes, weights.inputs)
    hidden = seen[0]
    for block in seen[1:]:
        hidden = hidden[..., None, :] + jnp.expand_dims(block, tuple(range(hidden.ndim - 1)))
    return (hidden**length) @ weights.out.T


def recurrent(
    weights: Recurrent, codes: Float[Array, "letters features"], words: Integer[Array, "batch length"]
) -> Float[Array, "batch outputs"]:
    """Return the reading of the last state, for words of any length from two on."""
    at_least("the length of the words", words.shape[1], 2, "the first state holds two letters")
    batch, length = words.shape
    words = in_alphabet("words", words, codes.shape[0])
    letters, drive = codes.shape[0], codes @ weights.drive
    carried, read, prefix = codes @ weights.first, 1, words[:, 0]
    # every prefix once, as long as there are fewer prefixes than words
    while read < length and letters ** (read + 1) <= batch:
        carried = (carried[:, None] + drive[None]) ** 2
        read, prefix = read + 1, prefix * letters + words[:, read]
        carried = carried.reshape(-1, weights.width) @ (weights.out.T if read == length else weights.mix)
    if read == length:
        return marked(carried[prefix], strange(words))
    state = (carried[prefix] + codes[words[:, read]] @ weights.drive) ** 2

    def step(state: Array, letter: Array) -> tuple[Array, None]:
        return (state @ weights.mix + codes[letter] @ weights.drive) ** 2, None

    return marked(jax.lax.scan(step, state, words[:, read + 1 :].T)[0] @ weights.out.T, strange(words))


def recurrent_readings(
    weights: Recurrent, codes: Float[Array, "letters features"], words: Integer[Array, "batch length"]
) -> Float[Array, "batch prefixes outputs"]:
    """Return the readings after two letters, after three, ...: those of `recurrent` on the prefixes."""
    at_least("the length of the words", words.shape[1], 2, "the first state holds two letters")
    words = in_alphabet("words", words, codes.shape[0])
    drive = codes @ weights.drive

    def step(state: Array, letter: Array) -> tuple[Array, Array]:
        state = (state @ weights.mix + drive[letter]) ** 2
        return state, state @ weights.out.T

    start = ((codes @ weights.first)[words[:, 0]] + drive[words[:, 1]]) ** 2
    readings = jax.lax.scan(step, start, words[:, 2:].T)[1]
    return marked(jnp.concatenate([(start @ weights.out.T)[None], readings]).swapaxes(0, 1), strange(words))


def tree(
    weights: Tree, codes: Float[Array, "letters features"], words: Integer[Array, "batch length"]
) -> Float[Array, "batch outputs"]:
    """Return the reading of the root of log2(length) quadratic layers.

    Raises:
        ValueError: The length is not a power of two, or is below two.
    """
    return tree_layers(weights, codes, words)[-1][:, 0] @ weights.out.T


def tree_layers(
    weights: Tree, codes: Float[Array, "letters features"], words: Integer[Array, "batch length"]
) -> list[Float[Array, "batch _ width"]]:
    """Return the states of all layers, length / 2^l nodes in layer l; read by `out`, each node is a tree of its own."""
    length = words.shape[1]
    if length < 2 or length & (length - 1):
        raise ValueError(f"a word of length {length}: neighbours are joined in pairs, so the length must be 2, 4, 8, ...")
    words = in_alphabet("words", words, codes.shape[0])
    first = ((codes @ weights.first)[words[:, 0::2]] + (codes @ weights.drive)[words[:, 1::2]]) ** 2
    layers = [marked(first, strange(words))]
    while layers[-1].shape[1] > 1:
        layers.append((layers[-1][:, 0::2] @ weights.mix + layers[-1][:, 1::2] @ weights.join) ** 2)
    return layers


def _positions(weights: TwoLayer, words: Array) -> int:
    length = weights.inputs.shape[0]
    if words.shape[1] != length:
        raise ValueError(f"the network reads {length} positions but the words have {words.shape[1]}: one block a position")
    return length
