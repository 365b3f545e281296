r"""The holonomy decomposition: every semiautomaton is simulated by a cascade of permutation-reset levels.

Let I be the images of the state set Q together with the singletons. For P and R in I write P <= R when P lies inside an image
of R. The *height* of P is the length of the longest strictly descending chain of non-singletons below it; singletons have
height 0. The *tiles* of P are the maximal members of I that lie strictly inside P; they cover P. A state q is coded
by a chain Q = P_0 > P_1 > ... > {q}, each a tile of the one before; the coordinate at the height of P_i names P_{i+1} among
the tiles of the representative of P_i's class, which a fixed word carries over to P_i.

A letter s keeps this invariant, from the top down: with P the old chain's set and P' the new chain's set at a height, P s lies
in P'.

* P' is not at this height: nothing happens.
* P s = P': then P and P' are equivalent, and s permutes the tiles.
* otherwise P s lies strictly inside P', so some tile of P' contains it: the coordinate is reset to that tile.

P and P' depend on the coordinates above alone, so the levels form a cascade of permutation-reset automata. The height of Q is
their number. It is at most the number of classes of non-singletons, and *not* at most ``states - 1``: classes of equal size may
lie strictly above each other.

Source: Zeiger 1967, Eilenberg 1976; Egri-Nagy and Nehaniv, arXiv 1508.06345. Stated here as re-derived.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from theory.automata.cascade import Cascade
from theory.automata.images import Images

if TYPE_CHECKING:
    from theory.automata.semiautomaton import Semiautomaton

__all__ = ["heights", "holonomy", "subduction"]

_MOST_SETS = 4096


def holonomy(automaton: Semiautomaton) -> Cascade:
    """The holonomy cascade: O(sets^2) memory and O(sets^3) bit operations, with at most 2^states sets.

    Raises:
        ValueError: too many images; says how many there are and what to use instead.
    """
    images = automaton.images
    if images.number > _MOST_SETS:
        raise ValueError(
            f"{automaton.name} has {images.number} images and singletons, the decomposition compares all pairs of at most "
            f"{_MOST_SETS}. Use the scan (depthjax.constructions.scan_automaton), which needs the table alone"
        )
    inside = (images.masks[:, None] & ~images.masks[None, :]) == 0  # inside[i, j]: set i is a subset of set j
    height = heights(images, subduction(images, inside))
    return Cascade(images, height, _tiles(images, inside))


def subduction(images: Images, inside: np.ndarray) -> np.ndarray:
    """Boolean array (sets, sets): whether set i lies inside some image of set j."""
    reach = np.eye(images.number, dtype=bool)
    reach[np.arange(images.number)[:, None], images.move] = True
    while True:
        further = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
        if (further == reach).all():
            break
        reach = further
    return (inside.astype(np.float32) @ reach.T.astype(np.float32)) > 0


def heights(images: Images, below: np.ndarray) -> np.ndarray:
    """Longest strictly descending chain of non-singletons that starts at each set; shape (sets,)."""
    roots = np.unique(images.representatives)
    roots = roots[images.sizes[roots] > 1]
    strictly = below[np.ix_(roots, roots)] & ~below[np.ix_(roots, roots)].T
    height = np.zeros(images.number, dtype=int)
    for i in np.argsort(strictly.sum(axis=0), kind="stable"):  # fewer classes below: earlier
        height[roots[i]] = 1 + max(height[roots[strictly[:, i]]], default=0)
    return height[images.representatives]


def _tiles(images: Images, inside: np.ndarray) -> np.ndarray:
    """For every non-singleton its tiles, as the word from its representative carries them: (sets, most tiles), -1 fills up."""
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
