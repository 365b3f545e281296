"""What both sides of the claim know."""

import jax
import numpy as np

from depthjax.instruments.laws import followed_by_silence
from depthjax.models.kinds import sequence_model
from depthjax.verify import Cell, Quantity
from experiments.lie.law_words_separate_classes.signed_stack import SignedRun, signed_run

LETTERS = 2


MAMBA = {"expand": 1, "state": 2, "convolution": False}


SWITCHES = {"mamba": MAMBA, "signed_mamba": MAMBA, "aussm": {"state": 2}, "gla": {}, "delta_product": {}, "dense": {"block": 2}}


def _run(cell: Cell, key: jax.Array, laws: list[np.ndarray], kind: str) -> SignedRun:
    """What the laws do to every draw of a stack of this kind, with one layer more than the cell has."""
    sizes = {"letters": LETTERS, "classes": 2, "width": cell.width, "max_depth": cell.layers + 1, "dtype": "float64"}
    words = np.stack([followed_by_silence(law, LETTERS, len(laws[-1])) for law in laws])
    return signed_run(sequence_model(kind, **sizes, **SWITCHES[kind]), key, words, cell.draws, told=cell.layers)


def _returned(run: SignedRun, law: int, layers: int) -> Quantity:
    size, noise = (part[:, law, :layers].max(axis=1) for part in (run.change, run.floor))
    return Quantity(size, "draw", floor=noise, label="largest change of k layers")
