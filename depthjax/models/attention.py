r"""Softmax attention with weights that can be read: every direction of the residual stream has a name.

One head a layer. With x the residual stream at position i and y at position j,

    score(i, j) = (x Q) . (y K),      x <- x + softmax_j(score) (y V) O,      x <- x + x L + round(x G) W,

over the positions j that the layer's mask shows. Position 0 is a beginning-of-sequence token that the model adds itself; every
row sees it, row 0 itself, so that no row is fully masked. `round` is rounding to the nearest integer: either the arithmetic
one, or a staircase of ReLU units that agrees with it wherever the argument lies within `tolerance` of an integer.

Weights are plain arrays: `save` and `load` keep them with the model's description in one npz file.
"""

import dataclasses
import itertools
import json
import os
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Integer

from depthjax.checks import in_alphabet, marked, strange

MASKS = ("strict", "causal", "full")
STRETCHES = 4  # of at least 128 rows: each computes scores against the columns that the mask can show it and no others


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Layer:
    """One layer's matrices, named as in the module's formula; several layers of one shape may be stacked in front."""

    query: Array  # width, head
    key: Array  # width, head
    value: Array  # width, read
    output: Array  # read, width
    linear: Array  # width, width
    gather: Array  # width, units
    write: Array  # units, width


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Weights:
    """Everything that is a number. The last row of `letters` and row 0 of `positions` are the beginning-of-sequence token."""

    letters: Array  # letters + 1, width
    positions: Array  # length + 1, width
    layers: tuple[Layer, ...]
    unembedding: Array  # width, classes
    bias: Array  # classes

    def astype(self, dtype: Any) -> "Weights":
        """Return them in another floating point type; converted on the host, where no program is compiled for every shape."""
        return jax.tree.map(lambda array: jax.device_put(np.asarray(array).astype(jnp.dtype(dtype))), self)


