"""What formulas cost to write down and to evaluate, from the number of their terms; see `theory.cost`."""

from __future__ import annotations

import math

from theory.cost import Estimate, power

__all__ = ["forms", "permutations"]


def permutations(degree: int) -> Estimate:
    """The constants of the sums over permutations up to a degree: half as many fractions each, as long as the degree."""
    return Estimate(
        f"the constants up to degree {degree:.6g}" if degree < 10**300 else "the constants", 3e-9 * power(degree, 3.15), 0.0
    )


def forms(width: int, layers: int, rows: int) -> Estimate:
    """Separation ranks as sums of so many rows of products of two binomials, by degree: long integers.

    The longest is the number of forms of degree n in m variables, with ``k log2(e (k + l) / k)`` bits, k and l the smaller and
    the larger of n and m.
    """
    degree, variables = (3**layers - 1) // 2, width * (width + 1) // 2
    small, large = sorted((degree, variables))
    bits = small * (math.log2(small + large) - math.log2(small) + 1.45)
    seconds = degree * rows * (2e-6 + 5e-9 * power(bits / 30, 1.58))
    return Estimate(
        f"the separation rank of {layers} layers (degree {degree}, numbers of {bits:.3g} bits)",
        seconds,
        degree * rows * bits / 2**33,
    )
