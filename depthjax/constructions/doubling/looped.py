r"""Any automaton by a looped transformer without positions: one layer that counts, then one layer for each doubling.

The model is that of the literature on logarithmic depth. Attention is hard and averages over ties, under the causal mask. There
are no positions; counting starts from a token that begins every word. Every sublayer reads the residual stream h through a mask
m and a norm, ``z = m h / |m h|``, and adds its output to h: heads, or ``U relu(W z)``.

A number z is kept as its direction, ``phi(z) = (z, 1, -z, -1)/sqrt(2 (z^2 + 1))``. At position i (the beginning is 0):

* *Counting layer.* A head without preference averages (letter, begin) over 0 ... i: that is (i, 1)/(i + 1), and the norm of the
  feed-forward part turns it into phi(i), which is kept twice: as ``place``, and as ``start``, the first letter of the block
  that ``map`` stands for (the map of letter i, one-hot rows).
* *Doubling layer*, the same in every repetition. The query is ``(s - 1, 1, 1 - s, -1)``, a linear image of phi(s) up to a
  factor that hard attention does not see, s the start; the keys are the places, phi(j). The cosine is largest at j = s - 1 and
  nowhere else; at s = 0 the query (-1, 1, 1, -1) is nearest to phi(0). So the head reads start and map of the block in front,
  exactly, since nothing ties. The feed-forward part moves the start, composes ``h[q, b] = sum_a relu(f[q, a] + g[a, b] - 1)``,
  and clears what the head wrote, so that the layer can be used again.

After r repetitions position i knows the map of the letters (i - 2^r, i], so all states of n letters take 1 + ceil(log2 n)
layers. The published machine has 4 ceil(log2 n) + 5 layers, or 8 ceil(log2 n) + 9 if its layers repeat: its blocks of the tree
take turns, decided by a count modulo two, while here every position keeps a pointer. If a closing token, not the last letter,
reads the state, there is one more position: 1 + ceil(log2 (n + 1)) layers.

Precision: the cosine of a wrong key is at least ``1 / (2 (n^2 + 1)((n + 1)^2 + 1))`` below that of the right one, so slightly
more than 4 log2 n bits are needed: float64 suffices up to 4096 letters, float32 up to 26. Longer words are refused.

Source: model and problem of Merrill, Sabharwal, arXiv 2503.03961; composition as in Liu et al., arXiv 2210.10749; the pointers
and the weights are derived here.
"""

import dataclasses
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Integer

from depthjax.attention import hard
from depthjax.checks import at_least, in_alphabet, marked, next_states, strange
from depthjax.constructions.directions.layer import Layer, run
from depthjax.constructions.directions.stream import Direction, Stream, Sum


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class LoopedAutomaton:
    """The weights for one automaton; row 0 of `embedding` is the token that begins a word, row 1 + x is letter x."""

    embedding: Array  # tokens, width
    counting: Layer
    doubling: Layer
    readout: Array  # width, states

    def states(
        self, words: Integer[Array, "words length"], repeats: int, begin: bool | Array = True, *, within_reach: bool = True
    ) -> Int[Array, "layers words length"]:
        """Return the state read at every letter, after the counting layer and after each repetition of the doubling layer.

        Args:
            words: Letters 0, 1, ...; under jit a word with a letter out of range has -1 everywhere.
            repeats: Repetitions of the doubling layer; the first axis of the result has one more entry.
            begin: False replaces the beginning token by the first letter, so that nothing is left to count from.
            within_reach: False reads words of any length, also where rounding may mistake one position for another.

        Cost: words * length * (length * width + width * units) for each layer.

        Raises:
            ValueError: A letter is out of range, `repeats` is negative, or the words are longer than `reach` allows.
        """
        at_least("repeats", repeats, 0)
        dtype = self.embedding.dtype
        if within_reach and words.shape[-1] > reach(dtype):
            raise ValueError(
                f"words of {words.shape[-1]} letters: {dtype} tells the positions of {reach(dtype)} letters apart; "
                "use a wider dtype, or within_reach=False to see the errors"
            )
        return self._states(in_alphabet("words", words, self.embedding.shape[0] - 1), repeats, begin)

    @partial(jax.jit, static_argnums=2)
    def _states(self, words: Array, repeats: int, begin: bool | Array) -> Array:
        tokens = jnp.pad(words + 1, ((0, 0), (1, 0)))
        stream = self.embedding[tokens]
        letter = stream.at[:, 0, :2].set(stream[:, 1, :2])
        stream = jnp.where(begin, stream, letter)

        def read(stream: Array) -> Array:
            return marked(jnp.argmax(stream[:, 1:] @ self.readout, axis=-1), strange(words))

        def again(stream: Array, _: Any) -> tuple[Array, Array]:
            stream = _layer(stream, self.doubling)
            return stream, read(stream)

        stream = _layer(stream, self.counting)
        first = read(stream)
        return jnp.concatenate([first[None], jax.lax.scan(again, stream, None, length=repeats)[1]])


