r"""Two attention layers read a walk between two walls, whatever its length; one layer without positions cannot.

Statement: A walk on the cells 0 ... n has moves -1, 0, +1, and a wall stops it. Two attention layers with explicit weights give
    every cell of the walk: a uniform head counts the free displacement S, and 2 n + 3 heads find where S last stood at each
    distance from its present value. One layer of attention without positions, of any width and number of heads, hard or soft,
    and with any decoder, knows the last move and the counts of all moves. So it gives one answer for a word and for each
    permutation of it that keeps the last move, and it misses at least as many ends as the best reader of the counts.
    $$ q_t = S_t - \min_{p \in W_t} S_p,\quad
       W_t \text{ the shortest window ending at } t \text{ on which } S \text{ ranges over } n $$
Hypotheses: 2 to 12 cells, words of up to 160 letters; moves of at most one cell; two layers have positions, as integers in the
    scores; the one layer has none (with positions and enough digits one sum would store the word).
Source: Liu, Ash, Goel, Krishnamurthy, Zhang, “Transformers Learn Shortcuts to Automata”, arXiv 2210.10749, Theorem 3; the lower
    bound is derived here.
Refuted by: a cell that two layers read wrongly, a layer without positions that tells permutations apart, or another number of
    ends that the best reader of counts misses.
Cost: quick 15 s on one core, full about 10 min.

The weights are re-derived in `depthjax.constructions.directions.gridworld`. Of the lower bound: without positions, scores and
values depend on the letters alone, so a head gives an average over the letters, weighted by the last letter and the counts.
From the left wall, right and then left ends at the wall, left and then right ends one cell away from it. The misses of the best
reader are counted by a recursion in `multisets` and measured on all short words.
"""

import dataclasses

import numpy as np

from depthjax.verify import Grid, Prediction, Relation, among, axis, claim, control, domain, rival, whole
from experiments.automata.gridworld_two_layers.multisets import least_misses
from theory.automata import semiautomaton

CLAIM = claim(Relation.EQUALS)


@dataclasses.dataclass(frozen=True)
class Sizes(Grid):
    """The number of cells of the walk is the axis; all words of one length, and random words of another, from every start."""

    places: int = axis(2, 5, 9)
    length: int = 7
    long: int = 96
    samples: int = 24  # uniform words, and as many of long runs
    layers: int = 4  # random ones without positions
    heads: int = 4
    width: int = 16
    most: int = 12  # cells: counts by cell are padded to as many


FULL = Sizes(places=axis(2, 3, 4, 5, 6, 7, 8, 9), length=10, samples=512)

DOMAIN = domain(
    places=whole(2, 12, quick=8),
    length=whole(4, 10, quick=6),
    long=whole(24, 160, quick=100),
    heads=among(1, 2, 3, 4, 6, 8, quick=(2, 4)),
    width=among(4, 8, 16, 24, 32, quick=(16,)),
)
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
    """All cells from all starts, as many ends in each cell as walks lead there, and what layers without positions miss."""
    cells, length = cell.places, cell.length
    misses, in_order = (
        [least_misses(semiautomaton(f"gridworld{cells}"), short, kept) for short in range(1, length + 1)] for kept in (1, 2)
    )
    free = cells + 2 * length  # cells of a walk that meets no wall
    unstopped = np.linalg.matrix_power(_step(free), length)[length : length + cells]
    clamped = unstopped @ np.eye(cells, dtype=int)[np.clip(np.arange(free) - length, 0, cells - 1)]
    return (
        Prediction(cells * 3**length * length, of="right_short"),
        _ends(cell, np.linalg.matrix_power(_step(cells), length), "ends"),
        _ends(cell, clamped, "ends_of_one_layer"),
        Prediction(cells * 2 * cell.samples * cell.long, of="right_long"),
        Prediction(0, of="told_apart"),
        Prediction(misses, of="missed", dims=("short",)),
        Prediction(in_order, of="missed_in_order", dims=("short",)),
    )


def _ends(cell: Sizes, counts: np.ndarray, of: str) -> Prediction:
    return Prediction(np.pad(counts, (0, cell.most - cell.places)), of=of, dims=("start", "end"))


def _step(cells: int) -> np.ndarray:
    """How many of the moves -1, 0, +1 lead from cell to cell."""
    return np.array(
        [[sum(end == min(max(q + m, 0), cells - 1) for m in (-1, 0, 1)) for end in range(cells)] for q in range(cells)]
    )


def _told(*after: int):
    """Whether permutations are told apart after no layer, after one, ..., for words of both lengths."""
    return lambda cell, table: Prediction([[one, one] for one in after], of="told", dims=("depth", "long"))


CONTROLS = (
    control(
        "one layer",
        "the layer that counts gives every cell, once clamped to the walls",
        instead={"ends": "ends_of_one_layer"},
    ),
    control(
        "two layers without positions",
        "two layers do not tell permutations apart either",
        measure="two_layers_without_positions",
        finds=_told(0, 0, 1),  # the second layer reads what prefixes hold
    ),
    control(
        "one layer with positions",
        "positions tell one layer nothing",
        measure="one_layer_with_positions",
        finds=_told(0, 1),  # the letter at the last position is the same
    ),
    control("the last two moves", "a reader of one more move misses as many", instead={"missed": "missed_in_order"}),
)

RIVALS = (
    rival(
        "two moves are enough",
        lambda cell, table: Prediction([0] * cell.length, of="missed_in_order", dims=("short",)),
        "the counts and the last two moves tell the end of every word",
    ),
)
