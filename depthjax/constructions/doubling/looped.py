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

from depthjax.attention import hard, visible
from depthjax.checks import at_least, in_alphabet, marked, next_states, strange

PHI = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])  # (z, 1) -> (z, 1, -z, -1)


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class NormedLayer:
    """A head and a feed-forward part, each behind its own mask; norms that are known beforehand are folded into the weights."""

    seen: Array  # width; mask of the head's input
    query: Array  # width, head
    key: Array  # width, head
    value: Array  # width, width
    fed: Array  # width; mask of the feed-forward part's input
    inward: Array  # width, units
    outward: Array  # units, width


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class LoopedAutomaton:
    """The weights for one automaton; row 0 of `embedding` is the token that begins a word, row 1 + x is letter x."""

    embedding: Array  # tokens, width
    counting: NormedLayer
    doubling: NormedLayer
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
    sizes = {"begin": 1, "letter": 1, "one": 1, "count": 4, "place": 4, "start": 4, "map": count**2}
    sizes |= {"start_read": 4, "map_read": count**2}
    stops = dict(zip(sizes, np.cumsum(list(sizes.values())), strict=True))
    cells = {name: np.arange(stops[name] - size, stops[name]) for name, size in sizes.items()}
    width = int(max(stops.values()))

    def block(rows: str, columns: str, matrix: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
        whole = np.zeros(shape)
        across = cells[columns] if shape[1] == width else np.arange(matrix.shape[1])
        whole[np.ix_(cells[rows], across)] = matrix
        return whole

    def mask(*names: str) -> np.ndarray:
        return np.isin(np.arange(width), np.concatenate([cells[name] for name in names])).astype(float)

    def layer(**matrices: np.ndarray) -> NormedLayer:
        return NormedLayer(**{name: jnp.asarray(matrix, jnp.dtype(dtype)) for name, matrix in matrices.items()})

    embedding = np.zeros((1 + letters, width))
    embedding[0, cells["begin"]] = embedding[1:, cells["letter"]] = embedding[:, cells["one"]] = 1
    maps = np.concatenate([np.eye(count)[None], np.eye(count)[np.asarray(table).T]])  # (token, state before, state after)
    embedding[:, cells["map"]] = maps.reshape(1 + letters, -1)

    square, four = (width, width), np.eye(4)
    signed = np.concatenate([four, -four], axis=1)  # relu(z) - relu(-z) is z
    counted = block("letter", "count", PHI[:, :1].T, square) + block("begin", "count", PHI[:, 1:].T, square)
    copied = signed.T @ (block("place", "place", four, square) + block("start", "start", four, square))[cells["place"]]
    copied += signed.T @ block("start", "start", four, square)[cells["start"]]
    counting = layer(
        seen=mask("begin", "letter"),
        query=np.zeros((width, 4)),
        key=np.zeros((width, 4)),
        value=counted,
        fed=mask("count"),
        inward=block("count", "", signed, (width, 8)),
        outward=copied,
    )

    # (z, 1, -z, -1) -> (z - 1, 1, 1 - z, -1)
    back = np.array([[1, 0, -1, 0], [-1, 1, 1, -1], [0, 0, 0, 0], [0, 0, 0, 0]], float)
    carried = block("start", "start_read", four, square) + block("map", "map_read", np.eye(count**2), square)
    flat = np.arange(count**2).reshape(count, count)
    old, new, units = cells["start"], cells["start_read"], []
    for own, read in zip(old, new, strict=True):  # start: the read one replaces the old one, and the scratch is cleared
        units += [({own: s}, {own: -s}) for s in (1, -1)] + [({read: s}, {own: s, read: -s}) for s in (1, -1)]
    for own, read in zip(cells["map"], cells["map_read"], strict=True):
        units += [({own: 1}, {own: -1}), ({read: 1}, {read: -1})]
    for q, a, b in np.ndindex(count, count, count):  # the block in front acts first
        gate = {cells["map_read"][flat[q, a]]: 1, cells["map"][flat[a, b]]: 1, cells["one"][0]: -1}
        units.append((gate, {cells["map"][flat[q, b]]: 1}))
    inward, outward = np.zeros((width, len(units))), np.zeros((len(units), width))
    for unit, (reads, writes) in enumerate(units):
        inward[list(reads), unit], outward[unit, list(writes)] = list(reads.values()), list(writes.values())
    seen, fed = (2 + count) ** 0.5, (3 + 2 * count) ** 0.5  # norms of the inputs of the sublayers
    doubling = layer(
        seen=mask("place", "start", "map"),
        query=block("start", "", back, (width, 4)),
        key=block("place", "", four, (width, 4)),
        value=carried * seen,
        fed=mask("one", "start", "map", "start_read", "map_read"),
        inward=inward * fed,
        outward=outward,
    )
    readout = block("map", "", np.eye(count**2)[:, flat[state]], (width, count))
    ends = (jnp.asarray(matrix, jnp.dtype(dtype)) for matrix in (embedding, readout))
    return LoopedAutomaton(next(ends), counting, doubling, next(ends))


def _layer(stream: Float[Array, "words length width"], layer: NormedLayer) -> Float[Array, "words length width"]:
    z = _normed(stream, layer.seen)
    scores = jnp.matmul(z @ layer.query, (z @ layer.key).swapaxes(1, 2), precision="highest")
    position = jnp.arange(stream.shape[1])
    weights = hard(scores, visible(position, position, "causal"))
    stream = stream + jnp.matmul(weights, z @ layer.value, precision="highest")
    return stream + jax.nn.relu(_normed(stream, layer.fed) @ layer.inward) @ layer.outward


def _normed(stream: Array, mask: Array) -> Array:
    masked = stream * mask[None, None]
    return masked / jnp.sqrt((masked**2).sum(axis=2, keepdims=True))