def reach(dtype: Any) -> int:
    """Return the number of letters whose positions a floating type tells apart: (16 eps)^(-1/4), 4096 in float64.

    The right key leads by more than 1 / (2 (n + 1)^4), and a cosine of two normed vectors of four entries errs by less than
    4 eps.
    """
    return int((16 * float(jnp.finfo(dtype).eps)) ** -0.25)


def looped_automaton(table: Integer[np.ndarray, "states letters"], state: int = 0, dtype: Any = "float64") -> LoopedAutomaton:
    """Return the weights that read words by an automaton.

    Args:
        table: Next states, `table[state, letter]`.
        state: State before the first letter.
        dtype: Type of the arithmetic, which limits the length of words (see the module).

    Raises:
        TypeError: The table does not hold integers.
        ValueError: The table has no states, leads to a state that it does not have, or does not have `state`.

    >>> parity = looped_automaton(np.array([[0, 1], [1, 0]]))
    >>> parity.states(jnp.array([[1, 1, 0, 1]]), 2)[-1].tolist()
    [[1, 0, 0, 1]]
    """
    count, letters = np.shape(next_states("table", table, state))
    four, cells = range(4), range(count**2)
    sizes = {"begin": 1, "letter": 1, "one": 1, "count": 4, "place": 4, "start": 4, "map": count**2}
    stream = Stream(sizes | {"start_read": 4, "map_read": count**2})
    embedding = np.zeros((1 + letters, stream.width))
    embedding[0, stream.rows("begin")] = embedding[1:, stream.rows("letter")] = embedding[:, stream.rows("one")] = 1
    maps = np.concatenate([np.eye(count)[None], np.eye(count)[np.asarray(table).T]])  # (token, state before, state after)
    embedding[:, stream.rows("map")] = maps.reshape(1 + letters, -1)

    mean: list[Sum] = [{"letter": 1}, {"begin": 1}, {"letter": -1}, {"begin": -1}]
    counting = Layer(
        stream.heads([{}], [{}], {("count", i): mean[i] for i in four}, ["begin", "letter"]),
        stream.units(
            [pair for i in four for pair in _signed(("count", i), {("place", i): 1, ("start", i): 1})], read=["count"]
        ),
    )

    # (z, 1, -z, -1) -> (z - 1, 1, 1 - z, -1)
    back = [1, 0, -1, 0], [-1, 1, 1, -1]
    query: list[Sum] = [{("start", 0): z, ("start", 1): one} for z, one in zip(*back, strict=True)]
    seen, read = (2 + count) ** 0.5, (3 + 2 * count) ** 0.5  # norms of what the heads and the units read
    carried: dict[tuple[str, int], Sum] = {("start_read", i): {("start", i): seen} for i in four}
    carried |= {("map_read", i): {("map", i): seen} for i in cells}
    # the start that is read replaces the old one, and what was read is cleared
    units: list[tuple[Sum, Sum]] = []
    for i in four:
        units += _signed(("start", i), {("start", i): -1}) + _signed(
            ("start_read", i), {("start", i): 1, ("start_read", i): -1}
        )
    for i in cells:
        units += [({("map", i): 1}, {("map", i): -1}), ({("map_read", i): 1}, {("map_read", i): -1})]
    flat = np.arange(count**2).reshape(count, count)
    for q, a, b in np.ndindex(count, count, count):  # the block in front acts first
        gate: Sum = {("map_read", int(flat[q, a])): 1, ("map", int(flat[a, b])): 1, "one": -1}
        units.append((gate, {("map", int(flat[q, b])): 1}))
    units = [({name: read * factor for name, factor in gate.items()}, written) for gate, written in units]
    doubling = Layer(
        stream.heads(query, [{("place", i): 1} for i in four], carried, ["place", "start", "map"]),
        stream.units(units, read=["one", "start", "map", "start_read", "map_read"]),
    )
    readout = stream.columns(*({("map", int(i)): 1} for i in flat[state]))
    machine = LoopedAutomaton(jax.device_put(embedding), counting, doubling, jax.device_put(readout))
    return jax.tree.map(lambda matrix: jnp.asarray(matrix, jnp.dtype(dtype)), machine)


def _signed(source: Direction, added: Sum) -> list[tuple[Sum, Sum]]:
    """Two units that add this sum, times the number in the source: relu(z) - relu(-z) is z."""
    return [({source: sign}, {name: sign * factor for name, factor in added.items()}) for sign in (1, -1)]


def _layer(stream: Float[Array, "words length width"], layer: Layer) -> Float[Array, "words length width"]:
    return jax.vmap(lambda word: run(layer, word, "causal", jax.nn.relu, hard))(stream)
