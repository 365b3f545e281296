"""Fooling pairs of one attention layer: two words that it cannot tell apart, but whose induction heads differ.

All words of INDEX with n bits are enumerated. The index stands at the positions that hold no bit, and the last query is the
same for every word. So a layer's sums over the bits do not depend on the index, and its sums over the rest not on the bits.
"""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Key

from depthjax.attention.lookup import look_up
from depthjax.tasks.hops import hop_labels, index_words
from depthjax.tasks.words import all_words
from experiments.attention.one_layer_bottleneck.one_layer import OneLayer, nudged, pair_layer, random_one_layer

AT_ONCE = 1024  # words whose first layer is held


@cache
def questions(bits: int) -> Int[np.ndarray, "index words length"]:
    """Return every word of n bits with every index."""
    words = all_words(2, bits)
    return np.stack([np.asarray(index_words(words, jnp.full(len(words), i, words.dtype))) for i in range(bits)])


@cache
def answers(bits: int) -> Int[np.ndarray, "words index"]:
    """Return the task's answers, hop_1 at the last position of every question."""
    asked = questions(bits)
    return np.asarray(hop_labels(jnp.asarray(asked.reshape(-1, asked.shape[-1])), 3, 1))[:, -1].reshape(bits, -1).T


def summaries(layer: OneLayer, bits: int, precision: int) -> Int[np.ndarray, " words"]:
    """Return the number of the summary that a layer keeps of every word before it knows the index: 0, 1, ..., without gaps."""
    return _numbered(layer.held(questions(bits)[0], np.arange(1, 2 * bits, 2), precision), precision)


def answers_all(layer: OneLayer, bits: int, precision: int) -> bool:
    """Return whether the output at the last position determines the answer to every question; any MLP may follow.

    Cost: a sort of n 2^n outputs of h m quotients.
    """
    rest = np.arange(0, 2 * bits + 1, 2)
    ours = layer.held(questions(bits)[0], np.arange(1, 2 * bits, 2), precision)
    theirs = layer.sums(questions(bits)[:, 0], rest, precision)
    return _determined(_quotients(ours[:, None] + theirs[None, :]).reshape(2**bits * bits, -1), answers(bits))


def two_layers_answer_all(bits: int, precision: int) -> bool:
    """Return whether two layers answer every question with numbers of this precision."""
    asked = questions(bits)
    outputs = np.stack([_two_layers(words, bits, precision) for words in asked], axis=1)
    return _determined(outputs.reshape(2**bits * bits, -1), answers(bits))


def fooling_pair(layer: OneLayer, bits: int, precision: int) -> Int[np.ndarray, " two"] | None:
    """Return two words with one summary, as rows of `answers`, or None where all summaries differ."""
    summary = summaries(layer, bits, precision)
    order = np.argsort(summary, kind="stable")
    same = np.flatnonzero(np.diff(summary[order]) == 0)
    return order[same[0] : same[0] + 2] if len(same) else None


def errs(layer: OneLayer, pair: Int[np.ndarray, " two"], bits: int, precision: int) -> bool:
    """Return whether the words of a pair, asked for a bit in which they differ, have one output and different answers."""
    words, different = _asked(pair, bits)
    mine, rest = np.arange(1, 2 * bits, 2), np.arange(0, 2 * bits + 1, 2)
    one, other = _quotients(layer.held(words, mine, precision) + layer.sums(words, rest, precision))
    return different and np.array_equal(one, other)


def two_layers_err(pair: Int[np.ndarray, " two"], bits: int, precision: int) -> tuple[bool, int]:
    """Return whether two layers with numbers of this precision say the same of a pair that has different answers.

    Beside it the units of their denominators on both words: half of what a number spans is one bit behind the asked letter.
    """
    words, different = _asked(pair, bits)
    sums = _two_layer_sums(words, bits, precision)
    one, other = _quotients(sums)
    return different and np.array_equal(one, other), int(sums[..., -1].sum())


def searched_layers(
    key: Key[Array, ""], bits: int, heads: int, width: int, precision: int, layers: int, rounds: int
) -> list[OneLayer]:
    """Return random layers after a search that raises their numbers of different summaries.

    Cost: layers * rounds enumerations of 2^n words.
    """
    found = []
    draw = np.random.default_rng(np.asarray(jax.random.key_data(key)))
    for _ in range(layers):
        layer = random_one_layer(draw, bits, heads, width)
        most = summaries(layer, bits, precision).max()
        for _ in range(rounds):
            other = nudged(layer, draw)
            if (more := summaries(other, bits, precision).max()) >= most:
                layer, most = other, more
        found.append(layer)
    return found


def _asked(pair: np.ndarray, bits: int) -> tuple[np.ndarray, bool]:
    """The two words, asked for the first bit in which their answers differ, and whether there is one."""
    differ = np.diff(answers(bits)[pair], axis=0)[0] != 0
    return questions(bits)[int(np.argmax(differ)), pair], bool(differ.any())


def _two_layers(words: np.ndarray, bits: int, precision: int) -> np.ndarray:
    """The quotients of `pair_layer` on letters that carry the letter before, which a first layer has looked up."""
    return _quotients(_two_layer_sums(words, bits, precision))


def _two_layer_sums(words: np.ndarray, bits: int, precision: int) -> np.ndarray:
    seen = words + 3 * np.asarray(_letter_before(jnp.asarray(words)))
    mine, rest = np.arange(1, 2 * bits, 2), np.arange(0, 2 * bits + 1, 2)
    layer = pair_layer(bits)
    return layer.held(seen, mine, precision) + layer.held(seen, rest, precision)


@partial(jax.jit)
def _letter_before(words: Array) -> Array:
    """The first of two layers: a lookup of two one-bit numbers at the position before."""
    before = jnp.maximum(jnp.arange(words.shape[1]) - 1, 0)

    def one(word: Array) -> Array:
        code = look_up(before, jnp.stack([word & 1, word >> 1], axis=1))
        return code[:, 0] + 2 * code[:, 1]

    return jax.lax.map(one, words, batch_size=min(AT_ONCE, len(words)))


def _quotients(totals: np.ndarray) -> np.ndarray:
    """The outputs of all heads as reduced fractions, so that equal outputs are equal numbers."""
    above, below = np.broadcast_arrays(totals[..., :-1], np.maximum(totals[..., -1:], 1))
    common = np.gcd(above, below)
    return np.concatenate([above // common, below // common], axis=-1).reshape(*totals.shape[:-2], -1)


def _determined(outputs: np.ndarray, labels: np.ndarray) -> bool:
    """Whether equal rows of outputs have equal answers."""
    number = _numbered(outputs, None)
    first = np.full(number.max() + 1, -1)
    first[number] = labels.ravel()
    return bool((first[number] == labels.ravel()).all())


def _numbered(rows: np.ndarray, bits: int | None) -> np.ndarray:
    """Equal rows get equal numbers; entries are below 2^bits, or any."""
    flat = rows.reshape(len(rows), -1)
    code = np.zeros(len(flat), np.int64)
    for column in flat.T:
        column = np.unique(column, return_inverse=True)[1] if bits is None else column
        size = 2**bits if bits is not None else int(column.max()) + 1
        if int(code.max() + 1) * size > 2**62:
            code = np.unique(code, return_inverse=True)[1]
        code = code * size + column
    return np.unique(code, return_inverse=True)[1]
