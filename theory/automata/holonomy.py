r"""The holonomy decomposition: every semiautomaton is simulated by a cascade of permutation-reset levels.

Let I be the images of the state set Q together with the singletons. For P and R in I write P <= R if P lies inside an image of
R. The *height* of P is the length of the longest strictly descending chain of non-singletons below P; singletons have height 0.
The *tiles* of P are the maximal members of I that lie strictly inside P; they cover P. A fixed word carries the tiles of the
representative of a class to every set of the class, in the same order. Chains of tiles are the coordinates of states, and
letters act on them by permutations and resets (`theory.automata.tiling`).

The number of levels is the height of Q. It is at most the number of classes of non-singletons, and *not* at most ``states -
1``: classes of equal size may lie strictly above each other.

Source: Zeiger 1967, Eilenberg 1976; Egri-Nagy and Nehaniv, arXiv 1508.06345. Derived again here.
"""

from __future__ import annotations

import numpy as np

from theory.automata.cascade import Cascade
from theory.automata.images import Images, images
from theory.automata.table import TransitionTable
from theory.caching import once_per_object

__all__ = ["holonomy"]

_MOST_SETS = 4096


@once_per_object
def holonomy(automaton: TransitionTable) -> Cascade:
    """The holonomy cascade. Cost: O(sets^2) memory and O(sets^3) bit operations, with at most 2^states sets.

    Raises:
        ValueError: There are too many states or images; the message says how many, and what to use instead.
    """
    found = images(automaton)
    if found.number > _MOST_SETS:
        raise ValueError(
            f"{automaton.name} has {found.number} images and singletons, but the decomposition compares all pairs of at most "
            f"{_MOST_SETS}. Use the scan (depthjax.constructions.scan_automaton), which needs the table alone"
        )
    inside = (found.masks[:, None] & ~found.masks[None, :]) == 0  # inside[i, j]: set i is a subset of set j
    return Cascade(found, _heights(found, _subduction(found, inside)), _tiles(found, inside))


def _subduction(images: Images, inside: np.ndarray) -> np.ndarray:
    """Boolean array (sets, sets): whether set i lies inside some image of set j."""
    reach = np.eye(images.number, dtype=bool)
    reach[np.arange(images.number)[:, None], images.move] = True
    while True:
        further = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
        if (further == reach).all():
            break
        reach = further
    return (inside.astype(np.float32) @ reach.T.astype(np.float32)) > 0


def _heights(images: Images, below: np.ndarray) -> np.ndarray:
    """Length of the longest strictly descending chain of non-singletons from each set; shape (sets,)."""
    roots = np.unique(images.representatives)
    roots = roots[images.sizes[roots] > 1]
    strictly = below[np.ix_(roots, roots)] & ~below[np.ix_(roots, roots)].T
    height = np.zeros(images.number, dtype=int)
    for i in np.argsort(strictly.sum(axis=0), kind="stable"):  # classes with fewer classes below them come first
        height[roots[i]] = 1 + max(height[roots[strictly[:, i]]], default=0)
    return height[images.representatives]


def _tiles(images: Images, inside: np.ndarray) -> np.ndarray:
    """The tiles of every non-singleton, carried from its representative; shape (sets, most tiles), filled up with -1."""
    strictly = inside & (images.masks[:, None] != images.masks[None, :])
    tiles: dict[int, list[int]] = {}
    for index in images.forest_order.tolist():
        if images.sizes[index] == 1:
            continue
        parent, letter = (int(x) for x in images.forest[index])
        if parent >= 0:
            tiles[index] = images.move[tiles[parent], letter].tolist()
            continue
        candidates = np.flatnonzero(strictly[:, index])
        covered = strictly[np.ix_(candidates, candidates)].any(axis=1)
        tiles[index] = candidates[~covered].tolist()
    table = np.full((images.number, max(map(len, tiles.values()), default=0)), -1)
    for index, found in tiles.items():
        table[index, : len(found)] = found
    return table
