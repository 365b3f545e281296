"""Two layers that hold B bits of a table at a position, and the pairs of words that they take for one another.

The word is a start i, a table f_1 of a entries in 0 ... b - 1, a table f_2 of b entries in {0, 1}, and a letter that asks for
f_2(f_1(i)). What such layers keep is given by functions, whatever weights they come from:

    early(f_1)         layer 1, from f_1 to the last position: B bits
    heard(f_1)[j, v]   layer 1, from f_1 to entry j of f_2, which holds v: B bits each
    half(f_2)          layer 1, from f_2 to the last position: B bits
    late(f_2, i, h)    layer 2, from f_2 to the last position: B bits, h what the entries of f_2 heard of f_1

The last position also knows the start and, in layer 2, all of f_1: the argument does not need that it does not. So a pair of
words with one start, one f_1, and equal `half` and `late` is one word to the network.
"""

import dataclasses
from collections.abc import Callable

import numpy as np
from jaxtyping import Int

TRIED = 64  # first tables of which a network is asked whether it knows a start
Late = Callable[[np.ndarray, int, np.ndarray], np.ndarray]  # f_2, the start, what its entries heard -> numbers of B bits


@dataclasses.dataclass(frozen=True)
class TwoLayers:
    """What two layers keep of every first and every second table.

    Attributes:
        early: Shape (first tables,); numbers of B bits.
        heard: Shape (first tables, entries, 2); numbers of B bits.
        half: Shape (second tables,); entry j of a second table is digit j of its number.
        late: See the module; takes several second tables at once.
    """

    early: Int[np.ndarray, " firsts"]
    heard: Int[np.ndarray, "firsts entries two"]
    half: Int[np.ndarray, " seconds"]
    late: Late


@dataclasses.dataclass(frozen=True)
class ConfusedPair:
    """A start, a first table and two second tables, as numbers of tables and as rows of entries."""

    start: int
    first: np.ndarray
    seconds: np.ndarray
    number: int


