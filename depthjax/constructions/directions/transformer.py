r"""A softmax transformer with weights that can be read: every direction of the residual stream has a name.

Its layers are those of `layer`, each with one softmax head and units that round to the nearest integer: either arithmetically,
or by a staircase of ReLU units that agrees wherever the argument lies within `tolerance` of an integer. The model adds a
beginning-of-sequence token at position 0. Every row sees it, row 0 included, so no row is fully masked.
"""

import dataclasses
import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Integer

from depthjax.checks import in_alphabet, marked, strange
from depthjax.constructions.directions.layer import Layer, attended, fed, gathered, retrieve, run, staircase, times
from depthjax.constructions.directions.layer import weights as weights_of

MASKS = ("strict", "causal", "full")


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class TransformerWeights:
    """All numbers of a model. The last row of `letters` and row 0 of `positions` are the beginning-of-sequence token."""

    letters: Array  # letters + 1, width
    positions: Array  # length + 1, width
    layers: tuple[Layer, ...]
    unembedding: Array  # width, classes
    bias: Array  # classes

    def astype(self, dtype: Any) -> "TransformerWeights":
        """Return the weights in another floating point type, converted on the host: JAX would compile once for each shape."""
        return jax.tree.map(lambda array: jax.device_put(np.asarray(array).astype(jnp.dtype(dtype))), self)


@dataclasses.dataclass(frozen=True)
class CompiledTransformer:
    """A transformer without its numbers.

    Attributes:
        fields: Name and size of every group of residual directions, in order.
        masks: Mask of each layer: "strict" (j < i), "causal" (j <= i) or "full"; row 0 always sees itself.
        length: Longest word that the model reads.
        alphabet: Number of letters.
        rounding: "arithmetic" or "relu".
        tolerance: Distance from an integer up to which the staircase of ReLU units rounds correctly.
        largest: The staircase rounds numbers between -1 and this.

    Raises:
        ValueError: An unknown mask or rounding.
    """

    fields: tuple[tuple[str, int], ...]
    masks: tuple[str, ...]
    length: int
    alphabet: int
    rounding: str = "arithmetic"
    tolerance: float = 0.45
    largest: int = 0

    def __post_init__(self):
        unknown = [mask for mask in self.masks if mask not in MASKS]
        if unknown:
            raise ValueError(f"mask must be one of {', '.join(MASKS)}, got {unknown[0]!r}")
        if self.rounding not in ("arithmetic", "relu"):
            raise ValueError(f"rounding must be 'arithmetic' or 'relu', got {self.rounding!r}")

    @property
    def depth(self) -> int:
        """Number of attention layers."""
        return len(self.masks)

    @property
    def width(self) -> int:
        """Number of residual directions."""
        return sum(size for _, size in self.fields)

    @property
    def staircase_units(self) -> int:
        """Number of ReLU units that round one number: two for each step of the staircase."""
        return 2 * (self.largest + 1)

    def round(self, numbers: Array) -> Array:
        """Return numbers rounded to integers, arithmetically or by the staircase."""
        return jnp.round(numbers) if self.rounding == "arithmetic" else staircase(numbers, self.largest, self.tolerance)

    def field(self, name: str) -> slice:
        """Return the residual directions of a named group.

        Raises:
            KeyError: There is no such group.
        """
        start = 0
        for field, size in self.fields:
            if field == name:
                return slice(start, start + size)
            start += size
        raise KeyError(f"no field {name!r}; there are {', '.join(name for name, _ in self.fields)}")

    def apply(
        self, weights: TransformerWeights, tokens: Integer[Array, "batch length"]
    ) -> Float[Array, "batch length classes"]:
        """Return the logits at every position; compiled once for each shape.

        Cost: depth * length^2 scores a word, held for a few words at a time.

        Raises:
            ValueError: Words are empty or longer than `length`, or a letter is out of range. Under jit a word with such a
                letter has NaN at every position.
            TypeError: Tokens are not integers.
        """
        tokens = self._checked(tokens)
        return _logits(self, weights, tokens)

    def apply_by_depth(
        self, weights: TransformerWeights, tokens: Integer[Array, "batch length"]
    ) -> Float[Array, "batch depth length classes"]:
        """Return the logits of the model cut after its first layer, after its second, and so on; the last equal `apply`'s.

        Raises:
            ValueError: As `apply`.
            TypeError: As `apply`.
        """
        tokens = self._checked(tokens)
        return _logits_by_depth(self, weights, tokens)

    def trace(self, weights: TransformerWeights, tokens: Integer[Array, " length"]) -> list[dict[str, np.ndarray]]:
        """Return what each layer did to one word; rows are positions 0 (beginning of sequence), 1, ..., length.

        Entry 0 is the embedding, residual fields by name. Later entries also have "attention", the softmax weights of each row,
        and "target", the position with the largest weight.
        """
        tokens = self._checked(tokens[None])[0]
        stream = _embed(weights, tokens)
        rows = [self._named(stream)]
        for layer, mask in zip(weights.layers, self.masks, strict=True):
            shares = np.asarray(weights_of(layer.heads, stream, mask))
            stream = run(layer, stream, mask, self.round)
            rows.append({"attention": shares, "target": shares.argmax(axis=1)} | self._named(stream))
        return rows

    def unrounded(self, weights: TransformerWeights, tokens: Integer[Array, "batch length"]) -> Float[Array, "batch depth"]:
        """Return the largest distance, at most 1/2, from a number that a layer retrieves to the nearest integer."""
        tokens = self._checked(tokens)
        return _worst(self, weights, tokens)

    def _named(self, stream: Array) -> dict[str, np.ndarray]:
        values = np.asarray(stream)
        named = {name: values[:, self.field(name)] for name, _ in self.fields}
        return {name: value[:, 0] if value.shape[1] == 1 else value for name, value in named.items()}

    def _checked(self, tokens: Array) -> Array:
        tokens = in_alphabet("tokens", tokens, self.alphabet)
        if tokens.ndim != 2 or not 1 <= tokens.shape[1] <= self.length:
            raise ValueError(
                f"tokens have shape {tokens.shape}; expected (batch, length) with 1 <= length <= {self.length}, the number of "
                "positions this model has codes for: build a longer one"
            )
        return tokens


