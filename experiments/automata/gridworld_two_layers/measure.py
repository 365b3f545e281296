"""Cells of a walk between walls by one and by two layers, and what layers without positions know of a word."""

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
    """Right cells from every start, on every short word and on random long words; what one layer without positions knows."""
    right_short, ends = _on_short_words(cell, table, 2)
    lengths = range(1, cell.length + 1)
    return measured(
        right_short=Quantity(right_short, label=f"right cells, all words of length {cell.length}"),
        ends=Quantity(ends, "start end", label="words that end in each cell"),
        ends_of_one_layer=Quantity(_on_short_words(cell, table, 1)[1], "start end", label="the same for the layer that counts"),
        right_long=_on_long_words(cell, key, table),
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


def _on_short_words(cell: Cell, table: np.ndarray, layers: int) -> tuple[int, np.ndarray]:
    """Right cells on all words of one length, and at how many of their ends each cell is read, by start, padded with zeros."""
    short, read = all_words(MOVES, cell.length), _read(cell.places, layers)
    parts = [read(jnp.asarray(table), part) for part in jnp.split(short, max(1, len(short) // WORDS))]
    right, ends = (np.sum([np.asarray(part) for part in column], axis=0) for column in zip(*parts, strict=True))
    return int(right.sum()), np.pad(ends, (0, cell.most - cell.places))


def _on_long_words(cell: Cell, key: jax.Array, table: np.ndarray) -> Quantity:
    every, runs = jax.random.split(key)
    uniform = uniform_words(every, MOVES, cell.samples, cell.long)
    sticky = sticky_words(runs, MOVES, cell.samples, cell.long, max(2, cell.long // cell.places))  # these reach the walls
    right, _ = _read(cell.places, 2)(jnp.asarray(table), jnp.concatenate([uniform, sticky]))
    return Quantity(right.sum(), label=f"right cells, random words of length {cell.long}")


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
def _read(cells: int, layers: int) -> Callable[[jax.Array, jax.Array], tuple[jax.Array, jax.Array]]:
    """The program that counts right cells and the cells at the ends of words, by start; the number of cells is a shape."""

    def read(table: jax.Array, words: jax.Array) -> tuple[jax.Array, jax.Array]:
        def from_start(state: jax.Array) -> tuple[jax.Array, jax.Array]:
            relabelled = (jnp.roll(table, -state, axis=0) - state) % cells  # the walk with its start at 0
            expected = (prefix_products(relabelled, words) + state) % cells
            found = walled_walk(words, cells, state=state, layers=layers)
            return (found == expected).sum(), jnp.bincount(found[:, -1], length=cells)

        return jax.lax.map(from_start, jnp.arange(cells, dtype=words.dtype))

    return jax.jit(read, compiler_options=lean_options(jax.default_backend(), once=True))


def two_layers_without_positions(cell: Cell, key: jax.Array, table: np.ndarray) -> xr.Dataset:
    """Two random layers without positions, in place of one."""
    return _by_depth(cell, key, table, most=2)


def one_layer_with_positions(cell: Cell, key: jax.Array, table: np.ndarray) -> xr.Dataset:
    """One random layer with positions, in place of one without."""
    return _by_depth(cell, key, table, most=1, positions=1.0)


def _by_depth(cell: Cell, key: jax.Array, table: np.ndarray, most: int, positions: float = 0.0) -> xr.Dataset:
    """How differently random layers hold permutations, and after how many layers they do at all."""
    gaps = [_told_apart(cell, key, table, depth, positions) for depth in range(most + 1)]
    told = [np.asarray(gap.values) > np.asarray(gap.floor) for gap in gaps]
    return measured(
        told_apart=gaps[-1],
        told=Quantity(np.array(told).astype(int), "depth long", label="permutations are told apart, after each layer"),
    )
