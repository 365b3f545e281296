"""One attention layer that runs a finite-state machine by writing its states: one lookup and one table a written token.

The position of written token s holds the state after s letters. Its head looks up letter s + 1, a lookup at a distance that the
positions know. A unit for every state and letter, the rounded sum 2/5 (state + letter), is 1 where both are there and 0
otherwise, and writes the next state. The residual stream holds the state, the letter and the letter read, each with one
direction for each value.

Source: derived here; that written steps turn one layer into a machine: Merrill and Sabharwal, arXiv 2310.07923.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Integer

from depthjax.attention.lookup import default_sharpness, exact_dtype
from depthjax.checks import at_least, next_states
from depthjax.constructions.directions.stream import Stream, Sum, target
from depthjax.constructions.directions.transformer import CompiledTransformer, TransformerWeights


def state_writer(
    table: Integer[np.ndarray, "states letters"], length: int, initial: int = 0, dtype=jnp.float32
) -> tuple[CompiledTransformer, TransformerWeights]:
    """Return one layer and the weights with which it writes the states of a machine on words of exactly `length` letters.

    Letters are 0, ..., letters - 1; the letter `letters` + q names the state q, and class q of the logits is the next state.

    Args:
        table: Next state, table[state, letter].
        length: Number of letters of a word, before anything is written.
        initial: State in which every word starts.
        dtype: Type of weights and arithmetic.

    Raises:
        TypeError: The table does not hold integers.
        ValueError: There is no state or letter, the table leads to a state that it does not have, or `dtype` cannot hold the
            scores of this length.
    """
    (states, letters), rows = np.shape(next_states("table", table, initial)), 2 * at_least("length", length, 1)
    kind = exact_dtype(dtype, rows)
    stream = Stream({"one": 1, "position": 1, "square": 1, "state": states, "letter": letters, "read": letters})
    embedding = np.zeros((letters + states + 1, stream.width))
    embedding[:letters, stream.rows("letter")] = np.eye(letters)
    embedding[:letters, stream.rows(("state", initial))] = 1
    embedding[letters:-1, stream.rows("state")] = np.eye(states)
    position = np.arange(rows + 1.0)[:, None]
    places = np.hstack([np.ones_like(position), position, position**2])
    query, key = target(default_sharpness(rows, kind), {"position": 1, "one": 1 - length})
    reads: dict[tuple[str, int], Sum] = {("read", a): {("letter", a): 1} for a in range(letters)}
    units = [(q, a) for q in range(states) for a in range(letters)]
    rounds: list[tuple[Sum, Sum]] = [
        ({("state", q): 0.4, ("read", a): 0.4}, {("state", int(table[q, a])): 1}) for q, a in units
    ]
    weights = TransformerWeights(
        letters=jax.device_put(embedding),
        positions=jax.device_put(places @ stream.columns({"one": 1}, {"position": 1}, {"square": 1}).T),
        layers=(stream.layer(query, key, reads, rounds, ["state", "read"]),),
        unembedding=jax.device_put(stream.columns(*({direction: 1} for direction in stream.directions("state")))),
        bias=jax.device_put(np.zeros(states)),
    )
    model = CompiledTransformer(stream.fields, ("causal",), rows, letters + states)
    return model, weights.astype(kind)
