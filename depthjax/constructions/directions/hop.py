r"""Softmax attention that computes hop_k by pointer doubling: explicit weights, one head for each layer, two routes.

"strict" (j < i in layer 1), depth floor(log2 k) + 2: layer 1 finds the last match, P = find^1. Every further layer looks up the
pointer P at position P and so doubles it. The letter T follows one layer behind the pointer and moves at the set bits of k.

"causal" (j <= i), depth ceil(log2 k) + 2: layer 1 copies the previous letter, and layer 2 finds the last position after this
letter, so that P = find^1 and T = hop_1. The other layers are as above, with the bits of k - 1.

The residual stream has a few scalars and two codes of +-1 bits, independent of the length:

    begin, one, position, square, code (letter), [previous], pointer, token, read_pointer, read_token.

Lookups score as in `depthjax.attention.lookup`; the last match scores beta (4 N agreements + p). Retrieved numbers are rounded
in every layer, so errors do not accumulate with depth. They stay below 1/2 on every input if beta > ln(4 N), and scores are
exact integers times a power of two as long as N^2 fits the mantissa.

A model that writes has a further letter for every position, and further logits for the pointer. A written position starts with
the pointer that its letter names, so its layers continue the hops of the position that wrote it.

Source: derived here. The statements are Theorem 4.2 of Sanford, Hsu and Telgarsky, arXiv 2402.09268 (floor), and the authors'
talk (ceil).
"""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from depthjax.attention.lookup import default_sharpness, exact_dtype, lookup_error
from depthjax.checks import at_least, positive
from depthjax.constructions.directions.layer import Layer
from depthjax.constructions.directions.stream import Stream, Sum, binary, target
from depthjax.constructions.directions.transformer import CompiledTransformer, TransformerWeights

ROUTES = ("strict", "causal")


def hop_transformer(
    hops: int,
    length: int,
    alphabet: int,
    mask: str = "strict",
    dtype=jnp.float32,
    *,
    sharpness: float | None = None,
    rounding: str = "arithmetic",
    layers: int | None = None,
) -> tuple[CompiledTransformer, TransformerWeights]:
    """Return a transformer and the weights with which it computes hop_k at every position.

    Args:
        hops: Number of hops k, from 1 to `length`.
        length: Length N of the longest word.
        alphabet: Number of letters 0, ..., alphabet - 1; class `alphabet` of the logits means "none".
        mask: "strict" (layer 1 sees j < i) or "causal" (every layer sees j <= i).
        dtype: Type of weights and arithmetic; float32 reaches length 4096.
        sharpness: The factor beta; by default the smallest power of two at which no input can err.
        rounding: "arithmetic", or "relu" for a staircase of 2 (max(N, alphabet) + 1) ReLU units for each rounded number.
        layers: Keep only the first `layers` layers, to see that the others are needed.

    Raises:
        TypeError: `sharpness` is no number, or a size is no integer.
        ValueError: A value is outside its range (a sharpness is finite and positive), or `dtype` cannot hold the scores of
            this length; the message names a type that can.

    >>> model, weights = hop_transformer(1, length=5, alphabet=3)
    >>> model.depth, model.apply(weights, jnp.array([[0, 1, 2, 0, 1]])).argmax(axis=-1).tolist()  # 3 means: nowhere to go
    (2, [[3, 3, 3, 1, 2]])
    """
    return hop_family((hops,), length, alphabet, mask, dtype, sharpness=sharpness, rounding=rounding, layers=layers)


def hop_family(
    hops: Sequence[int],
    length: int,
    alphabet: int,
    mask: str = "strict",
    dtype=jnp.float32,
    *,
    sharpness: float | None = None,
    rounding: str = "arithmetic",
    layers: int | None = None,
    written: int = 0,
) -> tuple[CompiledTransformer, TransformerWeights]:
    """Return the transformers of several k in one model: they share codes and pointers, and each k has its own token.

    After every layer the answers for k equal those of `hop_transformer(k, ...)`; once finished they do not change. So one pass
    tries many k at all depths. The logits are the alphabet + 1 classes of the first k, then those of the next, and so on.
    Arguments and errors are those of `hop_transformer`. With `written` tokens of a chain of thought the letters alphabet, ...,
    alphabet + length name the positions 0, ..., length, and the last length + 1 logits are largest at the pointer's position.
    """
    for k in hops:
        at_least("hops", k, 1, "hop_0 is the identity and needs no attention")
    at_least("number of hops", len(hops), 1)
    at_least("length", length, 1)
    at_least("alphabet", alphabet, 2, "with one letter every position points at itself")
    _known(mask)
    if max(hops) > length:
        raise ValueError(f"hops must be at most length = {length}, got {max(hops)}: build the model for longer words")
    at_least("written", written, 0)
    rows = length + written
    kind = exact_dtype(dtype, rows)
    span = max(rows, alphabet)
    beta = default_sharpness(span, kind) if sharpness is None else positive("sharpness", sharpness, "it scales the scores")
    build = _Builder(tuple(hops), length, alphabet, float(beta), mask, written)
    stack = build.layers()
    kept = stack if layers is None else stack[: at_least("layers", layers, 1)]
    error = lookup_error(span, float(beta))
    model = CompiledTransformer(
        fields=build.stream.fields,
        masks=tuple("strict" if mask == "strict" and i == 0 else "causal" for i in range(len(kept))),
        length=rows,
        alphabet=alphabet + len(build.names),
        rounding=rounding,
        tolerance=(0.5 + error) / 2 if rounding == "relu" and error < 0.5 else 0.45,
        largest=span,
    )
    letters, positions, unembedding, bias = map(jax.device_put, (build.letters(), build.positions(), *build.readout()))
    weights = TransformerWeights(letters, positions, kept, unembedding, bias)
    return model, weights.astype(kind)


