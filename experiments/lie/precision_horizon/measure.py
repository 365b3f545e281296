"""What the claim measures."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.tasks.words import uniform_words
from depthjax.verify import Cell, Quantity, measured
from experiments.lie.precision_horizon.every_word import every_word
from experiments.lie.precision_horizon.phases import (
    angle_failures,
    earliest_failure,
    growing_word,
    offset_failures,
    standstill,
    unitary_failures,
)

OFF = 8 + np.arange(16) / 16  # of a letter's angle, in ulp
NARROW = "bfloat16", "float16"  # types in which the walk to the standstill is affordable
KEPT = {"bfloat16": 128, "float16": 128, "float32": 1}  # states in the search


def measure(cell: Cell, key: jax.Array) -> xr.Dataset:
    """First misread steps of all words, and of constant (1, 2, half a turn, -1), searched and random ones."""
    return measured(**(_list(cell) if cell.listed else {}), **(_walk(cell, key) if cell.walked else {}))


# numbers of steps and states are not rounded; beside cells that lack them they are held as floats
_whole = partial(Quantity, floor=0.0)


def _list(cell: Cell, offset: float = 0.0) -> dict[str, Quantity]:
    misread, states = every_word(cell.order, jnp.dtype(cell.dtype), offset)
    return {
        "earliest": _whole(misread, label="earliest misread step of all words", unit="0 for none"),
        "states": _whole(states, label="states that words reach before a misreading"),
    }


def _walk(cell: Cell, key: jax.Array) -> dict[str, Quantity]:
    """The end stands for words that are not misread."""
    dtype, length = jnp.dtype(cell.dtype), int(cell.times * cell.drift) + 1
    constant = jnp.broadcast_to(jnp.array([1, 2, cell.order // 2, cell.order - 1]), (length, 4))
    words = jnp.concatenate([constant, uniform_words(key, cell.order, length, cell.words)], axis=1)
    growing = growing_word(cell.order, dtype, length)[:, None]
    kept = np.asarray(unitary_failures(words, cell.order, dtype))
    snapped = np.asarray(unitary_failures(words, cell.order, dtype, offset=OFF[-1] * cell.ulp, snapped=True))
    angles = np.asarray(angle_failures(jnp.concatenate([words, growing], axis=1), cell.order, dtype))
    found = int(earliest_failure(cell.order, dtype, 2 * length, KEPT[cell.dtype]))
    end = "capped at the end"
    return {
        "first_failure": _whole([*kept, found], "tried", label="first misread step", unit=end),
        "found": _whole(found, label="first misread step of the words searched", unit=end),
        "off_failure": _whole(_angle_off(cell, 1), "offset", label="first misread step, letter 1 off by 8 to 9 ulp"),
        "farther_failure": _whole(_angle_off(cell, 2), "offset", label="first misread step, letter 1 off by 16 to 18 ulp"),
        "right_failure": _whole(_angle_off(cell, 0), "offset", label="first misread step, letter 1 of the right angle"),
        "tried_words": _whole([len(kept) + 1, len(angles), len(snapped), len(OFF)], "of", label="words that are read"),
        "lengths": _whole(len(words), label="letters of the words"),
        "angle_failure": _whole(angles, "sum", label="first misread step, sum of angles", unit=end),
        "moves": _whole(_moves(cell), label="steps at which the sum of angles of the letter 1 moves"),
        "snapped_wrong": _whole((snapped <= length).astype(int), "word", label="snapped counts, letters off, misread"),
    }


def _moves(cell: Cell, *, reduced: bool = False) -> int:
    """Steps at which the sum of angles of the letter 1 moves; -1 where the walk is too long."""
    return int(standstill(cell.order, jnp.dtype(cell.dtype), int(4 / cell.ulp), reduced)) if cell.dtype in NARROW else -1


def _angle_off(cell: Cell, factor: float) -> np.ndarray:
    """First misread steps of words of the letter 1, whose angle is off by this factor of what is said."""
    offsets = jnp.asarray(factor * OFF * cell.ulp)
    return np.asarray(offset_failures(cell.order, jnp.dtype(cell.dtype), offsets, int(cell.drift) + 1))


def roots_off(cell: Cell, key: jax.Array) -> xr.Dataset:
    """All words, with letters that are off by 8 ulp."""
    return measured(**_list(cell, OFF[0] * cell.ulp))


def farther_off(cell: Cell, key: jax.Array) -> xr.Dataset:
    """First misread steps where angles are off by twice what is said; snapping is left out."""
    off, wrong = _angle_off(cell, 2), _angle_off(cell, 1) <= cell.drift
    return measured(
        first_failure=_whole(off, "tried"),
        off_failure=_whole(off, "offset"),
        snapped_wrong=_whole(wrong.astype(int), "word"),
    )


def reduced(cell: Cell, key: jax.Array) -> xr.Dataset:
    """Steps at which a sum of angles moves that is reduced modulo 2 pi."""
    return measured(moves=_whole(_moves(cell, reduced=True)))
