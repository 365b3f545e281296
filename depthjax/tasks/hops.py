r"""The k-hop task: follow k times the letter that came after the last occurrence of the current letter.

Positions are 1, ..., length, and 0 means "none":

    find^1(i) = max{ j <= i : x_{j-1} = x_i }  (0 if there is no such j),    hop_k(x)_i = x_{find^k(i)},

From the first step that fails on the answer is "none", encoded as `alphabet`. hop_1 is the induction head. find^1(i) = i is
legal: it occurs where x_{i-1} = x_i.

Source: Sanford, Hsu and Telgarsky, arXiv 2402.09268, and their published code.
"""

from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Integer, Key

from depthjax.checks import at_least, in_alphabet, marked, strange
from depthjax.tasks.words import Batch


def hop_words(
    key: Key[Array, ""], alphabet: int, batch: int, length: int, *, equal_neighbours: bool = False
) -> Int[Array, "batch length"]:
    """Return random words; by default each letter is uniform over the alphabet without its predecessor (the published law).

    With `equal_neighbours` letters are independent and uniform.

    Raises:
        ValueError: There are fewer than two letters, so a letter has no different neighbour.
    """
    at_least("alphabet", alphabet, 2, "with one letter every position points at itself")
    return _hop_words(key, jnp.asarray(alphabet), batch, length, equal_neighbours)


@partial(jax.jit, static_argnums=(2, 3, 4))
def _hop_words(key: Array, alphabet: Array, batch: int, length: int, equal_neighbours: bool) -> Array:
    first, rest = jax.random.split(key)
    if equal_neighbours:
        return jax.random.randint(rest, (batch, length), 0, alphabet)
    start = jax.random.randint(first, (batch, 1), 0, alphabet)
    steps = jax.random.randint(rest, (batch, length - 1), 1, alphabet)
    return jnp.cumsum(jnp.concatenate([start, steps], axis=1), axis=1) % alphabet


def find_power(words: Integer[Array, "batch length"], alphabet: int, hops: Int[Array, ""] | int) -> Int[Array, "batch length"]:
    """Return find^hops for every position, by `hops` single steps: one-based, 0 where there is none.

    Here and in the functions below words may be of any integer type. Positions and labels are int32, or int64 for words of 64
    bits. Under jit a word with a letter out of range has -1 everywhere.

    Args:
        words: Letters 0 ... alphabet - 1.
        alphabet: Number of letters.
        hops: Number of steps; may be traced.

    Raises:
        ValueError: A letter is out of range.
    """
    return _find_power(in_alphabet("words", words, alphabet), alphabet, hops)


def hop_labels(words: Integer[Array, "batch length"], alphabet: int, hops: Int[Array, ""] | int) -> Int[Array, "batch length"]:
    """Return hop_k at every position, `alphabet` for "none". Raises as `find_power`.

    Cost: O(length (hops + 1)) for each word.
    """
    return _hop_labels(in_alphabet("words", words, alphabet), alphabet, hops)


def hop_table(words: Integer[Array, "batch length"], alphabet: int, largest: int) -> Int[Array, "hops batch length"]:
    """Return hop_1, ..., hop_largest at every position, `alphabet` for "none"; each costs one more single step.

    Raises:
        ValueError: A letter is out of range, or `largest` is below one.
    """
    at_least("largest", largest, 1, "hop_0 is the word itself")
    return _hop_table(in_alphabet("words", words, alphabet), alphabet, largest)


@partial(jax.jit, static_argnums=1)
def _find_power(words: Array, alphabet: int, hops: Array | int) -> Array:
    return marked(_after_hops(words, alphabet, hops), strange(words))


@partial(jax.jit, static_argnums=1)
def _hop_labels(words: Array, alphabet: int, hops: Array | int) -> Array:
    read = jnp.pad(words, ((0, 0), (1, 0)), constant_values=alphabet)
    return marked(jnp.take_along_axis(read, _after_hops(words, alphabet, hops), axis=1), strange(words))


@partial(jax.jit, static_argnums=(1, 2))
def _hop_table(words: Array, alphabet: int, largest: int) -> Array:
    once = jnp.pad(_last_seen(words, alphabet), ((0, 0), (1, 0)))
    read = jnp.pad(words, ((0, 0), (1, 0)), constant_values=alphabet)

    def step(at: Array, _: None) -> tuple[Array, Array]:
        at = jnp.take_along_axis(once, at, axis=1)
        return at, marked(jnp.take_along_axis(read, at, axis=1), strange(words))

    return jax.lax.scan(step, _positions(words), None, length=largest)[1]


