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

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, among, axis, claim, control, domain, off_by, scaled
from experiments.groups import NUMBERINGS, group_of, groups, order_and_classes, other_irreps
from theory.composition import invertible, linear_loss, spectrum, tree_widths
from theory.composition.encodings import generic_task, last_share

CLAIM = claim(Relation.EQUALS, needs_float64=True)
HEADLINE = "error"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups, and the length and number of the words."""

    group: str = axis("C7", "C10", "S3", "D4", "D5", "Q8", "S3xC3", "A4", "S4", "A5")
    numbering: int = 0
    longest: int = 64
    samples: int = 8
    words: int = 25_000  # all words of length 4, or else 2, are tried with one layer fewer


DOMAIN = domain(group=groups(24), numbering=NUMBERINGS, longest=among(4, 8, 16, 32, 64, 128, 256, quick=(16, 64)))
GRIDS = {
    "test": Sizes(group=axis("Q8", "D5"), longest=8),
    "quick": Sizes(),
    "full": Sizes(samples=64),
    "paper": Sizes(longest=1024, samples=64),
}


def objects(cell: Sizes) -> dict:
    """A generic centred encoding: its Fourier coefficients are not scalar."""
    return generic_task(group_of(cell))


def predict(cell: Sizes, task: dict) -> tuple[Prediction, ...]:
    """No error in any layer; the number of layers and their widths; and the whole loss with fewer layers."""
    finite = group_of(cell)
    components = spectrum(finite, task["encoding"])
    met = (Hypothesis("each Fourier coefficient is zero or invertible", invertible(components)),)
    active = [component for component in components if component.norm != 0]
    widths = tree_widths(active, cell.longest)
    apart = min(float(linear_loss([component], finite.order)) for component in active)
    order, classes = order_and_classes(cell.group)
    return (
        Prediction(0, of="error", hypotheses=met),
        Prediction(np.array(widths), of="width", dims=("layer",), formula=r"2^{1-l} k \sum c\, n^3"),
        Prediction(np.array(tree_widths(other_irreps(cell), cell.longest)), of="width_without_last", dims=("layer",)),
        Prediction(cell.samples, of="right", hypotheses=met),
        Prediction(_sizes(cell), of="sizes"),
        Prediction(len(widths), of="depth", formula=r"\log_2 k"),
        Prediction(float(linear_loss(active, finite.order)), of="fewer_layers", resolution=apart),
        Prediction(0, of="of_half", resolution=apart),
        Prediction(float(linear_loss(active, finite.order)), of="of_half_by_fewer", resolution=apart),
        Prediction(order * classes, of="commuting", formula=r"|G|\, k(G)"),
        # a word whose first nodes are by turns the elements with the largest and the smallest number in one place
        Prediction(np.full(len(widths), _range(task["encoding"])), of="one_layer_fewer", dims=("layer",), hypotheses=met),
    )


def _range(encoding: np.ndarray) -> float:
    """How far two codes may be apart in one place, relative to the largest number in a code."""
    return float(np.ptp(encoding) / np.abs(encoding).max())


def _sizes(cell: Sizes) -> int:
    """Different singular values of generic codes, counted to three: zero, and one or more of each irrep up to conjugation."""
    return min(3, 1 + sum(irrep.conjugate >= irrep.number for irrep in group_of(cell).irreps[1:]))


def _without_last(cell: Sizes, task: dict) -> tuple[Prediction, ...]:
    """The code lacks the part of the last irrep in every layer, so no layer is right; and the units of the other irreps."""
    layers = cell.longest.bit_length() - 1
    return (
        Prediction(np.array(tree_widths(other_irreps(cell), cell.longest)), of="width", dims=("layer",)),
        Prediction(layers + 1, of="depth"),
        Prediction(np.full(layers, last_share(group_of(cell), task["encoding"])), of="error", dims=("layer",)),
    )


CONTROLS = (
    control("one layer fewer", "the layer below holds the product of a node already", instead={"error": "one_layer_fewer"}),
    control(
        "half of the word",
        "half of the letters leave the same loss of the product of the first half, which is a function of them",
        instead={"fewer_layers": "of_half"},
    ),
    control(
        "an irrep left out, width",
        "weights of fewer irreps have as many units",
        measure="without_last_irrep",
        instead={"width": "width"},
        finds=_without_last,
        where=lambda cell, task: len(other_irreps(cell)) > 0,
    ),
    control(
        "an irrep left out, depth",
        "their product is right after as many layers",
        measure="without_last_irrep",
        instead={"depth": "depth"},
        finds=_without_last,
        where=lambda cell, task: len(other_irreps(cell)) > 0,
    ),
)


RIVALS = (
    scaled(0.5, of="width", name="halving too fast", statement="layer l has k / 2^(l+1) nodes"),
    off_by(-1, of="depth", name="one layer fewer is deep enough"),
)
