"""What the claim measures."""

import jax
import numpy as np
import xarray as xr

from depthjax.verify import Cell, Quantity, measured
from experiments.lie.law_words_separate_classes.common import _returned, _run
from experiments.lie.law_words_separate_classes.signed_stack import SignedRun


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The least class whose law returns all layers, and the changes after the law of class 2k, of k layers and of one more."""
    run = _run(cell, key, given["laws"], cell.kind)
    moving = np.any((run.change > run.floor)[:, :, : cell.layers], axis=2)
    least = 1 + np.logical_and.accumulate(moving, axis=1).sum(axis=1)  # one more than the last: none returns
    law = 2 * cell.layers - 1
    return measured(
        least_class=Quantity(least, "draw", label="least class of a law that returns all layers"),
        state_change=_returned(run, law, cell.layers),
        change_above=_moved_most(run, law, cell.layers),
    )


def _moved_most(run: SignedRun, law: int, layer: int) -> Quantity:
    """The change of the next layer in the draw that shows it best: one draw that a law moves refutes that it returns all."""
    size, noise = (part[:, law, layer] for part in (run.change, run.floor))
    best = int((size / noise).argmax())
    return Quantity(size[best], floor=noise[best], label="change of layer k + 1 in the draw that shows it best")
