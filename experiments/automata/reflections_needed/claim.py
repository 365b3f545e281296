r"""A letter needs as many Householder factors as the codimension of its fixed space, over the best faithful representation.

Statement: A layer H <- A(x) H with n Householder factors I - b k k^T for each letter and head, whose state is a function of the
    product of the letters, follows a group over all elements as letters if and only if n is at least the number below; R are
    the real irreducible representations and c is the codimension of a fixed space. So A5 takes 2, in three dimensions. The
    distance of a letter to a single factor is exact. Products in a dihedral group are followed by two layers of one reflection.
    That the state is a function of the product is needed: Q8 takes 4 factors, and 2 where words of one product may differ.
    $$ n(G) = \min_{S \subseteq R,\ S\ \text{faithful}}\ \max_{\rho \in S,\, x \in G}\ c(\rho(x)) $$
Hypotheses: the state is a function of the product; strengths reach 2; each head has factors of its own.
Source: Siems et al., “DeltaProduct”, arXiv 2502.10297, for the layer and for A5 and dihedral groups; the number over all
    representations, the distance and the remark on Q8 are derived here, in `theory.groups.reflections`.
Refuted by: another number of reflections into which the matrices of the best representation can be taken apart, a word of the
    layer that is misread, or a factor that is nearer to a letter.
Cost: quick 11 s on one core, full about half a minute.

The predicted number comes from exact characters, as multiplicities of the eigenvalue 1. The measured one comes from matrices of
all representations, which are taken apart one reflection at a time: the factor that sends A v to v fixes what A fixes, so each
one lowers the codimension by one. Words are then followed with these factors by the scan of DeltaProduct, head by head.

Two layers of one reflection: write a product as r^k s^e. The first layer has two signs, that of the letters r^i and that of the
letters r^i s; each letter turns one of them. So the second one knows e and the parity of t. It holds the angle (-1)^t k, which
a letter sends to minus itself plus something known: a reflection.
"""

import dataclasses

import numpy as np

from depthjax.verify import UNSHARP, Grid, Prediction, Relation, axis, claim, control, domain, off_by, rival, whole
from experiments.groups import NUMBERINGS, group_of, groups
from theory.groups.characters import characters
from theory.groups.reflections import nearest_factor, parts, reflections

CLAIM = claim(Relation.EQUALS, needs_float64=True)


