r"""Between jumps the loss is the power not yet learned: one jump an irrep, on S3 three where the coefficient is not a scalar.

Statement: On the plateaus of gradient flow from vanishing initialisation the loss (half the squared error, summed over
    coordinates, averaged over words) is a sum over the irreps not yet learned, if their coefficients are multiples of unitary
    matrices. Irreps are learned in the order of the score, each in one jump with its conjugate. The two-dimensional irrep of
    S3 alone, whose coefficient has m singular values s and n - m smaller ones t, takes three jumps for words of two letters.
    They take the three terms of its power off the loss, one by one.
    $$ L = \frac{1}{2|G|} \sum_{\rho\ \text{unlearned}} n_\rho \|\hat x[\rho]\|_F^2, \qquad
       n \|\hat x\|_F^2 = m^2 s^2 + m (n-m) s^2 + n (n-m) t^2 $$
Hypotheses: initialisation vanishes; some neuron starts in the basin of every irrep; the scores differ.
Source: Marchetti, Kunin, Myers, Acosta, Miolane, “Sequential Group Composition”, arXiv 2602.03655, plateaus; the levels are
    derived here, those of the three jumps in theory.composition.paths.
Refuted by: another number of plateaus, or one at another level.
Cost: quick 15 s on one core, full about 8 min.

Coefficients with these singular values are drawn. With words of three letters networks of a neuron or a few stand on as many
plateaus as wide ones, at other levels, so the control that counts them speaks of two letters, and that of levels of both.
There it has one neuron, whose output is one product of functions: it leaves the origin once, to the maximum of its utility, and
has no second neuron to leave a second plateau for. All of 192 such networks, of every cell, stood on two. (Four
neurons on C6, which were tried before, learned its three irreps by chance.)
Plateaus are found in the loss alone, as stretches where it falls ten times slower than at the jumps on either side, so their
number is measured. The levels of a seed with the typical number are judged. Their budget is what the loss falls from halfway to
either jump; half the distance to the next sum over another set of terms must exceed it. An irrep near which too few neurons
start is learned in part, and its level is missed. Of the three irreps of C6 the last draws about one starting direction in
forty: networks of 80 neurons miss it, and one network of 320 in 180 does. Of twelve seeds eleven must learn every irrep, so
this rate leaves the claim open in 2 of 1000 runs.

The statement named any irrep of real type until D4 refuted it at full size: the terms s t and t t of its two-dimensional irrep
leave the loss together, and the typical seed has three plateaus where four were predicted (0.1088, 0.0688 and 0; 0.0288 is
only a bend). Nothing is said of matrices beside other irreps, or of longer words. On S3 beside the sign the second of the three
plateaus shrank from 15 to 5 units of time as log(1/alpha) grew from 20 to 60, and with three letters more plateaus were seen,
which were not told apart.
"""

import dataclasses
import itertools
from fractions import Fraction

import numpy as np

from depthjax.verify import Hypothesis, Prediction, Relation, among, axis, claim, control, domain, rival
from experiments.composition._common import SLOTS
from experiments.composition._flows import Flows
from experiments.groups import NUMBERINGS
from experiments.numbering import renumbered
from theory.composition import Component, learning_order, path_losses, plateau_levels, split
from theory.composition.encodings import spectral_task
from theory.groups import group

CLAIM = claim(Relation.EQUALS, needs_float64=True, trains=True)
HEADLINE = "level"

ALONE = {"S3": 150.0}  # groups whose last irrep is also tried alone, with two singular values; the horizon


@dataclasses.dataclass(frozen=True)
class Sizes(Flows):
    """The flows of this topic; with a ratio of singular values below one the irrep that is learned last, alone."""

    group: str = axis("S3", "C6", "Q8")
    ratio: float = axis(1.0, 0.6)

    def allows(self) -> bool:
        """Scalars where the topic has a horizon; two singular values for words of two letters."""
        return super().allows() if self.ratio == 1 else self.length == 2 and self.group in ALONE

    @property
    def spacing(self) -> float:
        """Time between two records."""
        return super().spacing if self.ratio == 1 else ALONE[self.group] / self.records


DOMAIN = domain(
    group=among("S3", "C6", "Q8", quick=("S3", "Q8")),
    numbering=NUMBERINGS,
    ratio=among(1.0, 0.6),
    counts={"test": 0, "quick": 1},
)
GRIDS = {
    "test": Sizes(group=axis("S3"), length=axis(2)),
    "quick": Sizes(),
    "full": Sizes(group=axis("S3", "C6", "Q8", "D4"), seeds=64, width=120, steps=16),
    "paper": Sizes(group=axis("S3", "C6", "Q8", "D4"), seeds=256, width=240, steps=32),
}


