r"""Softmax attention that composes tables: every layer follows the pointer of a position once.

A word has `points` exits, room for further tables, a start i, the tables f_1, ..., f_L entry by entry, and a letter that asks:

    0 ... 0 | 0 ... 0 | i | f_1(0) ... f_1(points - 1) | ... | f_L(0) ... f_L(points - 1) | 0

Every position p points at base(p) + letter: the start at its entry of f_1, an entry of a table at an entry of the next one, an
entry of the last table at an exit, an exit at itself, and the letter that asks at the start. A layer replaces the pointer of a
position by that of the position it points at. The answer is the exit at which the last position points in the end.

Under the causal mask an entry cannot see the later one at which it points. The nearest position that it sees is its own, so it
keeps its pointer, and the last position alone moves: one table a layer after the start. Without the mask the same weights
double all pointers.

Source: derived here; the task is that of Chen, Peng and Wu, arXiv 2412.02975.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Int, Integer

from depthjax.attention.lookup import default_sharpness, exact_dtype
from depthjax.checks import at_least
from depthjax.constructions.directions.stream import Stream, target
from depthjax.constructions.directions.transformer import CompiledTransformer, TransformerWeights

ORDERS = ("causal", "full")


def table_transformer(
    tables: int,
    points: int,
    *,
    layers: int | None = None,
    most: int | None = None,
    mask: str = "causal",
    dtype: Any = jnp.float32,
) -> tuple[CompiledTransformer, TransformerWeights]:
    """Return a transformer of five directions and the weights with which it composes tables.

    Args:
        tables: Number of tables L.
        points: Entries of a table, which are numbers 0, ..., points - 1; they are also the classes.
        layers: Number of layers, by default `tables` + 1.
        most: Tables for which a word has room, by default `tables`; all words of one model have the same length.
        mask: "causal" or "full".
        dtype: Type of weights and arithmetic; float32 reads words of 4096 letters.

    Raises:
        ValueError: A size is below 1, `most` is below `tables`, the mask is unknown, or `dtype` cannot hold the scores.

    >>> model, weights = table_transformer(2, points=3)
    >>> word = table_words(np.array([2]), np.array([[[1, 1, 0], [2, 0, 0]]]))
    >>> model.apply(weights, jnp.asarray(word))[0, -1].argmax().item()  # 2 -> 0 -> 2
    2
    """
    at_least("tables", tables, 1)
    at_least("points", points, 1)
    room = at_least("most", tables if most is None else most, tables, "a word has room for its tables")
    depth = at_least("layers", tables + 1 if layers is None else layers, 1)
    if mask not in ORDERS:
        raise ValueError(
            f"mask must be 'causal' or 'full', got {mask!r}: a strict mask hides the position that keeps its pointer"
        )
    length = points * (room + 1) + 2
    kind = exact_dtype(dtype, length)
    stream = Stream({"one": 1, "position": 1, "square": 1, "pointer": 1, "read": 1})
    letters = np.zeros((points + 1, stream.width))
    letters[:points, stream.rows("pointer")] = np.arange(points)[:, None]
    position = np.arange(length + 1.0)
    start = points * (room - tables + 1) + 1
    base = position.copy()  # of the exits and of the room
    base[start] = start + 1
    for table in range(tables):
        first = start + 1 + table * points
        base[first : first + points] = first + points if table + 1 < tables else 1
    base[length] = start
    places = np.stack([np.ones_like(position), position, position**2, base], axis=1)
    fields = stream.columns({"one": 1}, {"position": 1}, {"square": 1}, {"pointer": 1})
    query, key = target(default_sharpness(length, kind), {"pointer": 1})
    follow = stream.layer(query, key, {("read", 0): {"pointer": 1}}, [({"read": 1}, {"pointer": 1})], ["pointer", "read"])
    exits = 1.0 + np.arange(points)
    weights = TransformerWeights(
        letters=jax.device_put(letters),
        positions=jax.device_put(places @ fields.T),
        layers=(follow,) * depth,
        unembedding=jax.device_put(stream.columns(*({"pointer": 2 * place} for place in exits))),
        bias=jax.device_put(-(exits**2)),
    )
    return CompiledTransformer(stream.fields, (mask,) * depth, length, points), weights.astype(kind)


def table_words(
    starts: Integer[np.ndarray, " words"], tables: Integer[np.ndarray, "words tables points"], most: int | None = None
) -> Int[np.ndarray, "words length"]:
    """Return the words that ask for the tables one after the other, the first one first, at a start.

    Raises:
        ValueError: There is no room for the tables.
    """
    words, count, points = tables.shape
    room = at_least("most", count if most is None else most, count, "a word has room for its tables")
    before, asks = np.zeros((words, points * (room - count + 1)), int), np.zeros((words, 1), int)
    return np.concatenate([before, np.asarray(starts)[:, None], tables.reshape(words, -1), asks], axis=1)