NONE = 1e-9  # a square distance below this is none


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The group is the axis; the numbering of its elements; corners of a polygon."""

    group: str = axis("Q8", "S4", "A5", "C7:C3")
    numbering: int = 0
    corners: int = 9
    words: int = 8


DOMAIN = domain(group=groups(60, least=3, quick=36, test=12), numbering=NUMBERINGS, corners=whole(3, 64))
GRIDS = {
    "test": Sizes(group=axis("Q8", "A4")),
    "quick": Sizes(),
    "full": Sizes(group=axis("S3", "Q8", "A4", "S4", "A5", "SL2_3", "C7:C3", "S5"), words=32),
    "paper": Sizes(group=axis("S3", "Q8", "A4", "S4", "A5", "SL2_3", "C7:C3", "S5", "A6"), words=128),
}


def objects(cell: Sizes) -> dict:
    """The Cayley table; real matrices of every irreducible representation but the trivial one; two Cayley tables more.

    The latter are those of Q8 and, element by element, where a group of order 16 lies over it.
    """
    found = group_of(cell)
    return {"table": found.table, "matrices": [_real(found.irreps[part.number]) for part in parts(found)], "cover": _cover()}


def _real(irrep) -> np.ndarray:
    """The orthogonal matrices of an irreducible real representation."""
    matrices = np.asarray(irrep.matrices)
    real, imaginary = np.real(matrices), np.imag(matrices)
    if irrep.kind == "real":
        return real.copy()
    return np.concatenate([np.concatenate([real, -imaginary], axis=2), np.concatenate([imaginary, real], axis=2)], axis=1)


def _cover() -> dict:
    """Q8 and the elements x^i y^j of the group over it, x to i and y to j: exponents of one lift, and the map down."""
    exponents = [(i, j) for i in range(4) for j in range(4)]
    number = {pair: n for n, pair in enumerate(exponents)}
    # x^i y^j x^k y^l = x^(i + (-1)^j k) y^(j + l)
    table = [[number[(i + (-1) ** j * k) % 4, (j + n) % 4] for k, n in exponents] for i, j in exponents]
    down = [number[min(pair, ((pair[0] + 2) % 4, (pair[1] + 2) % 4))] for pair in exponents]  # modulo x^2 y^2
    classes = sorted(set(down))
    return {"table": np.array(table), "exponents": np.array(exponents), "down": np.array([classes.index(n) for n in down])}


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """The number from exact characters; every letter of every word read; the distance of letters to one factor.

    Words have 24 letters for each element of their group, and 240 at the most.
    """
    found = group_of(cell)
    every = parts(found)
    letters, of_polygon, of_q8 = (cell.words * min(240, 24 * order) for order in (found.order, 2 * cell.corners, 8))
    distances = _distances(found)
    return (
        Prediction(reflections(found).number, of="factors", formula=r"\max \operatorname{codim} \operatorname{Fix}"),
        Prediction(sum(sum(part.moved[c] for c in found.class_of) for part in every), of="all_factors"),
        Prediction(letters, of="followed"),
        *((_to_one_factor(distances),) if max(distances) > NONE else ()),
        Prediction(of_polygon, of="dihedral_followed"),
        Prediction(of_q8, of="covered_followed"),
        # what the controls measure; a reflection that is left out moves a state by the square distance 4
        Prediction(4.0 * sum(moved == reflections(found).number for _, moved in _begun(cell)), of="off_by_fewer"),
        Prediction(_pairs(cell.corners), of="pairs_followed", dims=("layers", "first")),
        Prediction([2 * of_q8, of_q8], of="open_in_cover", dims=("heads",)),  # the first head does not tell y^j from y^(j + 2)
    )


def _to_one_factor(distances: list[float]) -> Prediction:
    """The mean distance of letters to a factor, where some letter of the largest representation is none."""
    return Prediction(
        float(np.mean(distances[1:])),
        of="from_one_factor",
        relation=Relation.AT_LEAST,
        formula=r"2 (d - \operatorname{tr} A) - (1 - \cos \theta)^2",
    )


def _pairs(corners: int) -> list[list[int]]:
    """Letters after which one layer, and two, know the product in words r^i s^j, r^k s^l, by the first letter.

    Without signs the angle is first i and then k - i, and the kind always none. The product r^i s^j r^k s^l has no s if j = l,
    and then the angle i + k or i - k. So r^i is right at once, and products without s are if 2 i, or 2 (i - k), is none.
    """
    angles = range(corners)
    turns = [2 * corners + sum((i + k - (k - i)) % corners == 0 for k in angles) for i in angles]
    mirrors = [sum((i - k - (k - i)) % corners == 0 for k in angles) for i in angles]
    return [turns + mirrors, [4 * corners] * (2 * corners)]


def _distances(found) -> list[float]:
    """The square distances of all letters, the identity first, to the nearest factor, in the largest representation."""
    largest = max(parts(found), key=lambda part: part.dimension)
    return [_distance(found, largest, c) for c in found.class_of]


def _distance(found, part, conjugacy_class: int) -> float:
    """The square distance of the elements of a class to the nearest factor, from the exact eigenvalues."""
    counts = characters(found).multiplicities(part.number, int(conjugacy_class))
    cosines = np.cos(2 * np.pi * np.arange(len(counts)) / len(counts))
    copies = 1 if part.kind == "real" else 2
    return nearest_factor(part.dimension, copies * float(counts @ cosines), float(cosines[counts > 0].min()))


def _begun(cell: Sizes) -> list[tuple[int, int]]:
    """Dimensions and codimensions of the first letters of all words in every head, letters in turn but for the identity.

    The heads are all parts whose letters take no more factors than needed.
    """
    found = group_of(cell)
    most = reflections(found).number
    letters = [found.class_of[1 + place % (found.order - 1)] for place in range(cell.words)]
    heads = [part for part in parts(found) if max(part.moved) <= most]
    return [(part.dimension, part.moved[c]) for part in heads for c in letters]


def _weaker(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Square sizes of the states after one letter, each factor a projection: a factor takes one dimension at most."""
    moved = _begun(cell)
    least = float(sum(dimension - codimension for dimension, codimension in moved))
    largest = float(sum(dimension - (codimension > 0) for dimension, codimension in moved))
    sides = ((least, Relation.AT_LEAST), (largest, Relation.AT_MOST))
    return tuple(Prediction(value, of="left", relation=relation, resolution=UNSHARP) for value, relation in sides)


def _farther(cell: Sizes, given: dict) -> Prediction | None:
    """A bound that the search must pass below; nothing where all letters are factors."""
    distances = _distances(group_of(cell))
    bound = 1.05 * float(np.mean(distances[1:]))
    return Prediction(bound, of="from_one_factor", relation=Relation.AT_LEAST) if max(distances) > NONE else None


def _dimension(cell: Sizes, given: dict) -> Prediction:
    return Prediction(max(part.dimension for part in reflections(group_of(cell)).parts), of="factors")


def _determinant(cell: Sizes, given: dict) -> Prediction:
    return Prediction(1 + int(reflections(group_of(cell)).number > 1), of="factors")


def _one_head(cell: Sizes, given: dict) -> Prediction:
    every = parts(found := group_of(cell))
    return Prediction(max(sum(part.moved[c] for part in every) for c in found.class_of), of="factors")


CONTROLS = (
    control(
        "one factor fewer",
        "words are followed with one factor fewer for each letter",
        instead={"followed": "followed_with_fewer"},
    ),
    control("strength 1", "strengths of 1, as of the delta rule, follow words as well", measure="weaker", finds=_weaker),
    control(
        "one layer of one reflection",
        "one layer of one reflection follows it",
        instead={"dihedral_followed": "one_layer_followed"},
    ),
    control("one head over Q8", "its second head is not needed", instead={"covered_followed": "one_head_followed"}),
)

RIVALS = (
    off_by(-1, of="factors"),
    rival("farther from one factor", _farther, "the least distance to one factor is larger by a twentieth"),
    rival("the dimension", _dimension, "a letter needs as many factors as the representation has dimensions", everywhere=False),
    rival("the determinant", _determinant, "rotations take 2 and reflections 1, in any dimension", everywhere=False),
    rival("all representations", _one_head, "the regular representation is needed", everywhere=False),
)
