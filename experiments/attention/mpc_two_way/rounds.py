r"""One round of parallel computation by attention: machines are positions, and each holds a word (a whole number).

A head moves words in two ways, and the received numbers are rounded:

    look up   scores beta (2 t p - p^2) pick position t out: broadcast (t fixed)
    add up    weights 1 for what is added, e^-B or less for the rest, e^H for the beginning of the sequence, whose word is 0:

        e^H (sum of w_j x_j) / (e^H + sum of w_j) = S (1 - O(N e^-H)) + O(N e^-B):

    a heavy sink turns the mean into a sum. Prefix sums add all visible words; routing adds the words addressed to the machine.

Each is one layer with one head. The residual directions number, with b = ceil(log2(N + 1)),

    broadcast 5,   prefix sums 4,   routing (and histograms) 4 + 2 b.

Sorting takes four rounds: the histogram c, its prefix sums C, the histogram of C, and its prefix sums. These are the sorted
word, since the r-th smallest letter is the number of letters v with C_v < r. One layer with constant h m p cannot sort long
words: its sums at one position would have to distinguish all multisets of half the letters (`theory.bounds.one_layer_sort`).

Source: Sanford, Hsu and Telgarsky, arXiv 2402.09268 (a round of massively parallel computation is a layer); the weights are
derived here.
"""

import math
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from depthjax.attention.lookup import default_sharpness, exact_dtype
from depthjax.checks import at_least
from depthjax.constructions.directions.layer import Layer
from depthjax.constructions.directions.stream import Direction, Stream, Sum, addressed, binary, target
from depthjax.constructions.directions.transformer import CompiledTransformer, TransformerWeights

Round = tuple[CompiledTransformer, TransformerWeights]


def broadcast(length: int, letters: int, source: int, dtype=jnp.float32) -> Round:
    """Return the round after which every machine holds the letter of machine `source` (from 1).

    `model.apply(weights, tokens)[..., 0]` is the word of every machine, here and in all rounds of this module.

    Raises:
        ValueError: The source is beyond the length, or `dtype` cannot hold scores of this length (the message names one that
            can).
    """
    if not 1 <= source <= length:
        raise ValueError(f"source must be a position 1 ... {length}, got {source}")
    return _look_up(length, letters, {"one": source}, dtype)


def prefix_sums(length: int, letters: int, dtype=jnp.float32) -> Round:
    """Return the round after which machine i holds x_1 + ... + x_i.

    Raises:
        ValueError: `dtype` cannot hold the sums to within 1/2 (the message names one that can).
    """
    at_least("letters", letters, 2)
    machine = _Adder({"begin": 1, "one": 1}, length, length * (letters - 1), dtype)
    table = np.zeros((letters + 1, machine.stream.width))
    table[:-1, machine.stream.rows("word")] = np.arange(letters)[:, None]
    return machine.model(table, letters, [machine.sum_of_visible()], ("causal",))


def route(length: int, letters: int, dtype=jnp.float32) -> Round:
    """Return the round that delivers messages: letter a + length * x carries the number x to machine a + 1 (a from 0).

    A machine holds the sum of the numbers addressed to it, 0 if there are none. With the number 1 in every message the result
    is a histogram.

    Raises:
        ValueError: As `prefix_sums`.
    """
    at_least("letters", letters, 2)
    machine = _Adder(_addresses(length), length, length * (letters - 1), dtype)
    table = np.zeros((length * letters + 1, machine.stream.width))
    number, address = np.divmod(np.arange(length * letters), length)
    table[:-1, machine.stream.rows("code")] = binary(address, machine.bits)
    table[:-1, machine.stream.rows("word")] = number[:, None]
    return machine.model(table, length * letters, [machine.sum_of_addressed({"word": 1})], ("full",))


def sort(length: int, letters: int, dtype=jnp.float32) -> Round:
    """Return the four rounds that sort words of exactly `length` letters.

    Raises:
        ValueError: There are more letters than machines to count them, or `dtype` cannot hold the sums.
    """
    at_least("letters", letters, 2)
    if letters > length:
        raise ValueError(f"letters must be at most length = {length}, got {letters}: a machine counts each letter")
    machine = _Adder(_addresses(length), length, length, dtype)
    table = np.zeros((letters + 1, machine.stream.width))
    table[:-1, machine.stream.rows("code")] = binary(np.arange(letters), machine.bits)
    count, add = machine.sum_of_addressed({"one": 1, "begin": -1}), machine.sum_of_visible()
    rounds = [count, machine.sum_of_visible(spelled=True), count, add]
    return machine.model(table, letters, rounds, ("full", "causal", "full", "causal"))


def _addresses(length: int) -> dict[str, int]:
    bits = length.bit_length()
    return {"begin": 1, "one": 1, "address": bits, "code": bits}


