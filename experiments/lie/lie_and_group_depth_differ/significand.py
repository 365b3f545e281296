"""Integers that a binary floating-point type holds exactly: their odd part has no more bits than the significand has."""

from __future__ import annotations

from theory.checks import positive_integer
from theory.cost import digits, power, refuse

__all__ = ["first_inexact_multiple"]


def first_inexact_multiple(step: int, bits: int, largest: int | None = None) -> int:
    """The least t for which ``t * step`` needs more than this many bits, trailing zeros not counted, or is too large.

    Let o be the odd part of the step. The odd part of ``t * step`` is o times the odd part of t, so it reaches ``2^bits`` first
    at an odd t: the least odd t with ``t * o >= 2^bits``.

    Args:
        step: What a counter adds every time, at least 1.
        bits: Bits of the significand, the leading one included: 24 for float32.
        largest: The largest number of the type, at least 1: 65504 for float16. None for no limit.

    Raises:
        ValueError: a step, a number of bits or a largest number below 1.

    >>> first_inexact_multiple(1, 24) == 2**24 + 1, first_inexact_multiple(3, 8)
    (True, 87)
    >>> first_inexact_multiple(32, 11), first_inexact_multiple(32, 11, largest=65504)  # 65536 needs one bit
    (2049, 2048)
    """
    step = positive_integer("step", step, "what a counter adds every time")
    bits = positive_integer("bits", bits, "of the significand, the leading one included")
    refuse(digits("a number of this many bits", power(bits, 1)))
    odd = step // (step & -step)
    least = -(-(2**bits) // odd)
    first = least | 1
    return first if largest is None else min(first, positive_integer("largest", largest, "of the type") // step + 1)
