"""Which pairs of words some counting formula tells apart, by enumeration, and what explicit formulas say of them."""

import jax
import numpy as np
import xarray as xr

from depthjax.verify import Cell, Quantity, measured
from experiments.logic._compiled import compiled
from experiments.logic.alternation_pairs_blind.counting import told_apart_by_depth_three, told_apart_by_depth_two

SHARED = 2048  # words are padded to a multiple of this length, so that cells share their programs


def measure(cell: Cell, key: jax.Array, given: dict, more: int = 0) -> xr.Dataset:
    """Whether some formula tells each pair apart, coefficients up to C + more; what the explicit formulas say of the words."""
    size, total = cell.size + more, cell.total + more
    two = [told_apart_by_depth_two(first, second, size) for first, second in given["two"]]
    three = [told_apart_by_depth_three(first, second, size, total) for first, second in given["three"]]
    return measured(
        by_depth_two=Quantity(np.array(two, int), "pair", label="told apart by some formula of depth 2"),
        by_depth_three=Quantity(np.array(three, int), "triple", label="told apart by some formula of depth 3"),
        recognised=_recognised(given, slice(0, 3)),
    )


def _recognised(given: dict, formulas: slice) -> Quantity:
    """The first formula on the first pair, the second on the first triple, the third where blocks grow: last positions."""
    words = [word for pair in (given["two"][0], given["three"][0], given["growing"]) for word in pair]
    lengths = np.array([len(word) for word in words])
    longest = -(-lengths.max() // SHARED) * SHARED
    padded = np.stack([np.pad(word, (0, longest - len(word))) for word in words])
    truth = np.asarray(compiled(given["formulas"])(padded, lengths=lengths))[formulas]
    ends = truth[:, np.arange(len(words)), lengths - 1].reshape(-1, 3, 2)[np.arange(3), np.arange(3)]
    return Quantity(ends.astype(int), "formula word", label="truth at the end of a word")


def larger_coefficients(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Formulas whose coefficients may be larger by one than those that the lengths were made for."""
    return measure(cell, key, given, more=1)[["by_depth_two", "by_depth_three"]]


def growing(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """A pair whose blocks merely grow, in place of one with the least lengths."""
    first, second = given["growing"]
    found = told_apart_by_depth_three(first, second, cell.size, cell.total)
    return measured(growing=Quantity(int(found)))


def shallow(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Formulas no deeper than those that are blind, in place of formulas one deeper."""
    return measured(recognised=_recognised(given, slice(3, 6)))
