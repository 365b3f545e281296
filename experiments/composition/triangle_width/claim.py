r"""Twenty-seven cubes compose three elements of S3, and 80 fourth powers four: an end of the word is one of three points.

Statement: Let the irreps of a code be P planes whose image is S3, s signs and the trivial one. Explicit weights of one hidden
    layer of z^k map the codes of k elements to the code of their product, exactly for every word, with 24 units a plane for
    k = 3, 76 for k = 4 and 9 4^(k-2) for k > 4, with k - 1 units a sign, and with one unit for all constants. Each unit is
    needed: if it alone is switched off, some word is wrong. For k = 3 and 4 no unit can go even if the others write anew.
    $$ H = P\,T_k + s\,(k - 1) + 1, \qquad T_3 = 24,\; T_4 = 76,\; T_k = 9 \cdot 4^{k-2} \text{ for } k > 4 $$
Hypotheses: each coefficient of these irreps is invertible, the trivial one included, so that units read a constant.
Source: this project, for the task of Marchetti, Kunin, Myers, Acosta, Miolane, arXiv 2602.03655.
Refuted by: a word that these weights compose wrongly, a network of another width, a unit that no word misses, a smaller rank of
    the units, or an exact network below the lower bound.
Cost: quick 9 s on one core, full about a minute.

Derivation in `theory.composition.triangle`. S3 has one such plane and one sign: 27, 80, 581 units. A plane that is not faithful
belongs to S3 as a quotient, so D6, S4 and many more groups have it in their codes, where it takes as many units. The four cubes
and the points of the signs (`theory.composition.counts`) are the theory's own, and the measurement makes networks of them.

At k = 3 and 4 the units are linearly independent functions of the word: 27 and 80 for S3. At k = 5 the rank of the 576 units of
a plane is 570 for S3, and at k = 6 that of 2304 is 2258, so some of these can go. From below 18 units are known for S3 at k = 3
and 26 at k = 4 (`theory.composition.least_units`).
"""

import dataclasses

import numpy as np
import sympy

from depthjax.verify import UNSHARP, Grid, Hypothesis, Prediction, Relation, among, axis, claim, control, domain, rival, whole
from experiments.groups import NUMBERINGS, group_of, order_and_classes
from theory.composition import counting_forms, invertible, least_units, spectrum, sufficient
from theory.composition.encodings import generic_task, part_in
from theory.composition.triangle import four_cubes, is_triangle, triangle_units

CLAIM = claim(Relation.EQUALS, needs_float64=True)
HEADLINE = "width"
READING = "small integers that units read of a letter, and no count of units"
DEFINITIONS = {"point": READING, "letter": READING, "end": READING, "signs": READING}
# of the codes, up to five letters and at six: rounding grows with the power k, and must not hide a unit that is missed
CONDITION = 50, 6


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups and lengths: all words where there are at most ``words``, and that many random ones beyond."""

    group: str = axis("S3", "D6")
    length: int = axis(3, 4)
    numbering: int = 0
    words: int = 4096


DOMAIN = domain(
    group=among(
        "S3", "D6", "Q12", "D9", "S3xC3", "S4", "D12", "S3xC4", "S3xS3", "GL2_3", quick=("S3", "D6", "Q12", "D9", "S4")
    ),
    numbering=NUMBERINGS,
    length=whole(3, 6, quick=5),
)
GRIDS = {
    "test": Sizes(group=axis("S3")),
    "quick": Sizes(),
    "full": Sizes(group=axis("S3", "D6", "Q12", "D9", "S4"), length=axis(3, 4, 5), words=20_000),
    "paper": Sizes(group=axis("S3", "D6", "Q12", "D9", "S4", "S3xS3"), length=axis(3, 4, 5, 6), words=10**5),
}


def objects(cell: Sizes) -> dict:
    """A generic encoding with its mean and the irreps that are kept; the four cubes, and the points of the units of a sign."""
    group = group_of(cell)
    task = generic_task(group, centred=False, condition=CONDITION[cell.length > 5])
    kept = [irrep for irrep in group.irreps if _kept(irrep)]
    task["irreps"] = tuple((irrep.kind, np.asarray(irrep.matrices)) for irrep in kept)
    columns = [np.array(column, float) for column in zip(*four_cubes(), strict=True)]
    return {
        "task": task,
        **dict(zip(("weight", "point", "letter", "end"), columns, strict=True)),
        "signs": np.array(counting_forms("C2", cell.length), float),
    }


def _kept(irrep) -> bool:
    """Whether an irrep is trivial, a sign or the plane of a triangle."""
    return is_triangle(irrep) or (irrep.dimension == 1 and irrep.kind == "real")


def _width(cell: Sizes, plane: int, each: int = 0, more: int = 0) -> int:
    """Units with so many for a plane, and further ones for each sign and for all."""
    signs = sum(irrep.dimension == 1 and irrep.kind == "real" for irrep in group_of(cell).irreps[1:])
    return _planes(cell) * plane + signs * (cell.length - 1 + each) + 1 + more


def _planes(cell: Sizes) -> int:
    """How many irreps are planes whose image is S3."""
    return sum(map(is_triangle, group_of(cell).irreps))


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """No error; as many units as the formula says, all of them needed; and the bound."""
    group = group_of(cell)
    components = spectrum(group, given["task"]["encoding"])
    kept = [component for component, irrep in zip(components, group.irreps, strict=True) if _kept(irrep)]
    met = (
        Hypothesis("each coefficient that is kept is invertible", invertible(kept)),
        Hypothesis("none of them is zero, nor is the mean", all(component.norm != 0 for component in kept)),
    )
    width = _width(cell, triangle_units(cell.length))
    if len(kept) == len(components):
        width = min(sufficient(group, cell.length).values())
    least = least_units([irrep for irrep in group.irreps[1:] if _kept(irrep)], cell.length)
    order, classes = order_and_classes(cell.group)
    found = (
        Prediction(0, of="error", hypotheses=met),
        Prediction(width, of="width", hypotheses=met, formula="P T_k + s (k - 1) + 1"),
        Prediction(width, of="needed", hypotheses=met),
        Prediction(least, of="suffices", relation=Relation.AT_LEAST, resolution=UNSHARP),
        Prediction(order * classes, of="commuting", formula=r"|G|\, k(G)"),
    )
    return (*found, Prediction(width, of="independent", hypotheses=met)) if cell.length < 5 else found


def _nine_products(cell: Sizes, given: dict) -> Prediction | None:
    """A unit for the product of every pair of ends, where four and a constant do."""
    return Prediction(_width(cell, 72 + 9), of="width") if cell.length == 4 else None


def _paths(cell: Sizes, given: dict) -> Prediction:
    """Sixteen paths of matrices in place of nine pairs of points."""
    return Prediction(_width(cell, 2 ** (cell.length - 1) * 2 ** (cell.length + 1)), of="width")


def _parts(cell: Sizes, given: dict) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The mean, the signs and the planes of the encoding, in units of the largest entry of their sum."""
    group = group_of(cell)
    of = [0 if irrep.number == 0 else 2 if is_triangle(irrep) else 1 if _kept(irrep) else None for irrep in group.irreps]
    mean, signs, planes = (part_in(group, given["task"]["encoding"], [own == part for own in of]) for part in range(3))
    largest = np.abs(mean + signs + planes).max()
    return mean / largest, signs / largest, planes / largest