@partial(jax.jit, static_argnums=0)
def _logits(model: CompiledTransformer, weights: TransformerWeights, tokens: Array) -> Array:
    def one(word: Array) -> Array:
        stream = _embed(weights, word)
        for mask, layers in _stretches(model, weights):
            stream = jax.lax.scan(partial(_layer, model, mask), stream, layers)[0]
        return times(stream[1:], weights.unembedding) + weights.bias[None, :]

    return _by_word(one, tokens)


@partial(jax.jit, static_argnums=0)
def _logits_by_depth(model: CompiledTransformer, weights: TransformerWeights, tokens: Array) -> Array:
    def one(word: Array) -> Array:
        def step(stream: Array, layer: Layer, mask: str) -> tuple[Array, Array]:
            stream = _layer(model, mask, stream, layer)[0]
            return stream, times(stream[1:], weights.unembedding) + weights.bias[None, :]

        stream, logits = _embed(weights, word), []
        for mask, layers in _stretches(model, weights):
            stream, found = jax.lax.scan(partial(step, mask=mask), stream, layers)
            logits.append(found)
        return jnp.concatenate(logits)

    return _by_word(one, tokens)


@partial(jax.jit, static_argnums=0)
def _worst(model: CompiledTransformer, weights: TransformerWeights, tokens: Array) -> Array:
    def one(word: Array) -> Array:
        def step(stream: Array, layer: Layer, mask: str) -> tuple[Array, Array]:
            stream = attended(layer.heads, stream, retrieve(layer.heads, stream, mask))
            numbers = gathered(layer.units, stream)
            return fed(layer.units, stream, model.round), jnp.abs(numbers - jnp.round(numbers)).max()

        stream, worst = _embed(weights, word), []
        for mask, layers in _stretches(model, weights):
            stream, off = jax.lax.scan(partial(step, mask=mask), stream, layers)
            worst.append(off)
        return jnp.concatenate(worst)

    return _by_word(one, tokens)


def _stretches(model: CompiledTransformer, weights: TransformerWeights) -> list[tuple[str, Layer]]:
    """Neighbouring layers of one shape and one mask, stacked: they are compiled once."""
    pairs = zip(model.masks, weights.layers, strict=True)
    alike = itertools.groupby(pairs, lambda pair: (pair[0], [array.shape for array in jax.tree.leaves(pair[1])]))
    return [(key[0], jax.tree.map(lambda *arrays: jnp.stack(arrays), *(layer for _, layer in group))) for key, group in alike]


def _by_word(function: Callable[[Array], Array], tokens: Array) -> Array:
    """Apply the function to a few words at a time: the scores of a layer should fit a core's cache."""
    return jax.lax.map(function, tokens, batch_size=min(len(tokens), 4 if jax.default_backend() == "cpu" else 64))


def _layer(model: CompiledTransformer, mask: str, stream: Array, layer: Layer) -> tuple[Array, None]:
    return run(layer, stream, mask, model.round), None


def _embed(weights: TransformerWeights, word: Array) -> Array:
    begin = jnp.full(1, weights.letters.shape[0] - 1, word.dtype)
    stream = weights.letters[jnp.concatenate([begin, word])] + weights.positions[: len(word) + 1]
    return marked(stream, jnp.broadcast_to(strange(word), stream.shape[:1]))
