"""What the claim measures."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.generated_algebra import derived_dimensions
from depthjax.tasks.words import iterated_commutators, uniform_words
from depthjax.verify import Cell, Quantity, measured
from experiments.lie.lie_and_group_depth_differ.affine import commutator_defect, reached_maps
from experiments.lie.lie_and_group_depth_differ.counter import first_wrong_count, right_elements

MOST = 32  # maps that are told apart in a group
TYPES = "bfloat16", "float16", "float32"
DEPTHS = 3  # of the iterated commutators
EXCHANGE = np.array([np.eye(4, dtype=int), np.eye(4, dtype=int)[[1, 0, 2, 3]]])  # of two coordinates, before the second map


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Maps that a long random word of every pair reaches, and commutators; the tracker on random and on steady words."""
    words = uniform_words(jax.random.fold_in(key, 1), len(given["letters"]), cell.batch, cell.length)
    right = right_elements(words, given["letters"], given["table"], cell.sides, "float32")
    failures = [first_wrong_count(cell.sides, cell.sides - 1, name) for name in TYPES]
    ones = [first_wrong_count(cell.sides, 1, name, farthest=2**13) for name in TYPES]
    moved = given["pairs"].copy()
    moved[:, 1, :-1, -1] += 1
    return measured(
        type=list(TYPES),
        **_reached(cell, key, given["pairs"]),
        **_reached(cell, key, given["pairs"] @ EXCHANGE, "_exchanged"),
        maps_reached_moved=_reached(cell, key, moved)["maps_reached"],
        pairs_tried=Quantity(len(given["pairs"]), label="pairs of maps"),
        plane_pairs=Quantity(_plane_pairs(given["pairs"]), label="different pairs of maps of the plane"),
        right_elements=Quantity(right.sum(), label="right elements, float32"),
        elements=Quantity(np.unique(words).size, label="different elements that the words hold"),
        **_in_bfloat16(cell, given),
        first_failure=Quantity(failures, "type", label="first letter at which the counter fails"),
        first_failure_of_one=Quantity(ones, "type", label="first letter at which a counter of step one fails"),
        **_series(cell, key, given["generators"], given["table"]),
        # the translations are left out, and the group is cyclic
        derived_dimensions_alone=_series(cell, key, given["generators"] * [1, 0], given["abelian"])["derived_dimensions"],
        commutators_survive_abelian=_series(cell, key, given["generators"], given["abelian"])["commutators_survive"],
    )


def _reached(cell: Cell, key: jax.Array, pairs: np.ndarray, name: str = "") -> dict[str, Quantity]:
    """What a long random word reaches, and what does not commute."""
    maps, word = jnp.asarray(pairs), uniform_words(jax.random.fold_in(key, 0), 2, 1, cell.letters // 2)[0]
    reached, defect = reached_maps(maps, word, most=MOST), commutator_defect(maps)
    return {
        f"maps_reached{name}": Quantity(
            np.asarray(reached), "pair", label="maps that a random word reaches", unit="at most 32"
        ),
        f"defect{name}": Quantity(np.asarray(defect), "pair", label="largest entry of the commutator"),
    }


def _series(cell: Cell, key: jax.Array, generators: np.ndarray, table: np.ndarray) -> dict[str, Quantity]:
    """The derived series of an algebra; iterated commutators in a group as large as the dihedral one."""
    values = iterated_commutators(jax.random.fold_in(key, 2), jnp.asarray(table), 2 * cell.sides, cell.letters, DEPTHS)
    dimensions, survive = derived_dimensions(np.asarray(generators, np.float32), steps=2), np.asarray(values != 0).any(axis=1)
    return {
        "derived_dimensions": Quantity(dimensions, "series", label="derived series of (A, b)"),
        "commutators_survive": Quantity(survive.astype(int), "depth", label="commutators other than 1"),
    }


def _in_bfloat16(cell: Cell, given: dict) -> dict[str, Quantity]:
    """Elements of one repeated turn that are right in bfloat16, and the first letter after which one is wrong."""
    turn = np.flatnonzero((given["letters"] == [1, cell.sides - 1]).all(axis=1))
    words = jnp.broadcast_to(jnp.asarray(turn)[None], (cell.batch, cell.length))
    right = right_elements(words, given["letters"], given["table"], cell.sides, "bfloat16")
    first = np.logical_and.accumulate(right, axis=0).sum(axis=0).min() + 1
    return {
        "right_in_bfloat16": Quantity(right.sum(), label="right elements, bfloat16"),
        "failure_in_bfloat16": Quantity(first, label="first letter at which a word of turns fails, bfloat16"),
    }


def _plane_pairs(pairs: np.ndarray) -> int:
    """Different pairs of different maps that leave the third coordinate as it is and shift the others by at most one."""
    flat = (pairs[..., 2, :] == [0, 0, 1, 0]).all(axis=(1, 2)) & (np.abs(pairs[..., :2, 3]) <= 1).all(axis=(1, 2))
    kept = {frozenset(m.tobytes() for m in pair) for pair in pairs[flat]}
    return sum(len(pair) == 2 for pair in kept)
