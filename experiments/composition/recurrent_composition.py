r"""A quadratic recurrence whose width does not depend on the length composes words of every length in any finite group.

Statement: with x^[rho] zero or invertible there are weights of h_1 = (A x_1 + B x_2)^2, h_t = (M h_{t-1} + B x_{t+1})^2, y
= C h_{k-1}, the same for every k, with y = x_{g_1 ... g_k}, of width

    2 sum_rho c_rho n_rho^3,    c = 1 for real type and 3/2 otherwise (complex: 6 n^3 a pair).

It holds the matrix of the prefix; a product of entries is a difference of two squares.

Source: the width's independence of k, arXiv 2602.03655; weights and width derived here. Refuted by: a wrong product at some
length, or another width. Cost: ten seconds on a CPU.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.composition import recurrent_weights
from depthjax.models.polynomial import Recurrent
from depthjax.probe.composition import recurrent_errors
from depthjax.runs.compiler import common_size
from depthjax.tasks.words import uniform_words
from depthjax.verify import Claim, Control, Grid, Prediction, Relation, Source, axis
from experiments.composition._task import Task, generic_task, padded
from theory.composition import recurrent_width

CLAIM = Claim(
    slug="recurrent_composition",
    title="A quadratic recurrence of width 2 sum c n^3 composes words of every length",
    statement=(
        "Explicit weights of a quadratic recurrence, of width 2 sum c n^3 over the irreps of the encoding (c = 1 for "
        "real type, 3/2 otherwise) and the same for every length, return the code of the product of any word."
    ),
    latex=r"\text{width} = 2 \sum_{\rho:\,\hat x[\rho] \ne 0} c_\rho\, n_\rho^3, \text{ for every length}",
    relation=Relation.EQUALS,
    source=Source(
        "Marchetti, Kunin, Myers, Acosta, Miolane", "Sequential Group Composition", "arXiv 2602.03655", "weights derived here"
    ),
    assumes=("the encoding is real", "each Fourier coefficient is zero or invertible"),
    refuted_by="a word whose product is returned with an error beyond rounding, or a recurrence of another width",
    cost="ten seconds on a CPU",
    needs_float64=True,
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups; random words, all of whose prefixes are tried with the same weights."""

    group: str = axis("C7", "C10", "S3", "Q8", "S3xC3", "S4", "A5")
    samples: int = 8
    longest: int = 4096

    @property
    def lengths(self) -> np.ndarray:
        """From these lengths on, up to the next, errors are told apart: 2, 3, and powers of two."""
        return np.array([2, 3, *(2**i for i in range(2, self.longest.bit_length()))])


GRIDS = {"quick": Sizes(), "full": Sizes(samples=64), "paper": Sizes(samples=64, longest=2**14)}


def setting(cell: Sizes) -> Task:
    """A generic centred encoding, whose Fourier coefficients are not scalar."""
    return generic_task(cell.group)


def predict(cell: Sizes, task: Task) -> tuple[Prediction, ...]:
    """No error at any length, at the width of the formula."""
    return (
        Prediction(0, of="error", hypotheses=task.hypotheses()[1:]),
        Prediction(recurrent_width(task.active), of="width", formula=r"2 \sum c\, n^3"),
    )


def measure(cell: Sizes, key: jax.Array, task: Task) -> xr.Dataset:
    """Largest relative error by length of the prefix; the width of the weights."""
    return _tried(cell, key, task, recurrent_weights(task.encoding, task.irreps))


def _tried(cell: Sizes, key: jax.Array, task: Task, weights: Recurrent) -> xr.Dataset:
    words = uniform_words(key, task.order, cell.samples, cell.longest)
    order, width = common_size(task.order, 24, 60), common_size(weights.width, 128, 512)
    errors, floors = map(np.asarray, recurrent_errors(*padded(weights, task, order, width), words))
    starts = cell.lengths - 2
    return xr.Dataset(
        {
            "error": ("length", np.maximum.reduceat(errors, starts), {"long_name": "largest relative error"}),
            "error_floor": ("length", floors[starts]),
            "width": ((), weights.width, {"long_name": "units in the state"}),
        },
        coords={"length": ("length", cell.lengths, {"long_name": "length, from here to the next"})},
    )


def _one_triple_fewer(cell: Sizes, key: jax.Array, task: Task) -> xr.Dataset:
    """Without the units (a, c, b) of the last irrep's last path of two matrices, so without one term of the new prefix."""
    whole = recurrent_weights(task.encoding, task.irreps)
    kept = whole.width - (2 if task.irreps[-1][0] == "real" else 6)
    first, drive, mix, out = (np.asarray(block)[..., :kept] for block in (whole.first, whole.drive, whole.mix, whole.out))
    return _tried(cell, key, task, Recurrent(*map(jnp.asarray, (first, drive, mix[:kept], out))))


CONTROLS = (
    Control(
        "one triple fewer",
        "the recurrence without the units of one path (a, c, b) still composes",
        lambda cell, task: Prediction(0, of="error"),
        _one_triple_fewer,
    ),
    Control(
        "width n^2",
        "the state needs no more than the entries of the prefix, 2 sum c n^2",
        lambda cell, task: (
            None
            if max(c.dimension for c in task.active) == 1
            else Prediction(round(sum(2 * c.dimension**2 * (1 if c.kind == "real" else 1.5) for c in task.active)), of="width")
        ),
    ),
)
