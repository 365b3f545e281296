r"""No linear map composes two or more group elements: for a centred encoding it cannot even begin.

Statement: for words of k >= 2 uniform elements the smallest loss (half the squared error, summed over coordinates) of an
affine map of the codes is

    (1 / 2|G|) sum_{rho non-trivial} n_rho ||x^[rho]||_F^2,

which for a centred encoding is ||x||^2 / 2, the loss of the zero map. Derivation: given all letters but one, the product is
uniform, so the conditional mean of the target given any proper part of the word is the mean of x in every coordinate; a
function that is a sum over positions can learn nothing but that.

Source: Marchetti et al. (arXiv 2602.03655), Lemma 3.5 (no linear solution); the exact loss derived here. Refuted by: least
squares over all |G|^k words that leave another loss. Cost: five seconds on a CPU.
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
from depthjax.verify import Claim, Control, Grid, Prediction, Relation, Source, axis
from experiments.composition._task import Task, generic_task
from theory.composition import linear_loss

CLAIM = Claim(
    slug="no_linear_solution",
    title="An affine map of the codes learns nothing of a product of two or more elements but the mean",
    statement=(
        "The smallest loss of an affine map of the codes of k >= 2 elements is the power of all non-trivial irreps, "
        "(1/2|G|) sum n ||x^||_F^2; for a centred encoding that is the loss of the zero map."
    ),
    latex=r"\min_{A, b} L = \frac{1}{2|G|} \sum_{\rho \ne 1} n_\rho \|\hat x[\rho]\|_F^2",
    relation=Relation.EQUALS,
    source=Source(
        "Marchetti, Kunin, Myers, Acosta, Miolane",
        "Sequential Group Composition",
        "arXiv 2602.03655",
        "Lemma 3.5; the exact loss derived here",
    ),
    assumes=("k >= 2", "words are uniform"),
    refuted_by="an affine map with a smaller loss over all words",
    cost="five seconds on a CPU",
    needs_float64=True,
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups, lengths, and whether the encoding is centred (the loss then is that of the zero map)."""

    group: str = axis("C7", "C10", "S3", "Q8", "S3xC3")
    length: int = axis(2, 3)
    centred: bool = axis(True, False)
    most: int = 1000

    def allows(self) -> bool:
        """Whether all words fit."""
        from theory.groups import group

        return group(self.group).order ** self.length <= self.most


GRIDS = {"quick": Sizes(), "full": Sizes(most=6000), "paper": Sizes(most=20_000)}


def setting(cell: Sizes) -> Task:
    """A generic encoding."""
    return generic_task(cell.group, cell.centred)


def predict(cell: Sizes, task: Task) -> Prediction:
    """The power of the non-trivial irreps."""
    return Prediction(float(linear_loss(task.components, task.order)), of="loss", formula=CLAIM.latex)


def measure(cell: Sizes, key: jax.Array, task: Task) -> xr.Dataset:
    """Least squares over all words."""
    words = _all_words(cell, task)
    return _left(cell, task, words, task.codes[functools.reduce(lambda g, h: task.table[g, h], words.T)])


def _all_words(cell: Sizes, task: Task) -> np.ndarray:
    return np.indices((task.order,) * cell.length).reshape(cell.length, -1).T


def _left(cell: Sizes, task: Task, words: np.ndarray, targets: np.ndarray) -> xr.Dataset:
    inputs = task.codes[words].reshape(len(words), -1)
    power = float(0.5 * (targets**2).sum() / len(targets))
    # an orthogonal projection: one inner product over the words for each feature
    floor = rounding_floor(len(inputs) + inputs.shape[1], inputs.dtype, power)
    order = common_size(task.order, 10, 18)
    rows = order**cell.length - len(words)  # cells of one shape share their program
    inputs = np.pad(inputs, ((0, rows), (0, order * cell.length - inputs.shape[1])))
    targets = np.pad(targets, ((0, rows), (0, order - task.order)))
    loss = float(affine_loss(jnp.asarray(inputs), jnp.asarray(targets), len(words)))
    return xr.Dataset({"loss": ((), loss, {"long_name": "loss left"}), "loss_floor": ((), floor)})


def _additive(cell: Sizes, key: jax.Array, task: Task) -> xr.Dataset:
    """The neighbouring task that *is* linear: x_{g_1} + ... + x_{g_k}, as phases add where codes would have to multiply."""
    words = _all_words(cell, task)
    return _left(cell, task, words, task.codes[words].sum(axis=1))


CONTROLS = (
    Control("additive task", "the same loss is left on the sum of the codes", predict, _additive),
    Control(
        "mean not centred",
        "the zero map's loss is left, whatever the mean of the encoding",
        lambda cell, task: None if cell.centred else Prediction(0.5 * float(np.sum(task.encoding**2)), of="loss"),
    ),
)
