r"""A tower of abelian stages of a finite group as a cascade of diagonal unitary layers.

Stage i keeps an element of a product of cyclic groups of orders m_1, m_2, ... and adds increments to it. A table gives the
increment for each letter and each coset of the stages below. The data type of the states decides how an element is encoded:

- integers: coordinates modulo m_j;
- complex numbers: the phases exp(2 pi i a_j / m_j), multiplied: one diagonal unitary recurrence per stage;
- real numbers: signs (-1)^{a_j}, where every m_j is 2.

Phases drift by about half a unit roundoff for each product. A stage reads the phases below as their nearest roots of unity, so
the tower is exact until the drift of some phase reaches pi / m_j.

Letters are integers of shape (length, batch); states have shape (batch, rank), one column for each cyclic factor. The tables
are plain arrays and may be traced, so one program serves all groups of one shape. Cost: one gather and one prefix product for
each stage.

Source: Krasner and Kaloujnine (1951) for the embedding in a wreath product; arXiv 2603.01959 for diagonal layers.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Integer, Num

from depthjax.checks import OUTSIDE, dimension, in_alphabet, marked
from depthjax.scans.cascade import Accumulation, Below, ScanCascade, Stage, folding
from depthjax.scans.counters import modular_sum


class AbelianTable(NamedTuple):
    """One abelian stage: the orders of its cyclic factors, and its increments.

    Cosets are numbered lexicographically by all coordinates below, the first coordinate of the lowest stage foremost.

    Attributes:
        moduli: Orders of the cyclic factors.
        increments: Increment for each coset of the stages below and each letter.
    """

    moduli: Any  # integers, shape (rank,)
    increments: Any  # integers, shape (cosets, letters, rank)


def group_tower(stages: Sequence[AbelianTable], dtype: Any = jnp.complex64) -> ScanCascade:
    """Return the cascade of these stages, lowest first, with states of type `dtype`.

    `run` refuses a letter that the tables do not have. Under jit such a letter leaves states of NaN, or of -1 for integers, and
    `tower_numbers` returns -1 for them.

    Raises:
        ValueError: A table does not fit its moduli, or a real type (signs) is asked for a factor of another order than 2.
    """
    built = []
    for below, stage in enumerate(stages):
        rank = len(stage.moduli)
        dimension("increments", jnp.asarray(stage.increments), 2, rank, f"the cyclic factors of stage {below + 1}")
        _refuse_signs(stage.moduli, dtype)
        lower = tuple(s.moduli for s in stages[:below])
        built.append(Stage(partial(_increments, stage, lower, jnp.dtype(dtype)), _accumulation(stage.moduli, dtype)))
    if not stages:
        return ScanCascade(())
    return ScanCascade(tuple(built), lambda letters: in_alphabet("letters", letters, stages[0].increments.shape[1]))


def tower_start(stages: Sequence[AbelianTable], batch: int, dtype: Any = jnp.complex64) -> tuple[Array, ...]:
    """Return the states of the identity element."""
    return tuple(_written(jnp.zeros((batch, len(s.moduli)), jnp.int32), s.moduli, dtype) for s in stages)


def tower_numbers(stages: Sequence[AbelianTable], states: Sequence[Array]) -> Array:
    """Return the number of the element that the states of all stages encode: their coordinates, lexicographically."""
    return _coset([s.moduli for s in stages], states)


def _increments(
    stage: AbelianTable, lower: tuple[Any, ...], dtype: Any, letters: Integer[Array, "length batch"], below: tuple[Below, ...]
) -> Array:
    coset = _coset(lower, [b.before for b in below]) if below else jnp.zeros_like(letters)
    found = _written(jnp.asarray(stage.increments)[coset, letters], stage.moduli, dtype)
    return marked(found, (coset < 0) | (letters < 0))


def _coset(moduli: Sequence[Any], states: Sequence[Array]) -> Array:
    number = jnp.zeros(states[0].shape[:-1], jnp.int32)
    strange = jnp.zeros(number.shape, bool)
    for orders, state in zip(moduli, states, strict=True):
        coordinates = _read(state, orders)
        for j in range(len(orders)):
            number = number * jnp.asarray(orders[j], jnp.int32) + coordinates[..., j]
        strange |= (coordinates < 0).any(axis=-1)
    return marked(number, strange)


def _written(coordinates: Int[Array, "... rank"], moduli: Any, dtype: Any) -> Num[Array, "... rank"]:
    """The coordinates, encoded in the data type of the states."""
    if jnp.issubdtype(dtype, jnp.integer):
        return coordinates.astype(dtype)
    if jnp.issubdtype(dtype, jnp.floating):
        return (1 - 2 * coordinates).astype(dtype)
    width = jnp.finfo(dtype).dtype
    turns = coordinates.astype(width) / jnp.broadcast_to(jnp.asarray(moduli).astype(width), coordinates.shape)
    return jax.lax.complex(jnp.cos(2 * jnp.pi * turns), jnp.sin(2 * jnp.pi * turns)).astype(dtype)


def _read(state: Num[Array, "... rank"], moduli: Any) -> Int[Array, "... rank"]:
    """The coordinates that are nearest to a state."""
    if jnp.issubdtype(state.dtype, jnp.integer):
        return state.astype(jnp.int32)
    if jnp.issubdtype(state.dtype, jnp.floating):
        return jnp.where(jnp.isnan(state), OUTSIDE, (state < 0).astype(jnp.int32))
    orders = jnp.broadcast_to(jnp.asarray(moduli, jnp.int32), state.shape)
    turns = jnp.arctan2(state.imag, state.real) / (2 * jnp.pi)
    return jnp.where(jnp.isnan(turns), OUTSIDE, jnp.round(turns * orders.astype(turns.dtype)).astype(jnp.int32) % orders)


def _accumulation(moduli: Any, dtype: Any) -> Accumulation:
    if jnp.issubdtype(dtype, jnp.integer):
        return modular_sum(moduli)
    return folding(jnp.multiply, 1)


def _refuse_signs(moduli: Any, dtype: Any) -> None:
    known = isinstance(moduli, (np.ndarray, list, tuple))  # traced moduli are not
    if known and jnp.issubdtype(dtype, jnp.floating) and (np.asarray(moduli) != 2).any():
        raise ValueError(
            f"states of type {jnp.dtype(dtype)} are signs, but a factor has order {list(map(int, moduli))}: only order 2 has a "
            "faithful real character; use a complex type for phases or an integer type"
        )
