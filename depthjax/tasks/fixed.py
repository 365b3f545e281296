"""A fixed training set: a task whose words are drawn from a finite number of them, the same in every batch."""

import dataclasses
from typing import Any

import jax
from jaxtyping import Array, Key

from depthjax.checks import at_least
from depthjax.tasks.words import Batch


@dataclasses.dataclass(frozen=True, eq=False)
class FixedWords:
    """Batches from `samples` words of another task, drawn with replacement; nothing is stored.

    Word number i is made anew from the key folded with i whenever it is drawn, so the set may be larger than memory.

    Attributes:
        task: Sampler with `letters`, `classes`, `bos` and `sample`.
        key: Key of the set; runs that share it share the words.
        samples: Number of words.

    Raises:
        ValueError: There is no word.

    >>> from depthjax.tasks.followed import HopWords
    >>> words = FixedWords(HopWords(1, alphabet=4), jax.random.key(0), samples=3)
    >>> len({tuple(map(int, word)) for word in words.sample(jax.random.key(1), batch=64, length=9).tokens})
    3
    """

    task: Any
    key: Key[Array, ""]
    samples: int

    def __post_init__(self):
        at_least("samples", self.samples, 1, "training needs a word")

    def sample(self, key: Key[Array, ""], batch: int, length: int) -> Batch:
        """Return words of the set with their labels; under jit, batch and length are static."""
        chosen = jax.random.randint(key, (batch,), 0, self.samples)
        keys = jax.vmap(lambda number: jax.random.fold_in(self.key, number))(chosen)
        return jax.tree.map(lambda part: part[:, 0], jax.vmap(lambda one: self.task.sample(one, 1, length))(keys))
