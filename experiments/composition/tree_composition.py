r"""log2 k quadratic layers compose k elements of any finite group, and one layer fewer does not.

Statement: with x^[rho] zero or invertible there is a tree of squares, h = (M h_left + J h_right)^2, with the same weights
at every node and in every layer after the first, whose root returns x_{g_1 ... g_k}; k a power of two, log2 k layers, layer
l with k / 2^l nodes of

    2 sum_rho c_rho n_rho^3 units,    c = 1 for real type and 3/2 otherwise.

Fewer quadratic layers have degree below k in the codes, and every such polynomial sees a proper part of the positions in
each of its terms, given which the product is uniform: for a centred encoding it leaves the whole loss (`no_linear_solution`
is the case of degree one).

Source: depth log2 k, arXiv 2602.03655; weights and widths derived here. Refuted by: a wrong product, or other widths. Cost:
ten seconds on a CPU.
"""

import dataclasses

import jax
import numpy as np
import xarray as xr

from depthjax.constructions.composition import tree_weights
from depthjax.models.polynomial import tree_layers
from depthjax.probe.composition import tree_errors
from depthjax.runs.compiler import common_size
from depthjax.tasks.words import uniform_words
from depthjax.verify import Claim, Control, Grid, Prediction, Relation, Source, axis
from experiments.composition._task import Task, generic_task, padded
from theory.composition import tree_widths

CLAIM = Claim(
    slug="tree_composition",
    title="log2 k quadratic layers compose k group elements",
    statement=(
        "A tree of log2 k layers of squares, layer l with k / 2^l nodes of 2 sum c n^3 units (c = 1 for real type, 3/2 "
        "otherwise) and the same weights at every node, returns the code of the product of any word of k elements, k a "
        "power of two."
    ),
    latex=r"\text{depth} = \log_2 k, \qquad "
    r"\text{width of layer } l = 2^{1-l} k \sum_{\rho:\,\hat x[\rho] \ne 0} c_\rho\, n_\rho^3",
    relation=Relation.EQUALS,
    source=Source(
        "Marchetti, Kunin, Myers, Acosta, Miolane", "Sequential Group Composition", "arXiv 2602.03655", "weights derived here"
    ),
    assumes=("the encoding is real", "each Fourier coefficient is zero or invertible", "k is a power of two"),
    refuted_by="a word whose product is returned with an error beyond rounding, or layers of other widths",
    cost="ten seconds on a CPU",
    needs_float64=True,
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups; a node in layer l of the tree on the longest words is a tree on 2^l letters, so all lengths are tried at once."""

    group: str = axis("C7", "C10", "S3", "D4", "Q8", "S3xC3", "A4", "S4", "A5")
    longest: int = 64
    samples: int = 8


GRIDS = {"quick": Sizes(), "full": Sizes(samples=64), "paper": Sizes(longest=1024, samples=64)}


def setting(cell: Sizes) -> Task:
    """A generic centred encoding, whose Fourier coefficients are not scalar."""
    return generic_task(cell.group)


def predict(cell: Sizes, task: Task) -> tuple[Prediction, ...]:
    """No error in any layer, and so many layers of such widths."""
    widths = tree_widths(task.active, cell.longest)
    return (
        Prediction(0, of="error", hypotheses=task.hypotheses()[1:]),
        Prediction(np.array(widths), of="width", dims=("layer",), formula=r"2^{1-l} k \sum c\, n^3"),
        Prediction(len(widths), of="depth", formula=r"\log_2 k"),
    )


def measure(cell: Sizes, key: jax.Array, task: Task) -> xr.Dataset:
    """Largest relative error of a node by layer, the units of every layer, the number of layers."""
    weights = tree_weights(task.encoding, task.irreps)
    words = uniform_words(key, task.order, cell.samples, cell.longest)
    order, width = common_size(task.order, 24, 60), common_size(weights.width, 128, 512)
    errors, halves, floors = map(np.asarray, tree_errors(*padded(weights, task, order, width), words))
    layers = jax.eval_shape(tree_layers, weights, task.codes, words)
    return xr.Dataset(
        {
            "error": ("layer", errors, {"long_name": "largest relative error"}),
            "error_floor": ("layer", floors),
            "one_layer_fewer": ("layer", halves, {"long_name": "error when half of the word is read"}),
            "one_layer_fewer_floor": ("layer", floors),
            "width": ("layer", [state.shape[1] * state.shape[2] for state in layers], {"long_name": "units"}),
            "depth": ((), len(layers)),
        },
        coords={"layer": np.arange(1, len(layers) + 1)},
    )


CONTROLS = (
    Control(
        "one layer fewer",
        "the layer below the top holds the product already",
        lambda cell, task: Prediction(0, of="one_layer_fewer"),
    ),
    Control(
        "halving too fast",
        "layer l has k / 2^(l+1) nodes",
        lambda cell, task: Prediction(np.array(tree_widths(task.active, cell.longest)) / 2, of="width", dims=("layer",)),
    ),
)
