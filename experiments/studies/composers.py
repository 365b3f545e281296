"""Quadratic networks that answer a whole word at once, for sweeps: what they are trained on, and what they are tested for.

A word of k letters of a group has one label, its product, whose code is centred, one-hot and of mean square one. So the loss is
the share of the target that a network leaves. One hidden layer of z^k reads words of k letters alone; a recurrence and a tree
share their weights over the word, so they are tested on words of twice the length too.

The number of hidden layers is no choice: k letters take one layer of z^k, k - 1 steps of a recurrence, log2 k layers of a tree.
"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Integer, Key

from depthjax.instruments.trained_composition import Network, answer, initial_weights, scaled_codes
from depthjax.tasks.composition import products
from depthjax.tasks.words import Batch, check_group, uniform_words
from depthjax.training.losses import correct, word_accuracy

COMPOSERS: dict[str, Network] = {"two_layer": "two-layer", "recurrent": "recurrent", "tree": "tree"}


@dataclasses.dataclass(frozen=True, eq=False)
class Compositions:
    """Uniform words of group elements, each with its product as the only label.

    Attributes:
        table: Cayley table, identity 0.

    Raises:
        ValueError: The table is not the Cayley table of a group with identity 0.
    """

    table: Integer[np.ndarray, "order order"]

    def __post_init__(self) -> None:
        check_group(self.table)

    @property
    def letters(self) -> int:
        """Number of elements."""
        return len(self.table)

    @property
    def classes(self) -> int:
        """Number of elements."""
        return len(self.table)

    def sample(self, key: Key[Array, ""], batch: int, length: int) -> Batch:
        """Return random words with their products, one label a word; under jit, batch and length are static."""
        words = uniform_words(key, len(self.table), batch, length).astype(jnp.int32)
        return Batch(words, products(jnp.asarray(self.table, jnp.int32), words)[:, None], jnp.ones((batch, 1), jnp.float32))


@dataclasses.dataclass(frozen=True, eq=False)
class Composer:
    """A quadratic network on the words of a group.

    Attributes:
        kind: A name of `COMPOSERS`.
        table: Cayley table.
        length: Letters of a training word.
        width: Hidden units; those of the state of a recurrence, or of one node of a tree.
    """

    kind: str
    table: Integer[np.ndarray, "order order"]
    length: int
    width: int

    def init(self, key: Key[Array, ""]) -> dict[str, Array]:
        """Return fresh weights."""
        return initial_weights(key, COMPOSERS[self.kind], len(self.table), self.length, self.width)

    def apply(self, params: dict[str, Array], tokens: Int[Array, "batch length"], depth: Any = None) -> Array:
        """Return the outputs for every word, shape (batch, 1, order); the depth is that of the words."""
        del depth
        return answer(COMPOSERS[self.kind], params, scaled_codes(self.table), tokens)[:, None]

    def loss(self, outputs: Float[Array, "batch 1 order"], batch: Batch) -> tuple[Array, dict[str, Array]]:
        """Return the share of the targets that is left, with the accuracies of tasks with classes."""
        codes = scaled_codes(self.table)[batch.labels]
        left = jnp.square(outputs - codes).mean()
        # the code of an element is largest at its inverse
        right = correct(outputs, codes.argmax(axis=-1), batch.weights)
        return left, {"left": left, **word_accuracy(right, batch.weights)}

    def scores(self, sampler: Compositions, tests: int, key: Key[Array, ""], params: dict[str, Array]) -> dict[str, Array]:
        """Return the metrics of `loss` on words of the training length, and the accuracies on words of twice that length."""
        found = {}
        for times in (1, 2) if self.kind != "two_layer" else (1,):
            batch = sampler.sample(jax.random.fold_in(key, times), tests, times * self.length)
            measured = self.loss(self.apply(params, batch.tokens), batch)[1]
            # values of a quadratic network grow without bound beyond the training length, so only the largest output counts
            found |= {f"{name}_{times}x": value for name, value in measured.items() if times == 1 or name != "left"}
        return found


def hidden_layers(kind: str, length: int) -> int:
    """Return the hidden layers that k letters take.

    Raises:
        ValueError: The words are too short, or a tree cannot halve them down to single letters.

    >>> [hidden_layers(kind, 8) for kind in COMPOSERS]
    [1, 7, 3]
    """
    if length < 2:
        raise ValueError(f"words of {length} letter have nothing to compose: expected a length of 2 or more")
    if kind == "tree" and length & (length - 1):
        raise ValueError(f"words of {length} letters: a tree joins neighbours in pairs, so the length must be 2, 4, 8, ...")
    return {"two_layer": 1, "recurrent": length - 1, "tree": length.bit_length() - 1}[kind]
