r"""The holonomy decomposition: every semiautomaton is simulated by a cascade of permutation-reset levels.

Let I be the images of the state set Q together with the singletons, or a larger family of sets that letters map into itself.
Sets of I with several states form components (`theory.automata.frames`). The *tiles* of P are sets that lie strictly inside P
and hold every set of I that does. Letters carry the tiles of a set to those of any other set of its component. If a component
has but one class of equivalent sets, its tiles are the maximal sets of I strictly inside. If it has several, the tiles are
maximal among what lies inside any of them, seen in their common frame; tiles that I lacks join it, with all their images.

The *height* of a set is the least that these rules allow: singletons have height 0, a tile lies below its set, and a letter
that leaves the component leads lower. Chains of tiles are the coordinates of states, and letters act on them by permutations
and resets (`theory.automata.tiling`). There are three constructions, one for each rule of what components hold:

* height: one class each. The number of levels is that of the longest chain Q = P_1 > P_2 > ..., where P > R if R lies inside an
  image of P and not conversely. It may exceed ``states - 1``: classes of equal size may lie strictly above each other;
* group: classes that slides connect, where no group grows;
* size: all sets of equal size that slides connect, so at most ``states - 1`` levels. Groups may grow, even beyond solvability.

None of them is best for all automata. "fewest" is the one with the fewest layers, the first of these if several are.

Source: Zeiger 1967, Eilenberg 1976; Egri-Nagy and Nehaniv, arXiv 1508.06345. Derived again here.
"""

from __future__ import annotations

import contextlib
import math

import numpy as np

from theory.automata.cascade import Cascade
from theory.automata.cost import alignment, decomposition
from theory.automata.frames import Frames, frames
from theory.automata.images import closure, images
from theory.automata.table import TransitionTable
from theory.caching import once_per_object
from theory.cost import TooExpensive, refuse, share

__all__ = ["CONSTRUCTIONS", "holonomy"]

CONSTRUCTIONS = {
    "height": "levels by the height of images",
    "group": "classes of images of equal size share a level where no group grows",
    "size": "images of equal size share a level",
}
GROWTH = 4
"""How many times as many sets as there are images and singletons a construction may list; beyond it levels are by height."""
OTHERS = 0.2
"""Share of the limit for each construction that "fewest" can do without."""


@once_per_object
def holonomy(automaton: TransitionTable, by: str = "height") -> Cascade:
    """The holonomy cascade by a construction: "height", "group" or "size", or that of them with the fewest layers.

    Cost: O(sets^2 * states) for pairs of sets, with at most 2^states sets.

    Raises:
        ValueError: There is no such construction.
        TooExpensive: There are too many images for the limit of `theory.cost`.
    """
    refuse(decomposition(automaton.name, automaton.num_states + 1, automaton.num_states))  # the fewest sets that there are
    if by == "fewest":
        return min(_affordable(automaton), key=_layers)
    if by not in CONSTRUCTIONS:
        raise ValueError(f"by = {by!r}: expected one of {', '.join(map(repr, CONSTRUCTIONS))} or 'fewest'")
    if by == "height":
        found = frames(images(automaton), by)
        return _cascade(found, _tiles(found)[0], by)
    return _joined(automaton, by) or holonomy(automaton, "height")


def _affordable(automaton: TransitionTable) -> list[Cascade]:
    """The cascade by height, and those by other constructions that cost no more than a part of the limit."""
    found = [holonomy(automaton, "height")]
    for by in CONSTRUCTIONS:
        with contextlib.suppress(TooExpensive), share(OTHERS):
            other = holonomy(automaton, by)
            _layers(other)  # the orders of its groups may be what costs
            found.append(other)
    return found


def _layers(cascade: Cascade) -> tuple[float, int]:
    """The layers of a cascade, abelian and reset, and its levels; infinitely many layers if a group is not solvable."""
    return (math.inf if (layers := cascade.layers) is None else layers), cascade.height


