"""Wrong cells of a walk between walls by one and by two layers, and what layers without positions know of a word."""

from collections.abc import Callable
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from depthjax.compiler import lean_options
from depthjax.constructions.directions.gridworld import walled_walk
from depthjax.rounding import rounding_floor
from depthjax.scans.tables import prefix_products
from depthjax.tasks.words import all_words, sticky_words, uniform_words
from depthjax.verify import Cell, Quantity, measured
from experiments.automata.gridworld_two_layers.unordered import permuted_pairs, read_at_the_end

MOVES = 3

LENGTHS = (12, 64)  # of words that random layers read

PAIRS = 8  # of a word and a permutation of it

WORDS = 3**7  # words of one part of all short words: what one call holds


def measure(cell: Cell, key: jax.Array, table: np.ndarray) -> xr.Dataset:
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


def _told_apart(cell: Cell, key: jax.Array, table: np.ndarray, depth: int, positions: float = 0.0) -> Quantity:
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


def _on_long_words(cell: Cell, key: jax.Array, table: np.ndarray, layers: int) -> Quantity:
    every, runs = jax.random.split(key)
    uniform = uniform_words(every, MOVES, cell.samples, cell.long)
    sticky = sticky_words(runs, MOVES, cell.samples, cell.long, max(2, cell.long // cell.places))  # these reach the walls
    wrong = _wrong(cell.places, layers)(jnp.asarray(table), jnp.concatenate([uniform, sticky]))
    return Quantity(wrong, label=f"wrong cells, random words of length {cell.long}")


def one_layer(cell: Cell, key: jax.Array, table: np.ndarray) -> xr.Dataset:
    """The layer that counts, clamped to the walls, without the second layer."""
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


def two_layers_without_positions(cell: Cell, key: jax.Array, table: np.ndarray) -> xr.Dataset:
    """Two random layers without positions, in place of one."""
    return measured(told_apart=_told_apart(cell, key, table, depth=2))


def one_layer_with_positions(cell: Cell, key: jax.Array, table: np.ndarray) -> xr.Dataset:
    """One random layer with positions, in place of one without."""
    return measured(told_apart=_told_apart(cell, key, table, depth=1, positions=1.0))