def tables(entries: int, values: int) -> Int[np.ndarray, "tables entries"]:
    """Return all tables with so many entries in 0 ... values - 1; digit j of the number of a table is its entry j."""
    powers = values ** np.arange(entries)
    return (np.arange(values**entries)[:, None] // powers[None, :] % values).astype(np.int8)


def drawn(draw: np.random.Generator, firsts: Int[np.ndarray, "tables entries"], points: int, bits: int) -> TwoLayers:
    """Return layers whose every bit is a random function: of the first table for the early ones, of all for the late ones."""
    count, levels = len(firsts), 2**bits
    salts = draw.integers(1, 2**31, size=(3, points + 2))

    def late(seconds: np.ndarray, start: int, heard: np.ndarray) -> np.ndarray:
        mixed = (salts[0, 0] * start + 1) % 2**31
        for j in range(points):
            mixed = (
                mixed * 48271 + salts[1, j] * (seconds[:, j] + 1) + salts[2, j] * heard[np.arange(len(seconds)), j]
            ) % 2**31
        return mixed >> 15 & levels - 1

    early, heard = draw.integers(0, levels, count, np.int8), draw.integers(0, levels, (count, points, 2), np.int8)
    return TwoLayers(early, heard, draw.integers(0, levels, 2**points), late)


def knowing(firsts: Int[np.ndarray, "tables entries"], points: int, *places: int) -> TwoLayers:
    """Return layers that are right for the starts `places`, by a bit for each: entry j of f_2 hears whether f_1(place) is j."""
    told_of = [(firsts[:, place, None] == np.arange(points)) << bit for bit, place in enumerate(places)]
    heard = np.repeat(np.sum(told_of, axis=0)[:, :, None], 2, axis=2).astype(np.int8)
    seconds = tables(points, 2)

    def late(chosen: np.ndarray, start: int, told: np.ndarray) -> np.ndarray:
        bit = places.index(start) if start in places else 0
        return (chosen * (told >> bit & 1)).sum(axis=1) % 2

    return TwoLayers(np.zeros(len(firsts), np.int8), heard, seconds[:, 0].astype(int), late)


def halves(points: int, bits: int) -> bool:
    """Return whether layers that read the first `bits` entries of f_2 in layer 1 and as many further ones in layer 2 are right.

    The answer at every place is compared over all second tables; what the last position knows of f_1 is the place.
    """
    seconds = tables(points, 2)
    view = seconds[:, : 2 * bits] @ 2 ** np.arange(min(points, 2 * bits))
    return all(_determined(view, seconds[:, place]) for place in range(points))


def _determined(view: np.ndarray, answers: np.ndarray) -> bool:
    return len(np.unique(view)) == len(np.unique(np.stack([view, answers]), axis=1).T)


def known_starts(layers: TwoLayers, firsts: Int[np.ndarray, "tables entries"], bits: int) -> int:
    """Return for how many starts the layers are right about all second tables, of first tables that are spread over all.

    The last position knows the whole first table.
    """
    seconds, some = tables(layers.heard.shape[1], 2), np.linspace(0, len(firsts) - 1, TRIED).astype(int).tolist()
    return sum(
        all(_determined(_views(layers, seconds, first, start, bits), seconds[:, firsts[first, start]]) for first in some)
        for start in range(firsts.shape[1])
    )


def confused(layers: TwoLayers, firsts: Int[np.ndarray, "tables entries"], bits: int) -> ConfusedPair | None:
    """Return two words that the layers take for one another although their answers differ, or None where no set shows any.

    First tables are collected by all that reaches later positions in layer 1. In the largest set with more than 2 B values at
    some place, that place becomes the start, and two second tables with equal bits differ at one of the values.
    """
    count, points = layers.heard.shape[:2]
    keys = np.zeros(count, np.int64)
    for bits_heard in (layers.early, *layers.heard.reshape(count, -1).T):
        keys = keys << bits | bits_heard
    order = np.argsort(keys, kind="stable")
    edges = np.flatnonzero(np.diff(keys[order], prepend=-1, append=-1))
    sizes = np.diff(edges)
    for largest in np.argsort(-sizes, kind="stable")[:8]:
        alike = order[edges[largest] : edges[largest + 1]]
        if (found := _pair(layers, firsts, alike, points, bits)) is not None:
            return found
    return None


def _pair(layers: TwoLayers, firsts: np.ndarray, alike: np.ndarray, points: int, bits: int) -> ConfusedPair | None:
    seconds = tables(points, 2)
    for start in range(firsts.shape[1]):
        values, where = np.unique(firsts[alike, start], return_index=True)
        if len(values) <= 2 * bits:
            continue
        views = _views(layers, seconds, int(alike[0]), start, bits)  # the same for all first tables of the set
        seen: dict[tuple[int, ...], int] = {}
        for number in np.flatnonzero(~np.delete(seconds, values, axis=1).any(axis=1)):
            other = seen.setdefault((int(views[number]),), int(number))
            if other != number:
                place = np.flatnonzero(seconds[other, values] != seconds[number, values])[0]
                first = int(alike[where[place]])
                return ConfusedPair(start, firsts[first], seconds[[other, number]], first)
    return None


def _views(layers: TwoLayers, seconds: np.ndarray, first: int, start: int, bits: int) -> np.ndarray:
    """What the last position hears of each second table in both layers, as one number."""
    heard = np.take_along_axis(layers.heard[first][None], seconds[:, :, None].astype(int), axis=2)[..., 0]
    return (layers.half.astype(np.int64) << bits) | layers.late(seconds, start, heard)


def errs(layers: TwoLayers, pair: ConfusedPair) -> bool:
    """Return whether the two words of a pair have one view and different answers, so that the layers err on one of them."""
    seconds = pair.seconds.astype(int)
    numbers = seconds @ 2 ** np.arange(seconds.shape[1])
    told = layers.heard[pair.number]
    heard = np.stack([told[np.arange(seconds.shape[1]), row] for row in seconds])
    late = layers.late(seconds, pair.start, heard)
    answers = seconds[:, pair.first[pair.start]]
    return bool(layers.half[numbers[0]] == layers.half[numbers[1]] and late[0] == late[1] and answers[0] != answers[1])
