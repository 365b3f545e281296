"""A looped transformer that writes states: loops double blocks of letters, and a token follows one block after the other.

A word stands in front of a token that names the state it begins from; every token that is written names a further state.
Every letter knows the map of a block of letters that ends with it, at first of itself alone. In each loop it looks up the
position just before its block, puts the block found there in front, and the block doubles. A token looks up a letter whose
block begins just behind what the token has read: blocks of 1, 2, 4, ... letters, one in a loop, and takes its state through
the map found there. So r loops take a token through 2^r - 1 letters. One rule moves the pointers of both: the distance of a
pointer from its origin doubles.

    one, position, square, origin, step, state, map, read_map           (map: one number for each pair of states)

The origin of a letter is its own position, and its first step is -1. The origin of a token that has read e letters is e - 1,
and its first step is 2. A pointer in front of the word finds its beginning, whose map changes nothing.

Source: derived here; blocks that double: Liu et al., arXiv 2210.10749; written states: `steps_for_depth`.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Integer

from depthjax.attention.lookup import default_sharpness, exact_dtype
from depthjax.checks import at_least, next_states
from depthjax.constructions.directions.stream import Stream, Sum, target
from depthjax.constructions.directions.transformer import CompiledTransformer, TransformerWeights

JOIN = 0.4  # a unit that gathers two numbers times this rounds to 1 where both are 1, and to 0 where one is


def looped_writer(
    table: Integer[np.ndarray, "states letters"],
    length: int,
    loops: int,
    tokens: int,
    *,
    rows: int | None = None,
    joins: bool = True,
    dtype=jnp.float32,
) -> tuple[CompiledTransformer, TransformerWeights]:
    """Return a model and the weights with which it answers words of `length` letters after it has written `tokens` tokens.

    Letters are 0, ..., letters - 1; the letter `letters` + q names the state q, and class q of the logits is the next state.

    Args:
        table: Next state, table[state, letter].
        length: Number of letters T of a word, before the token that names its first state.
        loops: Repetitions r of the layer.
        tokens: Number c of written tokens; fewer than ceil(T / (2^r - 1)) - 1 leave letters unread.
        rows: Positions of the model, by default `length` + 1 + `tokens`.
        joins: False leaves letters with their own maps, and a pointer of a token moves by one letter, so that a token is worth
            r letters.
        dtype: Type of weights and arithmetic.

    Raises:
        TypeError: The table does not hold integers.
        ValueError: A size is out of range, or `dtype` cannot hold the scores.
    """
    states, letters = np.shape(next_states("table", table, 0))
    at_least("length", length, 1)
    at_least("loops", loops, 1)
    needed = length + 1 + at_least("tokens", tokens, 0)
    rows = needed if rows is None else at_least("rows", rows, needed, "the word, its first state and what is written")
    kind = exact_dtype(dtype, rows)
    cells = [(q, b) for q in range(states) for b in range(states)]
    place = {pair: number for number, pair in enumerate(cells)}
    sizes = {"one": 1, "position": 1, "square": 1, "origin": 1, "step": 1, "state": states}
    stream = Stream(sizes | {"map": len(cells), "read_map": len(cells)})

    embedding = np.zeros((letters + states + 1, stream.width))
    maps = np.eye(states)[np.asarray(table).T]
    embedding[:letters, stream.rows("map")] = maps.reshape(letters, -1)
    embedding[letters:-1, stream.rows("state")] = np.eye(states)
    embedding[-1, stream.rows("map")] = np.eye(states).ravel()
    position = np.arange(rows + 1.0)
    token = position > length
    passes = tokens + 1
    block = 2**loops - 1 if joins else loops
    read = length - (length + 1 + passes - position) * block  # letters that a token has read, if the last reads them all
    places = [np.ones(rows + 1), position, position**2, np.where(token, read - 1, position), np.where(token, 2, -1)]
    fields = stream.columns({"one": 1}, {"position": 1}, {"square": 1}, {"origin": 1}, {"step": 1})

    reads: dict[tuple[str, int], Sum] = {("read_map", n): {("map", n): 1} for n in range(len(cells))}
    followed: list[tuple[Sum, Sum]] = [
        ({("state", q): JOIN, ("read_map", place[q, b]): JOIN}, {("state", b): 1}) for q, b in cells
    ]
    moved: list[tuple[Sum, Sum]] = [({"step": 2} if joins else {"step": 1, "one": 1}, {"step": 1})]
    joined: list[tuple[Sum, Sum]] = [
        ({("read_map", place[q, a]): JOIN, ("map", place[a, b]): JOIN}, {("map", place[q, b]): 1})  # the block in front first
        for (q, a) in cells
        for b in range(states)
    ]
    wipes = ["step", "state", "read_map"]
    units = (followed + moved + joined, [*wipes, "map"]) if joins else (followed + moved, wipes)
    aim = target(default_sharpness(rows, kind), {"origin": 1, "step": 1})
    weights = TransformerWeights(
        letters=jax.device_put(embedding),
        positions=jax.device_put(np.stack(places, axis=1) @ fields.T),
        layers=(stream.layer(*aim, reads, *units),) * loops,
        unembedding=jax.device_put(stream.columns(*({direction: 1} for direction in stream.directions("state")))),
        bias=jax.device_put(np.zeros(states)),
    )
    return CompiledTransformer(stream.fields, ("causal",) * loops, rows, letters + states), weights.astype(kind)