def reach(layers: int, mask: str) -> int:
    """Return the largest k such that `layers` layers of this route compute hop_1, ..., hop_k.

    Raises:
        ValueError: The mask is unknown.
    """
    _known(mask)
    return 2 ** (layers - 1) - 1 if mask == "strict" else (2 ** (layers - 2) if layers >= 2 else 0)


def _known(mask: str) -> None:
    if mask not in ROUTES:
        raise ValueError(f"mask must be 'strict' or 'causal', got {mask!r}: it decides which of the two routes is built")


class _Builder:
    """Builds matrices by the names of their rows and columns, exact in float64; one token for each number of hops."""

    def __init__(self, hops: tuple[int, ...], length: int, alphabet: int, beta: float, mask: str, written: int):
        self.hops, self.rows, self.alphabet, self.beta, self.mask = hops, length + written, alphabet, beta, mask
        self.names = np.arange(length + 1.0 if written else 0.0)
        self.bits = max(1, (alphabet - 1).bit_length())
        scalars = dict.fromkeys(("begin", "one", "position", "square"), 1)
        codes = {"code": self.bits} | ({"previous": self.bits} if mask == "causal" else {})
        tokens = len(hops)
        self.stream = Stream(scalars | codes | {"pointer": 1, "token": tokens, "read_pointer": 1, "read_token": tokens})

    def letters(self) -> np.ndarray:
        """Return the table of letters: code and letter; "none" without a code for names of positions and the beginning."""
        letters, rows = self.alphabet, self.stream.rows
        table = np.zeros((letters + len(self.names) + 1, self.stream.width))
        table[:letters, rows("code")] = binary(np.arange(letters), self.bits)
        table[:, rows("token")] = np.minimum(np.arange(len(table)), letters)[:, None]
        table[letters:-1, rows("pointer")] = self.names[:, None]
        table[-1, rows("begin")] = 1
        return table

    def positions(self) -> np.ndarray:
        position = np.arange(self.rows + 1.0)[:, None]
        return (
            np.hstack([np.ones_like(position), position, position**2])
            @ self.stream.columns({"one": 1}, {"position": 1}, {"square": 1}).T
        )

    def readout(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the read-out, logit 2 c T - c^2 for class c, largest at c = T: all tokens, then the pointer."""
        classes = np.arange(self.alphabet + 1.0)
        sums: list[Sum] = [{token: 2.0 * c} for token in self.stream.directions("token") for c in classes]
        sums += [{"pointer": 2.0 * place} for place in self.names]
        return self.stream.columns(*sums), -np.square(np.concatenate([np.tile(classes, len(self.hops)), self.names]))

    def layers(self) -> tuple[Layer, ...]:
        """Return the layers for the largest number of hops; layer j moves the tokens whose hops have binary digit j set."""
        nothing, everything = [False] * len(self.hops), [True] * len(self.hops)
        if self.mask == "strict":
            first = (self.match("code", {"position": 1, "one": 1, "begin": -1}, nothing),)
            counts = self.hops
        else:
            first = (self.previous(), self.match("previous", {"position": 1}, everything))
            counts = tuple(hops - 1 for hops in self.hops)
        places = range(max(counts).bit_length())
        return first + tuple(self.lookup([count >> place & 1 == 1 for count in counts]) for place in places)

    def match(self, key: str, pointer: Sum, moves: list[bool]) -> Layer:
        """Return the layer that finds the last position whose `key` code is that of this letter, else position 0."""
        scale = 4.0 * self.rows
        sink = scale * (self.bits - 0.5) + self.rows / 2
        query: list[Sum] = [{code: self.beta * scale} for code in self.stream.directions("code")]
        keys: list[Sum] = [{code: 1.0} for code in self.stream.directions(key)]
        return self._retrieve([*query, {"one": self.beta}], [*keys, {"position": 1, "begin": sink}], pointer, moves, [])

    def lookup(self, moves: list[bool]) -> Layer:
        """Return the layer that reads pointer and letter at the position that the pointer names."""
        return self._retrieve(*target(self.beta, {"pointer": 1}), {"pointer": 1}, moves, ["pointer"])

    def previous(self) -> Layer:
        """Return the layer that copies the code of the previous letter."""
        codes = [(("code", bit), ("previous", bit)) for bit in range(self.bits)]
        query, key = target(self.beta, {"position": 1, "one": -1})
        reads = {new: {old: 1} for old, new in codes}
        return self.stream.layer(query, key, reads, [({new: 1}, {new: 1}) for _, new in codes], ["previous"])

    def _retrieve(self, query: list[Sum], key: list[Sum], pointer: Sum, moves: list[bool], old: list[str]) -> Layer:
        """Return a layer that reads numbers into scratch fields, rounds them, stores them and clears the scratch fields."""
        moving = [token for token, move in enumerate(moves) if move]
        still = [token for token, move in enumerate(moves) if not move]
        # every token is named, so that all layers have one shape and are compiled once
        reads = {("read_pointer", 0): pointer} | {("read_token", token): {("token", token): 1} for token in moving}
        reads |= {("read_token", token): {} for token in still}
        rounds = [({direction: 1}, {(direction[0].removeprefix("read_"), direction[1]): 1}) for direction in reads]
        wipes = [*old, "read_pointer", "read_token", *(("token", token) for token in moving)]
        return self.stream.layer(query, key, reads, rounds, wipes)
