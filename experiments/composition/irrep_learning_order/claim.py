r"""From vanishing initialisation a network learns irreps by falling score ||x^||_op^(k+1) / (C n)^((k-1)/2).

Statement: Gradient flow of a two-layer network from vanishing initialisation, with the rate log(1/alpha) ||theta||^(1-k) for
    every neuron, starts to learn the irreps of the task (each with its conjugate) by falling score. C = 1 for real type and 2
    otherwise.
    $$ t_\rho < t_{\rho'} \iff \frac{\|\hat x[\rho]\|_{\mathrm{op}}^{k+1}}{(C_\rho n_\rho)^{(k-1)/2}} >
       \frac{\|\hat x[\rho']\|_{\mathrm{op}}^{k+1}}{(C_{\rho'} n_{\rho'})^{(k-1)/2}} $$
Hypotheses: two irreps of a listed group are active; initialisation vanishes; some neuron starts in the basin of both irreps;
    the coefficients are invertible; the scores differ.
Source: Marchetti, Kunin, Myers, Acosta, Miolane, “Sequential Group Composition”, arXiv 2602.03655, Theorem 4.1 (v2).
Refuted by: a typical seed that starts with the irrep of the lower score.
Cost: quick 20 s on one core, full about 8 min.

Every cell sets two irreps against each other, a few percent from the tie of their scores: where the second coefficient is
smaller than at the tie the first irrep must come first, and where it is larger the second. A score with another exponent,
without C or n, or of another norm puts the tie elsewhere, and one of the two cells refutes it.

The coefficients are matrices with random singular vectors, drawn for every seed. All singular values below the largest are half
of it, so that operator norm, Frobenius norm and power order the irreps differently. The flow learns such an irrep in jumps: the
first neurons read and write the leading singular vectors alone, one of the n^(k+1) paths through k matrices. Learning starts
when the network has half of an average path, a share 1 / (2 n^(k+1)) of the irrep's part of the target. Set after seeing runs:
the control started from log(1/alpha) = 1 once, which left it open at the test size; records were 200; with twelve seeds five of
ten root seeds were open, because in a cell of Q8 the order holds for eight or nine networks of ten.
"""

import dataclasses
import math
from functools import partial

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, among, axis, claim, control, domain, rival
from experiments.composition.irrep_learning_order.common import HORIZON
from experiments.composition.irrep_learning_order.other_sizes import OTHER_SIZES
from experiments.groups import NUMBERINGS
from experiments.numbering import renumbered
from theory.composition import activation_time, invertible, plateau_levels, score
from theory.composition.encodings import PAIRS
from theory.groups import group

CLAIM = claim(Relation.RANKING, needs_float64=True, trains=True)
HEADLINE = "time"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups, lengths, and the side of the tie on which the second coefficient lies: 0 below, 1 above."""

    group: str = axis("S3", "C6", "Q8", "S4")
    length: int = axis(2, 3)
    side: int = axis(0, 1)
    width: int = 32
    seeds: int = 36
    records: int = 150
    steps: int = 2
    log_scale: float = 30.0
    large: float = 2.0
    numbering: int = 0  # of the elements

    def allows(self) -> bool:
        """Words of three letters are many: only the smallest group has them."""
        return (self.group, self.length) in HORIZON


DOMAIN = domain(
    group=among("S3", "C6", "Q8", "A4", "C7:C3", "S4", "A5", quick=("S3", "C6", "Q8", "S4")),
    numbering=NUMBERINGS,
    counts={"test": 0, "quick": 1},
)
GRIDS = {
    "test": Sizes(group=axis("S3", "C6"), length=axis(2), seeds=16),  # real and complex type
    "quick": Sizes(),
    "full": Sizes(group=axis("S3", "C6", "Q8", "A4", "C7:C3", "S4", "A5"), width=48, log_scale=60.0, steps=4),
    "paper": Sizes(group=axis("S3", "C6", "Q8", "A4", "C7:C3", "S4", "A5"), width=128, log_scale=120.0, steps=8, seeds=64),
}


def objects(cell: Sizes) -> dict:
    """The Cayley table, the two irreps, and the singular values of their coefficients."""
    finite, pair = group(cell.group), PAIRS[cell.group, cell.length]
    irreps = [finite.irreps[number] for number in pair.irreps]
    table, matrices = renumbered(cell.numbering, finite.table, [(irrep.kind, irrep.matrices) for irrep in irreps])
    return {
        "table": table,
        "irreps": matrices,
        "singular_values": [np.array(values, float) for values in pair.singular_values(finite, cell.side)],
    }


def predict(cell: Sizes, task: dict) -> tuple[Prediction, ...]:
    """Ranks by falling score; and of what flow they are."""
    degree = Prediction(
        cell.length + 1, of="degree", relation=Relation.EQUALS, truncation=_grown(cell), resolution=1.0, formula="k + 1"
    )
    return _falling(cell, partial(score, length=cell.length)), *_flow(cell), _begins(cell), degree


def _flow(cell: Sizes) -> tuple[Prediction, ...]:
    """What every flow is: its end and its records."""
    return (
        Prediction(HORIZON[cell.group, cell.length], of="ends", relation=Relation.EQUALS),
        Prediction([cell.seeds, cell.records], of="records", dims=("size",), relation=Relation.EQUALS),
    )


def _begins(cell: Sizes) -> Prediction:
    """Networks that start from almost nothing leave the whole target, to which a conjugate pair adds twice."""
    components = PAIRS[cell.group, cell.length].components(group(cell.group), cell.side)
    every = [component for component in components for _ in range(1 + (component.kind == "complex"))]
    whole = plateau_levels(every, cell.length, group(cell.group).order)[0]
    return Prediction(float(whole), of="begins", relation=Relation.EQUALS)


def _grown(cell: Sizes) -> float:
    """What the degree leaves out: growth up to the first record, by the fastest neuron, and a factor below a thousand."""
    finite = group(cell.group)
    components = PAIRS[cell.group, cell.length].components(finite, cell.side)
    fastest = min(float(activation_time(component, cell.length, finite.order)) for component in components)
    return (cell.length + 1) * HORIZON[cell.group, cell.length] / cell.records / fastest + math.log(1000) / cell.log_scale


def _falling(cell: Sizes, size) -> Prediction:
    components = PAIRS[cell.group, cell.length].components(group(cell.group), cell.side)
    sizes = [float(size(component)) for component in components]
    met = (
        Hypothesis("the coefficients are invertible", invertible(components)),
        Hypothesis("the sizes of the irreps differ", sizes[0] != sizes[1]),
    )
    return Prediction(-np.array(sizes), of="time", dims=("irrep",), hypotheses=met)


CONTROLS = (
    control(
        "initialisation not small",
        "the order is that of the scores at log(1/alpha) = 2",
        measure="not_small",
        instead={"time": "time"},
        finds=lambda cell, task: _flow(cell),
        everywhere=False,
    ),
)


# a rival differs from the score on one side of a tie
RIVALS = tuple(
    rival(name, lambda cell, task, size=size: _falling(cell, partial(size, length=cell.length)), statement, everywhere=False)
    for name, statement, size in OTHER_SIZES
)
