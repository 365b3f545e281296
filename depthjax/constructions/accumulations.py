r"""Two accumulations of finite state, each as a prefix scan, as a diagonal recurrence, and as an attention layer.

`modular_sum(moduli)`: the running sum of integer vectors, coordinate i modulo moduli[i] (a counter in a finite abelian group).

* scan: an associative scan of additions modulo.
* recurrence: h <- exp(2 pi i d / m) h, a diagonal unitary layer, its phase snapped to the nearest root at every step; without
  snapping the phase drifts by a rounding per step.
* attention: one uniform causal head reads the mean of the increments and 1 / count; their ratio is rounded and reduced. Exact
  while the sum stays below 2^22 in float32 (24 bits, half a unit of room).

`last_write()`: the last row whose first entry, its flag, is 1 (a memory with resets).

* scan: an associative scan of "the later one, if it is written".
* recurrence: h <- (1 - f) h + f x, a diagonal gate.
* attention: one head with score beta * position for written rows, the initial state being a write at position 0, and
  -beta * length for the others: together they weigh less than length e^-(beta length), however many they are. A fixed score
  would not do: n idle rows after position 0 would weigh n e^-beta (dilution). So the wrong mass is at most
  e^-beta / (1 - e^-beta), and values up to V are read to within 1/2 when beta > ln(2 V + 1); beta = ln(2 V + 1) + 4 is used.

The scores of both heads depend on the key alone, so the softmax is evaluated block by block (the online softmax of Milakov and
Gimelshein, arXiv 1805.02867), in O(length) memory.
"""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from depthjax.constructions.cascade import Accumulation, folding

Route = str  # one of these:
ROUTES = ("scan", "recurrence", "attention")


def modular_sum(moduli: np.ndarray, to: Route = "scan", dtype: Any = jnp.float32) -> Accumulation:
    """Return the accumulation of integer vectors, coordinate i modulo `moduli[i]`; increments are reduced.

    With `to="attention"` its scans raise a ValueError where sums pass what `dtype` holds exactly.
    """
    size = np.asarray(moduli, dtype=np.int32)

    def like(array: Array) -> Array:
        return jnp.asarray(size, array.dtype).reshape((1,) * (array.ndim - 1) + (-1,))

    def add(a: Array, b: Array) -> Array:
        return (a + b) % like(a)

    def rotate(initial: Array, increments: Array) -> Array:
        turn = jnp.asarray(2 * math.pi / size, dtype)

        def root(number: Array) -> Array:
            angle = turn * number.astype(dtype)
            return jax.lax.complex(jnp.cos(angle), jnp.sin(angle))

        def step(state: Array, increment: Array) -> tuple[Array, Array]:
            number = jnp.round(jnp.angle(root(increment) * state) / turn)
            return root(number), number  # snapping: the nearest root of unity

        numbers = jax.lax.scan(step, root(initial), increments)[1].astype(initial.dtype)
        return _shifted(initial, numbers % like(numbers))

    def average(initial: Array, increments: Array) -> Array:
        rows = jnp.concatenate([initial[None], increments[:-1]])
        reached, limit = len(rows) * int(size.max(initial=1) - 1), 2 ** (jnp.finfo(dtype).nmant - 1)
        if reached >= limit:
            raise ValueError(
                f"{len(rows)} increments modulo {size.max()} sum up to {reached}, and {jnp.dtype(dtype)} rounds sums from"
                f" {limit} on to neighbours: give a chunk, a wider dtype, or another route"
            )
        scores = jnp.zeros(len(rows), dtype)
        # the initial state is the value of position 0; a marker there, read by the same head, is 1 / count
        marked = jnp.concatenate([rows.astype(dtype), (jnp.arange(len(rows)) == 0).astype(dtype)[:, None]], axis=1)
        read = prefix_softmax(scores, marked)
        total = jnp.round(read[:, :-1] / read[:, -1:]).astype(initial.dtype)
        return total % like(total)

    before = {"scan": folding(add, 0).before, "recurrence": rotate, "attention": average}[to]
    return Accumulation(step=add, before=before, identity=0)


