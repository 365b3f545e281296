"""A looped transformer that writes states: loops double blocks of letters, and a last layer joins a block to a written state.

Every position knows the map of the letters from behind its pointer up to itself: at first of its own letter. A loop looks up
the position that the pointer names, composes the two maps and takes over its pointer; the same weights serve every loop. The
last layer of the position behind s written tokens looks up position e_s = T - (c - s) 2^r and applies the map found there to
the state that the token names. So the answer is the state after e_s letters, if the blocks fit together.

    one, position, square, pointer, state, map, read_pointer, read_map           (map: one number for each pair of states)

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
    moves: bool = True,
    dtype=jnp.float32,
) -> tuple[CompiledTransformer, TransformerWeights]:
    """Return a model and the weights with which it answers words of `length` letters after it has written `tokens` tokens.

    Letters are 0, ..., letters - 1; the letter `letters` + q names the state q, and class q of the logits is the next state.

    Args:
        table: Next state, table[state, letter]; words start in state 0.
        length: Number of letters T of a word, before anything is written.
        loops: Repetitions r of the doubling layer.
        tokens: Number c of written tokens; fewer than ceil(T / 2^r) - 1 leave letters unread.
        rows: Positions of the model, by default `length` + `tokens`.
        moves: False keeps every pointer where it is, so that a loop adds nothing new.
        dtype: Type of weights and arithmetic.

    Raises:
        TypeError: The table does not hold integers.
        ValueError: A size is out of range, or `dtype` cannot hold the scores.
    """
    states, letters = np.shape(next_states("table", table, 0))
    at_least("length", length, 1)
    at_least("loops", loops, 0)
    needed = length + at_least("tokens", tokens, 0)
    rows = needed if rows is None else at_least("rows", rows, needed, "the word and what is written")
    kind = exact_dtype(dtype, rows)
    cells = [(q, b) for q in range(states) for b in range(states)]
    place = {pair: number for number, pair in enumerate(cells)}
    sizes = {"one": 1, "position": 1, "square": 1, "pointer": 1, "state": states, "map": len(cells)}
    stream = Stream(sizes | {"read_pointer": 1, "read_map": len(cells)})

    embedding = np.zeros((letters + states + 1, stream.width))
    maps = np.concatenate([np.eye(states)[np.asarray(table).T], np.tile(np.eye(states), (states + 1, 1, 1))])
    embedding[:, stream.rows("map")] = maps.reshape(len(embedding), -1)
    embedding[:letters, stream.rows(("state", 0))] = 1
    embedding[letters:-1, stream.rows("state")] = np.eye(states)
    position = np.arange(rows + 1.0)[:, None]
    places = np.hstack([np.ones_like(position), position, position**2, np.maximum(position - 1, 0)])
    fields = stream.columns({"one": 1}, {"position": 1}, {"square": 1}, {"pointer": 1})

    beta = default_sharpness(rows, kind)
    carried: dict[tuple[str, int], Sum] = {("read_pointer", 0): {"pointer": 1}}
    carried |= {("read_map", n): {("map", n): 1} for n in range(len(cells))}
    joined: list[tuple[Sum, Sum]] = [({"read_pointer": 1}, {"pointer": 1})] if moves else [({"pointer": 1}, {"pointer": 1})]
    for (q, a), b in ((pair, b) for pair in cells for b in range(states)):  # the block in front acts first
        gate: Sum = {("read_map", place[q, a]): JOIN, ("map", place[a, b]): JOIN}
        joined.append((gate, {("map", place[q, b]): 1}))
    double = stream.layer(*target(beta, {"pointer": 1}), carried, joined, ["pointer", "map", "read_pointer", "read_map"])

    block = 2**loops
    ends = {"position": block, "one": length - (tokens + length) * block}  # T - (c - s) 2^r at position T + s
    reads = {name: sum_ for name, sum_ in carried.items() if name[0] == "read_map"}
    applied: list[tuple[Sum, Sum]] = [
        ({("state", q): JOIN, ("read_map", place[q, b]): JOIN}, {("state", b): 1}) for q, b in cells
    ]
    answer = stream.layer(*target(beta, ends), reads, applied, ["state", "read_map"])
    weights = TransformerWeights(
        letters=jax.device_put(embedding),
        positions=jax.device_put(places @ fields.T),
        layers=(double,) * loops + (answer,),
        unembedding=jax.device_put(stream.columns(*({direction: 1} for direction in stream.directions("state")))),
        bias=jax.device_put(np.zeros(states)),
    )
    return CompiledTransformer(stream.fields, ("causal",) * (loops + 1), rows, letters + states), weights.astype(kind)
