"""Earliest misread steps in every type, and the words that are misread there."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import xarray as xr

from depthjax.verify import Cell, Quantity, measured
from experiments.lie.earliest_misreads.common import TYPES
from experiments.lie.earliest_misreads.words import NATIVE, shortest_misread_word


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """The step and the number of states by type; the step at which the word found is misread when it is read in JAX.

    Without its last letter it is read rightly.
    """
    found = {dtype: shortest_misread_word(cell.order, dtype) for dtype in TYPES}
    return measured(
        earliest=Quantity([one.step for one in found.values()], "dtype", label="first step at which some word is misread"),
        states=Quantity([one.states for one in found.values()], "dtype", label="states that shorter words reach"),
        witness=Quantity(
            [_misread_in_jax(cell.order, dtype, one.word) for dtype, one in found.items()],
            "dtype",
            label="step at which the word is misread",
        ),
        witness_cut=Quantity(
            [_misread_in_jax(cell.order, dtype, one.word[:-1]) for dtype, one in found.items()],
            "dtype",
            label="the same without its last letter, 0 for never",
        ),
        bits=Quantity(
            [int(ml_dtypes.finfo(jnp.dtype(NATIVE.get(dtype, dtype))).nmant) + 1 for dtype in TYPES],
            "dtype",
            label="bits of the significand",
        ),
    )


def letters_turned(cell: Cell, key: jax.Array) -> xr.Dataset:
    """The steps where every letter turns by a fifth of the way to the next root too much."""
    steps = [shortest_misread_word(cell.order, dtype, offset=0.2 / cell.order).step for dtype in TYPES]
    return measured(earliest=Quantity(steps, "dtype"))


def snapped(cell: Cell, key: jax.Array) -> xr.Dataset:
    """The steps where every state is replaced by its nearest root."""
    return measured(
        earliest=Quantity([shortest_misread_word(cell.order, dtype, snapped=True).step for dtype in TYPES], "dtype")
    )


def _misread_in_jax(order: int, dtype: str, word: np.ndarray) -> int:
    """The first step at which one word is misread by arrays of JAX, one operation at a time; 0 if it never is."""
    kind = jnp.dtype(NATIVE.get(dtype, dtype))
    turns = 2 * np.pi * np.arange(order) / order
    cos, sin = (np.round(part, 15).astype(kind) for part in (np.cos(turns), np.sin(turns)))
    x, y, count = jnp.asarray(1, kind), jnp.asarray(0, kind), 0
    for step, letter in enumerate(word.tolist(), 1):
        c, s, count = jnp.asarray(cos[letter]), jnp.asarray(sin[letter]), (count + letter) % order
        x, y = x * c - y * s, x * s + y * c
        ahead = np.arctan2(float(y), float(x)) * order / (2 * np.pi) - count
        if abs(ahead - order * round(ahead / order)) >= 0.5 - 1e-9 or not (float(x) or float(y)):
            return step
    return 0
