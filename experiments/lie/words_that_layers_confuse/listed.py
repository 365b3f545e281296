"""How many short words share what the lowest layers keep of them, by exact lists of ends and flows."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from itertools import product

from theory.lie.derived_words import words_by_flow

__all__ = ["fewest_of_three", "words_sharing_ends", "words_sharing_flows"]


def words_sharing_ends(letters: int, length: int, back: Fraction | int = 1) -> int:
    """Return how many reduced words of at most this many letters end where another one ends, by steps of a walk.

    An inverse goes back by a share of a step.

    >>> words_sharing_ends(2, 2)
    8
    """
    at: Counter = Counter({((0,) * letters, None): 1})
    ends: Counter = Counter({(0,) * letters: 1})
    for _ in range(length):
        following: Counter = Counter()
        for (place, last), number in at.items():
            for letter, sign in product(range(letters), (1, -1)):
                if last != (letter, -sign):
                    to = tuple(x + (1 if sign > 0 else -back) * (i == letter) for i, x in enumerate(place))
                    following[to, (letter, sign)] += number
        at = following
        for (place, _), number in at.items():
            ends[place] += number
    return sum(number for number in ends.values() if number > 1)


def words_sharing_flows(letters: int, length: int) -> int:
    """Return how many reduced words of at most this many letters have the flow of another one.

    >>> words_sharing_flows(2, 7)
    56
    """
    return sum(map(len, _lengths(letters, length)))


def fewest_of_three(letters: int, length: int) -> int:
    """Return the fewest letters of three words with one flow, of at most this many letters each; 0 if there are none.

    >>> fewest_of_three(2, 8), fewest_of_three(2, 9), fewest_of_three(2, 10)
    (0, 25, 24)
    """
    return min((sum(lengths[:3]) for lengths in _lengths(letters, length) if len(lengths) > 2), default=0)


@lru_cache(maxsize=8)
def _lengths(letters: int, length: int) -> list[list[int]]:
    """The lengths of the words of each flow, the shortest first."""
    return [sorted(map(len, group)) for group in words_by_flow(letters, length)]
