"""The cost of generic arrays and of separation ranks, estimated from sizes alone; see `theory.cost`."""

from __future__ import annotations

import math

from theory.cost import Estimate, power

__all__ = ["entries", "forms"]


def entries(what: str, *shape: int, each: float = 1e-6) -> Estimate:
    """Estimate the cost of an array of random entries, each of which takes this many seconds and a hundred bytes."""
    number = math.prod(power(size, 1) for size in shape)
    return Estimate(f"{what} of {number:.6g} entries", each * number, 100.0 * number / 2**30)


def forms(width: int, layers: int, rows: int) -> Estimate:
    """Estimate the cost of a separation rank: sums of `rows` rows of products of two binomials, one for each degree.

    The longest integer is the number of forms of degree n in m variables. It has ``k log2(e (k + l) / k)`` bits, with k the
    smaller and l the larger of n and m.
    """
    if layers > 40:  # a degree of more than 10^18, one sum each
        return Estimate(f"the separation rank of {layers:.6g} layers" if layers < 10**300 else "the separation rank", math.inf)
    degree, variables = (3**layers - 1) // 2, width * (width + 1) // 2
    small, large = sorted((degree, variables))
    bits = small * (math.log2(small + large) - math.log2(small) + 1.45)
    seconds = degree * rows * (2e-6 + 5e-9 * power(bits / 30, 1.58))
    return Estimate(
        f"the separation rank of {layers} layers (degree {degree}, numbers of {bits:.3g} bits)",
        seconds,
        degree * rows * bits / 2**33,
    )
