"""What the claim measures."""

import jax
import numpy as np
import xarray as xr

from depthjax.instruments.laws import followed_by_silence
from depthjax.models.kinds import sequence_model
from depthjax.verify import Cell, Quantity, measured
from experiments.lie.law_words_separate_classes.signed_stack import SignedRun, signed_run
from experiments.lie.law_words_separate_classes.sums import Sums

MAMBA = {"expand": 1, "state": 2, "convolution": False}
SWITCHES = {
    "mamba": MAMBA,
    "signed_mamba": MAMBA,
    "aussm": {"state": 2},
    "gla": {},
    "delta_product": {},
    "dense": {"block": 2},
    "sums": {},
}
SOME = 48  # draws of a control: one that is moved refutes it, and of DeltaProduct float64 tells one in four


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The least class whose law returns all layers, and changes after the law of that class: of k layers and of one more."""
    run = _run(cell, key, given["laws"], cell.kind, cell.layers)
    moving_layers = (run.change.max(axis=3) > run.floor)[:, :, : cell.layers]
    moving = np.any(moving_layers, axis=2)
    least = 1 + np.logical_and.accumulate(moving, axis=1).sum(axis=1)  # one more than the last: none returns
    law = cell.judged - 1
    returned, numbers = _returned(run, law, cell.layers)
    counts = np.bincount(given["laws"][law], minlength=2 * cell.letters).reshape(2, -1)
    return measured(
        letters_read=Quantity(sum(map(len, given["laws"])), label="letters of all laws"),
        judged_word=Quantity(
            [counts.sum(), counts[1].sum(), np.abs(counts[0] - counts[1]).sum()],
            "of",
            label="letters of the law that is judged, inverses, and letters that are not undone",
        ),
        layers_judged=Quantity(moving_layers.shape[0] * moving_layers.shape[2], label="layers of all draws"),
        least_class=Quantity(least, "draw", label="least class of a law that returns all layers"),
        numbers_judged=Quantity(numbers, label="numbers of the states of all draws"),
        state_change=returned,
        change_above=_moved_most(run, law, slice(cell.layers, cell.layers + 1), "layer k + 1"),
    )


def _moved_most(run: SignedRun, law: int, layers: slice, label: str) -> Quantity:
    """The change of layers in the draw and layer that show it best: one draw that a law moves refutes that it returns all."""
    size, noise = (part[:, law, layers].ravel() for part in (run.change.max(axis=3), run.floor))
    best = int((size / noise).argmax())
    return Quantity(size[best], floor=noise[best], label=f"change of {label} in the draw that shows it best")


def _run(cell: Cell, key: jax.Array, laws: list[np.ndarray], kind: str, told: int) -> SignedRun:
    """What the laws do to every draw of a stack of this kind, with one layer more than the cell has."""
    sizes = {"letters": cell.letters, "classes": 2, "width": cell.width, "max_depth": cell.layers + 1, "dtype": "float64"}
    words = np.stack([followed_by_silence(law, cell.letters, len(laws[-1])) for law in laws])
    model = sequence_model(Sums if kind == "sums" else kind, **sizes, **SWITCHES[kind])
    return signed_run(model, key, words, cell.draws, told=told)


def _returned(run: SignedRun, law: int, layers: int) -> tuple[Quantity, int]:
    """The largest change of each draw, and of how many numbers of all draws it is the largest."""
    size, noise = (part[:, law, :layers].reshape(len(part), -1) for part in (run.change, run.floor))
    return Quantity(size.max(axis=1), "draw", floor=noise.max(axis=1), label="largest change of k layers"), size.size


def householder_products(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The change of the states of DeltaProduct after the law of class 2k."""
    return _few(cell, key, given, "delta_product")


def dense_transitions(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The same of layers with dense transitions."""
    return _few(cell, key, given, "dense")


def _few(cell: Cell, key: jax.Array, given: dict, kind: str) -> xr.Dataset:
    laws = given["laws"][2 * cell.layers - 1 : 2 * cell.layers]
    run = _run(cell.replace(draws=SOME), key, laws, kind, told=0)
    return measured(
        letters_read=Quantity(sum(map(len, laws))),
        numbers_judged=Quantity(run.change[:, 0, : cell.layers].size),
        state_change=_moved_most(run, 0, slice(cell.layers), "k layers"),
    )