def _units(cell: Sizes, fewer: int) -> Prediction:
    """The width without some units."""
    return Prediction(_width(cell, triangle_units(cell.length)) - fewer, of="width")


def _left_constant(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """A unit less. The constant is the mean, and what the signs leave; at k = 4 planes leave one as well.

    The first of k powers of the number of letters of each sign is a constant, and gives way to the unit that all share.
    """
    if cell.length == 4:
        return (_units(cell, 1),)
    k, (mean, signs, _) = cell.length, _parts(cell, given)
    # whole numbers, because floats do not hold their k-th powers
    forms = counting_forms("C2", k)
    powers = sympy.Matrix(k, k, lambda n, unit: ((k - n) * forms[unit][0] + n * forms[unit][1]) ** k)
    weights = powers.LUsolve(sympy.Matrix([(-1) ** n for n in range(k)]))
    first = float(weights[0] * powers[0, 0])
    return _units(cell, 1), Prediction(float(np.abs(mean + first * signs).max()), of="error")


def _larger(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """What planes write is of degree k in the letters, and is their part of the code; at k = 4 it has a constant more."""
    if cell.length == 4:
        return (_units(cell, 0),)
    more = (34 / 33) ** cell.length - 1
    return _units(cell, 0), Prediction(more * float(np.abs(_parts(cell, given)[2]).max()), of="error")


def _exchanged(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Planes compose the inverse of the first letter with the others."""
    table, planes = np.asarray(given["task"]["table"]), _parts(cell, given)[2]
    inverse = np.argwhere(table == 0)[:, 1]
    return _units(cell, 0), Prediction(float(np.abs(planes[table] - planes[table[inverse]]).max()), of="error")


def _of_signs(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The planes are missing of the code; at k = 4 they leave a constant, and half of their range is missing at the least."""
    planes, left = _parts(cell, given)[2], _units(cell, _planes(cell) * triangle_units(cell.length))
    if cell.length == 4:
        half = float(np.ptp(planes)) / 2
        return left, Prediction(half, of="error", relation=Relation.AT_LEAST, resolution=UNSHARP)
    return left, Prediction(float(np.abs(planes).max()), of="error")


CONTROLS = (
    control(
        "a unit of the plane fewer",
        "the last unit of the planes is idle",
        measure="one_unit_fewer",
        finds=lambda cell, given: _units(cell, 1),
    ),
    control("the constant left", "the unit of the constants is idle", measure="without_constant", finds=_left_constant),
    control(
        "letters larger",
        "the planes may read the letters larger by one part in 33",
        measure="larger_letters",
        finds=_larger,
    ),
    control(
        "the ends exchanged",
        "the first letter moves points as the last one does",
        measure="exchanged_ends",
        finds=_exchanged,
    ),
    control("an irrep left out", "the units of the signs compose the whole code", measure="signs_alone", finds=_of_signs),
)


RIVALS = (
    rival("nine products", _nine_products, "at four elements each pair of ends takes a unit of its own", everywhere=False),
    rival("signs of paths", _paths, "a plane takes 2^(k-1) n^(k+1) units"),
    rival(
        "powers of four throughout",
        lambda cell, given: None if cell.length > 4 else Prediction(_width(cell, 9 * 4 ** (cell.length - 2)), of="width"),
        "three and four elements take 9 4^(k-2) units as well",
        everywhere=False,
    ),
    rival(
        "a constant for each sign",
        lambda cell, given: Prediction(_width(cell, triangle_units(cell.length), each=1), of="width"),
        "a sign takes k units, and none is shared",
    ),
    rival(
        "a constant for nothing",
        lambda cell, given: Prediction(_width(cell, triangle_units(cell.length), more=-1), of="needed"),
        "no unit is spent on constants",
    ),
    rival(
        "a unit that can go",
        lambda cell, given: (
            Prediction(_width(cell, triangle_units(cell.length), more=-1), of="independent") if cell.length < 5 else None
        ),
        "the units are linearly dependent",
        everywhere=False,
    ),
)
