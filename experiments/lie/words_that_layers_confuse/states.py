"""What the layers of random cascades keep of signed words: words that share it, and layers that two words share."""

from functools import partial
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from depthjax.constructions.towers.linear import linear_cascade_start, random_linear_cascade
from depthjax.rounding import rounding_floor

BLOCK = 2**14  # words that run at a time
COORDINATES = 4  # of an increment


def reduced_words(letters: int, length: int, filled: int | None = None) -> Int[np.ndarray, "words filled"]:
    """Return the words of at most `length` signed letters without a letter beside its inverse, filled up with silence.

    i + n is the inverse of letter i of n, and 2 n is silent.

    >>> reduced_words(1, 2).tolist()
    [[2, 2], [0, 2], [1, 2], [0, 0], [1, 1]]
    """
    longest, found = np.zeros((1, 0), int), [np.full((1, filled or length), 2 * letters)]
    for size in range(1, length + 1):
        longest = np.concatenate(
            [np.repeat(longest, 2 * letters, 0), np.tile(np.arange(2 * letters), len(longest))[:, None]], 1
        )
        if size > 1:
            longest = longest[(longest[:, -1] - longest[:, -2]) % (2 * letters) != letters]
        found.append(np.pad(longest, ((0, 0), (0, (filled or length) - size)), constant_values=2 * letters))
    return np.concatenate(found)


def final_states(
    keys: Key[Array, " cascades"],
    words: Int[np.ndarray, "words length"],
    increments: Float[np.ndarray, "signed coordinates"],
    layers: int,
    width: int,
) -> tuple[list[Float[np.ndarray, "cascades words _"]], float]:
    """Return the states of every layer of random cascades after words, and what rounding alone explains of an entry.

    Args:
        keys: Keys of the fields of the cascades.
        words: Indices of the rows of `increments`.
        increments: The increment of every letter, of its inverse, and of silence.
        layers: Number of layers.
        width: Numbers in the state of a layer above the first.
    """
    size = min(BLOCK, len(words))
    blocks = [np.resize(words[i : i + size], (size, words.shape[1])) for i in range(0, len(words), size)]
    states, reach = zip(
        *(_run(keys, jnp.asarray(block), jnp.asarray(increments), layers, width) for block in blocks), strict=True
    )
    # rounding enters at every letter, and the fields (of Lipschitz constants about one) pass it on to the layers above
    floor = rounding_floor(words.shape[1] * 8.0**layers * width, jnp.dtype(float), max(map(float, reach)))
    whole = [np.concatenate(list(map(np.asarray, layer)), axis=1) for layer in zip(*states, strict=True)]
    return [layer[:, : len(words)] for layer in whole], float(floor)


@partial(jax.jit, static_argnames=("layers", "width"))
def _run(keys: Array, words: Array, increments: Array, layers: int, width: int) -> tuple[tuple[Array, ...], Float[Array, ""]]:
    """The last states, and the largest entry on the way."""
    letters = increments.shape[1]
    start = linear_cascade_start(letters, layers, width, words.shape[0])
    path = increments[words.T].swapaxes(1, 2)

    def run(key: Array) -> tuple[tuple[Array, ...], Array]:
        states = random_linear_cascade(key, letters, layers, width).run(path, start, chunk=1, stream=True)
        return tuple(state[-1].T for state in states), jnp.stack([jnp.abs(state).max() for state in states]).max()

    states, reach = jax.vmap(run)(keys)
    return states, reach.max()


def words_alike(states: list[Float[np.ndarray, "words _"]], floor: float) -> list[np.ndarray]:
    """Return the places of words with one state, for all states that two words or more have; the first layer is whole.

    Words are sorted by the state of the first layer and one coordinate above, so words with one state are neighbours unless
    another word comes within a rounding of that coordinate.
    """
    entries = np.concatenate(states, axis=1)
    first = np.round(states[0] * 2).astype(int)  # letters count 1, or 1/2
    order = np.lexsort((*(states[1][:, :1].T if len(states) > 1 else ()), *first.T))
    near = np.abs(np.diff(entries[order], axis=0)).max(axis=1) <= 2 * floor
    ends = np.concatenate([[0], np.flatnonzero(~near) + 1, [len(order)]])
    return [order[a:b] for a, b in pairwise(ends) if b - a > 1]


def shared_layers(states: list[Float[np.ndarray, "cascades words _"]], floor: float) -> Int[np.ndarray, " pairs"]:
    """Return how many of the lowest layers leave the words 2 i and 2 i + 1 in one state, in all of the cascades."""
    apart = np.stack([np.abs(layer[:, ::2] - layer[:, 1::2]).max(axis=(0, 2)) for layer in states])
    return np.logical_and.accumulate(apart <= 2 * floor, axis=0).sum(axis=0)


def undoing(letters: int, share: float = 1.0) -> Float[np.ndarray, "signed coordinates"]:
    """Return the increments of letters, of inverses that undo a share of a letter, and of silence."""
    unit = np.eye(letters)
    return _filled(np.concatenate([unit, -share * unit]))


def apart(letters: int) -> Float[np.ndarray, "signed coordinates"]:
    """Return increments by which a letter and its inverse are two letters; of two letters at most."""
    return _filled(np.eye(2 * letters))


def _filled(increments: np.ndarray) -> np.ndarray:
    """With zeros to one shape, so that all words share one program; zeros are silent."""
    rows, columns = increments.shape
    return np.pad(increments, ((0, 2 * COORDINATES - rows), (0, COORDINATES - columns)))
