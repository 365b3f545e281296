r"""A finite group of one restricted layer's maps is abelian, yet a layer whose counter may grow tracks every dihedral group.

Statement: Take one restricted layer, h -> A_x h + b_x, whose linear parts A_x commute pairwise. (a) If its maps generate a
    finite group, then the group is abelian and has as many elements as the group of the linear parts, whatever the derived
    length of the Lie algebra of the pairs (A, b). The group is finite exactly when the maps fix a common point. (b) With
    integers j that may grow, the layer h -> s h + j with s = +-1 tracks every dihedral group, whose derived length is 2.
    Kept in a floating-point type of p bits, it first fails at the first letter whose exact counter needs more than p bits.
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
from functools import partial

import numpy as np

from depthjax.verify import Grid, Hypothesis, Prediction, Relation, axis, claim, control, domain, off_by, rival, whole
from experiments.lie.lie_and_group_depth_differ.affine_group import (
    commuting_pairs,
    has_common_fixed_point,
    linear_order,
    polygon_symmetries,
)
from experiments.lie.lie_and_group_depth_differ.common import DEPTHS, TYPES
from experiments.lie.lie_and_group_depth_differ.significand import first_inexact_multiple
from theory import groups, lie

CLAIM = claim(Relation.EQUALS)


PAIRS, ORDER = 2061, 18  # pairs of maps of the plane, and elements of the dihedral group, which the chosen cells have at most


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Sides of the polygon, whose dihedral group is that of (b); words, letters for (a), random pairs of maps.

    The steps m - 1 of the chosen polygons are odd and a power of two.
    """

    sides: int = axis(4, 8, 9)
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
    "test": Sizes(sides=axis(4), length=640),
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
    failures = [first_inexact_multiple(cell.sides - 1, bits) for bits in TYPES.values()]
    series = lie.LieAlgebra.generated_by(list(given["generators"])).derived_dimensions
    survive = np.arange(DEPTHS) < (groups.group(f"D{cell.sides}").derived_length or 0)
    return (
        pairwise(np.where(finite, sizes, sizes + 1), of="maps_reached", relation=least, formula="|G| > |L|"),
        pairwise(np.where(finite, sizes, np.inf), of="maps_reached", relation=most, formula="|G| = |L|"),
        pairwise(np.where(finite, 0, np.inf), of="defect", relation=most, formula="fg - gf"),
        Prediction(0, of="wrong_elements"),
        Prediction(np.array(failures), of="first_failure", dims=("type",)),
        Prediction(np.array(series), of="derived_dimensions", dims=("series",)),
        Prediction(survive.astype(int), of="commutators_survive", dims=("depth",)),
    )


CONTROLS = (
    control("linear parts that do not commute", "their groups are as small, and abelian where finite", measure="not_commuting"),
    control("fixed points moved apart", "maps without a common fixed point generate as few maps", measure="moved_apart"),
    control("no translations, rotations alone", "the derived length is two without them", measure="abelian"),
    control("bfloat16 past its bits", "the tracker in bfloat16 is exact on words of one turn", measure="in_bfloat16"),
    # a power of two loses no bit, so the square or the octagon is needed
    control("a smaller step", "a counter that grows by one fails as early", measure="smaller_step", everywhere=False),
)


RIVALS = (
    rival(
        "without finiteness", lambda cell, given: Prediction(0, of="defect"), "these maps commute in infinite groups as well"
    ),
    off_by(-1, of="maps_reached", name="a smaller group", statement="a finite group of such maps has one map less"),
    off_by(1, of="first_failure", name="one letter later", statement="the counter first fails one letter later"),
)