def _joined(automaton: TransitionTable, by: str) -> Cascade | None:
    """A cascade some of whose components have several classes; None if none has, or if it lists too many sets."""
    listed = images(automaton)
    most = GROWTH * listed.number
    while listed.number <= most:
        found = frames(listed, by)
        if len(np.unique(found.component)) == len(np.unique(listed.classes)):
            return None
        tiles, lacking = _tiles(found)
        if not len(lacking):
            return _cascade(found, tiles, by)
        listed = closure(automaton, np.concatenate([listed.contains, lacking]))
    return None


def _tiles(found: Frames) -> tuple[np.ndarray, np.ndarray]:
    """The tiles of every set, int (sets, most tiles), filled up with -1; and unlisted tiles, bool (tiles, states)."""
    images, n = found.images, found.images.automaton.num_states
    strictly = images.inside & (images.sizes[:, None] < images.sizes[None, :])
    components: dict[int, list[int]] = {}
    for index in np.flatnonzero(images.sizes > 1).tolist():
        components.setdefault(int(found.component[index]), []).append(index)
    representatives = images.representatives.tolist()
    owners, rows = [], [np.zeros((0, n), dtype=bool)]
    for component in components.values():
        roots = sorted({representatives[index] for index in component})
        places = np.concatenate([images.contains[_maximal(strictly, root)][:, found.order[root]] for root in roots])
        if len(roots) > 1:
            places = _invariant(places, found.generators(component), images.automaton.name)
        order = np.array([found.order[index] for index in component])
        aligned = np.zeros((len(component), len(places), n), dtype=bool)
        aligned[np.arange(len(component))[:, None, None], np.arange(len(places))[:, None], order[:, None, :]] = places
        rows.append(aligned.reshape(-1, n))
        owners += [(index, len(places)) for index in component]
    contains = np.concatenate(rows)
    numbers = images.found(contains)
    table = np.full((images.number, max((tiles for _, tiles in owners), default=0)), -1)
    start = 0
    for index, tiles in owners:
        table[index, :tiles] = numbers[start : start + tiles]
        start += tiles
    return table, contains[numbers < 0]


def _maximal(strictly: np.ndarray, index: int) -> np.ndarray:
    """The sets that lie strictly inside a set, and inside no other such set."""
    candidates = np.flatnonzero(strictly[:, index])
    return candidates[~strictly[candidates][:, candidates].any(axis=1)]


def _invariant(places: np.ndarray, generators: set[tuple[int, ...]], name: str) -> np.ndarray:
    """The maximal sets among these and all that permutations make of them; stops where they cost too much."""
    found = dict.fromkeys(map(tuple, places.tolist()))
    queue = list(found)
    for here in queue:  # grows while it is walked
        refuse(alignment(name, len(queue) * (len(generators) + len(queue) / 100), len(here)))
        for generator in generators:
            moved = [False] * len(here)
            for i, j in enumerate(generator):
                moved[j] = here[i]
            if (there := tuple(moved)) not in found:
                found[there] = None
                queue.append(there)
    rows = np.array(queue)
    outside = rows.astype(int) @ ~rows.T  # how many places of the first the second lacks
    return rows[~((outside == 0) & (outside.T > 0)).any(axis=1)]


def _cascade(found: Frames, tiles: np.ndarray, by: str) -> Cascade:
    heights = _heights(found, tiles)
    first: dict[tuple[int, int], int] = {}  # sets of one component may have several heights
    components = [
        first.setdefault(key, i) for i, key in enumerate(zip(found.component.tolist(), heights.tolist(), strict=True))
    ]
    return Cascade(found.images, heights, np.array(components), tiles, by)


def _heights(found: Frames, tiles: np.ndarray) -> np.ndarray:
    """The least heights with tiles below their sets, and no letter that leads higher, or to the same height elsewhere."""
    images = found.images
    several = images.sizes > 1
    lower = (found.component[images.move] != found.component[:, None]).astype(int)
    height = several.astype(int)
    while True:
        by_letters = np.where(several[images.move], height[images.move] + lower, 0).max(axis=1)
        by_tiles = np.where(tiles >= 0, height[tiles] + 1, 0).max(axis=1, initial=0)
        grown = np.where(several, np.maximum(by_letters, by_tiles), 0)
        if (grown <= height).all():
            return height
        height = np.maximum(height, grown)
