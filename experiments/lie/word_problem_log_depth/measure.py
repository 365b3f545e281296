"""What the claim measures."""

from collections.abc import Callable

import jax
import numpy as np
import xarray as xr

from depthjax.lie.lyndon import lyndon_basis
from depthjax.verify import Cell, Quantity, measured
from experiments.lie.word_problem_log_depth.common import LONGEST
from experiments.lie.word_problem_log_depth.word_states import (
    layers_used,
    of_length,
    positive_increments,
    shared_states,
    tower_states,
    words_that_share,
)

LAYERS = 3


def measure(cell: Cell, key: jax.Array, signed: np.ndarray) -> xr.Dataset:
    """Words that share the states of the lowest one, two, three layers; layers that hold anything; no randomness."""
    positive = positive_increments(cell.letters, LONGEST[cell.letters])
    alone = _shared(cell, positive, "positive words that share a state with an earlier one", degree=cell.length)
    undone = _shared(cell, signed, "signed words that share a state with an earlier one")
    return measured(
        layer=range(1, LAYERS + 1),
        positive=alone,
        signed=undone,
        sharing=_shared(cell, signed, "signed words that share a state with any other", count=words_that_share),
        needed=_needed(alone, undone),
        words=Quantity(
            [int(of_length(words, cell.length).sum()) for words in (positive, signed)], "kind", label="words of each kind"
        ),
        layers=_layers(cell, positive, cell.length),
        layers_of_fewer=_layers(cell, positive, cell.length - 1),
        coordinates_of_fewer=Quantity(lyndon_basis(cell.letters, max(cell.length - 1, 1)).dimension, label="one degree fewer"),
        coordinates=Quantity(lyndon_basis(cell.letters, cell.length).dimension, label="brackets up to degree T"),
    )


def _shared(
    cell: Cell, increments: np.ndarray, label: str, degree: int | None = None, count: Callable = shared_states
) -> Quantity:
    states = tower_states(increments, LONGEST[cell.letters], degree)
    short = of_length(increments, cell.length)
    return Quantity(count([state[short] for state in states], LAYERS), "layer", label=label)


def _needed(*shared: Quantity) -> Quantity:
    """The lowest layers that no two words share, of each kind of word."""
    lowest = [int((np.asarray(each.values) > 0).sum()) + 1 for each in shared]
    return Quantity(lowest, "kind", label="layers that no two words share")


def _layers(cell: Cell, increments: np.ndarray, degree: int) -> Quantity:
    states = tower_states(increments, LONGEST[cell.letters], degree)
    short = of_length(increments, cell.length)
    return Quantity(layers_used([state[short] for state in states], cell.length), label="layers that hold anything")


def undone(cell: Cell, key: jax.Array, signed: np.ndarray) -> xr.Dataset:
    """The last letter is the inverse of the first one."""
    positive = positive_increments(cell.letters, LONGEST[cell.letters])
    positive[..., 0] -= positive[..., -1]
    positive[..., -1] = 0
    return measured(positive=_shared(cell, positive, "", degree=cell.length))


def half_undone(cell: Cell, key: jax.Array, signed: np.ndarray) -> xr.Dataset:
    """Flows of signed words in which a letter that undoes is half as large."""
    half = _shared(cell, np.where(signed < 0, signed / 2, signed), "")
    alike = _shared(cell, np.where(signed < 0, signed / 2, signed), "", count=words_that_share)
    return measured(signed=half, sharing=alike, needed=_needed(half, half))
