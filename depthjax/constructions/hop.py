r"""Softmax attention that computes hop_k by pointer doubling: explicit weights, one head a layer, by two routes.

strict mask in layer 1 (j < i): one layer finds the last match, P = find^1; every further layer looks up at P and doubles it.
The letter T rides along, one layer behind the pointer, and moves where the bits of k say so.   depth floor(log2 k) + 2

plain causal mask (j <= i): layer 1 copies the previous letter, layer 2 finds the last position behind this letter, so that
P = find^1 and T = hop_1; then as above with the bits of k - 1.                               depth ceil(log2 k) + 2

The residual stream has a few scalars and two codes of +-1 bits, whatever the length:

    begin, one, position, square, code (letter), [previous], pointer, token, read_pointer, read_token.

A lookup at t scores beta (2 t p - p^2), that is -beta (p - t)^2 up to a constant; the last match scores
beta (4 N agreements + p). Retrieved numbers are rounded in every layer, so errors do not add up with depth. They stay below
1/2 on every input if beta > ln(4 N), and scores are exact integers times a power of two as long as N^2 fits the mantissa.

Derived for this project; the statements are Theorem 4.2 of Sanford, Hsu and Telgarsky, arXiv 2402.09268 (floor) and its
authors' talk (ceil).
"""

import math

import jax
import jax.numpy as jnp
import numpy as np

from depthjax.checks import at_least
from depthjax.models.attention import Attention, Layer, Weights

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
) -> tuple[Attention, Weights]:
    """Return a transformer and the weights with which it computes hop_k at every position.

    Args:
        hops: k, from 1 to `length`.
        length: N, the longest word.
        alphabet: letters of a word, 0, ..., alphabet - 1; class `alphabet` of the logits means "none".
        mask: "strict" (layer 1 sees j < i) or "causal" (every layer sees j <= i).
        dtype: of weights and arithmetic; float32 reaches length 4096.
        sharpness: beta; by default the smallest power of two at which no input can err.
        rounding: "arithmetic", or "relu" for a staircase of 2 (max(N, alphabet) + 1) ReLU units a rounded number.
        layers: keep only so many of the layers (to see the rest needed).

    Raises:
        ValueError: a value outside its range, or a length whose scores the dtype cannot hold; the message names one that can.
    """
    at_least("hops", hops, 1, "hop_0 is the identity and needs no attention")
    at_least("length", length, 1)
    at_least("alphabet", alphabet, 2, "with one letter every position points at itself")
    if mask not in ROUTES:
        raise ValueError(f"mask must be 'strict' or 'causal', got {mask!r}: it decides which of the two routes is built")
    if hops > length:
        raise ValueError(f"hops must be at most length = {length}, got {hops}: build the model for longer words")
    kind = _kind(dtype, length)
    span = max(length, alphabet)
    beta = default_sharpness(span, kind) if sharpness is None else sharpness
    build = _Builder(length, alphabet, float(beta), mask)
    stack = build.layers(hops)
    kept = stack if layers is None else stack[: at_least("layers", layers, 1)]
    error = lookup_error(span, float(beta))
    model = Attention(
        fields=tuple(build.sizes.items()),
        masks=tuple("strict" if mask == "strict" and i == 0 else "causal" for i in range(len(kept))),
        length=length,
        alphabet=alphabet,
        rounding=rounding,
        tolerance=(0.5 + error) / 2 if rounding == "relu" and error < 0.5 else 0.45,
        largest=span,
    )
    letters, positions, unembedding, bias = map(jnp.asarray, (build.letters(), build.positions(), *build.readout()))
    weights = Weights(letters, positions, kept, unembedding, bias)
    return model, jax.tree.map(lambda array: jnp.asarray(array, kind), weights)


def longest_length(dtype) -> int:
    """Return the largest N whose scores 2 t p - p^2 are all exact: N^2 may not pass 2^(mantissa bits)."""
    return math.isqrt(2 ** (jnp.finfo(dtype).nmant + 1))


def lookup_error(span: int, sharpness: float) -> float:
    """Return the largest error of a looked-up number in 0 ... span: span s / (1 + s), s = sum of exp(-beta d^2), d != 0."""
    leak = 2 * sum(math.exp(-sharpness * d * d) for d in range(1, 40))
    return span * leak / (1 + leak)


def default_sharpness(span: int, dtype=jnp.float32) -> float:
    """Return the smallest power of two that keeps every retrieved number, rounding included, within 1/2 of the truth."""
    # a weighted mean of numbers up to `span`: a few roundings of the sums and one of the exponential
    rounding = 16 * float(jnp.finfo(dtype).eps) * span
    beta = 2.0
    while lookup_error(span, beta) + rounding >= 0.5:
        beta *= 2
    return beta


def reach(layers: int, mask: str) -> int:
    """Return the largest k such that hop_1, ..., hop_k all fit in so many layers of this route."""
    return 2 ** (layers - 1) - 1 if mask == "strict" else (2 ** (layers - 2) if layers >= 2 else 0)


def hop_depth(hops: int, mask: str) -> int:
    """Return the number of layers of the construction."""
    return hops.bit_length() + 1 if mask == "strict" else (hops - 1).bit_length() + 2