@dataclasses.dataclass(frozen=True)
class Attention:
    """A transformer without its numbers.

    Attributes:
        fields: name and size of every group of residual directions, in order.
        masks: one for each layer: "strict" (j < i), "causal" (j <= i) or "full"; row 0 always sees itself.
        length: the longest word it reads. alphabet: letters of a word.
        rounding: "arithmetic" or "relu". tolerance: how far from an integer the staircase still rounds correctly.
        largest: the staircase rounds numbers between -1 and this.
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
        """The number of attention layers."""
        return len(self.masks)

    @property
    def width(self) -> int:
        """The number of residual directions."""
        return sum(size for _, size in self.fields)

    @property
    def staircase_units(self) -> int:
        """ReLU units that round one number: two for each step of the staircase."""
        return 2 * (self.largest + 1)

    def field(self, name: str) -> slice:
        """Return where a named group of directions lies.

        Raises:
            KeyError: there is no such group.
        """
        start = 0
        for field, size in self.fields:
            if field == name:
                return slice(start, start + size)
            start += size
        raise KeyError(f"no field {name!r}; there are {', '.join(name for name, _ in self.fields)}")

    def apply(self, weights: Weights, tokens: Integer[Array, "batch length"]) -> Float[Array, "batch length classes"]:
        """Return the logits at every position; compiled once for each shape.

        Cost: depth * length^2 scores a word, held for a few words at a time.

        Raises:
            ValueError: words longer than `length`, or empty ones, or a letter out of range: under jit such a word has NaN at
                every position.
            TypeError: tokens that are not integers.
        """
        tokens = self._checked(tokens)
        return _logits(self, weights, tokens)

    def apply_by_depth(
        self, weights: Weights, tokens: Integer[Array, "batch length"]
    ) -> Float[Array, "batch depth length classes"]:
        """Return the logits of the model cut after its first layer, after its second, and so on; the last are `apply`'s.

        Raises:
            ValueError, TypeError: as `apply`.
        """
        tokens = self._checked(tokens)
        return _logits_by_depth(self, weights, tokens)

    def trace(self, weights: Weights, tokens: Integer[Array, " length"]) -> list[dict[str, np.ndarray]]:
        """Return what each layer did to one word, rows being positions 0 (beginning of sequence), 1, ..., length.

        Entry 0 is the embedding, residual fields by name; later entries also have "attention" (row by row the softmax weights)
        and "target" (where the largest lies).
        """
        tokens = self._checked(tokens[None])[0]
        stream = _embed(weights, tokens)
        rows = [self._named(stream)]
        for layer, mask in zip(weights.layers, self.masks, strict=True):
            weight = _attention(_times(stream, layer.query), _times(stream, layer.key), mask)
            stream = _update(self, layer, stream, _times(weight, _times(stream, layer.value)))
            attention = np.asarray(weight)
            rows.append({"attention": attention, "target": attention.argmax(axis=1)} | self._named(stream))
        return rows

    def unrounded(self, weights: Weights, tokens: Integer[Array, "batch length"]) -> Float[Array, "batch depth"]:
        """Return how far the worst number that a layer retrieves lies from an integer before it is rounded; at most 1/2."""
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


def save(path: str | os.PathLike, model: Attention, weights: Weights) -> None:
    """Write model and weights to an npz file of plain arrays; the description is JSON in the array "model"."""
    arrays = {name: getattr(weights, name) for name in _ENDS}
    for index, layer in enumerate(weights.layers):
        arrays |= {f"layers.{index}.{name}": getattr(layer, name) for name in _MATRICES}
    plain: dict[str, Any] = {name: np.asarray(array) for name, array in arrays.items()}
    np.savez(path, model=np.array(json.dumps(dataclasses.asdict(model))), **plain)


def load(path: str | os.PathLike) -> tuple[Attention, Weights]:
    """Read what `save` wrote, in the type it was written in.

    Raises:
        ValueError: float64 arrays while JAX is limited to float32, which would silently change them.
    """
    with np.load(path, allow_pickle=False) as file:
        description: dict[str, Any] = json.loads(str(file["model"]))
        if file["letters"].dtype == np.float64 and not jax.config.read("jax_enable_x64"):
            raise ValueError(f"{path} holds float64 weights; enable them with jax.config.update('jax_enable_x64', True)")
        description["fields"] = tuple((name, size) for name, size in description["fields"])
        description["masks"] = tuple(description["masks"])
        layers = tuple(
            Layer(**{name: jnp.asarray(file[f"layers.{index}.{name}"]) for name in _MATRICES})
            for index in range(len(description["masks"]))
        )
        ends = {name: jnp.asarray(file[name]) for name in _ENDS}
    return Attention(**description), Weights(layers=layers, **ends)


_MATRICES = tuple(field.name for field in dataclasses.fields(Layer))
_ENDS = ("letters", "positions", "unembedding", "bias")


@partial(jax.jit, static_argnums=0)
def _logits(model: Attention, weights: Weights, tokens: Array) -> Array:
    def one(word: Array) -> Array:
        stream = _embed(weights, word)
        for mask, layers in _stretches(model, weights):
            stream = jax.lax.scan(partial(_layer, model, mask), stream, layers)[0]
        return _times(stream[1:], weights.unembedding) + weights.bias[None, :]

    return _by_word(one, tokens)


@partial(jax.jit, static_argnums=0)
def _logits_by_depth(model: Attention, weights: Weights, tokens: Array) -> Array:
    def one(word: Array) -> Array:
        def step(stream: Array, layer: Layer, mask: str) -> tuple[Array, Array]:
            stream = _layer(model, mask, stream, layer)[0]
            return stream, _times(stream[1:], weights.unembedding) + weights.bias[None, :]

        stream, logits = _embed(weights, word), []
        for mask, layers in _stretches(model, weights):
            stream, found = jax.lax.scan(partial(step, mask=mask), stream, layers)
            logits.append(found)
        return jnp.concatenate(logits)

    return _by_word(one, tokens)


@partial(jax.jit, static_argnums=0)
def _worst(model: Attention, weights: Weights, tokens: Array) -> Array:
    def one(word: Array) -> Array:
        def step(stream: Array, layer: Layer, mask: str) -> tuple[Array, Array]:
            read = _read(layer, stream, mask)
            numbers = _times(stream + _times(read, layer.output), layer.gather)
            return _update(model, layer, stream, read), jnp.abs(numbers - jnp.round(numbers)).max()

        stream, worst = _embed(weights, word), []
        for mask, layers in _stretches(model, weights):
            stream, off = jax.lax.scan(partial(step, mask=mask), stream, layers)
            worst.append(off)
        return jnp.concatenate(worst)

    return _by_word(one, tokens)


def _stretches(model: Attention, weights: Weights) -> list[tuple[str, Layer]]:
    """Neighbouring layers of one shape and one mask, stacked: they are compiled once."""
    pairs = zip(model.masks, weights.layers, strict=True)
    alike = itertools.groupby(pairs, lambda pair: (pair[0], [array.shape for array in jax.tree.leaves(pair[1])]))
    return [(key[0], jax.tree.map(lambda *arrays: jnp.stack(arrays), *(layer for _, layer in group))) for key, group in alike]


def _by_word(function: Callable[[Array], Array], tokens: Array) -> Array:
    """A few words at a time: the scores of a layer should not leave a core's cache."""
    return jax.lax.map(function, tokens, batch_size=min(len(tokens), 4 if jax.default_backend() == "cpu" else 64))


