"""What the strategies share: guards of their keyword bounds, and draws from a catalogue that shrink well."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from hypothesis import strategies as st

from theory.checks import integer

__all__ = ["alphabet", "interval", "refused", "simplest_first"]

Item = TypeVar("Item")


def simplest_first(items: Iterable[Item], family: Callable[[Item], Hashable]) -> st.SearchStrategy[Item]:
    """One of the items, which are ordered from the simplest on; it shrinks to a simple item of a simple family.

    The family is drawn first: what a law says is often true of a whole family, so a failure stays in it while it shrinks.
    """
    families: dict[Hashable, list[Item]] = {}
    for item in items:
        families.setdefault(family(item), []).append(item)
    chosen, largest = list(families.values()), max(map(len, families.values()))
    return st.tuples(_place(len(chosen)), _place(largest)).map(
        lambda places: (members := chosen[places[0] % len(chosen)])[places[1] % len(members)]
    )


def _place(count: int) -> st.SearchStrategy[int]:
    """A number from 0 to `count` or beyond, digit by digit in base 4.

    When hypothesis shrinks, it tries all values of a small number, and prefers examples of fewer numbers. So all places have
    the same number of small digits.
    """
    length = 0
    while 4**length < count:
        length += 1
    return st.tuples(*[st.integers(0, 3)] * length).map(lambda found: sum(d * 4**n for n, d in enumerate(reversed(found))))


def interval(name: str, least: object, most: object, smallest: int = 1, largest: int | None = None) -> tuple[int, int]:
    """Return the two ends of a keyword bound, ``min_<name>`` and ``max_<name>``, as Python integers.

    Raises:
        ValueError: An end is not an integer, is outside `smallest` .. `largest`, or the two are in the wrong order.

    >>> interval("states", 1, 4)
    (1, 4)
    """
    low = integer(f"min_{name}", least, f"the least number of {name}", least=smallest)
    high = integer(f"max_{name}", most, f"the largest number of {name}", least=smallest)
    if low > high:
        raise ValueError(f"min_{name} = {low} and max_{name} = {high}: nothing lies between; raise max_{name}.")
    if largest is not None and high > largest:
        raise ValueError(f"max_{name} = {high}: expected at most {largest}, so that a test stays fast; lower max_{name}.")
    return low, high


def alphabet(letters: object) -> tuple[str, ...]:
    """Return an alphabet as a tuple of different letters.

    Raises:
        ValueError: The alphabet is no sequence of texts, is empty, or has a letter twice.

    >>> alphabet("ab")
    ('a', 'b')
    """
    found = tuple(letters) if isinstance(letters, Sequence) else ()
    if not found or len(set(found)) < len(found) or not all(isinstance(letter, str) and letter for letter in found):
        raise ValueError(f'letters = {letters!r}: expected different texts, at least one, such as "ab" or ["open", "close"].')
    return found


def refused(strategy: str, wanted: str, why: str, remedy: str) -> ValueError:
    """Return the error for bounds that no object meets.

    >>> print(refused("groups", "solvable=False, max_order=24", "A5 has order 60", "raise max_order to 60"))
    groups(solvable=False, max_order=24) is empty: A5 has order 60; raise max_order to 60.
    """
    return ValueError(f"{strategy}({wanted}) is empty: {why}; {remedy}.")
