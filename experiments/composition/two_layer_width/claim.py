r"""Width 2^(k-1) sum c n^(k+1) is enough for one hidden layer of z^k that composes k elements of a finite group.

Statement: Explicit weights of one hidden layer of z^k map the codes of k elements to the code of their product, exactly for
    every word. The number of their units depends on the irreps of the encoding alone: c = 1 for real type and (k+1)/2
    otherwise. Each unit is needed: if it alone is switched off, some word is wrong. A unit that reads the sum of a centred code
    is not.
    $$ \text{width} = 2^{k-1} \sum_{\rho:\,\hat x[\rho] \ne 0} c_\rho\, n_\rho^{k+1} $$
Hypotheses: the encoding is real; each Fourier coefficient is zero or invertible.
Source: Marchetti, Kunin, Myers, Acosta, Miolane, “Sequential Group Composition”, arXiv 2602.03655, the task; weights and width
    are derived here.
Refuted by: a word whose product is returned with an error beyond rounding, another number of units that are needed,
    or another number of pairs that are composed in both orders than commute.
Cost: quick 8 s on one core, full about a minute.

A cyclic group spends (k+1) 2^(k-1) units on each pair of characters. The width grows exponentially with k. This is an upper
bound: other weights may need fewer units, and `width_dichotomy` has a bound from below.
"""

import dataclasses

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, rival, whole
from experiments.groups import NUMBERINGS, group_of, groups, order_and_classes, other_irreps
from theory.composition import invertible, spectrum, two_layer_width
from theory.composition.encodings import generic_task

CLAIM = claim(Relation.EQUALS, needs_float64=True)
HEADLINE = "needed"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups and lengths: all words where there are at most ``words``, and that many random ones beyond."""

    group: str = axis("C7", "C10", "S3", "Q8", "S3xC3", "C7:C3", "S4", "A5")
    length: int = axis(2, 3, 4)
    numbering: int = 0
    words: int = 4096
    widest: int = 2000

    def allows(self) -> bool:
        """Whether the network is not too wide for this size of run."""
        return two_layer_width(group_of(self).irreps, self.length) <= self.widest


DOMAIN = domain(group=groups(24), numbering=NUMBERINGS, length=whole(2, 5, quick=4))
GRIDS = {
    "test": Sizes(group=axis("Q8"), length=axis(2), words=64),
    "quick": Sizes(),
    "full": Sizes(words=20_000, widest=5000),
    "paper": Sizes(words=10**5, widest=40_000),
}


def objects(cell: Sizes) -> dict:
    """A generic centred encoding: its Fourier coefficients are not scalar."""
    return generic_task(group_of(cell))


def predict(cell: Sizes, task: dict) -> tuple[Prediction, ...]:
    """No error, as many units as the formula says, and as many pairs in both orders as commute."""
    components = spectrum(group_of(cell), task["encoding"])
    met = (Hypothesis("each Fourier coefficient is zero or invertible", invertible(components)),)
    width = two_layer_width([component for component in components if component.norm != 0], cell.length)
    order, classes = order_and_classes(cell.group)
    return (
        Prediction(0, of="error", hypotheses=met),
        Prediction(width, of="needed", formula=r"2^{k-1} \sum c\, n^{k+1}"),
        Prediction(width, of="needed_beside_idle"),
        Prediction(_units(cell.length, task["irreps"]), of="units", formula=r"2^{k-1} \sum c\, n^{k+1}"),
        Prediction(width - 1, of="units_of_fewer"),
        Prediction(two_layer_width(other_irreps(cell), cell.length), of="units_without_last"),
        Prediction(min(order**cell.length, cell.words), of="tried"),
        Prediction(256, of="right", hypotheses=met),
        # said in the other order too are the pairs that commute, |G| for each class of the group of this name
        Prediction(order * classes, of="right_backwards", hypotheses=met, formula=r"|G|\, k(G)"),
    )


def _units(length: int, irreps: tuple) -> int:
    """The units by signs, phases and paths: 2^(k-1), k + 1 where a path is complex, and half of the paths of two members."""
    signs, paths = 2 ** (length - 1), [(kind, matrices.shape[-1] ** (length + 1)) for kind, matrices in irreps]
    return sum(signs * many if kind == "real" else signs * (length + 1) * many // 2 for kind, many in paths)


def _types_ignored(cell: Sizes, task: dict) -> Prediction | None:
    active = [component for component in spectrum(group_of(cell), task["encoding"]) if component.norm != 0]
    if all(component.kind == "real" for component in active):
        return None
    alike = [dataclasses.replace(component, kind="real") for component in active]
    return Prediction(two_layer_width(alike, cell.length), of="needed")


def _columns(cell: Sizes, task: dict) -> Prediction:
    """Two more units than the formula says: those that read the sum of a code."""
    needed = predict(cell, task)[1]
    return dataclasses.replace(needed, of="needed_beside_idle", value=needed.value + 2)  # type: ignore[operator]


def _of_rest(cell: Sizes, task: dict) -> tuple[Prediction, ...]:
    """The other irreps compose what is left of the code, and need all of their units."""
    width = two_layer_width(other_irreps(cell), cell.length)
    return Prediction(0, of="error"), Prediction(width, of="needed"), Prediction(width, of="needed_beside_idle")


CONTROLS = (
    control(
        "one neuron fewer",
        "the weights without one of their units still compose",
        measure="one_unit_fewer",
        instead={"error": "error"},
        finds=lambda cell, task: Prediction(_units(cell.length, task["irreps"]) - 1, of="units"),
    ),
    control(
        "one irrep fewer",
        "weights that leave out an irrep have as many units",
        measure="one_irrep_fewer",
        instead={"needed": "needed"},
        finds=_of_rest,
        where=lambda cell, task: len(other_irreps(cell)) > 0,
    ),
)


RIVALS = (
    rival("columns", _columns, "a unit is needed where it has weights, whatever it reads"),
    rival("types ignored", _types_ignored, "complex and quaternionic irreps cost as much as real ones of their dimension"),
)