def _layer(model: Attention, mask: str, stream: Array, layer: Layer) -> tuple[Array, None]:
    return _update(model, layer, stream, _read(layer, stream, mask)), None


def _embed(weights: Weights, word: Array) -> Array:
    begin = jnp.full(1, weights.letters.shape[0] - 1, word.dtype)
    stream = weights.letters[jnp.concatenate([begin, word])] + weights.positions[: len(word) + 1]
    return marked(stream, jnp.broadcast_to(strange(word), stream.shape[:1]))


def _read(layer: Layer, stream: Array, mask: str) -> Array:
    """What the head retrieves."""
    queries, keys, values = (_times(stream, matrix) for matrix in (layer.query, layer.key, layer.value))
    parts = []
    rows = max(128, -(-len(stream) // STRETCHES))
    for start in range(0, len(stream), rows):
        stop = min(start + rows, len(stream))
        seen = len(stream) if mask == "full" else stop
        parts.append(_times(_attention(queries[start:stop], keys[:seen], mask, start), values[:seen]))
    return jnp.concatenate(parts)


def _attention(queries: Array, keys: Array, mask: str, start: int = 0) -> Array:
    # the largest score is subtracted before the exponential: what is left is exact wherever the scores are
    scores = jnp.where(_visible(len(queries), len(keys), mask, start), _times(queries, keys.T), -jnp.inf)
    raised = jnp.exp(scores - scores.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def _visible(rows: int, columns: int, mask: str, start: int) -> Bool[Array, "rows columns"]:
    row, column = jnp.arange(start, start + rows)[:, None], jnp.arange(columns)[None, :]
    if mask == "full":
        return jnp.ones((rows, columns), bool)
    return (column < row) | (row + column == 0) if mask == "strict" else column <= row


def _update(model: Attention, layer: Layer, stream: Array, read: Array) -> Array:
    stream = stream + _times(read, layer.output)
    numbers = _times(stream, layer.gather)
    whole = jnp.round(numbers) if model.rounding == "arithmetic" else _staircase(numbers, model)
    return stream + _times(stream, layer.linear) + _times(whole, layer.write)


def _staircase(numbers: Array, model: Attention) -> Array:
    """Two layers of ReLU units, one a step; a step rises linearly over the stretch where no number should lie."""
    steps = jnp.arange(model.largest + 1, dtype=numbers.dtype) - 0.5
    steps = jnp.broadcast_to(steps, (*numbers.shape, steps.size))
    rising = jax.nn.relu((numbers[..., None] - steps) / (1 - 2 * model.tolerance) + 0.5)
    return (1 - jax.nn.relu(1 - rising)).sum(axis=-1) - 1


def _times(left: Array, right: Array) -> Array:
    # full precision: the numbers are integers, and reduced products destroy them
    return jnp.matmul(left, right, precision="highest")
