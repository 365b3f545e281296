r"""A walk between two walls needs two layers of attention, whatever its length.

Statement: on cells 0 ... n with moves -1, 0, +1 that a wall stops, layer 1 counts the free displacement S_t and layer 2 finds
the last positions where S stood at S_t + d, |d| <= n + 1; the cell is the one q that these visits allow. Two layers, O(n)
heads, are exact. Counting alone is not, whatever reads the counts: from the left wall, right and left ends at the wall, left
and right one cell away from it. A control gives the counts of all three moves to the best decoder there is, on all words.

    q_t = S_t - min S over the shortest window ending at t on which S ranges over n

Hypotheses: moves of at most one cell; positions enter the score as integers. Source: Liu et al., arXiv 2210.10749, Theorem 3;
the weights are re-derived. Refuted by: one wrong cell. Cost: 10 s on a CPU at quick size.
"""

import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.gridworld import walled_walk
from depthjax.scans.tables import prefix_products
from depthjax.tasks.words import all_words, uniform_words
from depthjax.verify import Claim, Control, Grid, Prediction, Relation, Source, axis
from experiments.automata._compile import jit
from theory.automata import semiautomaton

CLAIM = Claim(
    slug="gridworld_two_layers",
    title="A walk between two walls is read in two attention layers, whatever its length",
    statement=(
        "Two attention layers with explicit weights, a uniform counter and 2 n + 3 heads that find the last visit of a free "
        "displacement, give every cell of a walk on 0 .. n with moves -1, 0, +1; no decoder of the counts alone does."
    ),
    latex=r"q_t = S_t - \min_{p \in W_t} S_p,\quad"
    r" W_t \text{ the shortest window ending at } t \text{ on which } S \text{ ranges over } n",
    relation=Relation.EQUALS,
    source=Source(
        "Liu, Ash, Goel, Krishnamurthy, Zhang", "Transformers Learn Shortcuts to Automata", "arXiv 2210.10749", "Theorem 3"
    ),
    assumes=("moves of at most one cell", "positions enter the scores as integers"),
    refuted_by="a cell that two layers read wrongly",
    cost="10 s on a CPU at quick size",
)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """One cell a number of places; all words of one length, and random ones of another, from every start."""

    places: int = axis(2, 3, 5, 9)
    length: int = 7
    long: int = 96
    samples: int = 32


GRIDS = {
    "quick": Sizes(),
    "full": Sizes(places=axis(2, 3, 4, 5, 6, 7, 8, 9), length=10, samples=512),
    "paper": Sizes(places=axis(2, 3, 4, 5, 6, 7, 8, 9), length=12, samples=512),
}


def setting(cell: Sizes) -> np.ndarray:
    """The table of the walk."""
    return semiautomaton(f"gridworld{cell.places}").table


def predict(cell: Sizes, table: np.ndarray) -> tuple[Prediction, ...]:
    """No wrong cell on any word."""
    return Prediction(0, of="wrong_short"), Prediction(0, of="wrong_long")


def measure(cell: Sizes, key: jax.Array, table: np.ndarray) -> xr.Dataset:
    """Wrong cells over all starts: on every short word and on random long ones; those that no decoder of counts avoids."""
    short = all_words(3, cell.length)
    # the number of cells is a shape, so each cell of the grid compiles once per length
    wrong_short = sum(
        int(_wrong(jnp.asarray(table), part, cell.places)) for part in jnp.split(short, max(1, len(short) // 2187))
    )
    wrong_long = int(_wrong(jnp.asarray(table), uniform_words(key, 3, cell.samples, cell.long), cell.places))
    right_left, left_right = table[table[0, 2], 0], table[table[0, 0], 2]
    return xr.Dataset(
        {
            "wrong_short": ((), wrong_short, {"long_name": f"wrong cells, all words of length {cell.length}"}),
            "wrong_long": ((), wrong_long, {"long_name": f"wrong cells, random words of length {cell.long}"}),
            "wrong_by_counts": ((), _wrong_by_counts(table, np.asarray(short)), {"long_name": "ends that no decoder finds"}),
            "pair_difference": ((), left_right - right_left, {"long_name": "cells between left, right and right, left"}),
        }
    )


def _wrong_by_counts(table: np.ndarray, words: np.ndarray) -> int:
    """Ends of words, over all starts, that even the best decoder of the counts of moves gets wrong: all but the majority."""
    counts = np.stack([(words == letter).sum(axis=1) for letter in range(3)], axis=1)
    group = np.unique(counts, axis=0, return_inverse=True)[1].ravel()
    wrong = 0
    for start in range(len(table)):
        end = np.full(len(words), start)
        for letter in words.T:
            end = table[end, letter]
        found = np.zeros((group.max() + 1, len(table)), int)
        np.add.at(found, (group, end), 1)
        wrong += len(words) - int(found.max(axis=1).sum())
    return wrong


@partial(jit, static_argnames="cells")
def _wrong(table: jax.Array, words: jax.Array, cells: int) -> jax.Array:
    def from_start(state: jax.Array) -> jax.Array:
        relabelled = (jnp.roll(table, -state, axis=0) - state) % cells  # the walk with its start at 0
        expected = (prefix_products(relabelled, words) + state) % cells
        return (walled_walk(words, cells, state=state) != expected).sum()

    return jax.lax.map(from_start, jnp.arange(cells, dtype=words.dtype)).sum()


CONTROLS = (
    Control(
        "one layer that counts",
        "the number of each move decides the cell at the end of a word",
        lambda cell, table: Prediction(0, of="wrong_by_counts"),
    ),
    Control(
        "order does not matter",
        "right, left and left, right from the left wall end in the same cell",
        lambda cell, table: Prediction(0, of="pair_difference"),
    ),
)
