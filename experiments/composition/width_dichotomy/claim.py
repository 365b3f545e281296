r"""Exponential width is a law of non-abelian groups: H >= sum n^(k+1), and C(k + |G| - 1, |G| - 1) where the group is abelian.

Statement: One hidden layer of z^k that composes k elements exactly has at least sum n^(k+1) units for odd k, and sum n^k for
    even k, whatever its weights: exponentially many in k for every non-abelian group. For an abelian group the bound is
    |G| - 1, and polynomially many units suffice, because the product depends on how often each element occurs.
    $$ H \ge \sum_{\rho \ne 1,\ \hat x[\rho] \ne 0} n_\rho^{2 \lceil k/2 \rceil}, \qquad
       G \text{ abelian: } H = \binom{k + |G| - 1}{|G| - 1} \text{ suffices} $$
Hypotheses: k >= 2; each non-trivial Fourier coefficient is zero or invertible; the counting network reads linearly independent
    codes.
Source: this project; it corrects “exponential in k” of Marchetti, Kunin, Myers, Acosta, Miolane, arXiv 2602.03655, which holds
    for their construction.
Refuted by: a flattening of another rank, a network of H units whose flattening has a higher rank than H, or a counting network
    that errs on a word of an abelian group or has other units.
Cost: quick 15 s on one core, full about a minute.

Derivation. Let the letters be independent and uniform. Every function of a word is a sum of uncorrelated parts, one for each
set of positions. The part of (u_1(g_1) + ... + u_k(g_k))^k that depends on every position is k! times the product of the
centred u_i, because all other monomials miss a position. With its output vector it is a tensor of rank one, so the part of H
units has rank at most H, and so has each of its matrices. The target x_{g_1 ... g_k} has no other part
(`no_linear_solution`). Its part in the irrep rho is tr(rho(g_1) ... rho(g_k) V[h]), a ring of k + 1 sites with bonds of
dimension n_rho. Take every other site as rows. For odd k all k + 1 bonds are cut. For even k two neighbours are on one side and
k bonds are cut. Entries of matrices of inequivalent irreps are linearly independent functions, and V[h] runs through all
matrices because the coefficient is invertible. So rows and columns are linearly independent in each part and between parts: the
rank is the sum.

The bound needs the degree k. The part of (u_1 + ... + u_k)^(k+1) that depends on every position is a sum of k + 1 products:
that of all u_i, and those with one of them squared. So fewer units could do. Where rows and columns are cut the square is on
one side or on the other, so that a unit has rank 2. The networks that are tried have random weights; their parts have the
largest rank that there may be.

The rank is taken twice, for an encoding with all irreps and for one that lacks some of them.

The counting network is in `counting`. For C2 and k = 8 it has 9 units where the construction of
`two_layer_width` has 128. One unit fewer always suffices (`theory.composition.counts`), which for C2 is k. In a group that is
not abelian it says the product of the sorted word. The error without the last unit is known from the table (`sorted_words`).
"""

import dataclasses

import numpy as np

from depthjax.verify import UNSHARP, Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, rival, whole
from experiments.composition.width_dichotomy.sorted_words import errors_of_counting
from experiments.groups import NUMBERINGS, group_of, groups, order_and_classes
from theory.composition import counting_width, invertible, least_two_layer_width, spectrum, two_layer_width
from theory.composition.encodings import generic_task

