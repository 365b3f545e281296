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

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.affine import commutator_defect, reached_maps
from depthjax.probe.counter import first_wrong_count, wrong_elements
from depthjax.probe.generated_algebra import derived_dimensions
from depthjax.tasks.words import iterated_commutators, uniform_words
from depthjax.verify import Grid, Hypothesis, Prediction, Quantity, Relation, axis, claim, control, measured, off_by, rival
from theory import groups, lie
from theory.exact.significand import first_inexact_multiple
from theory.groups.affine import commuting_pairs, has_common_fixed_point, linear_order, polygon_symmetries

CLAIM = claim(Relation.EQUALS)

TYPES = {"bfloat16": 8, "float16": 11, "float32": 24}  # bits of the significand, the leading one included
MOST = 32  # maps that are told apart in a group
DEPTHS = 3  # of the iterated commutators
PAIRS, ORDER = 2061, 12  # pairs of maps of the plane, and elements of the dihedral group, at the most sides


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Sides of the polygon: the order of the rotation in the family of (a), the dihedral group of (b)."""

    sides: int = axis(3, 4, 6)
    batch: int = 8
    length: int = 10_000
    letters: int = 512
    drawn: int = 300  # pairs of maps of space


GRIDS = {
    "test": Sizes(sides=axis(4), length=640),
    "quick": Sizes(),
    "full": Sizes(batch=256),
    "paper": Sizes(batch=256, length=100_000),
}


def objects(cell: Sizes, seed: int) -> dict:
    """Pairs of homogenised maps; the dihedral group's table and its elements as maps; the Lie algebra's generators."""
    pairs, dihedral = commuting_pairs(cell.sides, cell.drawn, seed), groups.group(f"D{cell.sides}")
    return {
        "pairs": np.resize(pairs, (PAIRS + cell.drawn, *pairs.shape[1:])),  # repeated: all cells share their programs
        "table": np.pad(dihedral.table, (0, ORDER - dihedral.order)),
        "abelian": np.pad(groups.group(f"C{dihedral.order}").table, (0, ORDER - dihedral.order)),
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


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Maps that a long random word of every pair reaches, and commutators; the tracker on random and on steady words."""
    words = uniform_words(jax.random.fold_in(key, 1), len(given["letters"]), cell.batch, cell.length)
    wrong = wrong_elements(words, given["letters"], given["table"], cell.sides, "float32")
    failures = [first_wrong_count(cell.sides, cell.sides - 1, name) for name in TYPES]
    return measured(
        type=list(TYPES),
        **_reached(cell, key, given["pairs"]),
        wrong_elements=Quantity(wrong, label="wrong elements, float32"),
        first_failure=Quantity(failures, "type", label="first letter at which the counter fails"),
        **_series(cell, key, given["generators"], given["table"]),
    )


def _reached(cell: Sizes, key: jax.Array, pairs: np.ndarray) -> dict[str, Quantity]:
    """What a long random word reaches, and what does not commute."""
    maps, word = jnp.asarray(pairs), uniform_words(jax.random.fold_in(key, 0), 2, 1, cell.letters // 2)[0]
    reached, defect = reached_maps(maps, word, most=MOST), commutator_defect(maps)
    return {
        "maps_reached": Quantity(np.asarray(reached), "pair", label="maps that a random word reaches", unit="at most 32"),
        "defect": Quantity(np.asarray(defect), "pair", label="largest entry of the commutator"),
    }


def _series(cell: Sizes, key: jax.Array, generators: np.ndarray, table: np.ndarray) -> dict[str, Quantity]:
    """The derived series of an algebra; iterated commutators in a group as large as the dihedral one."""
    values = iterated_commutators(jax.random.fold_in(key, 2), jnp.asarray(table), 2 * cell.sides, cell.letters, DEPTHS)
    dimensions, survive = derived_dimensions(np.asarray(generators, np.float32), steps=2), np.asarray(values != 0).any(axis=1)
    return {
        "derived_dimensions": Quantity(dimensions, "series", label="derived series of (A, b)"),
        "commutators_survive": Quantity(survive.astype(int), "depth", label="commutators other than 1"),
    }


def _in_bfloat16(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    turn = np.flatnonzero((given["letters"] == [1, cell.sides - 1]).all(axis=1))
    words = jnp.broadcast_to(jnp.asarray(turn)[None], (cell.batch, cell.length))
    wrong = wrong_elements(words, given["letters"], given["table"], cell.sides, "bfloat16")
    return measured(wrong_elements=Quantity(wrong))


def _not_commuting(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    exchange = np.eye(given["pairs"].shape[-1], dtype=int)[[1, 0, 2, 3]]
    return measured(**_reached(cell, key, given["pairs"] @ [np.eye(len(exchange), dtype=int), exchange]))


def _moved_apart(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    pairs = given["pairs"].copy()
    pairs[:, 1, :-1, -1] += 1
    return measured(maps_reached=_reached(cell, key, pairs)["maps_reached"])


def _smaller_step(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    return measured(first_failure=Quantity([first_wrong_count(cell.sides, 1, name, farthest=2**13) for name in TYPES], "type"))


def _abelian(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    return measured(**_series(cell, key, given["generators"] * [1, 0], given["abelian"]))


CONTROLS = (
    control("linear parts that do not commute", "their groups are as small, and abelian where finite", measure=_not_commuting),
    control("fixed points moved apart", "maps without a common fixed point generate as few maps", measure=_moved_apart),
    control("no translations, rotations alone", "the derived length is two without them", measure=_abelian),
    control("bfloat16 past its bits", "the tracker in bfloat16 is exact on words of one turn", measure=_in_bfloat16),
    # a step of two loses no bit, so a hexagon and a square are needed
    control("a smaller step", "a counter that grows by one fails as early", measure=_smaller_step, everywhere=False),
)

RIVALS = (
    rival(
        "without finiteness", lambda cell, given: Prediction(0, of="defect"), "these maps commute in infinite groups as well"
    ),
    off_by(-1, of="maps_reached", name="a smaller group", statement="a finite group of such maps has one map less"),
    off_by(1, of="first_failure", name="one letter later", statement="the counter first fails one letter later"),
)
