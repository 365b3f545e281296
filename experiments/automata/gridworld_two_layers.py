r"""Two attention layers read a walk between two walls, whatever its length.

Statement: A walk on the cells 0 ... n has moves -1, 0, +1, and a wall stops it. Two attention layers with explicit weights give
    every cell of the walk: a uniform head counts the free displacement S, and 2 n + 3 heads find where S last stood at each
    distance from its present value. No decoder of the counts of the moves alone gives the cell.
    $$ q_t = S_t - \min_{p \in W_t} S_p,\quad
       W_t \text{ the shortest window ending at } t \text{ on which } S \text{ ranges over } n $$
Hypotheses: moves of at most one cell; positions enter the scores as integers.
Source: Liu, Ash, Goel, Krishnamurthy, Zhang, “Transformers Learn Shortcuts to Automata”, arXiv 2210.10749, Theorem 3.
Refuted by: a cell that two layers read wrongly.
Cost: quick 10 s on a CPU, full 2 min.

The weights are re-derived in `depthjax.constructions.gridworld`. Counting is not enough, whatever reads the counts: from the
left wall, right and then left ends at the wall, left and then right ends one cell away from it. A control gives the counts of
all three moves to the best decoder there is, which answers the most frequent end of all words with these counts.
"""

import dataclasses
from collections.abc import Callable
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.gridworld import walled_walk
from depthjax.runs.compiler import lean_options
from depthjax.scans.tables import prefix_products
from depthjax.tasks.words import all_words, sticky_words, uniform_words
from depthjax.verify import Grid, Prediction, Quantity, Relation, axis, claim, control, measured
from theory.automata import semiautomaton

CLAIM = claim(Relation.EQUALS)

MOVES = 3
WORDS = 3**7  # words of one part of all short words: what one call holds


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The number of cells of the walk is the axis; all words of one length, and random words of another, from every start."""

    places: int = axis(2, 3, 5, 9)
    length: int = 7
    long: int = 96
    samples: int = 24  # uniform words, and as many of long runs


FULL = Sizes(places=axis(2, 3, 4, 5, 6, 7, 8, 9), length=10, samples=512)
GRIDS = {
    "test": Sizes(places=axis(3), length=4, long=24, samples=4),
    "quick": Sizes(),
    "full": FULL,
    "paper": dataclasses.replace(FULL, length=12),
}


def objects(cell: Sizes) -> np.ndarray:
    """The table of the walk."""
    return semiautomaton(f"gridworld{cell.places}").table


def predict(cell: Sizes, table: np.ndarray) -> tuple[Prediction, ...]:
    """No wrong cell on any word."""
    return Prediction(0, of="wrong_short"), Prediction(0, of="wrong_long")


def measure(cell: Sizes, key: jax.Array, table: np.ndarray) -> xr.Dataset:
    """Wrong cells over all starts, on every short word and on random long words; ends that no decoder of counts avoids."""
    short, wrong = all_words(MOVES, cell.length), _wrong(cell.places, 2)
    wrong_short = sum(int(wrong(jnp.asarray(table), part)) for part in jnp.split(short, max(1, len(short) // WORDS)))
    return measured(
        wrong_short=Quantity(wrong_short, label=f"wrong cells, all words of length {cell.length}"),
        wrong_long=_on_long_words(cell, key, table, 2),
        wrong_by_counts=Quantity(_wrong_by_counts(table, np.asarray(short)), label="ends that no decoder of counts finds"),
    )


def _on_long_words(cell: Sizes, key: jax.Array, table: np.ndarray, layers: int) -> Quantity:
    every, runs = jax.random.split(key)
    uniform = uniform_words(every, MOVES, cell.samples, cell.long)
    sticky = sticky_words(runs, MOVES, cell.samples, cell.long, max(2, cell.long // cell.places))  # these reach the walls
    wrong = _wrong(cell.places, layers)(jnp.asarray(table), jnp.concatenate([uniform, sticky]))
    return Quantity(wrong, label=f"wrong cells, random words of length {cell.long}")


def _one_layer(cell: Sizes, key: jax.Array, table: np.ndarray) -> xr.Dataset:
    return measured(wrong_long=_on_long_words(cell, key, table, 1))


def _wrong_by_counts(table: np.ndarray, words: np.ndarray) -> int:
    """Ends of words, over all starts, that the best decoder of the counts of moves gets wrong: all but the majority."""
    counts = np.stack([(words == move).sum(axis=1) for move in range(MOVES)], axis=1)
    group = np.unique(counts, axis=0, return_inverse=True)[1].ravel()
    wrong = 0
    for start in range(len(table)):
        end = np.full(len(words), start)
        for move in words.T:
            end = table[end, move]
        found = np.zeros((group.max() + 1, len(table)), int)
        np.add.at(found, (group, end), 1)
        wrong += len(words) - int(found.max(axis=1).sum())
    return wrong


@cache
def _wrong(cells: int, layers: int) -> Callable[[jax.Array, jax.Array], jax.Array]:
    """The program that counts wrong cells over all words and starts; the number of cells is a shape."""

    def wrong(table: jax.Array, words: jax.Array) -> jax.Array:
        def from_start(state: jax.Array) -> jax.Array:
            relabelled = (jnp.roll(table, -state, axis=0) - state) % cells  # the walk with its start at 0
            expected = (prefix_products(relabelled, words) + state) % cells
            return (walled_walk(words, cells, state=state, layers=layers) != expected).sum()

        return jax.lax.map(from_start, jnp.arange(cells, dtype=words.dtype)).sum()

    return jax.jit(wrong, compiler_options=lean_options(jax.default_backend(), once=True))


CONTROLS = (
    control("one layer", "the layer that counts gives every cell, once clamped to the walls", measure=_one_layer),
    control(
        "the best decoder of counts", "the counts of the moves decide the last cell", instead={"wrong_short": "wrong_by_counts"}
    ),
)
