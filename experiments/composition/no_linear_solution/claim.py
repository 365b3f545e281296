r"""An affine map of the codes of k elements, or any function of k - 1 of them, learns nothing of their product but its mean.

Statement: For words of k >= 2 uniform elements the smallest loss (half the squared error, summed over coordinates) of an
    affine map of the codes is the power of all non-trivial irreps. For a centred encoding this is the loss of the zero map.
    Sums of arbitrary functions of k - 1 elements leave the same loss.
    $$ \min_{A, b} L = \min_{f_1, \dots, f_k} L = \frac{1}{2|G|} \sum_{\rho \ne 1} n_\rho \|\hat x[\rho]\|_F^2 $$
Hypotheses: k >= 2; words are uniform.
Source: Marchetti, Kunin, Myers, Acosta, Miolane, “Sequential Group Composition”, arXiv 2602.03655, Lemma 3.5; the exact loss,
    and that it holds for functions of k - 1 elements, are derived here.
Refuted by: an affine map, or a sum of functions of k - 1 letters, with another loss over all words, or
    a loss of the sum of the codes, which is linear.
Cost: quick 2 s on one core, full about 15 s.

Derivation: given all letters but one, the product is uniform. So the conditional mean of the target, given any proper part of
the word, is the mean of x in every coordinate. A sum of functions of proper parts of the word can learn nothing else. The
nearest rival is the loss without one irrep: half the distance to it must exceed the floor.
"""

import dataclasses
import functools
import itertools

import numpy as np

from depthjax.verify import Grid, Prediction, Relation, among, axis, claim, control, domain, rival, whole
from experiments.groups import NUMBERINGS, group_of, groups, order_and_classes
from theory.composition import linear_loss, spectrum
from theory.composition.encodings import generic_task

CLAIM = claim(Relation.EQUALS, needs_float64=True)
HEADLINE = "loss"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups, lengths, and whether the encoding is centred; at most ``most`` words."""

    group: str = axis("C7", "C10", "S3", "Q8", "A4", "S3xC3", "S4")
    length: int = axis(2, 3)
    centred: bool = axis(True, False)
    numbering: int = 0
    most: int = 1000

    def allows(self) -> bool:
        """Whether all words fit."""
        return group_of(self).order ** self.length <= self.most


DOMAIN = domain(group=groups(24), numbering=NUMBERINGS, length=whole(2, 4), centred=among(True, False))
GRIDS = {
    "test": Sizes(group=axis("S3"), length=axis(2)),
    "quick": Sizes(),
    "full": Sizes(group=axis("C7", "C10", "S3", "Q8", "A4", "S3xC3", "S4", "A5"), most=6000),
    "paper": Sizes(group=axis("C7", "C10", "S3", "Q8", "A4", "S3xC3", "S4", "A5"), most=20_000),
}


def objects(cell: Sizes) -> dict:
    """A generic encoding: its Fourier coefficients are not scalar."""
    return generic_task(group_of(cell), centred=cell.centred)


def predict(cell: Sizes, task: dict) -> tuple[Prediction, ...]:
    """What affine maps and functions of all letters but one leave, of the product and of a sum; pairs that commute."""
    finite = group_of(cell)
    components = spectrum(finite, task["encoding"])[1:]
    power = float(linear_loss(components, finite.order))
    # a conjugate pair is active or not as a whole, so one of its members is nearer still
    apart = min(float(linear_loss([component], finite.order)) for component in components if component.norm != 0)
    order, classes = order_and_classes(cell.group)
    return (
        Prediction(power, of="loss", resolution=apart, formula=r"\frac{1}{2|G|} \sum n_\rho \|\hat x[\rho]\|_F^2"),
        Prediction(power, of="partial", resolution=apart),
        Prediction(power, of="constant", resolution=apart),
        Prediction(0, of="loss_of_sum", resolution=apart),
        Prediction(0, of="partial_of_sum", resolution=apart),
        # half the variance of one code, of as many independent ones
        Prediction(cell.length * power, of="constant_of_sum", resolution=apart),
        Prediction(order * classes, of="commuting", formula=r"|G|\, k(G)"),
    )


def _of_zero(cell: Sizes, task: dict) -> Prediction | None:
    return None if cell.centred else Prediction(0.5 * float(np.sum(task["encoding"] ** 2)), of="loss")


def _one_irrep_fewer(cell: Sizes, task: dict) -> tuple[Prediction, ...]:
    """Without the irrep of the smallest power."""
    losses = predict(cell, task)[:2]
    return tuple(dataclasses.replace(one, value=one.value - one.resolution) for one in losses)  # type: ignore[operator]


def _of_few(cell: Sizes, task: dict) -> tuple[Prediction, ...]:
    """Of the first half of the elements, and one more: what depends on two letters or more, and what depends on all of them.

    Their codes are affinely independent, so an affine map is any sum of functions of one letter.
    """
    table, letters = np.asarray(task["table"]), group_of(cell).order // 2 + 1
    products = functools.reduce(lambda g, h: table[g, h], np.indices((letters,) * cell.length))
    codes, places = task["encoding"][table[products]], range(cell.length)

    def variance(some: tuple[int, ...]) -> float:
        """Half the variance of the mean code given the letters at some places."""
        means = codes.mean(axis=tuple(place for place in places if place not in some))
        return float(0.5 * ((means - codes.mean(axis=tuple(places))) ** 2).sum() / letters ** len(some))

    known = [sum(map(variance, itertools.combinations(places, size))) for size in range(cell.length + 1)]
    # what depends on all letters: the variances of subsets with alternating signs
    whole = sum((-1) ** (cell.length - size) * share for size, share in enumerate(known))
    return Prediction(known[-1] - known[1], of="loss"), Prediction(whole, of="partial")


CONTROLS = (
    control(
        "half of the letters",
        "the same loss is left of words over the first half of the elements",
        measure="few_letters",
        finds=_of_few,
        where=lambda cell, task: group_of(cell).order > 2,  # of two elements these are all
    ),
    control(
        "additive task",
        "the best affine map leaves the same loss of the sum of the codes, which is linear",
        instead={"loss": "loss_of_sum"},
    ),
    control(
        "additive task, by letters",
        "functions of k - 1 letters leave the same loss of the sum of the codes",
        instead={"partial": "partial_of_sum"},
    ),
)


RIVALS = (
    rival("mean not centred", _of_zero, "the loss of the zero map is left, whatever the mean of the encoding"),
    rival("one irrep fewer", _one_irrep_fewer, "the irrep of the smallest power is learned"),
)
