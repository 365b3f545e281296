"""The number of elements that are composed: what every function of it asks of it."""

from __future__ import annotations

import math
from collections.abc import Iterable

from theory.checks import integer
from theory.cost import digits, power, refuse

__all__ = ["word_length"]


def word_length(length: object, least: int = 1, *, sizes: Iterable[int] = ()) -> int:
    """Return the number of elements k as a Python integer, where powers of such sizes can be written out.

    Args:
        length: The number that was given.
        least: The least that the question needs.
        sizes: Numbers of which some k-th power stands in the answer, such as dimensions of irreps; the greatest counts.

    Raises:
        ValueError: It is not an integer, or too small.
        TooExpensive: The answer has too many digits, see `theory.cost`.

    >>> word_length(3), word_length(10**9, sizes=[1])
    (3, 1000000000)
    """
    found = integer("length", length, "the number of elements that are composed", least=least)
    shown = f"length {found}" if found < 10**12 else "a length of many digits"
    refuse(digits(f"the answer at {shown}", power(found, 1) * math.log2(max(sizes, default=1))))
    return found
