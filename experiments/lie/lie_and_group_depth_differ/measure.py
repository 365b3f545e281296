"""What the claim measures."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.probe.generated_algebra import derived_dimensions
from depthjax.tasks.words import iterated_commutators, uniform_words
from depthjax.verify import Cell, Quantity, measured
from experiments.lie.lie_and_group_depth_differ.affine import commutator_defect, reached_maps
from experiments.lie.lie_and_group_depth_differ.common import DEPTHS, TYPES
from experiments.lie.lie_and_group_depth_differ.counter import first_wrong_count, wrong_elements

MOST = 32  # maps that are told apart in a group


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
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


def _reached(cell: Cell, key: jax.Array, pairs: np.ndarray) -> dict[str, Quantity]:
    """What a long random word reaches, and what does not commute."""
    maps, word = jnp.asarray(pairs), uniform_words(jax.random.fold_in(key, 0), 2, 1, cell.letters // 2)[0]
    reached, defect = reached_maps(maps, word, most=MOST), commutator_defect(maps)
    return {
        "maps_reached": Quantity(np.asarray(reached), "pair", label="maps that a random word reaches", unit="at most 32"),
        "defect": Quantity(np.asarray(defect), "pair", label="largest entry of the commutator"),
    }


def _series(cell: Cell, key: jax.Array, generators: np.ndarray, table: np.ndarray) -> dict[str, Quantity]:
    """The derived series of an algebra; iterated commutators in a group as large as the dihedral one."""
    values = iterated_commutators(jax.random.fold_in(key, 2), jnp.asarray(table), 2 * cell.sides, cell.letters, DEPTHS)
    dimensions, survive = derived_dimensions(np.asarray(generators, np.float32), steps=2), np.asarray(values != 0).any(axis=1)
    return {
        "derived_dimensions": Quantity(dimensions, "series", label="derived series of (A, b)"),
        "commutators_survive": Quantity(survive.astype(int), "depth", label="commutators other than 1"),
    }


def in_bfloat16(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Wrong elements of one repeated turn, in bfloat16."""
    turn = np.flatnonzero((given["letters"] == [1, cell.sides - 1]).all(axis=1))
    words = jnp.broadcast_to(jnp.asarray(turn)[None], (cell.batch, cell.length))
    wrong = wrong_elements(words, given["letters"], given["table"], cell.sides, "bfloat16")
    return measured(wrong_elements=Quantity(wrong))


def not_commuting(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """What pairs reach whose second map also exchanges two coordinates."""
    exchange = np.eye(given["pairs"].shape[-1], dtype=int)[[1, 0, 2, 3]]
    return measured(**_reached(cell, key, given["pairs"] @ [np.eye(len(exchange), dtype=int), exchange]))


def moved_apart(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Maps that are reached where the second map of every pair is moved by one."""
    pairs = given["pairs"].copy()
    pairs[:, 1, :-1, -1] += 1
    return measured(maps_reached=_reached(cell, key, pairs)["maps_reached"])


def smaller_step(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The first wrong count of a counter whose step is 1."""
    return measured(first_failure=Quantity([first_wrong_count(cell.sides, 1, name, farthest=2**13) for name in TYPES], "type"))


def abelian(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """The series of the translations alone."""
    return measured(**_series(cell, key, given["generators"] * [1, 0], given["abelian"]))
