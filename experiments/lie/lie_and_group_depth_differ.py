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
Cost: 5 s on a CPU at every size.

Derivation of (a): a finite group of affine maps fixes the mean of an orbit. About this point its maps are linear, so they
commute, and none of them but the identity is a translation. The Lie algebra of the pair (A, b) nevertheless has derived
length 2. Of (b): the counter needs log2((m - 1) T) bits after T letters. Both sides of (a) run over every pair of maps from
two families of commuting integer matrices with translations in {-1, 0, 1}^2.
"""

import dataclasses
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.dihedral_tracker import dihedral_tracker, tracked_maps, tracker_start
from depthjax.probe.affine import commutator_defect, reached_maps
from depthjax.probe.brackets import derived_dimensions
from depthjax.probe.counter import first_wrong_count
from depthjax.tasks.words import iterated_commutators, prefix_products, uniform_words
from depthjax.verify import Grid, Hypothesis, Prediction, Quantity, Relation, axis, claim, control, measured, off_by, rival
from theory import groups, lie
from theory.exact.significand import first_inexact_multiple
from theory.groups.affine import affine_map, has_common_fixed_point, linear_order

CLAIM = claim(Relation.EQUALS)

TYPES = {"bfloat16": 8, "float16": 11, "float32": 24}  # bits of the significand, the leading one included
ROTATIONS = {3: ((0, -1), (1, -1)), 4: ((0, -1), (1, 0)), 6: ((1, -1), (1, 0))}  # integer matrices of order 3, 4, 6
MOST = 64  # maps that are told apart in a group
DEPTHS = 3  # of the iterated commutators
PAIRS, ORDER = 2061, 12  # pairs of maps, and elements of the dihedral group, at the most sides


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """Sides of the polygon: the order of the rotation in the family of (a), the dihedral group of (b)."""

    sides: int = axis(3, 4, 6)
    batch: int = 8
    length: int = 10_000
    letters: int = 512


GRIDS = {
    "test": Sizes(sides=axis(4), length=640),
    "quick": Sizes(),
    "full": Sizes(batch=256),
    "paper": Sizes(batch=256, length=100_000),
}


def objects(cell: Sizes) -> dict:
    """All pairs of homogenised maps; the dihedral group's table and its elements as maps; the Lie algebra's generators."""
    turns = [np.linalg.matrix_power(np.array(ROTATIONS[cell.sides]), k) for k in range(cell.sides)]
    signs = [np.diag(s) for s in itertools.product((1, -1), repeat=2)]
    shifts = list(itertools.product((-1, 0, 1), repeat=2))
    families = [[affine_map(a, b) for a in family for b in shifts] for family in (turns, signs)]
    pairs = np.array([pair for family in families for pair in itertools.combinations(family, 2)])
    dihedral = _dihedral(cell)
    # the layer applies later letters on the left, so it tracks inverses
    letters = np.array([_symmetry(p, cell.sides) for p in dihedral.permutations])[dihedral.inverses]
    return {
        "pairs": np.resize(pairs, (PAIRS, *pairs.shape[1:])),  # repeated: all cells share their programs
        "table": np.pad(dihedral.table, (0, ORDER - dihedral.order)),
        "letters": letters,
        # a restricted layer in continuous time: a common linear part with and without a translation
        "generators": np.array([lie.affine_matrix([[1]], [0]), lie.affine_matrix([[1]], [1])], dtype=int),
    }


def predict(cell: Sizes, given: dict) -> tuple[Prediction, ...]:
    """Sizes of the groups and what commutes, pair by pair; the tracker's errors and its first failure; both derived series."""
    linear = given["pairs"][..., :2, :2]
    finite = np.array([has_common_fixed_point(pair) for pair in given["pairs"]])
    sizes = np.array([linear_order(pair) for pair in given["pairs"]])
    hypotheses = (
        Hypothesis("the linear parts commute", not np.any(linear[:, 0] @ linear[:, 1] - linear[:, 1] @ linear[:, 0])),
        Hypothesis("some groups are finite", bool(finite.any())),
    )

    def pairwise(values: np.ndarray, of: str, relation: Relation, formula: str) -> Prediction:
        return Prediction(values, of=of, dims=("pair",), relation=relation, hypotheses=hypotheses, formula=formula)

    failures = [first_inexact_multiple(cell.sides - 1, bits) for bits in TYPES.values()]
    series = lie.LieAlgebra.generated_by(list(given["generators"])).derived_dimensions()
    survive = np.arange(DEPTHS) < (_dihedral(cell).derived_length or 0)
    return (
        pairwise(np.where(finite, sizes, sizes + 1), "maps_reached", Relation.AT_LEAST, "|G| > |L|"),
        pairwise(np.where(finite, sizes, np.inf), "maps_reached", Relation.AT_MOST, "|G| = |L|"),
        pairwise(np.where(finite, 0, np.inf), "defect", Relation.AT_MOST, "fg - gf"),
        Prediction(0, of="wrong_elements"),
        Prediction(np.array(failures), of="first_failure", dims=("type",)),
        Prediction(np.array(series), of="derived_dimensions", dims=("series",)),
        Prediction(survive.astype(int), of="commutators_survive", dims=("depth",)),
    )