def _after_hops(words: Array, alphabet: int, hops: Array | int) -> Array:
    once = jnp.pad(_last_seen(words, alphabet), ((0, 0), (1, 0)))
    return jax.lax.fori_loop(0, hops, lambda _, at: jnp.take_along_axis(once, at, axis=1), _positions(words))


def _last_seen(words: Array, alphabet: int) -> Array:
    rows = jnp.arange(words.shape[0])

    def step(after: Array, now: tuple[Array, Array]) -> tuple[Array, Array]:
        position, letter = now
        return after.at[rows, letter].set(position + 1), after[rows, letter]

    positions = jnp.arange(1, words.shape[1] + 1, dtype=words.dtype)
    return jax.lax.scan(step, jnp.zeros((words.shape[0], alphabet), words.dtype), (positions, words.T))[1].T


def _positions(words: Array) -> Array:
    return jnp.broadcast_to(jnp.arange(1, words.shape[1] + 1, dtype=words.dtype), words.shape)


@partial(jax.jit, static_argnames=("alphabet", "batch", "length", "largest"))
def hop_batch(key: Key[Array, ""], alphabet: int, batch: int, length: int, largest: int) -> Batch:
    """Return words of the published law, with hop_1, ..., hop_largest of the first position, then of the second, and so on.

    Labels are those of `hop_labels`, `alphabet` for "none". The published task asks for one k of each word, in front of it.
    """
    words = hop_words(key, alphabet, batch, length)
    labels = jnp.moveaxis(hop_table(words, alphabet, largest), 0, -1).reshape(batch, -1)
    return Batch(words, labels, jnp.ones(labels.shape, jnp.float32))


def late_letter_word(length: int) -> Int[Array, " length"]:
    """Return 0 ... 0 1 0: the last position points at a fresh letter whose two neighbours point as far away as possible.

    This is the hardest input for a softmax lookup: the pointer errs by nearly 2 length e^-sharpness, and no input errs more.
    """
    at_least("length", length, 4, "the word is 0 ... 0 1 0")
    return jnp.zeros(length, int).at[length - 2].set(1)


def alternating_word(length: int) -> Int[Array, " length"]:
    """Return 0 1 0 1 ...: find^k(i) = i - k as far as possible, so any two k below length - 1 have different answers."""
    return jnp.arange(length) % 2


def index_words(bits: Integer[Array, "batch n"], index: Integer[Array, " batch"]) -> Int[Array, "batch length"]:
    """Return words over three letters whose last hop_1 is bit number `index` (from 0): 0 b_1 0 b_2 ... 0 b_n 2, length 2 n + 1.

    The letter 2 ("?") replaces the filler before that bit, and the last letter asks for the letter after it.

    Raises:
        ValueError: A bit is not 0 or 1, or the index is out of range.
    """
    batch, n = bits.shape
    bits, index = in_alphabet("bits", bits, 2), in_alphabet("index", index, n)
    filler = jnp.where(jnp.arange(n, dtype=index.dtype)[None, :] == index[:, None], 2, 0).astype(bits.dtype)
    pairs = jnp.stack([filler, bits], axis=2).reshape(batch, 2 * n)
    words = jnp.concatenate([pairs, jnp.full((batch, 1), 2, bits.dtype)], axis=1)
    return marked(words, strange(bits) | (index < 0))


def keyed_words(bits: Integer[Array, "batch n"], key: Integer[Array, " batch"]) -> Int[Array, "batch length"]:
    """Return the words 2 b_1 3 b_2 ... (n + 1) b_n, then the letter `key` + 2 asking for bit number `key`; length 2 n + 1.

    Raises:
        ValueError: A bit is not 0 or 1, or the key is out of range.
    """
    batch, n = bits.shape
    bits, key = in_alphabet("bits", bits, 2), in_alphabet("key", key, n)
    keys = jnp.broadcast_to(jnp.arange(2, n + 2, dtype=bits.dtype), (batch, n))
    pairs = jnp.stack([keys, bits], axis=2).reshape(batch, 2 * n)
    words = jnp.concatenate([pairs, (key + 2).astype(bits.dtype)[:, None]], axis=1)
    return marked(words, strange(bits) | (key < 0))
