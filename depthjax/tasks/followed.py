"""Tasks of one shape for training: a sampler has `letters`, `classes` and `sample`, and a label stands at every position.

`GroupWords` (`depthjax.tasks.words`) is the first of them. Here are the state of any automaton, the innermost open bracket of a
bounded Dyck word, the k-th hop for one k or for the k that a word asks for, and whether a word may end after k blocks. With
`bos` a beginning-of-sequence token, letter number `letters - 1`, stands first, so words of length T have T + 1 positions.
Lengths count letters, not this token.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Integer, Key

from depthjax.checks import at_least, next_states
from depthjax.scans.tables import prefix_products
from depthjax.tasks.alternation import alternation_words, may_end
from depthjax.tasks.dyck import dyck_stacks, dyck_words
from depthjax.tasks.hops import hop_labels, hop_table, hop_words
from depthjax.tasks.words import Batch, prepend, uniform_words


@dataclasses.dataclass(frozen=True, eq=False)
class AutomatonWords:
    """Uniform letters, and the state after each of them.

    Attributes:
        table: Next states, `table[state, letter]`; state 0 is the first.
        bos: Whether a beginning-of-sequence token stands first.

    Raises:
        ValueError: The table is empty or leads to a state that it does not have.
    """

    table: Integer[np.ndarray, "states letters"]
    bos: bool = True

    def __post_init__(self):
        next_states("table", self.table)

    @property
    def letters(self) -> int:
        """Number of tokens."""
        return self.table.shape[1] + self.bos

    @property
    def classes(self) -> int:
        """Number of states."""
        return len(self.table)

    def sample(self, key: Key[Array, ""], batch: int, length: int) -> Batch:
        """Return random words with the state after each letter; under jit, batch and length are static."""
        words = uniform_words(key, self.table.shape[1], batch, length).astype(jnp.int32)
        return _batch(words, prefix_products(jnp.asarray(self.table, jnp.int32), words), self.letters - 1, 0, self.bos)


@dataclasses.dataclass(frozen=True, eq=False)
class AcceptedWords:
    """Uniform letters, and after each of them whether an automaton accepts the word so far: 1 or 0.

    Attributes:
        table: Next states, `table[state, letter]`; state 0 is the first.
        accepting: For each state whether it accepts.
        bos: Whether a beginning-of-sequence token stands first; its label says whether the empty word is accepted.

    Raises:
        ValueError: The table is empty or leads to a state that it does not have, or there is not one truth value for each.
    """

    table: Integer[np.ndarray, "states letters"]
    accepting: Bool[np.ndarray, " answers"]
    bos: bool = True
    classes: int = dataclasses.field(default=2, init=False)

    def __post_init__(self):
        next_states("table", self.table)
        if np.shape(self.accepting) != (len(self.table),):
            shape = np.shape(self.accepting)
            raise ValueError(f"accepting has shape {shape}: expected one truth value for each of the {len(self.table)} states")

    @property
    def letters(self) -> int:
        """Number of tokens."""
        return self.table.shape[1] + self.bos

    def sample(self, key: Key[Array, ""], batch: int, length: int) -> Batch:
        """Return random words with the answer after each letter; under jit, batch and length are static."""
        followed = AutomatonWords(self.table, self.bos).sample(key, batch, length)
        return followed._replace(labels=jnp.asarray(self.accepting, jnp.int32)[followed.labels])


@dataclasses.dataclass(frozen=True)
class DyckWords:
    """Prefixes of bounded Dyck words, and the type of the innermost open bracket, `types` where none is open.

    Attributes:
        types: Types of brackets.
        nesting: Brackets that may be open at once.
        bos: Whether a beginning-of-sequence token stands first.
    """

    types: int = 2
    nesting: int = 2
    bos: bool = True

    def __post_init__(self):
        at_least("types", self.types, 1)
        at_least("nesting", self.nesting, 1, "without nesting there is no word")

    @property
    def letters(self) -> int:
        """Number of tokens."""
        return 2 * self.types + self.bos

    @property
    def classes(self) -> int:
        """Number of types, and one for no open bracket."""
        return self.types + 1

    def sample(self, key: Key[Array, ""], batch: int, length: int) -> Batch:
        """Return random words with labels; under jit, batch and length are static."""
        words = dyck_words(key, self.types, self.nesting, batch, length).astype(jnp.int32)
        stacks = dyck_stacks(words, self.types, self.nesting)
        top = jnp.take_along_axis(stacks, jnp.maximum((stacks >= 0).sum(axis=-1, keepdims=True) - 1, 0), axis=-1)[..., 0]
        return _batch(words, jnp.where(top < 0, self.types, top), self.letters - 1, self.types, self.bos)


@dataclasses.dataclass(frozen=True)
class HopWords:
    """Words of the published law, and hop_k at every position, `alphabet` for "none" (`depthjax.tasks.hops`).

    Attributes:
        hops: Number of hops k.
        alphabet: Number of letters.
        bos: Whether a beginning-of-sequence token stands first.
    """

    hops: int = 1
    alphabet: int = 4
    bos: bool = True

    def __post_init__(self):
        at_least("hops", self.hops, 1, "hop_0 is the word itself")
        at_least("alphabet", self.alphabet, 2, "with one letter every position points at itself")

    @property
    def letters(self) -> int:
        """Number of tokens."""
        return self.alphabet + self.bos

    @property
    def classes(self) -> int:
        """Number of letters, and one for "none"."""
        return self.alphabet + 1

    def sample(self, key: Key[Array, ""], batch: int, length: int) -> Batch:
        """Return random words with labels; under jit, batch and length are static."""
        words = hop_words(key, self.alphabet, batch, length).astype(jnp.int32)
        return _batch(words, hop_labels(words, self.alphabet, self.hops), self.letters - 1, self.alphabet, self.bos)


@dataclasses.dataclass(frozen=True)
class AskedHopWords:
    """Words of the published law after a token that asks for k hops, and hop_k at every position.

    k is uniform over 0 ... `largest`; its token is letter number `alphabet` + k, and hop_0 is the word itself. The asking token
    has the label `alphabet`, "none". It takes the place of a beginning-of-sequence token.

    Attributes:
        largest: Largest number of hops.
        alphabet: Number of letters.
    """

    largest: int = 4
    alphabet: int = 4

    def __post_init__(self):
        at_least("largest", self.largest, 1, "hop_0 is the word itself")
        at_least("alphabet", self.alphabet, 2, "with one letter every position points at itself")

    @property
    def bos(self) -> bool:
        """A token stands before the word."""
        return True

    @property
    def letters(self) -> int:
        """Number of tokens."""
        return self.alphabet + self.largest + 1

    @property
    def classes(self) -> int:
        """Number of letters, and one for "none"."""
        return self.alphabet + 1

    def sample(self, key: Key[Array, ""], batch: int, length: int) -> Batch:
        """Return random words, each with its own k, with labels; under jit, batch and length are static."""
        draw, ask = jax.random.split(key)
        return self.asked(draw, batch, length, jax.random.randint(ask, (batch,), 0, self.largest + 1, jnp.int32))

    def asked(self, key: Key[Array, ""], batch: int, length: int, hops: Integer[Array, " batch"]) -> Batch:
        """Return random words that ask for the given numbers of hops, with labels."""
        words = hop_words(key, self.alphabet, batch, length).astype(jnp.int32)
        every = jnp.concatenate([words[None], hop_table(words, self.alphabet, self.largest)])
        labels = jnp.take_along_axis(every, hops[None, :, None], axis=0)[0]
        tokens, none = self.alphabet + hops[:, None], jnp.full((batch, 1), self.alphabet, labels.dtype)
        words, labels = (jnp.concatenate(pair, axis=1) for pair in ((tokens, words), (none, labels)))
        return Batch(words, labels, jnp.ones(words.shape, jnp.float32))


@dataclasses.dataclass(frozen=True)
class AlternationWords:
    """Uniform words of k blocks, and whether each prefix has k blocks already (`depthjax.tasks.alternation`).

    Attributes:
        blocks: Number of blocks k.
        bos: Whether a beginning-of-sequence token stands first.
    """

    blocks: int = 2
    bos: bool = True

    def __post_init__(self):
        at_least("blocks", self.blocks, 1)

    @property
    def letters(self) -> int:
        """Number of tokens."""
        return 2 + self.bos

    @property
    def classes(self) -> int:
        """Yes and no."""
        return 2

    def sample(self, key: Key[Array, ""], batch: int, length: int) -> Batch:
        """Return random words with labels; under jit, batch and length are static.

        Raises:
            ValueError: There are fewer letters than blocks.
        """
        at_least("length", length, self.blocks, "every block has a letter")
        words = alternation_words(key, self.blocks, jnp.full(batch, length), length)
        return _batch(words, may_end(words, self.blocks).astype(jnp.int32), self.letters - 1, 0, self.bos)


def _batch(words: Array, labels: Array, token: int, first: int, bos: bool) -> Batch:
    """The batch in which every position counts, with the token and its label in front."""
    if bos:
        words, labels = prepend(words, token), prepend(labels, first)
    return Batch(words, labels, jnp.ones(words.shape, jnp.float32))
