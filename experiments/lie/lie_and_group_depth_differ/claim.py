r"""A finite group of one restricted layer's maps is abelian, yet a layer whose counter may grow tracks every dihedral group.

Statement: Take one restricted layer, h -> A_x h + b_x, whose linear parts A_x commute pairwise. (a) If its maps generate a
    finite group, then the group is abelian and has as many elements as the group of the linear parts, whatever the derived
    length of the Lie algebra of the pairs (A, b). The group is finite exactly when the maps fix a common point. (b) With
    integers j that may grow, the layer h -> s h + j with s = +-1 tracks every dihedral group, whose derived length is 2.
    Kept in a floating-point type of p bits, it first fails at the first letter whose exact counter needs more than p bits or
    exceeds the largest number of the type.
    $$ [A_x, A_y] = 0,\ |\langle h \mapsto A_x h + b_x\rangle| < \infty \Rightarrow \text{abelian};\qquad
       (\sigma, n) \mapsto (s\sigma, s n + j) \text{ tracks } D_m $$
Hypotheses: the linear parts commute pairwise (checked); for (a) the maps generate a finite group (decided exactly); for (b)
    integers are exact.
Source: this project, “stated here first”, for the restricted layers of arXiv 2603.05573.
Refuted by: a finite group of such maps that is not abelian, or a wrong element before the counter leaves its type.
Cost: quick 6 s on one core, full about 40 s.

Derivation of (a): a finite group of affine maps fixes the mean of an orbit. About this point its maps are linear, so they
commute, and none of them but the identity is a translation. The Lie algebra of the pair (A, b) nevertheless has derived
length 2. Of (b): the counter needs log2((m - 1) T) bits after T letters. Both sides of (a) run over every pair of maps from
two families of commuting 2x2 integer matrices with translations in {-1, 0, 1}^2, and over random pairs from three of 3x3.
"""

import dataclasses
import math
from functools import partial

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, off_by, rival, whole
from experiments.lie.lie_and_group_depth_differ.affine_group import (
    affine_map,
    commuting_pairs,
    has_common_fixed_point,
    linear_order,
    polygon_symmetries,
)
from experiments.lie.lie_and_group_depth_differ.significand import first_inexact_multiple
from theory import groups, lie

CLAIM = claim(Relation.EQUALS)
HEADLINE = "first_failure"


PAIRS, ORDER = 2061, 66  # pairs of maps of the plane, and elements of the dihedral group, which the chosen cells have at most
HOLDS = {"bfloat16": (8, 255 * 2**120), "float16": (11, 2047 * 2**5), "float32": (24, (2**24 - 1) * 2**104)}
"""Bits of the significand, the leading one included, and the largest number of each type."""

SHIFTS, SIGNS = 9, 4  # translations in {-1, 0, 1}^2, and diagonal signs of the plane
MOST = 32  # maps that are told apart in a group
TRIED = 2**13  # letters that a counter of step one is given


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Sides of the polygon, whose dihedral group is that of (b); words, letters for (a), random pairs of maps.

    The steps m - 1 of the chosen polygons are odd, and a power of two that leaves the range of float16 before its bits.
    """

    sides: int = axis(4, 8, 33)
    batch: int = 8
    length: int = 10_000
    letters: int = 512
    drawn: int = 300  # pairs of maps of space

    @property
    def turn(self) -> int:
        """Order of the rotation in the family of (a); integer matrices of the plane have no others."""
        return (3, 4, 6)[self.sides % 3]


DOMAIN = domain(sides=whole(3, 60))
GRIDS = {
    "test": Sizes(sides=axis(8), length=640),
    "quick": Sizes(),
    "full": Sizes(batch=256),
    "paper": Sizes(batch=256, length=100_000),
}


def objects(cell: Sizes, seed: int) -> dict:
    """Pairs of homogenised maps; the dihedral group's table and its elements as maps; the Lie algebra's generators."""
    order = max(ORDER, 2 * cell.sides)
    pairs, dihedral = commuting_pairs(cell.turn, cell.drawn, seed), groups.group(f"D{cell.sides}")
    return {
        "pairs": np.resize(pairs, (PAIRS + cell.drawn, *pairs.shape[1:])),  # repeated: all cells share their programs
        "table": np.pad(dihedral.table, (0, order - dihedral.order)),
        "abelian": np.pad(groups.group(f"C{dihedral.order}").table, (0, order - dihedral.order)),
        # the layer applies later letters on the left, so it tracks inverses
        "letters": polygon_symmetries(dihedral.permutations)[dihedral.inverses],
        # a restricted layer in continuous time: a common linear part with and without a translation
        "generators": np.array([lie.affine_matrix([[1]], [0]), lie.affine_matrix([[1]], [1])], dtype=int),
    }


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Sizes of the groups and what commutes, pair by pair; the tracker's errors and its first failure; both derived series."""
    linear = given["pairs"][..., :-1, :-1]
    finite = np.array([has_common_fixed_point(pair) for pair in given["pairs"]])
    sizes = np.array([linear_order(pair) for pair in given["pairs"]])
    hypotheses = (
        Hypothesis("the linear parts commute", not np.any(linear[:, 0] @ linear[:, 1] - linear[:, 1] @ linear[:, 0])),
        Hypothesis("some groups are finite", bool(finite.any())),
    )
    pairwise, least, most = partial(Prediction, dims=("pair",), hypotheses=hypotheses), Relation.AT_LEAST, Relation.AT_MOST
    failures = [first_inexact_multiple(cell.sides - 1, *held) for held in HOLDS.values()]
    ones = [min(first_inexact_multiple(1, *held), TRIED + 1) for held in HOLDS.values()]
    series = lie.LieAlgebra.generated_by(list(given["generators"])).derived_dimensions
    alone = lie.LieAlgebra.generated_by(list(given["generators"] * [1, 0])).derived_dimensions
    survive = [np.arange(3) < (groups.group(name).derived_length or 0) for name in (f"D{cell.sides}", f"C{2 * cell.sides}")]
    moved = given["pairs"] + _shift()
    still = np.array([has_common_fixed_point(pair) for pair in moved])
    exchanged = given["pairs"] @ _exchange()
    found = np.array([_size(pair) for pair in exchanged])
    return (
        pairwise(np.where(finite, sizes, sizes + 1), of="maps_reached", relation=least, formula="|G| > |L|"),
        pairwise(np.where(finite, sizes, np.inf), of="maps_reached", relation=most, formula="|G| = |L|"),
        pairwise(np.where(finite, 0, np.inf), of="defect", relation=most, formula="fg - gf"),
        pairwise(_defects(given["pairs"]), of="defect", formula="fg - gf"),
        pairwise(np.where(still, sizes, sizes + 1), of="maps_reached_moved", relation=least),
        pairwise(np.where(still, sizes, np.inf), of="maps_reached_moved", relation=most),
        pairwise(_defects(exchanged), of="defect_exchanged"),
        pairwise(found, of="maps_reached_exchanged", relation=most),
        # a word may turn back before it has seen so many maps
        pairwise(np.where(found < MOST, found, 0), of="maps_reached_exchanged", relation=least),
        Prediction(sum(math.comb(SHIFTS * n, 2) for n in (6, SIGNS)) + cell.drawn, of="pairs_tried"),
        Prediction(_plane_pairs(cell.turn), of="plane_pairs"),
        Prediction(cell.batch * cell.length, of="right_elements"),
        Prediction(2 * cell.sides, of="elements"),
        Prediction(failures[0], of="failure_in_bfloat16"),
        Prediction(np.array(failures), of="first_failure", dims=("type",)),
        Prediction(np.array(ones), of="first_failure_of_one", dims=("type",)),
        Prediction(np.array(series), of="derived_dimensions", dims=("series",)),
        Prediction(np.array([*alone, 0, 0][: len(series)]), of="derived_dimensions_alone", dims=("series",)),
        Prediction(survive[0].astype(int), of="commutators_survive", dims=("depth",)),
        Prediction(survive[1].astype(int), of="commutators_survive_abelian", dims=("depth",)),
    )


