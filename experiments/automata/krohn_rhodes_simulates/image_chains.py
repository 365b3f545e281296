"""The longest chain of images of an automaton, found by following every word."""

from functools import cache

import numpy as np
from jaxtyping import Integer

__all__ = ["longest_chain"]


def longest_chain(table: Integer[np.ndarray, "states letters"], *, moved: bool = True) -> int:
    """Return the length of the longest strict chain of images with several states, from the set of all states down.

    P lies below R if P is contained in an image of R. A chain is strict if R does not lie below P in turn. All maps that words
    induce are listed, so the cost is O(maps * sets * states), with up to states ** states maps: for small automata.

    Args:
        table: Next states, ``table[state, letter]``.
        moved: Compare P with all images of R. With False P must be contained in R itself.

    >>> tall = np.array([[0, 0], [0, 0], [1, 2]])
    >>> longest_chain(tall), longest_chain(tall, moved=False)
    (3, 2)
    """
    maps = _maps(table)
    images = {image for map_ in maps if len(image := frozenset(map_)) > 1}
    moves = {image: {frozenset(map_[q] for q in image) for map_ in maps} if moved else {image} for image in images}

    def below(lower: frozenset[int], upper: frozenset[int]) -> bool:
        return any(lower <= image for image in moves[upper])

    @cache
    def longest(top: frozenset[int]) -> int:
        return 1 + max((longest(image) for image in images if below(image, top) and not below(top, image)), default=0)

    everything = frozenset(range(len(table)))
    return longest(everything) if everything in images else 0


def _maps(table: np.ndarray) -> list[tuple[int, ...]]:
    """The maps of the states that words induce, the identity first."""
    found = [tuple(range(len(table)))]
    seen = set(found)
    columns = table.T.tolist()
    for map_ in found:  # grows while it is walked
        for column in columns:
            further = tuple(column[q] for q in map_)
            if further not in seen:
                seen.add(further)
                found.append(further)
    return found