def parts(cell: Sizes) -> dict[int, Component]:
    """The components of the task, by the number of the irrep."""
    task = spectral_task(group(cell.group))
    last = learning_order(task.parts, cell.length)[-1]
    if cell.ratio < 1:
        return {task.active[last]: split(task.parts[last], Fraction(str(cell.ratio)))}
    return dict(zip(task.active, task.parts, strict=True))


def objects(cell: Sizes) -> dict:
    """The Cayley table; kind, matrices and singular values of every irrep, once for each value with the others set to zero."""
    irreps = []
    for number, part in parts(cell).items():
        irrep = group(cell.group).irreps[number]
        values = np.array([part.norm] + [part.smallest] * (part.dimension - 1), float)
        irreps.append((irrep.kind, np.asarray(irrep.matrices), [values * (values == own) for own in sorted(set(values))]))
    table, irreps = renumbered(cell.numbering, group(cell.group).table, irreps)
    return {"table": table, "irreps": irreps}


def predict(cell: Sizes, task: dict) -> tuple[Prediction, ...]:
    """The number of plateaus and their levels, from the first to the last; and a typical seed learns every irrep."""
    levels = levels_of(cell)
    return (
        Prediction(len(levels), of="plateaus"),
        _at(cell, levels),
        Prediction(1, of="complete", relation=Relation.TREND),
        *_trained(cell),
    )


def _trained(cell: Sizes) -> tuple[Prediction, ...]:
    """What is trained: an answer has a factor for each letter and one that is read out; more than half counts as learned."""
    facts = {"needed": 51, "degree": cell.length + 1, "records": cell.seeds * cell.records}
    return tuple(Prediction(value, of=name) for name, value in facts.items())


def levels_of(cell: Sizes) -> list[float]:
    """Levels irrep by irrep; those behind the first jump of the last irrep are what its other jumps leave."""
    known, order = parts(cell), group(cell.group).order
    task, irreps = list(known.values()), enumerate(group(cell.group).irreps)
    absent = [Component.scalar(irrep.dimension, irrep.kind, 0) for number, irrep in irreps if number not in known]
    both = [part for part in task for _ in range(2 if part.kind == "complex" else 1)] + absent
    last = path_losses(task[learning_order(task, cell.length)[-1]], order)
    levels = [*plateau_levels(both, cell.length, order)[:-1], *(sum(last[jump:]) for jump in range(1, len(last) + 1))]
    return [float(level) for level in levels]


def _at(cell: Sizes, levels: list[float]) -> Prediction:
    losses = [loss for part in parts(cell).values() for loss in _losses(cell, part)]
    sums = {sum(some) for size in range(len(losses) + 1) for some in itertools.combinations(losses, size)}
    differ = spectral_task(group(cell.group)).scores_differ(cell.length)
    return Prediction(
        np.resize(levels, SLOTS + 1),
        of="level",
        dims=("plateau",),
        resolution=float(min(abs(a - b) for a, b in itertools.combinations(sums, 2))),
        hypotheses=(Hypothesis("the scores of the irreps differ", differ),),
        formula=r"\frac{1}{2|G|} \sum n_\rho \|\hat x[\rho]\|_F^2",
    )


def _losses(cell: Sizes, part: Component) -> list:
    """What the jumps of one irrep and its conjugate take off the loss, exactly."""
    return [(2 if part.kind == "complex" else 1) * loss for loss in path_losses(part, group(cell.group).order)]


def _one_missing(cell: Sizes, task: dict) -> Prediction:
    """Without the irrep of the lowest score every level but the last is too low."""
    learned = list(parts(cell).values())
    last = float(sum(_losses(cell, learned[learning_order(learned, cell.length)[-1]])))
    return _at(cell, [max(level - last, 0.0) for level in levels_of(cell)])


def _one_jump(cell: Sizes, task: dict) -> Prediction:
    return Prediction(len(parts(cell)) + 1, of="plateaus")


CONTROLS = (
    control(
        "one neuron by number",
        "so few neurons stand on as many plateaus",
        measure="few_neurons",
        instead={"plateaus": "plateaus"},
        where=lambda cell, task: cell.length == 2,
    ),
    control(
        "one neuron",
        "networks of a neuron or a few stand on the same levels",
        measure="few_neurons",
        instead={"level": "level"},
    ),
    control(
        "one neuron learns",
        "networks of a neuron or a few learn every irrep",
        measure="few_neurons",
        instead={"complete": "complete"},
    ),
)


RIVALS = (
    rival("one irrep missing", _one_missing, "the irrep learned last adds nothing to the loss"),
    rival("one jump an irrep", _one_jump, "every irrep takes one jump, whatever its coefficient", everywhere=False),
)
