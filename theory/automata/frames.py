r"""Components of the holonomy decomposition: which sets of equal size share a level, and how their states are aligned.

A letter that maps a set P one to one *slides* it. Sets that slide back and forth are equivalent and always share a component.
If P slides to P' and never back, they may share one as well: the letter then permutes their tiles, provided that their states
are aligned. A *frame* of P is an order of its states, one place after the other, and a slide is the permutation of places that
it causes. The slides of a component generate a group of places, which holds the group of each of its sets, and which may be
larger than all of them. Three rules say what is joined:

* height: nothing but equivalent sets, so that P lies above P';
* group: components such that the slides of both generate no more than the larger of their two groups, once frames are aligned
  along one slide. The groups of the cascade are then those of the images;
* size: all sets of equal size that slides connect. Groups may grow.

Source: the extremes are the covers of Eilenberg (by height) and of Zeiger (by size); the rule between is derived here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np

from theory.automata.cost import alignment
from theory.automata.images import Images
from theory.automata.inside import GroupInside
from theory.cost import refuse

__all__ = ["Frames", "frames"]

Permutation = tuple[int, ...]


@dataclasses.dataclass(eq=False)
class Frames:
    """The sets that share components, and the frame of every set.

    Attributes:
        images: The sets.
        slides: Bool array (sets, letters): whether a letter maps a set of several states one to one.
        component: The number of the component of each set; shape (sets,).
        order: The states of each set, aligned within components.
    """

    images: Images
    slides: np.ndarray
    component: np.ndarray
    order: list[np.ndarray]

    def permutation(self, index: int, letter: int) -> Permutation:
        """The places to which a slide moves the states of a frame."""
        place = {q: i for i, q in enumerate(self.order[int(self.images.move[index, letter])].tolist())}
        return tuple(place[q] for q in self.images.automaton.table[self.order[index], letter].tolist())

    def generators(self, members: Iterable[int]) -> set[Permutation]:
        """The permutations of places by slides between sets that are aligned, without the identity."""
        kept, move = set(members), self.images.move.tolist()
        found = {
            self.permutation(index, letter)
            for index in kept
            for letter in self.slides[index].nonzero()[0].tolist()
            if move[index][letter] in kept
        }
        return {permutation for permutation in found if list(permutation) != sorted(permutation)}


def frames(images: Images, by: str) -> Frames:
    """Return the components by the rule "height", "group" or "size".

    Cost: O(sets * letters * states), and by the rule "group" the order of a group for each pair of components that slides
    connect.

    Raises:
        TooExpensive: The slides compared so far exceed the limit of `theory.cost`.
    """
    slides = (images.sizes[images.move] == images.sizes[:, None]) & (images.sizes > 1)[:, None]
    found = Frames(images, slides, images.classes.copy(), _along_classes(images))
    if by == "height":
        return found
    crossing = np.argwhere(slides & (images.classes[images.move] != images.classes[:, None]))
    orders: dict[int, int] = {}
    letters = images.automaton.num_letters
    compared, grown = 0, True
    while grown:  # what two groups forbid may be allowed once one of them has grown
        grown, tried = False, set()
        for index, letter in crossing.tolist():
            pair = int(found.component[index]), int(found.component[images.move[index, letter]])
            if pair[0] != pair[1] and pair not in tried:
                tried.add(pair)
                compared += 2 * letters * int(np.isin(found.component, pair).sum())
                refuse(alignment(images.automaton.name, compared, int(images.sizes[index])))
                grown |= _joined(found, *pair, found.permutation(index, letter), None if by == "size" else orders)
    return found


def _along_classes(images: Images) -> list[np.ndarray]:
    """The states of each set in the order in which the words of the forest carry them from the representative."""
    order: list[np.ndarray] = [np.zeros(0, dtype=int)] * images.number
    for index in images.forest_order.tolist():
        parent, letter = images.forest[index].tolist()
        order[index] = np.array(images.members(index)) if parent < 0 else images.automaton.table[order[parent], letter]
    return order


def _joined(found: Frames, first: int, second: int, slide: Permutation, orders: dict[int, int] | None) -> bool:
    """Whether the second component was aligned along a slide from the first, and joined to it, within the orders of groups."""
    upper, lower = (np.flatnonzero(found.component == each).tolist() for each in (first, second))
    if orders is not None:
        allowed = 1
        for component, members in ((first, upper), (second, lower)):
            if component not in orders:
                orders[component] = _order(found, members)
            allowed = max(allowed, orders[component])
    before = [found.order[index] for index in lower]
    for index in lower:
        found.order[index] = found.order[index][list(slide)]
    if orders is not None:
        if _order(found, [*upper, *lower]) > allowed:
            for index, order in zip(lower, before, strict=True):
                found.order[index] = order
            return False
        orders[first] = allowed
    found.component[lower] = first
    return True


def _order(found: Frames, members: list[int]) -> int:
    generators = tuple(sorted(found.generators(members)))
    return GroupInside(tuple(range(len(found.order[members[0]]))), generators).order if generators else 1
