r"""A tree of log2 k quadratic layers composes k elements of any finite group; fewer quadratic layers learn nothing.

Statement: A tree of squares, h = (M h_left + J h_right)^2, has log2 k layers and the same weights at every node and in every
    layer after the first. Its root returns the code of the product of any word of k elements, k a power of two. Layer l has k
    / 2^l nodes of 2 sum c n^3 units, with c = 1 for real type and 3/2 otherwise. Any network of fewer quadratic layers leaves
    the whole loss of a centred encoding, whatever its width.
    $$ \text{depth} = \log_2 k, \qquad
       \text{width of layer } l = 2^{1-l} k \sum_{\rho:\,\hat x[\rho] \ne 0} c_\rho\, n_\rho^3 $$
Hypotheses: the encoding is real; each Fourier coefficient is zero or invertible; k is a power of two.
Source: Marchetti, Kunin, Myers, Acosta, Miolane, “Sequential Group Composition”, arXiv 2602.03655, depth log2 k; weights and
    widths are derived here.
Refuted by: a word whose product is returned with an error beyond rounding, layers of other widths, or a function of degree
    below k that leaves less than the whole loss.
Cost: quick 4 s on one core, full about 10 s.

Fewer quadratic layers do not suffice. Their output has degree at most k/2 in the codes, so each of its terms sees at most k/2
letters, given which the product is uniform: for a centred encoding the whole loss is left. (`no_linear_solution` is the case of
degree one.) This is measured for the best sum of functions of k/2 letters over all words of a short length k.

A node in layer l is a tree on 2^l letters, so one pass over the longest words tries all lengths at once. The depth is read off
the errors: of all layers whose first node is read as the product of the whole word, the first that is right.
"""

import dataclasses

import jax
import numpy as np
import xarray as xr

from depthjax.constructions.composition.paths import tree_weights
from depthjax.models.padding import padded
from depthjax.probe.composition import tree_errors, units_in_use
from depthjax.probe.linear import losses_by_letters
from depthjax.probe.rounding import rounding_floor
from depthjax.runs.compiler import common_size
from depthjax.tasks.words import uniform_words
from depthjax.verify import Grid, Hypothesis, Prediction, Quantity, Relation, axis, claim, control, measured, off_by, scaled
from experiments.composition._tasks import without_last
from theory.composition import invertible, linear_loss, spectrum, tree_widths
from theory.composition.encodings import Task, generic_task
from theory.groups import group

CLAIM = claim(Relation.EQUALS, needs_float64=True)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups, and the length and number of the words."""

    group: str = axis("C7", "C10", "S3", "D4", "Q8", "S3xC3", "A4", "S4", "A5")
    longest: int = 64
    samples: int = 8
    words: int = 25_000  # all words of length 4, or else 2, are tried with one layer fewer


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
    """No error in any layer; the number of layers and their widths; and the whole loss with fewer layers."""
    finite = group(cell.group)
    components = spectrum(finite, task.encoding)
    met = (Hypothesis("each Fourier coefficient is zero or invertible", invertible(components)),)
    active = [component for component in components if component.norm != 0]
    widths = tree_widths(active, cell.longest)
    apart = min(float(linear_loss([component], finite.order)) for component in active)
    return (
        Prediction(0, of="error", hypotheses=met),
        Prediction(np.array(widths), of="width", dims=("layer",), formula=r"2^{1-l} k \sum c\, n^3"),
        Prediction(len(widths), of="depth", formula=r"\log_2 k"),
        Prediction(float(linear_loss(active, finite.order)), of="fewer_layers", resolution=apart),
    )


def measure(cell: Sizes, key: jax.Array, task: Task) -> xr.Dataset:
    """The largest error of a node by layer, the units of every layer, the layers needed, and the best of fewer layers."""
    whole, part = (_of_network(cell, key, task, built) for built in (task, without_last(task)))
    return measured(
        layer=np.arange(1, cell.longest.bit_length()),
        **whole,
        **{f"part_{name}": quantity for name, quantity in part.items()},
        **_of_fewer(cell, task),
    )


def _of_network(cell: Sizes, key: jax.Array, task: Task, built: Task) -> dict[str, Quantity]:
    """A network built for one task, tried on another with the same group."""
    weights = tree_weights(built.encoding, built.irreps)
    words = uniform_words(key, len(task.table), cell.samples, cell.longest)
    order, width = common_size(len(task.table), 24, 60), common_size(weights.width, 128, 512)
    network = padded(weights, task.codes, task.table, order=order, width=width)
    errors, halves, roots, floors = map(np.asarray, tree_errors(*network, words))
    nodes = cell.longest >> np.arange(1, len(errors) + 1)
    return {
        "error": Quantity(errors, "layer", floor=floors, label="largest relative error"),
        "one_layer_fewer": Quantity(halves, "layer", floor=floors, label="largest relative error of the layer below"),
        "width": Quantity(units_in_use(weights) * nodes, "layer", label="units in use"),
        "depth": Quantity(1 + int((roots > floors[-1]).sum()), label="layers until the product is right"),
    }


def _of_fewer(cell: Sizes, task: Task) -> dict[str, Quantity]:
    """What functions of half of the letters leave of the product, and of the product of the first half."""
    letters = len(task.table)
    length = 4 if letters**4 <= cell.words else 2
    products, of_half = np.arange(letters), np.arange(letters)
    for letter in range(1, length):
        products = task.table[products]
        of_half = task.table[of_half] if letter < length // 2 else np.broadcast_to(of_half[..., None], products.shape)
    losses = [losses_by_letters(task.codes[answers])[length // 2] for answers in (products, of_half)]
    floor = rounding_floor(letters**length, task.encoding.dtype, float(np.sum(task.encoding**2)))
    label = "loss of the best functions of half of the letters"
    return {
        "fewer_layers": Quantity(losses[0], floor=floor, label=label),
        "of_half": Quantity(losses[1], floor=floor, label=f"{label}, for the product of the first half"),
    }


CONTROLS = (
    control("one layer fewer", "the layer below the top holds the product already", instead={"error": "one_layer_fewer"}),
    control(
        "half of the word",
        "half of the letters leave the same loss of the product of the first half, which is a function of them",
        instead={"fewer_layers": "of_half"},
    ),
    control("an irrep left out, width", "weights of fewer irreps have as many units", instead={"width": "part_width"}),
    control("an irrep left out, depth", "their product is right after as many layers", instead={"depth": "part_depth"}),
)
RIVALS = (
    scaled(0.5, of="width", name="halving too fast", statement="layer l has k / 2^(l+1) nodes"),
    off_by(-1, of="depth", name="one layer fewer is deep enough"),
)