CLAIM = claim(Relation.EQUALS, needs_float64=True)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Groups and lengths; all words where the tensor has at most ``entries`` entries."""

    group: str = axis("C2", "C3", "C5", "S3", "Q8", "A4")
    length: int = axis(2, 3, 4, 5, 6)
    numbering: int = 0
    entries: int = 20_000
    units: int = 3  # of the random network
    part: int = 0  # which irreps the encoding of a second target has

    def allows(self) -> bool:
        """Whether the tensor of all words and outputs is small enough for a singular value decomposition."""
        return group_of(self).order ** (self.length + 1) <= self.entries


DOMAIN = domain(group=groups(24, quick=12), numbering=NUMBERINGS, length=whole(2, 9), units=whole(1, 6), part=whole(0, 9999))
GRIDS = {
    "test": Sizes(group=axis("C3", "S3"), length=axis(2, 3)),
    "quick": Sizes(),
    "full": Sizes(group=axis("C2", "C3", "C2xC2", "C5", "S3", "D4", "Q8", "A4", "S4"), entries=400_000),
    "paper": Sizes(group=axis("C2", "C3", "C2xC2", "C5", "S3", "D4", "Q8", "A4", "S4", "A5"), entries=2_000_000),
}


def objects(cell: Sizes) -> dict:
    """A generic encoding that is not centred, so that its codes are linearly independent; the irreps of the second target."""
    # a counting network amplifies roundings by this condition number, to the power of the length
    return {"task": generic_task(group_of(cell), centred=False, condition=10), "kept": _kept(cell)}


def _kept(cell: Sizes) -> np.ndarray:
    """Whether each non-trivial irrep has a part in the second target, with its conjugate: not all have, unless there is one."""
    first = [number for number, irrep in enumerate(group_of(cell).irreps) if 0 < number <= irrep.conjugate]
    missing = 1 + cell.part % (2 ** len(first) - 2) if len(first) > 1 else 0
    kept = np.zeros(len(group_of(cell).irreps), bool)
    for place, number in enumerate(first):
        kept[[number, group_of(cell).irreps[number].conjugate]] = not missing >> place & 1
    return kept[1:]


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The ranks; and, for abelian groups, no error and the width of the counting network."""
    components = spectrum(group_of(cell), given["task"]["encoding"])
    met = (Hypothesis("each Fourier coefficient is zero or invertible", invertible(components)),)
    active = [component for component in components[1:] if component.norm != 0]
    least = Prediction(
        least_two_layer_width(active, cell.length), of="rank", hypotheses=met, formula=r"\sum n^{2 \lceil k/2 \rceil}"
    )
    some = [component for component, kept in zip(components[1:], given["kept"], strict=True) if kept]
    # a group of order 2 has one function of mean zero, so that all tensors of its letters have rank one
    most = (group_of(cell).order - 1) ** ((cell.length + 1) // 2)
    units = Prediction(min(cell.units, most), of="network_rank")
    part = Prediction(least_two_layer_width(some, cell.length), of="rank_of_part", hypotheses=met)
    order, classes = order_and_classes(cell.group)
    commuting = Prediction(order * classes, of="commuting", formula=r"|G|\, k(G)")
    # a unit of the next degree has the square of a letter on either side
    next_degree = Prediction(min(2 * cell.units, most), of="rank_of_next_degree")
    return (least, part, units, next_degree, commuting, *_missing(cell), *_counting(cell, given))


def _missing(cell: Sizes) -> tuple[Prediction, ...]:
    """The second target lacks an irrep, and has one, unless there is one alone."""
    several = sum(irrep.number <= irrep.conjugate for irrep in group_of(cell).irreps[1:]) > 1
    return (
        Prediction(int(several), of="absent", relation=Relation.AT_LEAST, resolution=UNSHARP),
        Prediction(1, of="present", relation=Relation.AT_LEAST, resolution=UNSHARP),
    )


def _counting(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Words, widths and errors of the counting network: it errs where a word and the sorted one have other products."""
    components = spectrum(group_of(cell), given["task"]["encoding"])
    independent = Hypothesis("the codes are linearly independent", all(c.norm != 0 for c in components))
    width = counting_width(group_of(cell).order, cell.length)
    table, encoding = given["task"]["table"], given["task"]["encoding"]
    error, error_of_fewer = errors_of_counting(table, encoding[table], cell.length)
    fewer = Prediction(error_of_fewer, of="error_of_fewer", hypotheses=(independent,))
    return (
        Prediction(error, of="error", hypotheses=(independent,)),
        Prediction(width, of="width", hypotheses=(independent,), formula=r"\binom{k + |G| - 1}{|G| - 1}"),
        Prediction(width - 1, of="width_of_fewer", hypotheses=(independent,)),
        Prediction(group_of(cell).order ** cell.length, of="tried", formula="|G|^k"),
        # at more letters what rounding explains of the whole network may explain all that one unit brings
        *((fewer,) if cell.length <= 6 else ()),
    )


def _commutes(cell: Sizes, given: dict) -> Prediction | None:
    return None if group_of(cell).is_abelian else Prediction(0, of="error")


def _abelian(cell: Sizes, given: dict) -> bool:
    return group_of(cell).is_abelian


def _whole(cell: Sizes, given: dict) -> Prediction | None:
    whole = least_two_layer_width(group_of(cell).irreps[1:], cell.length)
    return None if given["kept"].all() else Prediction(whole, of="rank_of_part")


def _constructed(cell: Sizes, given: dict) -> Prediction | None:
    """What the construction of `two_layer_width` takes."""
    width = two_layer_width(group_of(cell).irreps[1:], cell.length)
    other = width != counting_width(group_of(cell).order, cell.length)
    return Prediction(width, of="width") if group_of(cell).is_abelian and other else None


def _bonds(cell: Sizes, given: dict, shift: int) -> Prediction | None:
    dimensions = [irrep.dimension for irrep in group_of(cell).irreps[1:]]
    if max(dimensions) == 1:
        return None
    return Prediction(sum(n ** (cell.length + cell.length % 2 + shift) for n in dimensions), of="rank")


def _cyclic(cell: Sizes) -> dict:
    """The task of the cyclic group of the same order."""
    return objects(dataclasses.replace(cell, group=f"C{group_of(cell).order}", numbering=0))


CONTROLS = (
    control(
        "the order alone",
        "the cyclic group of the same order leads to the same rank",
        objects=_cyclic,
        instead={"rank": "rank"},
        finds=lambda cell, given: Prediction(order_and_classes(cell.group)[0] - 1, of="rank"),  # as many characters
        where=lambda cell, given: cell.length > 2 and not group_of(cell).is_abelian,
    ),
    control("order ignored", "counting composes a group that is not abelian", predict=_commutes),
    control(
        "a unit fewer",
        "the counting network without a unit still composes",
        instead={"error": "error_of_fewer"},
        where=_abelian,
    ),
    control("width of a unit fewer", "it has as many units", instead={"width": "width_of_fewer"}),
    # where H products fill the matrix already, the next degree adds nothing
    control("degree k + 1", "H units of z^(k+1) do too", instead={"network_rank": "rank_of_next_degree"}, everywhere=False),
)


RIVALS = (
    rival("a bond fewer", lambda cell, given: _bonds(cell, given, -1), "the ring is cut at one bond fewer"),
    rival("a bond more", lambda cell, given: _bonds(cell, given, 1), "the ring is cut at one bond more"),
    rival("all irreps", _whole, "irreps that the encoding lacks count too", everywhere=False),
    rival("2^(k-1)", _constructed, "abelian groups need the exponential width of the construction", everywhere=False),
)
