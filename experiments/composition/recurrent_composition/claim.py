r"""A quadratic recurrence of width 2 sum c n^3 composes words of every length in any finite group.

Statement: Explicit weights of a quadratic recurrence, the same for every length k, return the code of the product of any word:
    h_1 = (A x_1 + B x_2)^2, h_t = (M h_{t-1} + B x_{t+1})^2, y = C h_{k-1}. Their width depends on the irreps of the encoding
    alone, with c = 1 for real type and 3/2 otherwise (a complex pair takes 6 n^3 units).
    $$ \text{width} = 2 \sum_{\rho:\,\hat x[\rho] \ne 0} c_\rho\, n_\rho^3, \text{ for every length} $$
Hypotheses: the encoding is real; each Fourier coefficient is zero or invertible.
Source: Marchetti, Kunin, Myers, Acosta, Miolane, “Sequential Group Composition”, arXiv 2602.03655, a width independent of k;
    weights and width are derived here.
Refuted by: a word whose product is returned with an error beyond rounding, a recurrence of another width, or a group with
    another number of pairs that commute than the one of its name.
Cost: quick 7 s on one core, full about 45 s.

The state holds the matrix of the prefix. A product of two entries is a difference of two squares. The width counts the units
that read something and are read. The order of the letters is a part of the statement: the same outputs are wrong for the
products of the reversed words wherever the group is not commutative.
"""

import dataclasses

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, rival
from experiments.groups import NUMBERINGS, group_of, groups, order_and_classes
from theory.composition import invertible, recurrent_width, spectrum
from theory.composition.encodings import generic_task, last_share

CLAIM = claim(Relation.EQUALS, needs_float64=True)
HEADLINE = "width"


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups; random words, all of whose prefixes are tried with the same weights."""

    group: str = axis("C7", "C10", "S3", "Q8", "A4", "S3xC3", "S4", "A5")
    numbering: int = 0
    samples: int = 8
    longest: int = 4096

    @property
    def lengths(self) -> np.ndarray:
        """Errors are reported for the lengths from each of these up to the next: 2, 3, and powers of two."""
        return np.array([2, 3, *(2**i for i in range(2, self.longest.bit_length()))])


DOMAIN = domain(group=groups(24), numbering=NUMBERINGS)
GRIDS = {
    "test": Sizes(group=axis("Q8"), longest=64),
    "quick": Sizes(),
    "full": Sizes(samples=64),
    "paper": Sizes(samples=64, longest=2**14),
}


def objects(cell: Sizes, seed: int) -> dict:
    """A generic centred encoding, whose Fourier coefficients are not scalar, and random words."""
    task = generic_task(group_of(cell))
    words = np.random.default_rng(seed).integers(len(task["table"]), size=(cell.samples, cell.longest))
    return {"task": task, "words": words, "averaged": _averaged(np.asarray(task["table"]), task["encoding"])}


def _averaged(table: np.ndarray, encoding: np.ndarray) -> np.ndarray:
    """The encoding less its mean over a few cyclic subgroups: a coefficient loses what the subgroup fixes, and may be singular.

    Quaternionic coefficients of dimension two are zero or invertible, and so are all of abelian groups.
    """
    found = []
    for element in range(1, min(len(table), 12)):
        powers = [0]
        while (following := int(table[powers[-1], element])) != 0:
            powers.append(following)
        found.append(encoding - encoding[table[:, powers]].mean(axis=1))
    return np.array(found)


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """No error at any length, and from right to left that of the products; widths; pairs that commute by the group's name."""
    task = given["task"]
    components = spectrum(group_of(cell), task["encoding"])
    met = (Hypothesis("each Fourier coefficient is zero or invertible", _regular(cell, task["encoding"])),)
    width = recurrent_width([component for component in components if component.norm != 0])
    order, classes = order_and_classes(cell.group)
    return (
        Prediction(0, of="error", hypotheses=met),
        Prediction(_apart(cell, given), of="error_reversed", dims=("length",), hypotheses=met, resolution=0.01),
        Prediction(width, of="width", hypotheses=met, formula=r"2 \sum c\, n^3"),
        Prediction(width - _units(*task["irreps"][-1]), of="width_without_last", hypotheses=met),
        Prediction(width - (2 if task["irreps"][-1][0] == "real" else 6), of="width_of_fewer", hypotheses=met),
        Prediction(sum(_regular(cell, encoding) for encoding in given["averaged"]), of="composable"),
        Prediction(order * classes, of="commuting", formula=r"|G|\, k(G)"),
    )


def _regular(cell: Sizes, encoding: np.ndarray) -> bool:
    """Whether the hypothesis holds."""
    return invertible(spectrum(group_of(cell), encoding))


def _apart(cell: Sizes, given: dict) -> np.ndarray:
    """The largest difference between the codes of a word read from either side, by length, relative to their largest entry."""
    encoding, table, words = given["task"]["encoding"], np.asarray(given["task"]["table"]), given["words"]
    codes = np.array([encoding[row] for row in table])  # the code of g at h is the encoding at g h
    one = other = words[:, 0]
    found = []
    for letter in words.T[1:]:
        one, other = table[one, letter], table[letter, other]
        found.append(np.abs(codes[one] - codes[other]).max())
    return np.maximum.reduceat(found, cell.lengths - 2) / np.abs(codes).max()


def _units(kind: str, matrices: np.ndarray) -> int:
    """2 c n^3 units, twice for a complex pair."""
    return {"real": 2, "quaternionic": 3, "complex": 6}[kind] * matrices.shape[-1] ** 3


def _entries(cell: Sizes, given: dict) -> Prediction | None:
    active = [component for component in spectrum(group_of(cell), given["task"]["encoding"]) if component.norm != 0]
    if max(component.dimension for component in active) == 1:
        return None
    width = sum(2 * component.dimension**2 * (1 if component.kind == "real" else 1.5) for component in active)
    return Prediction(round(width), of="width")


def _path_fewer(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The units that are left. A linear character has one path, and without it its part is missing of the code of each word."""
    task = given["task"]
    kind, matrices = task["irreps"][-1]
    width = recurrent_width([component for component in spectrum(group_of(cell), task["encoding"]) if component.norm != 0])
    left = Prediction(width - (2 if kind == "real" else 6), of="width")
    if matrices.shape[-1] > 1:
        return (left,)
    share = np.full(len(cell.lengths), last_share(group_of(cell), task["encoding"]))
    return left, Prediction(share, of="error", dims=("length",))


CONTROLS = (
    control(
        "one triple fewer",
        "the recurrence without the units of one path (a, c, b) still composes",
        measure="one_path_fewer",
        finds=_path_fewer,
    ),
    control(
        "word reversed",
        "the same outputs are the products from right to left",
        instead={"error": "error_reversed"},
        where=lambda cell, given: not group_of(cell).is_abelian,
    ),
    control(
        "one irrep fewer",
        "weights that leave out an irrep have as many units",
        instead={"width": "width_without_last"},
    ),
)


RIVALS = (rival("width n^2", _entries, "the state needs no more units than the entries of the prefix, 2 sum c n^2"),)
