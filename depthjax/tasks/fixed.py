"""A fixed training set: a task whose words are drawn from a finite number of them, the same in every batch."""

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
from jaxtyping import Array, Int, Key

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
        return numbered_words(self.key, chosen, partial(self.task.sample, length=length))


def numbered_words(key: Key[Array, ""], numbers: Int[Array, " batch"], drawn: Callable[..., Batch]) -> Batch:
    """Return the words of these numbers, each drawn with a key of its own.

    Args:
        key: Key of the endless row of words.
        numbers: Which words of the row.
        drawn: key, batch -> a batch of words with their labels.

    >>> from depthjax.tasks.hops import hop_batch
    >>> drawn = partial(hop_batch, alphabet=3, length=5, largest=1)
    >>> few = numbered_words(jax.random.key(0), jax.numpy.array([4, 2, 4]), drawn).tokens
    >>> few.shape, bool((few[0] == few[2]).all())
    ((3, 5), True)
    """
    single = jax.vmap(lambda number: drawn(jax.random.fold_in(key, number), batch=1))(numbers)
    return jax.tree.map(lambda part: part.reshape(-1, *part.shape[2:]), single)