def _plane_pairs(turn: int) -> int:
    """Different pairs of maps of the plane: those of both families, less the pairs whose linear parts are signs of the plane.

    Both families hold the identity, and half a turn if a rotation of this order has it.
    """
    common = 1 if turn % 2 else 2
    return sum(sign * math.comb(SHIFTS * n, 2) for sign, n in ((1, turn), (1, SIGNS), (-1, common)))


def _defects(pairs: np.ndarray) -> np.ndarray:
    f, g = pairs[:, 0], pairs[:, 1]
    return np.abs(np.einsum("pij,pjk->pik", f, g) - np.einsum("pij,pjk->pik", g, f)).max(axis=(1, 2))


def _size(pair: np.ndarray) -> int:
    """How many maps a pair generates, or that they are `MOST` at least. A finite set of maps that can be undone is a group."""
    found = [np.identity(len(pair[0]), int)]
    seen = {found[0].tobytes()}
    for each in found:  # grows
        for following in pair @ each:
            if len(seen) < MOST and following.tobytes() not in seen:
                seen.add(following.tobytes())
                found.append(following)
    return len(seen)


def _shift() -> np.ndarray:
    """What moves the second map of a pair by one along every axis."""
    shift = np.zeros((2, 4, 4), int)
    shift[1, :3, 3] = 1
    return shift


def _exchange() -> np.ndarray:
    """Nothing for the first map of a pair, and an exchange of the first two coordinates before the second one."""
    return np.array([affine_map(np.eye(3, dtype=int)[list(order)], [0, 0, 0]) for order in ((0, 1, 2), (1, 0, 2))])


CONTROLS = (
    control(
        "linear parts that do not commute",
        "their groups are as small, and abelian where finite",
        instead={"maps_reached": "maps_reached_exchanged", "defect": "defect_exchanged"},
    ),
    control(
        "fixed points moved apart",
        "maps without a common fixed point generate as few maps",
        instead={"maps_reached": "maps_reached_moved"},
    ),
    control(
        "no translations, rotations alone",
        "the derived length is two without them",
        instead={"derived_dimensions": "derived_dimensions_alone", "commutators_survive": "commutators_survive_abelian"},
    ),
    control(
        "bfloat16 past its bits",
        "the tracker in bfloat16 is exact on words of one turn",
        instead={"right_elements": "right_in_bfloat16"},
    ),
    # a power of two loses no bit, so the square or the octagon is needed
    control(
        "a smaller step",
        "a counter that grows by one fails as early",
        instead={"first_failure": "first_failure_of_one"},
        everywhere=False,
    ),
)


RIVALS = (
    rival(
        "without finiteness", lambda cell, given: Prediction(0, of="defect"), "these maps commute in infinite groups as well"
    ),
    off_by(-1, of="maps_reached", name="a smaller group", statement="a finite group of such maps has one map less"),
    off_by(1, of="first_failure", name="one letter later", statement="the counter first fails one letter later"),
)
