r"""One attention layer with fixed-point sums at its last position: random ones, and one that packs as many bits as fit.

A head returns sum_j e_j v_j / sum_j e_j with e_j = exp(score_j). The query of the last position is the same for every word of
INDEX (`depthjax.tasks.hops.index_words`), so e_j and v_j are any functions of position and letter. Both sums over a set of
positions are whole multiples of a unit, the span of the number divided by 2^p.

`index_layer` writes p bits of the word into each of the h (m + 1) numbers. A position either raises its exponential by a power
of two, which the denominator counts, or keeps a tiny exponential and has a large value, which one numerator counts. The asked
index shifts the first numerator of each head so far that the quotients of all words and all indices differ.

Everything is exact in float64. Source: derived here.
"""

import dataclasses

import numpy as np
from jaxtyping import Float, Int, Integer

from depthjax.checks import at_least

QUIET = 2.0**-16  # exponential of a position that should not count: all of them together stay below one unit


@dataclasses.dataclass(frozen=True)
class OneLayer:
    """The last position's view: exponentials of scores and values by position and letter, and the span of every number."""

    raised: Float[np.ndarray, "heads length letters"]
    values: Float[np.ndarray, "heads length letters width"]
    span: Float[np.ndarray, "heads width_and_one"]

    def sums(
        self, words: Integer[np.ndarray, "batch length"], positions: Integer[np.ndarray, " some"], bits: int
    ) -> Int[np.ndarray, "batch heads width_and_one"]:
        """Return the numerators and the denominator that these positions contribute, rounded down to whole units."""
        terms = np.concatenate([self.raised[..., None] * self.values, self.raised[..., None]], axis=-1)
        letter = (words[:, positions, None] == np.arange(terms.shape[2])).astype(float)
        found = letter.reshape(len(words), -1) @ np.moveaxis(terms[:, positions], 0, 2).reshape(letter[0].size, -1)
        return np.floor(found.reshape(len(words), *self.span.shape) / self.span * 2.0**bits).astype(np.int64)

    def held(
        self, words: Integer[np.ndarray, "batch length"], positions: Integer[np.ndarray, " some"], bits: int
    ) -> Int[np.ndarray, "batch heads width_and_one"]:
        """Return these sums as numbers of `bits` bits, which saturate at both ends."""
        return np.clip(self.sums(words, positions, bits), 0, 2**bits - 1)


def index_layer(bits: int, heads: int, width: int, precision: int, base: int = 2) -> OneLayer:
    """Return the layer that keeps `precision` bits of the word in every number, as many as there are.

    Args:
        bits: Bits n of INDEX, at most 2^10; the words have 2 n + 1 letters.
        heads: Number of heads h.
        width: Numbers m that a head returns.
        precision: Bits p of a number.
        base: Ratio of the weights of neighbouring bits; with 1 in place of 2 a number counts its bits only.

    Raises:
        ValueError: A size is below 1.
    """
    for name, size in {"bits": bits, "heads": heads, "width": width, "precision": precision}.items():
        at_least(name, size, 1)
    length = 2 * bits + 1
    raised = np.full((heads, length, 3), QUIET)
    values = np.zeros((heads, length, 3, width))
    for bit in range(min(bits, heads * (width + 1) * precision)):
        number, place = divmod(bit, precision)
        head, kind = divmod(number, width + 1)
        if kind == width:
            raised[head, 2 * bit + 1, 1] += float(base**place)
        else:
            values[head, 2 * bit + 1, 1, kind] = float(base**place) / QUIET
    # the last letter is so heavy that different indices lie apart whatever the bits are
    raised[:, -1, 2] = 4.0 * bits * 2**precision
    values[:, 0:-1:2, 2, 0] = 4.0 ** (precision + 1) * (bits + 1 + np.arange(bits))[None, :] / QUIET
    return OneLayer(raised, values, np.full((heads, width + 1), 2.0**precision))


def random_one_layer(draw: np.random.Generator, bits: int, heads: int, width: int) -> OneLayer:
    """Return a layer for INDEX with normal scores and uniform values; the spans are the largest sums over the bits."""
    length = 2 * bits + 1
    return _spanned(np.exp(draw.normal(size=(heads, length, 3))), draw.uniform(size=(heads, length, 3, width)))


def nudged(layer: OneLayer, draw: np.random.Generator) -> OneLayer:
    """Return the layer with the contribution of one position to one head drawn anew."""
    head, at = draw.integers(len(layer.raised)), draw.integers(layer.raised.shape[1] // 2) * 2 + 1
    raised, values = layer.raised.copy(), layer.values.copy()
    raised[head, at] = np.exp(draw.normal(size=3))
    values[head, at] = draw.uniform(size=values.shape[2:])
    return _spanned(raised, values)


def pair_layer(bits: int) -> OneLayer:
    """Return a layer over pairs (letter, letter before), numbered letter + 3 before: it finds the bit behind the letter 2.

    Its sums hold one bit each. It is the second layer of an induction head whose first layer copies the letter before.
    """
    raised = np.full((1, 2 * bits + 1, 9), QUIET)
    raised[..., 6:8] = 1.0
    values = np.tile((np.arange(9) % 3 == 1).astype(float)[None, None, :, None], (1, 2 * bits + 1, 1, 1))
    return OneLayer(raised, values, np.full((1, 2), 2.0))


def _spanned(raised: np.ndarray, values: np.ndarray) -> OneLayer:
    span = raised[:, 1::2].max(axis=-1).sum(axis=-1)
    return OneLayer(raised, values, np.repeat(span[:, None], values.shape[-1] + 1, axis=1))