def _look_up(length: int, letters: int, where: Sum, dtype) -> Round:
    at_least("letters", letters, 2)
    kind = exact_dtype(dtype, length)
    stream = Stream(dict.fromkeys(("one", "position", "square", "word", "read"), 1))
    query, key = target(default_sharpness(max(length, letters), kind), where)
    layer = stream.layer(query, key, {("read", 0): {"word": 1}}, [({"read": 1}, {"word": 1})], ["read", "word"])
    table = stream.columns({"word": 1}).T * np.append(np.arange(letters), 0)[:, None]
    return _assembled(stream, table, _positions(stream, length), [layer], ("full",), letters, max(length, letters), kind)


class _Adder:
    """Heads that add words, for one length and sums up to `largest`."""

    def __init__(self, fields: dict[str, int], length: int, largest: int, dtype):
        at_least("length", length, 1)
        self.length, self.largest = length, largest
        self.bits = fields.get("code", 0)
        self.stream = Stream(fields | {"word": 1, "read": 1})
        # each of the two errors is at most 1/8; what is left of 1/2 is for the rounding of sums of `length` terms
        self.sink, self.gap = math.log(8.0 * length * largest), math.log(8.0 * length)
        self.kind = exact_dtype(dtype, 1)
        if not self._fits(self.kind):
            wider = next((str(jnp.dtype(d)) for d in (jnp.float32, jnp.float64) if self._fits(jnp.dtype(d))), "no float type")
            raise ValueError(
                f"sums of {length} numbers up to {largest} round to more than 1/4 in {self.kind}; {wider} suffices"
            )

    def _fits(self, kind) -> bool:
        # a sum of `length` products, the exponentials' arguments up to `sink`, and the products themselves
        return self.largest * (self.length + self.sink + 8) * float(jnp.finfo(kind).eps) <= 0.25

    def sum_of_visible(self, *, spelled: bool = False) -> Layer:
        """Return the layer that sums the words up to this position; with `spelled` the digits of the sum become the code."""
        return self._layer([{"one": 1}], [{"begin": self.sink}], {"word": 1}, spelled=spelled)

    def sum_of_addressed(self, word: Sum) -> Layer:
        """Return the layer that sums over the positions whose code is the address of this position."""
        names, codes = self.stream.directions("address"), self.stream.directions("code")
        return self._layer(*addressed(self.sink, self.gap, names, codes), word)

    def _layer(self, query: Sequence[Sum], key: Sequence[Sum], word: Sum, *, spelled: bool = False) -> Layer:
        scaled = {name: factor * math.exp(self.sink) for name, factor in word.items()}
        rounds: list[tuple[Sum, Sum]] = [({"read": 1}, {"word": 1})]
        wipes: list[Direction] = ["read", "word"]
        if spelled:
            wipes.append("code")
            # floor(S / 2^b), by rounding half a unit less; digit b is that of b less twice that of b + 1, written as +-1
            for b in range(self.bits):
                below: Sum = {("code", b - 1): -4} if b else {}
                rounds.append(({"read": 0.5**b, "one": 0.5 ** (b + 1) - 0.5}, {("code", b): 2, **below}))
            rounds.append(({"one": 1, "begin": -1}, {"code": -1}))
        return self.stream.layer(query, key, {("read", 0): scaled}, rounds, wipes)

    def model(self, table: np.ndarray, letters: int, layers: Sequence[Layer], masks: tuple[str, ...]) -> Round:
        """Return the model with this table of letters and these layers."""
        table[-1, self.stream.rows("begin")] = 1
        positions = _positions(self.stream, self.length)
        if self.bits:
            positions[1:, self.stream.rows("address")] = binary(np.arange(self.length), self.bits)
        return _assembled(self.stream, table, positions, layers, masks, letters, self.largest, self.kind)


def _positions(stream: Stream, length: int) -> np.ndarray:
    position = np.arange(length + 1.0)
    known = {"one": np.ones_like(position), "position": position, "square": position**2}
    table = np.zeros((length + 1, stream.width))
    for name, _ in stream.fields:
        if name in known:
            table[:, stream.rows(name)] = known[name][:, None]
    return table


def _assembled(
    stream: Stream,
    table: np.ndarray,
    positions: np.ndarray,
    layers: Sequence[Layer],
    masks: tuple[str, ...],
    letters: int,
    largest: int,
    kind,
) -> Round:
    model = CompiledTransformer(stream.fields, masks, len(positions) - 1, letters, largest=largest)
    ends = (table, positions, stream.columns({"word": 1}), np.zeros(1))
    table_, positions_, readout, bias = map(jax.device_put, ends)
    weights = TransformerWeights(table_, positions_, tuple(layers), readout, bias)
    return model, weights.astype(kind)
