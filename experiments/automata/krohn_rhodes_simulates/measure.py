"""Right states of cascades on all words of a length, and longest chains of images, for many small automata."""

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.compiler import lean_options
from depthjax.constructions.compiled.automaton import compile_cascade
from depthjax.scans.tables import prefix_products
from depthjax.tasks.words import all_words
from depthjax.verify import Cell, Quantity, measured
from experiments.automata._records import record
from experiments.automata.krohn_rhodes_simulates.image_chains import longest_chain


def measure(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Right states on all words of the length, from all states, whose prefixes are the shorter words; chains of images."""
    right, last = np.sum([_right(cell, members) for members in _by_shape(given["cascades"])], axis=0)
    judged = [given["tables"], [table for table, _ in given["cascades"]]]
    return measured(
        automata=_counted(judged, "automata and their states"),
        distinct=_counted([_distinct(tables) for tables in judged], "the same of tables that are different"),
        right_states=Quantity(right[0], label="states reached rightly"),
        last_states=Quantity(last[0], label="sum over words and starts q of (q + 1) times the last state"),
        right_with_fewer=Quantity(right[1], label="states reached rightly, the first layer switched off"),
        right_with_move=Quantity(right[2], label="states reached rightly, one move of the automaton changed"),
        chain=Quantity([longest_chain(table) for table in given["tables"]], "automaton", label="longest chain of images"),
    )


def _counted(judged: list[list[np.ndarray]], label: str) -> Quantity:
    """How many tables, and all their states: of those whose images are followed, and of those that are simulated."""
    return Quantity([[len(tables), sum(map(len, tables))] for tables in judged], "task counted", label=label)


def _distinct(tables: list[np.ndarray]) -> list[np.ndarray]:
    return list({(table.shape, *table.ravel().tolist()): table for table in tables}.values())


def _by_shape(cascades: list[tuple]) -> list[list[tuple]]:
    """Tables and cascades, those together that can share a program: equal shapes, moduli and resets."""
    groups: dict[tuple, list] = {}
    for table, cascade in cascades:
        static = [(level["resets"], [part["moduli"] for part in level["components"]]) for level in cascade["levels"]]
        shapes = tuple(np.shape(leaf) for leaf in jax.tree.leaves(cascade))
        groups.setdefault((shapes, str(static)), []).append((table, cascade))
    return list(groups.values())


def _right(cell: Cell, members: list[tuple]) -> np.ndarray:
    """Right states and sums of last states of automata whose cascades have one shape.

    The columns: automata as they are, cascades without the first layer, and automata with one move changed.
    """
    tables = np.stack([table for table, _ in members])
    leaves, structure = zip(*(jax.tree.flatten(cascade) for _, cascade in members), strict=True)
    stacked = [np.stack(parts) for parts in zip(*leaves, strict=True)]
    alike = [bool((parts == parts[0]).all()) for parts in stacked]  # what all members share belongs to the program
    varying = [parts for parts, same in zip(stacked, alike, strict=True) if not same]
    words, states = all_words(cell.letters, cell.length), tables.shape[1]

    def right(table: jax.Array, varying: list, off: jax.Array) -> jax.Array:
        rest = iter(varying)
        parts = [first if same else next(rest) for first, same in zip(leaves[0], alike, strict=True)]
        compiled = compile_cascade(record(jax.tree.unflatten(structure[0], parts)), to="recurrence")
        # products start at state 0, so a first letter that leads there stands for another start
        to_start = jnp.concatenate([table, jnp.broadcast_to(jnp.arange(states), (states, states))], axis=1)

        def from_state(state: jax.Array) -> jax.Array:
            first = jnp.full((len(words), 1), cell.letters, words.dtype) + state
            expected = prefix_products(to_start, jnp.concatenate([first, words], axis=1))[:, 1:]
            found = compiled(words, state, off=off)
            return jnp.stack([(found == expected).sum(), (state + 1) * found[:, -1].sum()])

        return jax.lax.map(from_state, jnp.arange(states, dtype=words.dtype)).sum(axis=0)

    counted = jax.jit(jax.vmap(right, (0, 0, None)), compiler_options=lean_options(jax.default_backend(), once=True))
    changed = tables.copy()
    changed[:, 0, 0] = (changed[:, 0, 0] + 1) % states
    tried = ((tables, -1), (tables, 0), (changed, -1))
    found = [np.asarray(counted(jnp.asarray(table), varying, jnp.asarray(off))).sum(axis=0) for table, off in tried]
    return np.stack(found, axis=1)


def by_inclusion(cell: Cell, key: jax.Array, given: dict) -> xr.Dataset:
    """Chains of images that are compared as they are, in place of images that words move."""
    return measured(chain=Quantity([longest_chain(table, moved=False) for table in given["tables"]], "automaton"))
