r"""An affine map of the codes of two or more group elements learns nothing of their product but its mean.

Statement: For words of k >= 2 uniform elements the smallest loss (half the squared error, summed over coordinates) of an
    affine map of the codes is the power of all non-trivial irreps. For a centred encoding this is the loss of the zero map.
    $$ \min_{A, b} L = \frac{1}{2|G|} \sum_{\rho \ne 1} n_\rho \|\hat x[\rho]\|_F^2 $$
Hypotheses: k >= 2; words are uniform.
Source: Marchetti, Kunin, Myers, Acosta, Miolane, “Sequential Group Composition”, arXiv 2602.03655, Lemma 3.5; the exact loss
    is derived here.
Refuted by: an affine map with a smaller loss over all words.
Cost: five seconds on a CPU.

Derivation: given all letters but one, the product is uniform. So the conditional mean of the target, given any proper part of
the word, is the mean of x in every coordinate. A sum of functions of single positions can learn nothing else.
"""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.linear import affine_loss
from depthjax.probe.rounding import rounding_floor
from depthjax.runs.compiler import common_size
from depthjax.verify import Grid, Prediction, Quantity, Relation, axis, claim, control, measured, rival
from theory.composition import linear_loss, spectrum
from theory.composition.encodings import Task, generic_task
from theory.groups import group

CLAIM = claim(Relation.EQUALS, needs_float64=True)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups, lengths, and whether the encoding is centred; at most ``most`` words."""

    group: str = axis("C7", "C10", "S3", "Q8", "S3xC3")
    length: int = axis(2, 3)
    centred: bool = axis(True, False)
    most: int = 1000

    def allows(self) -> bool:
        """Whether all words fit."""
        return group(self.group).order ** self.length <= self.most


GRIDS = {
    "test": Sizes(group=axis("S3"), length=axis(2)),
    "quick": Sizes(),
    "full": Sizes(most=6000),
    "paper": Sizes(most=20_000),
}


def objects(cell: Sizes) -> Task:
    """A generic encoding: its Fourier coefficients are not scalar."""
    return generic_task(group(cell.group), centred=cell.centred)


def predict(cell: Sizes, task: Task) -> Prediction:
    """The power of the non-trivial irreps."""
    finite = group(cell.group)
    power = linear_loss(spectrum(finite, task.encoding)[1:], finite.order)
    return Prediction(float(power), of="loss", formula=r"\frac{1}{2|G|} \sum n_\rho \|\hat x[\rho]\|_F^2")


def measure(cell: Sizes, key: jax.Array, task: Task) -> xr.Dataset:
    """Least squares over all words."""
    words = _all_words(cell, task)
    return _least_squares(cell, task, words, task.codes[functools.reduce(lambda g, h: task.table[g, h], words.T)])


def _sums(cell: Sizes, key: jax.Array, task: Task) -> xr.Dataset:
    """The same with the sum of the codes as the target."""
    words = _all_words(cell, task)
    return _least_squares(cell, task, words, task.codes[words].sum(axis=1))


def _all_words(cell: Sizes, task: Task) -> np.ndarray:
    return np.indices((len(task.table),) * cell.length).reshape(cell.length, -1).T


def _least_squares(cell: Sizes, task: Task, words: np.ndarray, targets: np.ndarray) -> xr.Dataset:
    inputs = task.codes[words].reshape(len(words), -1)
    power = float(0.5 * (targets**2).sum() / len(targets))
    # an orthogonal projection: one inner product over the words for each feature
    floor = rounding_floor(len(inputs) + inputs.shape[1], inputs.dtype, power)
    order = common_size(len(task.table), 10, 18)
    rows = order**cell.length - len(words)  # cells of one shape share their program
    inputs = np.pad(inputs, ((0, rows), (0, order * cell.length - inputs.shape[1])))
    targets = np.pad(targets, ((0, rows), (0, order - targets.shape[1])))
    loss = float(affine_loss(jnp.asarray(inputs), jnp.asarray(targets), len(words)))
    return measured(loss=Quantity(loss, floor=floor, label="loss of the best affine map"))


def _of_zero(cell: Sizes, task: Task) -> Prediction | None:
    return None if cell.centred else Prediction(0.5 * float(np.sum(task.encoding**2)), of="loss")


CONTROLS = (
    control(
        "additive task", "the best affine map leaves the same loss on the sum of the codes, which is linear", measure=_sums
    ),
)
RIVALS = (rival("mean not centred", _of_zero, "the loss of the zero map is left, whatever the mean of the encoding"),)
