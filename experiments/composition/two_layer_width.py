r"""One hidden layer of z^k composes k elements of any finite group, at a width that irreps alone decide.

Statement: for a real encoding whose Fourier coefficients are zero or invertible, explicit weights of width

    2^{k-1} sum_rho c_rho n_rho^{k+1},    c = 1 for real type and (k+1)/2 for complex and quaternionic type,

summed over the irreps with x^[rho] != 0, map (x_{g_1}, ..., x_{g_k}) to x_{g_1 ... g_k} exactly for every word; a cyclic
group spends (k+1) 2^{k-1} on each pair of characters. The width grows exponentially with k. It is sufficient; that less
does not suffice is not claimed, only that these weights need every unit.

Hypotheses: x^[rho] is zero or invertible. Source: derived here, for the task of arXiv 2602.03655. Refuted by: a word whose
product is not returned to rounding, or another width. Cost: 5 s on a CPU.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.composition import two_layer_weights
from depthjax.models.polynomial import TwoLayer
from depthjax.probe.composition import two_layer_error
from depthjax.runs.compiler import common_size
from depthjax.tasks.words import uniform_words
from depthjax.verify import Claim, Control, Grid, Prediction, Relation, Source, axis
from experiments.composition._pictures import widths
from experiments.composition._task import Task, generic_task, padded
from theory.composition import two_layer_width
from theory.groups import group

CLAIM = Claim(
    slug="two_layer_width",
    title="One layer of z^k composes k group elements at width 2^(k-1) sum c n^(k+1)",
    statement=(
        "Explicit weights of one hidden layer of z^k map the codes of k elements to the code of their product, exactly "
        "for every word, at width 2^(k-1) sum c n^(k+1) over the irreps of the encoding: c = 1 for real type, (k+1)/2 "
        "otherwise."
    ),
    latex=r"\text{width} = 2^{k-1} \sum_{\rho:\,\hat x[\rho] \ne 0} c_\rho\, n_\rho^{k+1}",
    relation=Relation.EQUALS,
    source=Source(
        "Marchetti, Kunin, Myers, Acosta, Miolane", "Sequential Group Composition", "arXiv 2602.03655", "weights derived here"
    ),
    assumes=("the encoding is real", "each Fourier coefficient is zero or invertible"),
    refuted_by="a word whose product is returned with an error beyond rounding, or a network of another width",
    cost="5 s on a CPU",
    needs_float64=True,
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups and lengths; all words where there are at most `words`, so many random ones beyond."""

    group: str = axis("C7", "C10", "S3", "Q8", "S3xC3", "S4", "A5")
    length: int = axis(2, 3, 4)
    words: int = 4096
    widest: int = 2000

    def allows(self) -> bool:
        """Whether the network is not too wide for this size of run."""
        return two_layer_width([irrep for irrep in group(self.group).irreps()], self.length) <= self.widest


GRIDS = {"quick": Sizes(), "full": Sizes(words=10**5, widest=5000), "paper": Sizes(words=10**5, widest=40_000)}


def setting(cell: Sizes) -> Task:
    """A generic centred encoding, whose Fourier coefficients are not scalar."""
    return generic_task(cell.group)


def predict(cell: Sizes, task: Task) -> tuple[Prediction, ...]:
    """No error, at the width of the formula."""
    return (
        Prediction(0, of="error", hypotheses=task.hypotheses()[1:]),
        Prediction(two_layer_width(task.active, cell.length), of="width", formula=r"2^{k-1} \sum c\, n^{k+1}"),
    )


def measure(cell: Sizes, key: jax.Array, task: Task) -> xr.Dataset:
    """Largest error over the words, relative to the largest entry of a code; the width of the weights."""
    return _tried(cell, key, task, two_layer_weights(task.encoding, task.irreps, cell.length))


def _tried(cell: Sizes, key: jax.Array, task: Task, weights: TwoLayer) -> xr.Dataset:
    if task.order**cell.length <= cell.words:
        words = np.indices((task.order,) * cell.length).reshape(cell.length, -1).T
        words = jnp.asarray(np.resize(words, (cell.words, cell.length)))
    else:
        words = uniform_words(key, task.order, cell.words, cell.length)
    # one program for a length, but for short words of the smaller groups
    order, width = common_size(task.order, 24, 60), common_size(weights.width, *([128] if cell.length == 2 else []), 768)
    error, floor = two_layer_error(*padded(weights, task, order, width), words)
    return xr.Dataset(
        {
            "error": ((), float(error), {"long_name": "largest relative error"}),
            "error_floor": ((), float(floor)),
            "width": ((), weights.width, {"long_name": "hidden units"}),
        }
    )


def _one_fewer(cell: Sizes, key: jax.Array, task: Task) -> xr.Dataset:
    weights = two_layer_weights(task.encoding, task.irreps, cell.length)
    inputs, out = (jnp.asarray(np.asarray(block)[..., :-1]) for block in (weights.inputs, weights.out))
    return _tried(cell, key, task, TwoLayer(inputs, out))


def _real_cost(cell: Sizes, task: Task) -> Prediction | None:
    if all(component.kind == "real" for component in task.active):
        return None
    alike = [dataclasses.replace(component, kind="real") for component in task.active]
    return Prediction(two_layer_width(alike, cell.length), of="width")


CONTROLS = (
    Control(
        "one neuron fewer",
        "the weights without one of their units still compose",
        lambda c, t: Prediction(0, of="error"),
        _one_fewer,
    ),
    Control("types ignored", "complex and quaternionic irreps cost as much as real ones of their dimension", _real_cost),
)

PICTURES = (widths(Sizes(widest=40_000)),)