class _Builder:
    """Matrices by the names of their rows and columns, in numpy and exact in float64."""

    def __init__(self, length: int, alphabet: int, beta: float, mask: str):
        self.length, self.alphabet, self.beta, self.mask = length, alphabet, beta, mask
        self.bits = max(1, (alphabet - 1).bit_length())
        scalars = dict.fromkeys(("begin", "one", "position", "square"), 1)
        codes = {"code": self.bits} | ({"previous": self.bits} if mask == "causal" else {})
        self.sizes = scalars | codes | dict.fromkeys(("pointer", "token", "read_pointer", "read_token"), 1)
        starts = np.cumsum([0, *self.sizes.values()])
        self.at = {name: int(start) for name, start in zip(self.sizes, starts, strict=False)}
        self.width = int(starts[-1])

    def letters(self) -> np.ndarray:
        """Codes and the letter itself; the beginning-of-sequence token has no code, and "none" for a letter."""
        table = np.zeros((self.alphabet + 1, self.width))
        letter = np.arange(self.alphabet)
        table[:-1, self.at["code"] : self.at["code"] + self.bits] = 2 * (letter[:, None] >> np.arange(self.bits) & 1) - 1
        table[:, self.at["token"]] = np.arange(self.alphabet + 1)
        table[-1, self.at["begin"]] = 1
        return table

    def positions(self) -> np.ndarray:
        table = np.zeros((self.length + 1, self.width))
        position = np.arange(self.length + 1)
        for name, values in (("one", 1), ("position", position), ("square", position**2)):
            table[:, self.at[name]] = values
        return table

    def readout(self) -> tuple[np.ndarray, np.ndarray]:
        """Logit of class c: 2 c T - c^2, largest at c = T."""
        classes = np.arange(self.alphabet + 1)
        matrix = np.zeros((self.width, self.alphabet + 1))
        matrix[self.at["token"]] = 2 * classes
        return matrix, -(classes**2.0)

    def layers(self, hops: int) -> tuple[Layer, ...]:
        if self.mask == "strict":
            first = (self.match("code", {"position": 1, "one": 1, "begin": -1}, token=False),)
            bits = hops
        else:
            first = (self.previous(), self.match("previous", {"position": 1}, token=True))
            bits = hops - 1
        return first + tuple(self.lookup(bits >> place & 1 == 1) for place in range(bits.bit_length()))

    def match(self, key: str, value: dict[str, int], *, token: bool) -> Layer:
        """The last position whose `key` code is this letter's code; the beginning of the sequence where there is none."""
        scale = 4.0 * self.length
        sink = scale * (self.bits - 0.5) + self.length / 2
        query, keys = np.zeros((self.width, self.bits + 2)), np.zeros((self.width, self.bits + 2))
        for bit in range(self.bits):
            query[self.at["code"] + bit, bit] = self.beta * scale
            keys[self.at[key] + bit, bit] = 1
        query[self.at["one"], self.bits] = self.beta
        keys[self.at["position"], self.bits] = 1
        query[self.at["one"], self.bits + 1] = self.beta
        keys[self.at["begin"], self.bits + 1] = sink
        return self._layer(query, keys, {"read_pointer": value, "read_token": {"token": 1}}, token)

    def lookup(self, token: bool) -> Layer:
        """Pointer and letter of the position that the pointer names."""
        return self._layer(*self._target({"pointer": 1}), {"read_pointer": {"pointer": 1}, "read_token": {"token": 1}}, token)

    def previous(self) -> Layer:
        """The code of the letter before this one."""
        query, key = self._target({"position": 1, "one": -1})
        value = np.zeros((self.width, self.bits))
        output = np.zeros((self.bits, self.width))
        gather, write, linear = (
            np.zeros((self.width, self.bits)),
            np.zeros((self.bits, self.width)),
            np.zeros((self.width,) * 2),
        )
        for bit in range(self.bits):
            old = self.at["previous"] + bit
            value[self.at["code"] + bit, bit] = output[bit, old] = gather[old, bit] = write[bit, old] = 1
            linear[old, old] = -1
        return Layer(*map(jnp.asarray, (query, key, value, output, linear, gather, write)))

    def _target(self, target: dict[str, int]) -> tuple[np.ndarray, np.ndarray]:
        query, key = np.zeros((self.width, 2)), np.zeros((self.width, 2))
        for name, factor in target.items():
            query[self.at[name], 0] = 2 * self.beta * factor
        query[self.at["one"], 1] = -self.beta
        key[self.at["position"], 0] = key[self.at["square"], 1] = 1
        return query, key

    def _layer(self, query: np.ndarray, key: np.ndarray, reads: dict[str, dict[str, int]], token: bool) -> Layer:
        """Read each number into its scratch field, round it, move it home, wipe the scratch; the letter only if told to."""
        count = len(reads)
        value, output = np.zeros((self.width, count)), np.zeros((count, self.width))
        gather, write, linear = np.zeros((self.width, count)), np.zeros((count, self.width)), np.zeros((self.width,) * 2)
        for column, (scratch, sources) in enumerate(reads.items()):
            if scratch == "read_token" and not token:
                continue
            there, home = self.at[scratch], self.at[scratch.removeprefix("read_")]
            for name, factor in sources.items():
                value[self.at[name], column] = factor
            output[column, there] = gather[there, column] = write[column, home] = 1
            linear[there, there] = linear[home, home] = -1
        return Layer(*map(jnp.asarray, (query, key, value, output, linear, gather, write)))


def _kind(dtype, length: int) -> np.dtype:
    kind = jnp.dtype(dtype)
    if not jnp.issubdtype(kind, jnp.floating):
        raise ValueError(f"dtype must be a floating point type, got {kind}")
    if kind == jnp.float64 and not jax.config.read("jax_enable_x64"):
        raise ValueError("float64 is switched off in JAX: call jax.config.update('jax_enable_x64', True) first")
    limit = longest_length(kind)
    if length > limit:
        wider = next((str(jnp.dtype(d)) for d in (jnp.float32, jnp.float64) if longest_length(d) >= length), "no float type")
        raise ValueError(
            f"length {length} passes the limit {limit} of {kind}: its scores are integers up to length^2, which must fit "
            f"{jnp.finfo(kind).nmant + 1} bits; {wider} would do"
        )
    return kind
