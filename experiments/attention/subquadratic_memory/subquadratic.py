"""What attention below quadratic cost holds and reaches: contexts that share a state, and positions that change an output."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Integer, Key

from depthjax.attention.heads import softmax
from depthjax.checks import at_least
from depthjax.tasks.words import all_words


@jax.jit
def linear_states(
    features: Float[Array, "keys bit r"], values: Float[Array, "keys bit d"], bits: int | Integer[Array, ""]
) -> Float[Array, "contexts numbers"]:
    """Return the state of a linear attention layer after every context that assigns a bit to each key, in numbers of p bits.

    The state is the sum of outer products of features with (values, 1); its numbers are kept modulo 2^bits. The last key's bit
    changes fastest.
    """
    keys = features.shape[0]
    whole = jnp.concatenate([values, jnp.ones((keys, 2, 1), values.dtype)], axis=-1)
    writes = jnp.einsum("kbr,kbd->kbrd", features, whole).reshape(keys, 2, -1)
    sums = writes[0]
    for write in writes[1:]:
        sums = (sums[:, None] + write[None]).reshape(-1, sums.shape[-1])
    return sums % 2.0**bits


def digit_layer(keys: int, rank: int, width: int, bits: int) -> tuple[np.ndarray, np.ndarray]:
    """Return features and values of a layer in which every key writes one binary digit of one number of the state.

    The last key of a row's normaliser writes through its feature, and every other key through its value. Keys beyond the digits
    there are begin again at the first one.
    """
    features, values = np.zeros((keys, 2, rank)), np.zeros((keys, 2, width))
    for key in range(keys):
        number, digit = divmod(key % (rank * (width + 1) * bits), bits)
        row, column = divmod(number, width + 1)
        if column < width:
            features[key, :, row] = 1.0
            values[key, 1, column] = 2.0**digit
        else:
            features[key, 1, row] = 2.0**digit
    return features, values


def keys_recalled(rank: int, width: int, bits: int, most: int) -> int:
    """Return the largest number of keys, up to `most`, whose every context has a state of its own in the digit layer.

    Only then some readout answers all queries. Further keys are there with the bit 0. Cost: 2^most states.
    """
    states = np.asarray(linear_states(*map(jnp.asarray, digit_layer(most, rank, width, bits)), bits))
    told_apart = [len(np.unique(states[:: 2 ** (most - keys)], axis=0)) == 2**keys for keys in range(1, most + 1)]
    return most if all(told_apart) else told_apart.index(False)


def states_of_searched_layer(
    key: Key[Array, ""], keys: int, rank: int, width: int, bits: int, rounds: int = 64
) -> tuple[int, int, int]:
    """Return the most states that a layer of whole features and values has after all contexts, found by search.

    Beside it are the contexts and the numbers of a state. A round draws one key's features and values again and keeps them if
    the states do not become fewer. Cost: 2^keys states a round.
    """
    rng = np.random.default_rng(np.asarray(jax.random.key_data(key)))
    layer, most = rng.integers(0, 2**bits, (keys, 2, rank + width)), 0
    for _ in range(rounds):
        tried = layer.copy()
        tried[rng.integers(keys)] = rng.integers(0, 2**bits, (2, rank + width))
        # one whole number for each state
        writes = tried[:, :, :rank, None] * np.concatenate([tried[:, :, rank:], np.ones((keys, 2, 1), int)], axis=2)[:, :, None]
        sums = np.zeros((1, rank * (width + 1)), int)
        for write in writes.reshape(keys, 2, -1):
            sums = (sums[:, None] + write[None]).reshape(-1, sums.shape[1]) % 2**bits
        found = len(np.unique(sums @ 2 ** (bits * np.arange(sums.shape[1]))))
        if found >= most:
            layer, most = tried, found
    return most, len(sums), sums.shape[1]


def keys_recalled_by_softmax(most: int, scale: float) -> tuple[int, float]:
    """Return how many of `most` keys, places on a circle, one softmax head recalls in every context; it keeps the context.

    The second number is the largest weight that a key gives to another one; `scale` multiplies the inner products of places.
    """
    angles = 2 * np.pi * np.arange(most) / most
    places = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    weights = np.asarray(softmax(jnp.asarray(scale * places @ places.T)))
    contexts = np.asarray(all_words(2, most))
    right = (np.abs(contexts.astype(float) @ weights.T - contexts) < 0.5).all(axis=0)
    return int(right.sum()), float((weights - np.diag(np.diag(weights))).max())


def reaches(key: Key[Array, ""], window: int, layers: int, length: int, width: int = 4) -> list[int]:
    """Return, after each layer of random windowed attention, how far back a letter is that changes the last output.

    A window of the whole word, or more, is no window.

    Raises:
        ValueError: There is no layer, or a layer sees no position.
    """
    at_least("layers", layers, 1)
    at_least("window", window, 1)
    outputs = np.asarray(_outputs(key, jnp.asarray(window), layers, length, width))
    changed = (outputs[:, 1:] != outputs[:, :1]).any(axis=-1)
    return [int(length - 1 - np.flatnonzero(row).min()) for row in changed]


@partial(jax.jit, static_argnames=("layers", "length", "width"))
def _outputs(key: Array, window: Array, layers: int, length: int, width: int) -> Array:
    """The last output of every layer for a word, and for the words that differ from it at one position."""
    start, change, weights = jax.random.split(key, 3)
    word = jax.random.normal(start, (length, width))
    words = jnp.stack([word] * length).at[jnp.arange(length), jnp.arange(length)].add(jax.random.normal(change, (width,)))
    distance = jnp.arange(length)[:, None] - jnp.arange(length)[None]
    seen = (distance >= 0) & (distance <= window)

    def layer(stream: Array, maps: Array) -> tuple[Array, Array]:
        # scores of order one, so that no weight is lost in rounding
        unit = stream / jnp.linalg.norm(stream, axis=-1, keepdims=True)
        shares = softmax(jnp.einsum("bid,de,bje->bij", unit, maps[0], unit), seen)
        stream = unit + shares @ (unit @ maps[1])
        return stream, stream[:, -1]

    maps = jax.random.normal(weights, (layers, 2, width, width)) / width**0.5
    return jax.lax.scan(layer, jnp.concatenate([word[None], words]), maps)[1]
