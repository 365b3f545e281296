r"""What networks of unique hard attention know after each layer: all of them at once, and sampled ones.

A layer has heads that look back and, for two sides, ahead. A head goes to the visible position with the largest score; ties
go to the nearest position. What a feed-forward part makes of the letters read is free. So after a layer a network can know at
most its own former state and, for every ranking of the states, the nearest position's state of the best rank. The *universal
layer* has one head for each set of one or two states s, t, "whichever of s and t is nearest": the winner of any ranking
follows from these duels, because a head goes to the nearest of the states of the best rank. Two positions that it gives one
state have one state in every network.

The *sampled networks* have random bilinear scores, values and feed-forward parts. They compute in integers modulo 2^32, so that
equal states stay equal and no rounding tells them apart.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Integer, Key

from depthjax.attention import hard, visible
from depthjax.checks import at_least, one_of

__all__ = ["RandomNetworks", "knowledge", "random_networks", "telling_networks"]

SIDES = ("past", "both")
TIES = ("nearest", "farthest")
MASKS = ("strict", "causal")
SHARED = 32  # numbers of states are rounded up to a multiple of this, so that layers share their compiled programs


def knowledge(
    words: Integer[np.ndarray, "words length"],
    lengths: Integer[np.ndarray, " words"],
    layers: int,
    *,
    sides: str = "both",
    mask: str = "strict",
    ties: str = "nearest",
) -> Int[np.ndarray, "depth words length"]:
    """Return what the universal network knows after 0, 1, ..., `layers` layers, as a number for each state.

    Positions of equal number have equal states in every network of so many layers, and some network tells all others apart.

    Args:
        words: Letters 0, 1, ... of words that are compared.
        lengths: Number of letters of each word that count; the others get the number -1.
        layers: Number of layers.
        sides: "past" for heads that look back, "both" for heads of both directions.
        mask: "strict", or "causal" if heads see their own position as well.
        ties: "nearest", or "farthest".

    Cost: layers * states^2 * words * length^2, states being the numbers that there are.

    Raises:
        ValueError: An unknown side, mask or tie rule, or a negative number of layers.

    >>> knowledge(np.array([[0, 0], [1, 0]]), np.array([2, 2]), 1, sides="past").tolist()
    [[[0, 0], [1, 0]], [[0, 2], [3, 1]]]
    """
    at_least("layers", layers, 0)
    for name, value, known in (("sides", sides, SIDES), ("mask", mask, MASKS), ("ties", ties, TIES)):
        one_of(name, value, known)
    looks = [_looks(words.shape[1], ahead, mask, ties) for ahead in (False, True)[: SIDES.index(sides) + 1]]
    there = np.arange(words.shape[1])[None, :] < np.asarray(lengths)[:, None]
    states = _numbered(np.asarray(words)[..., None], there)
    found = [states]
    for _ in range(layers):
        number = SHARED * -(-(int(states.max()) + 1) // SHARED)
        read = [_duels(jnp.asarray(states), *look, number) for look in looks]
        states = _numbered(np.concatenate([states[..., None], *map(np.asarray, read)], axis=-1), there)
        found.append(states)
    return np.stack(found)


def _numbered(rows: np.ndarray, there: np.ndarray) -> np.ndarray:
    """A number for each different row of a position that is there, -1 elsewhere."""
    states = np.full(there.shape, -1)
    states[there] = np.unique(rows[there], axis=0, return_inverse=True)[1].ravel()
    return states


@partial(jax.jit, static_argnames="number")
def _duels(states: Array, seen: Array, nearness: Array, number: int) -> Array:
    """The state that each duel reads at each position, 0 if it sees neither: (words, length, number^2), states from 1."""
    length = states.shape[1]
    is_state = states[..., None] == jnp.arange(number)[None, None, :]  # words, length, states

    def against(first: Array) -> Array:
        fights = jnp.moveaxis(is_state | first[..., None], -1, 0)  # states, words, keys
        scores = jnp.where(fights, length, 0).astype(jnp.float32) + nearness.astype(jnp.float32)[None, None, :]
        rows = jnp.broadcast_to(scores[:, :, None, :], (*scores.shape[:2], length, length))
        weights = hard(rows, seen)
        won = (weights > 0) & fights[:, :, None, :]
        return jnp.moveaxis(jnp.where(won, states[None, :, None, :] + 1, 0).sum(axis=-1), 0, -1)

    read = jax.lax.map(against, jnp.moveaxis(is_state, -1, 0))
    return jnp.moveaxis(read, 0, -1).reshape(*states.shape, -1).astype(jnp.int16)


def _looks(length: int, ahead: bool, mask: str, ties: str) -> tuple[np.ndarray, np.ndarray]:
    """Which positions a head sees from each, (query, key), and how it ranks those of equal score, (key,)."""
    position = np.arange(length)
    seen = np.asarray(visible(jnp.asarray(position), jnp.asarray(position), mask))
    return (seen.T if ahead else seen), position if ahead == (ties == "farthest") else length - 1 - position


class RandomNetworks(NamedTuple):
    """Weights of sampled networks, integers; the first axis counts networks.

    Attributes:
        letters: Embedding, (networks, letters, width).
        scores: Bilinear forms of the heads, (networks, layers, heads, width, width).
        values: (networks, layers, heads, width, width).
        inner, outer: The feed-forward part, (networks, layers, width, 2 width) and back.
    """

    letters: Array
    scores: Array
    values: Array
    inner: Array
    outer: Array


def random_networks(
    key: Key[Array, ""], networks: int, layers: int, letters: int, width: int = 8, heads: int = 4
) -> RandomNetworks:
    """Return random networks of hard attention; every weight is a random integer of 32 bits.

    >>> random_networks(jax.random.key(0), 3, 2, 2).scores.shape
    (3, 2, 4, 8, 8)
    """
    shapes = (
        (networks, letters, width),
        (networks, layers, heads, width, width),
        (networks, layers, heads, width, width),
        (networks, layers, width, 2 * width),
        (networks, layers, 2 * width, width),
    )
    draw = np.random.default_rng(np.asarray(jax.random.key_data(key)))  # on the host: JAX would compile once for each shape
    whole = np.iinfo(np.int32)
    weights = (draw.integers(whole.min, whole.max, shape, np.int32, endpoint=True) for shape in shapes)
    return RandomNetworks(*map(jax.device_put, weights))


def telling_networks(
    networks: RandomNetworks,
    words: Integer[np.ndarray, "pairs 2 length"],
    lengths: Integer[np.ndarray, " pairs"],
    *,
    sides: str = "both",
) -> Int[np.ndarray, "depth pairs"]:
    """Return how many networks hold different states at the last letters of two words of one length, after 0, 1, ... layers.

    Args:
        networks: The weights; with heads of both directions every other head looks ahead.
        words: Pairs of words.
        lengths: Number of letters of the words of each pair.
        sides: "past" or "both".

    Raises:
        ValueError: An unknown side.

    >>> networks = random_networks(jax.random.key(0), 3, 1, 2)
    >>> telling_networks(networks, np.array([[[0, 0], [1, 0]]]), np.array([2])).tolist()
    [[0], [3]]
    """
    one_of("sides", sides, SIDES)
    heads = networks.scores.shape[2]
    looks = [_looks(words.shape[-1], sides == "both" and index % 2 == 1, "strict", "nearest") for index in range(heads)]
    seen, nearness = (jnp.asarray(np.stack(part)) for part in zip(*looks, strict=True))
    return np.asarray(_telling(networks, jnp.asarray(words), jnp.asarray(lengths), seen, nearness))


@jax.jit
def _telling(networks: RandomNetworks, words: Array, lengths: Array, seen: Array, nearness: Array) -> Array:
    length = words.shape[-1]
    there = jnp.arange(length)[None, :] < lengths[:, None]
    seen = seen[:, None, None] & there[None, :, None, None, :]  # heads, pairs, 1, query, key

    def layer(stream: Array, weights: RandomNetworks) -> tuple[Array, Array]:
        scores = jnp.einsum("pwid,hde,pwje->hpwij", stream, weights.scores, stream)
        top = jnp.where(seen, scores, jnp.iinfo(jnp.int32).min).max(axis=-1, keepdims=True)
        best = jnp.where(seen & (scores == top), nearness[:, None, None, None, :], -1)
        chosen = (best == best.max(axis=-1, keepdims=True)) & (best >= 0)
        read = jnp.einsum("hpwij,pwjd->hpwid", chosen.astype(jnp.int32), stream)
        stream = stream + jnp.einsum("hpwid,hde->pwie", read, weights.values)
        inner = jax.nn.relu(jnp.einsum("pwid,de->pwie", stream, weights.inner))
        stream = stream + jnp.einsum("pwie,ed->pwid", inner, weights.outer)
        return stream, told(stream)

    def told(stream: Array) -> Array:
        last = jnp.take_along_axis(stream, lengths[:, None, None, None] - 1, axis=2)[:, :, 0]
        return (last[:, 0] != last[:, 1]).any(axis=-1)

    def one(network: RandomNetworks) -> Array:
        stream = network.letters[words]
        after = jax.lax.scan(layer, stream, network._replace(letters=network.inner))[1]
        return jnp.concatenate([told(stream)[None], after])

    return jax.lax.map(one, networks).sum(axis=0)