def measure(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    """Maps that a long random word of every pair reaches, and commutators; the tracker on random and on steady words."""
    reach_key, word_key, commutator_key = jax.random.split(key, 3)
    pairs, table, order = jnp.asarray(given["pairs"]), jnp.asarray(given["table"]), len(given["letters"])
    reached = reached_maps(pairs, uniform_words(reach_key, 2, 1, cell.letters)[0], most=MOST)
    wrong = _wrong(cell, given, uniform_words(word_key, order, cell.batch, cell.length), "float32")
    values = np.asarray(iterated_commutators(commutator_key, table, order, cell.letters, DEPTHS))
    dimensions = derived_dimensions(jnp.asarray(given["generators"], jnp.float32), steps=2)
    failures = [first_wrong_count(cell.sides, cell.sides - 1, name) for name in TYPES]
    return measured(
        type=list(TYPES),
        maps_reached=Quantity(np.asarray(reached), "pair", label="maps that a random word reaches", unit="at most 64"),
        defect=Quantity(np.asarray(commutator_defect(pairs)), "pair", label="largest entry of the commutator"),
        wrong_elements=Quantity(wrong, label="wrong elements, float32"),
        first_failure=Quantity(failures, "type", label="first letter at which the counter fails"),
        derived_dimensions=Quantity(dimensions, "series", label="derived series of (A, b)"),
        commutators_survive=Quantity((values != 0).any(axis=1).astype(int), "depth", label="commutators other than 1"),
    )


def _wrong(cell: Sizes, given: dict, words: jax.Array, dtype: str) -> int:
    """Positions at which the tracker, kept in this type, names another element than the Cayley table."""
    letters = jnp.asarray(given["letters"][np.asarray(words).T], dtype)
    found = tracked_maps(_tracked(letters, tracker_start(cell.batch, jnp.dtype(dtype))), cell.sides)
    codes = 2 * given["letters"][:, 1] + (given["letters"][:, 0] < 0)
    element = np.argsort(codes)[np.asarray(found[..., 1] * 2 + found[..., 0])]
    return int((element.T != np.asarray(prefix_products(jnp.asarray(given["table"]), words))).sum())


@jax.jit
def _tracked(letters: jax.Array, start: tuple[jax.Array]) -> jax.Array:
    """The state after every letter; in pieces, so that the program stays small."""
    return dihedral_tracker().run(letters, start, chunk=64, stream=True)[0]


def _dihedral(cell: Sizes) -> groups.FiniteGroup:
    return groups.group(f"D{cell.sides}")


def _symmetry(permutation: tuple[int, ...], sides: int) -> tuple[int, int]:
    """The symmetry i -> s i + j of the polygon's corners."""
    j = permutation[0]
    return (1 if (permutation[1] - j) % sides == 1 else -1, j)


def _in_bfloat16(cell: Sizes, key: jax.Array, given: dict) -> xr.Dataset:
    turn = np.flatnonzero((given["letters"] == [1, cell.sides - 1]).all(axis=1))
    words = jnp.broadcast_to(jnp.asarray(turn)[None], (cell.batch, cell.length))
    return measured(wrong_elements=Quantity(_wrong(cell, given, words, "bfloat16")))


CONTROLS = (control("bfloat16 past its bits", "the tracker in bfloat16 is exact on words of one turn", measure=_in_bfloat16),)

RIVALS = (
    rival(
        "without finiteness",
        lambda cell, given: Prediction(0, of="defect"),
        "affine maps with commuting linear parts commute, whether or not their group is finite",
    ),
    off_by(-1, of="maps_reached", name="a smaller group", statement="a finite group of such maps has one map less"),
    off_by(1, of="first_failure", name="one letter later", statement="the counter first fails one letter later"),
)
