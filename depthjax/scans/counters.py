r"""Two accumulations of finite state, each as a prefix scan, as a diagonal recurrence, and as an attention layer.

`modular_sum(moduli)` is the running sum of integer vectors, coordinate i modulo moduli[i]: a counter in a finite abelian group.

* scan: an associative scan of additions modulo moduli[i].
* recurrence: h <- exp(2 pi i d / m) h, a diagonal unitary layer. Its phase is snapped to the nearest root of unity after every
  step; without snapping the phase drifts by one rounding a step.
* attention: one uniform causal head reads the mean of the increments and 1 / count; their ratio is rounded and reduced. The sum
  is exact below 2^22 in float32 (24 bits, with half a unit of room).

`last_write()` is the last row whose first entry, its flag, is 1: a memory with resets.

* scan: an associative scan of "the later row if its flag is 1, else the earlier one".
* recurrence: h <- (1 - f) h + f x, a diagonal gate.
* attention: one head with the scores `write_scores`; the initial state is a write at position 0. The wrong mass is at most
  e^-beta / (1 - e^-beta), so values up to V are read to within 1/2 if beta > ln(2 V + 1). We use beta = ln(2 V + 1) + 4.

The scores of both heads depend on the key alone, so the softmax runs in linear memory (`prefix_softmax`).
"""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Int

from depthjax.attention.prefix import prefix_softmax, write_scores
from depthjax.checks import OUTSIDE, at_least
from depthjax.scans.cascade import Accumulation, folding

Route = str  # one of these:
ROUTES = ("scan", "recurrence", "attention")


def modular_sum(moduli: Any, to: Route = "scan", dtype: Any = jnp.float32) -> Accumulation:
    """Return the accumulation of integer vectors, coordinate i modulo `moduli[i]`; increments are reduced.

    The route "scan" keeps a coordinate at -1 once its state or an increment is negative.

    Args:
        moduli: Positive integers, one for each coordinate; only the route "scan" takes traced ones.
        to: "scan", "recurrence" or "attention".
        dtype: Type of the arithmetic of the other two routes.

    Raises:
        ValueError: A modulus is below 1; or, from the scans of `to="attention"`, `dtype` does not hold the sums exactly.
    """
    if not isinstance(moduli, Tracer):
        for modulus in np.ravel(moduli).tolist():
            at_least("modulus", modulus, 1)

    def like(array: Array) -> Array:
        return jnp.broadcast_to(jnp.asarray(moduli, array.dtype), array.shape)

    def add(a: Array, b: Array) -> Array:
        return jnp.where((a < 0) | (b < 0), jnp.asarray(OUTSIDE, a.dtype), (a + b) % like(a))

    def rotate(initial: Array, increments: Array) -> Array:
        turn = jnp.asarray(2 * math.pi / np.asarray(moduli), dtype)

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
        largest = int(np.max(moduli, initial=1))
        reached, limit = len(rows) * (largest - 1), 2 ** (jnp.finfo(dtype).nmant - 1)
        if reached >= limit:
            raise ValueError(
                f"{len(rows)} increments modulo {largest} sum up to {reached}, and {jnp.dtype(dtype)} does not hold sums from"
                f" {limit} on exactly: give a chunk, a wider dtype, or another route"
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
    """Return the accumulation that keeps the last row whose first entry is 1.

    Args:
        largest: Largest entry of a row; entries are integers from 0 on.
        to: "scan", "recurrence" or "attention".
        dtype: Type of the arithmetic of the other two routes.

    Raises:
        ValueError: From the scans of `to="attention"`, if `dtype` does not tell the scores of so long a word apart.
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
        margin = write_margin(largest)
        if margin * len(rows) * float(jnp.finfo(dtype).eps) > 1:
            raise ValueError(
                f"scores of {len(rows)} positions reach {margin * len(rows):.3g}, where neighbours differ by more than 1 in"
                f" {jnp.dtype(dtype)}: the last write is not told from the one before; give a chunk, a wider dtype, or another"
                " route"
            )
        scores = write_scores((rows[:, 0] > 0).at[0].set(True), jnp.asarray(margin, dtype))
        return jnp.round(prefix_softmax(scores, rows)).astype(initial.dtype)

    before = {"scan": folding(later, 0).before, "recurrence": gate, "attention": attend}[to]
    return Accumulation(step=later, before=before, identity=0)


def write_margin(largest: int) -> float:
    """Return the margin of the scores with which attention reads the last write of entries up to `largest` to within 1/2."""
    return math.log(2 * largest + 1) + 4


def _shifted(initial: Int[Array, " width"], after: Int[Array, "length width"]) -> Int[Array, "length width"]:
    return jnp.concatenate([initial[None], after[:-1]])
