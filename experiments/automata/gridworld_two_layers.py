r"""Two attention layers read a walk between two walls, whatever its length; one layer without positions cannot.

Statement: A walk on the cells 0 ... n has moves -1, 0, +1, and a wall stops it. Two attention layers with explicit weights give
    every cell of the walk: a uniform head counts the free displacement S, and 2 n + 3 heads find where S last stood at each
    distance from its present value. One layer of attention without positions, of any width and number of heads, hard or soft,
    and with any decoder, knows the last move and the counts of all moves. So it gives one answer for a word and for each
    permutation of it that keeps the last move, and it misses at least as many ends as the best reader of the counts.
    $$ q_t = S_t - \min_{p \in W_t} S_p,\quad
       W_t \text{ the shortest window ending at } t \text{ on which } S \text{ ranges over } n $$
Hypotheses: moves of at most one cell; two layers have positions, as integers in the scores; the one layer has none (with
    positions and enough digits one sum would store the word).
Source: Liu, Ash, Goel, Krishnamurthy, Zhang, “Transformers Learn Shortcuts to Automata”, arXiv 2210.10749, Theorem 3; the lower
    bound is derived here.
Refuted by: a cell that two layers read wrongly, a layer without positions that tells permutations apart, or another number of
    ends that the best reader of counts misses.
Cost: quick 15 s on one core, full about 2 min.

The weights are re-derived in `depthjax.constructions.directions.gridworld`. Of the lower bound: without positions, scores and
values depend on the letters alone, so a head gives an average over the letters, weighted by the last letter and the counts.
From the left wall, right and then left ends at the wall, left and then right ends one cell away from it. The misses of the best
reader are counted by a recursion in `theory.automata.unordered` and measured on all short words.
"""

import dataclasses
from collections.abc import Callable
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.constructions.directions.gridworld import walled_walk
from depthjax.probe.rounding import rounding_floor
from depthjax.probe.unordered import permuted_pairs, read_at_the_end
from depthjax.runs.compiler import lean_options
from depthjax.scans.tables import prefix_products
from depthjax.tasks.words import all_words, sticky_words, uniform_words
from depthjax.verify import Grid, Prediction, Quantity, Relation, axis, claim, control, measured
from theory.automata import semiautomaton
from theory.automata.unordered import least_misses

CLAIM = claim(Relation.EQUALS)

MOVES = 3
LENGTHS = (12, 64)  # of words that random layers read
PAIRS = 8  # of a word and a permutation of it
WORDS = 3**7  # words of one part of all short words: what one call holds


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The number of cells of the walk is the axis; all words of one length, and random words of another, from every start."""

    places: int = axis(2, 3, 5, 9)
    length: int = 7
    long: int = 96
    samples: int = 24  # uniform words, and as many of long runs
    layers: int = 4  # random ones without positions
    heads: int = 4
    width: int = 16


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
    """No wrong cell of two layers; layers without positions hold the same, and readers of counts miss so many ends."""
    misses = [least_misses(semiautomaton(f"gridworld{cell.places}"), length) for length in range(1, cell.length + 1)]
    return (
        Prediction(0, of="wrong_short"),
        Prediction(0, of="wrong_long"),
        Prediction(0, of="told_apart"),
        Prediction(misses, of="missed", dims=("short",)),
    )


def measure(cell: Sizes, key: jax.Array, table: np.ndarray) -> xr.Dataset:
    """Wrong cells over all starts, on every short word and on random long words; what one layer without positions knows."""
    short, wrong = all_words(MOVES, cell.length), _wrong(cell.places, 2)
    wrong_short = sum(int(wrong(jnp.asarray(table), part)) for part in jnp.split(short, max(1, len(short) // WORDS)))
    lengths = range(1, cell.length + 1)
    return measured(
        wrong_short=Quantity(wrong_short, label=f"wrong cells, all words of length {cell.length}"),
        wrong_long=_on_long_words(cell, key, table, 2),
        told_apart=_told_apart(cell, key, table, depth=1),
        missed=Quantity([_missed(table, length) for length in lengths], "short", label="ends that the best reader misses"),
        missed_in_order=Quantity([_missed(table, length, 2) for length in lengths], "short"),
    )


def _told_apart(cell: Sizes, key: jax.Array, table: np.ndarray, depth: int, positions: float = 0.0) -> Quantity:
    """How differently random layers hold words and permutations of them that end in other cells, for several lengths."""
    gaps = []
    for length in LENGTHS:
        seed = int(jax.random.key_data(key)[-1])
        pairs = jnp.asarray(permuted_pairs(seed, table, length, PAIRS).reshape(2 * PAIRS, length))
        sizes = {"letters": MOVES, "heads": cell.heads, "width": cell.width, "layers": 2}
        draws = jax.random.split(key, cell.layers)
        held = np.stack([read_at_the_end(draw, pairs, depth=depth, positions=positions, **sizes) for draw in draws])
        gaps.append(np.abs(held[:, :PAIRS] - held[:, PAIRS:]).max())
    # sums over letters and features, of numbers that tanh keeps below one
    floor = np.array([rounding_floor(cell.heads * cell.width**2 * length, held.dtype) for length in LENGTHS])
    return Quantity(gaps, "long", floor=floor, label="difference between permutations")


def _on_long_words(cell: Sizes, key: jax.Array, table: np.ndarray, layers: int) -> Quantity:
    every, runs = jax.random.split(key)
    uniform = uniform_words(every, MOVES, cell.samples, cell.long)
    sticky = sticky_words(runs, MOVES, cell.samples, cell.long, max(2, cell.long // cell.places))  # these reach the walls
    wrong = _wrong(cell.places, layers)(jnp.asarray(table), jnp.concatenate([uniform, sticky]))
    return Quantity(wrong, label=f"wrong cells, random words of length {cell.long}")


def _one_layer(cell: Sizes, key: jax.Array, table: np.ndarray) -> xr.Dataset:
    return measured(wrong_long=_on_long_words(cell, key, table, 1))


def _missed(table: np.ndarray, length: int, kept: int = 1) -> int:
    """Ends of words, over all starts, that the best reader of the counts and of the last moves misses: all but the majority."""
    words = np.asarray(all_words(MOVES, length))
    known = [(words == move).sum(axis=1) for move in range(MOVES)]
    group = np.unique(np.stack([*known, *words[:, -kept:].T], axis=1), axis=0, return_inverse=True)[1].ravel()
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
        "two layers without positions",
        "two layers do not tell permutations apart either",
        measure=lambda cell, key, table: measured(told_apart=_told_apart(cell, key, table, depth=2)),
    ),
    control(
        "one layer with positions",
        "positions tell one layer nothing",
        measure=lambda cell, key, table: measured(told_apart=_told_apart(cell, key, table, depth=1, positions=1.0)),
    ),
    control("the last two moves", "a reader of one more move misses as many", instead={"missed": "missed_in_order"}),
)