def last_write(largest: int, to: Route = "scan", dtype: Any = jnp.float32) -> Accumulation:
    """Return the accumulation that keeps the last row whose first entry is 1; entries are integers in 0 ... `largest`.

    With `to="attention"` its scans raise a ValueError where scores pass what `dtype` tells apart.
    """

    def later(a: Array, b: Array) -> Array:
        return jnp.where(jnp.broadcast_to(b[..., :1] > 0, b.shape), b, a)

    def gate(initial: Array, increments: Array) -> Array:
        def step(state: Array, row: Array) -> tuple[Array, Array]:
            state = (1 - row[0]) * state + row[0] * row
            return state, state

        states = jax.lax.scan(step, initial.astype(dtype), increments.astype(dtype))[1]
        return _shifted(initial, jnp.round(states).astype(initial.dtype))

    def attend(initial: Array, increments: Array) -> Array:
        rows = jnp.concatenate([initial[None], increments[:-1]]).astype(dtype)
        sharpness = math.log(2 * largest + 1) + 4
        if sharpness * len(rows) * float(jnp.finfo(dtype).eps) > 1:
            raise ValueError(
                f"scores of {len(rows)} positions reach {sharpness * len(rows):.3g}, where neighbours differ by more than 1 in"
                f" {jnp.dtype(dtype)}: the last write is not told from the one before; give a chunk, a wider dtype, or another"
                " route"
            )
        scores = write_scores((rows[:, 0] > 0).at[0].set(True), jnp.asarray(sharpness, dtype))
        return jnp.round(prefix_softmax(scores, rows)).astype(initial.dtype)

    before = {"scan": folding(later, 0).before, "recurrence": gate, "attention": attend}[to]
    return Accumulation(step=later, before=before, identity=0)


def write_scores(written: Bool[Array, "... length"], sharpness: Float[Array, ""]) -> Float[Array, "... length"]:
    """Return the scores of attention to the most recent write: later writes score higher, everything else below them all."""
    position = jnp.arange(written.shape[-1], dtype=sharpness.dtype)
    return sharpness * jnp.where(written, position, -float(written.shape[-1]))


def prefix_softmax(
    scores: Float[Array, " length"], values: Float[Array, "length width"], block: int = 64
) -> Float[Array, "length width"]:
    """Return causal softmax attention whose scores depend on the key alone: row t averages values[: t + 1].

    Blockwise, with the running maximum, mass and sum carried from block to block: O(length * block) work.
    """
    length = len(scores)
    block = min(block, length)
    padding = -length % block
    scores = jnp.pad(scores, (0, padding)).reshape(-1, block)
    values = jnp.pad(values, ((0, padding), (0, 0))).reshape(-1, block, values.shape[1])
    causal = jnp.tril(jnp.ones((block, block), bool))

    def step(carry: tuple[Array, Array, Array], piece: tuple[Array, Array]) -> tuple[tuple[Array, Array, Array], Array]:
        top, mass, total = carry
        score, value = piece
        tops = jnp.maximum(jax.lax.cummax(score), top)
        weights = jnp.where(causal, jnp.exp(score[None, :] - tops[:, None]), 0)
        kept = jnp.exp(top - tops)
        masses = weights.sum(1) + kept * mass
        totals = weights @ value + kept[:, None] * total[None, :]
        return (tops[-1], masses[-1], totals[-1]), totals / masses[:, None]

    nothing = (jnp.asarray(-jnp.inf, scores.dtype), jnp.zeros((), scores.dtype), jnp.zeros(values.shape[-1], values.dtype))
    rows = jax.lax.scan(step, nothing, (scores, values))[1]
    return rows.reshape(-1, values.shape[-1])[:length]


def _shifted(initial: Int[Array, " width"], after: Int[Array, "length width"]) -> Int[Array, "length width"]:
    return jnp.concatenate([initial[None], after[:-1]])
