r"""A tree of log2 k quadratic layers composes k elements of any finite group.

Statement: A tree of squares, h = (M h_left + J h_right)^2, has log2 k layers and the same weights at every node and in every
    layer after the first. Its root returns the code of the product of any word of k elements, k a power of two. Layer l has k
    / 2^l nodes of 2 sum c n^3 units, with c = 1 for real type and 3/2 otherwise.
    $$ \text{depth} = \log_2 k, \qquad
       \text{width of layer } l = 2^{1-l} k \sum_{\rho:\,\hat x[\rho] \ne 0} c_\rho\, n_\rho^3 $$
Hypotheses: the encoding is real; each Fourier coefficient is zero or invertible; k is a power of two.
Source: Marchetti, Kunin, Myers, Acosta, Miolane, “Sequential Group Composition”, arXiv 2602.03655, depth log2 k; weights and
    widths are derived here.
Refuted by: a word whose product is returned with an error beyond rounding, or layers of other widths.
Cost: ten seconds on a CPU.

Fewer quadratic layers do not suffice. Their output has degree below k in the codes, so each of its terms sees a proper part of
the positions, given which the product is uniform: for a centred encoding the whole loss is left. (`no_linear_solution` is the
case of degree one.) A node in layer l is a tree on 2^l letters, so one pass over the longest words tries all lengths at once.
"""

import dataclasses

import jax
import numpy as np
import xarray as xr

from depthjax.constructions.composition import tree_weights
from depthjax.models.padding import padded
from depthjax.models.polynomial import tree_layers
from depthjax.probe.composition import tree_errors
from depthjax.runs.compiler import common_size
from depthjax.tasks.words import uniform_words
from depthjax.verify import Grid, Hypothesis, Prediction, Quantity, Relation, axis, claim, control, measured, scaled
from theory.composition import invertible, spectrum, tree_widths
from theory.composition.encodings import Task, generic_task
from theory.groups import group

CLAIM = claim(Relation.EQUALS, needs_float64=True)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups, and the length and number of the words."""

    group: str = axis("C7", "C10", "S3", "D4", "Q8", "S3xC3", "A4", "S4", "A5")
    longest: int = 64
    samples: int = 8


GRIDS = {
    "test": Sizes(group=axis("Q8"), longest=8),
    "quick": Sizes(),
    "full": Sizes(samples=64),
    "paper": Sizes(longest=1024, samples=64),
}


def objects(cell: Sizes) -> Task:
    """A generic centred encoding: its Fourier coefficients are not scalar."""
    return generic_task(group(cell.group))


def predict(cell: Sizes, task: Task) -> tuple[Prediction, ...]:
    """No error in any layer; the number of layers and their widths."""
    components = spectrum(group(cell.group), task.encoding)
    met = (Hypothesis("each Fourier coefficient is zero or invertible", invertible(components)),)
    widths = tree_widths([component for component in components if component.norm != 0], cell.longest)
    return (
        Prediction(0, of="error", hypotheses=met),
        Prediction(np.array(widths), of="width", dims=("layer",), formula=r"2^{1-l} k \sum c\, n^3"),
        Prediction(len(widths), of="depth", formula=r"\log_2 k"),
    )


def measure(cell: Sizes, key: jax.Array, task: Task) -> xr.Dataset:
    """The largest error of a node by layer, the units of every layer, and the number of layers."""
    weights = tree_weights(task.encoding, task.irreps)
    words = uniform_words(key, len(task.table), cell.samples, cell.longest)
    order, width = common_size(len(task.table), 24, 60), common_size(weights.width, 128, 512)
    network = padded(weights, task.codes, task.table, order=order, width=width)
    errors, halves, floors = map(np.asarray, tree_errors(*network, words))
    layers = jax.eval_shape(tree_layers, weights, task.codes, words)
    units = [state.shape[1] * state.shape[2] for state in layers]
    return measured(
        layer=np.arange(1, len(layers) + 1),
        error=Quantity(errors, "layer", floor=floors, label="largest relative error"),
        one_layer_fewer=Quantity(halves, "layer", floor=floors, label="largest relative error of the layer below"),
        width=Quantity(units, "layer", label="units"),
        depth=Quantity(len(layers), label="layers"),
    )


CONTROLS = (
    control("one layer fewer", "the layer below the top holds the product already", instead={"error": "one_layer_fewer"}),
)
RIVALS = (scaled(0.5, of="width", name="halving too fast", statement="layer l has k / 2^(l+1) nodes"),)
