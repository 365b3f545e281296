r"""What a rounded linear recurrence knows of the length of the word 1^n: the orbit of h <- A h + b, and where it repeats.

Every product and every sum is rounded to nearest, ties to even. Rounding is monotone, so h -> round(round(a h) + b) is
monotone: it rises with h if a >= 0 and falls if a < 0. The numbers of a type are finitely many and ordered, so the orbit of a
rising map is monotone and comes to rest, and that of a falling map, whose square rises, ends in a cycle of length 1 or 2.

Let A be lower triangular, with real entries. Once the coordinates above it repeat with period p = 1 or 2, a coordinate moves in
p steps by a map that is monotone in it, and that rises unless p = 1 and its eigenvalue is negative. So by induction all of h
comes to rest if no eigenvalue is negative, and repeats with period 1 or 2 in any case. Up to the first state that comes back
all states differ, so some reader knows n until then. From then on none knows n modulo any m that does not divide the period.

Matrices that turn need not be rounded at all: that of z -> z exp(2 pi i / m) for m = 3, 4, 6 in the basis 1, exp(2 pi i / m)
has entries 0, 1 and -1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real

import sympy

from theory.bound import GIVEN, Assumption, Bound, Number
from theory.checks import positive_integer
from theory.cost import Estimate, refuse
from theory.registry import registered

__all__ = ["FORMATS", "Orbit", "count_horizon", "orbit", "rounded"]

FORMATS = {
    "float32": (24, -149, 128),
    "bfloat16": (8, -133, 128),
    "float16": (11, -24, 16),
    "float8_e4m3fn": (4, -9, 9),
    "float8_e5m2": (3, -16, 16),
}
"""Bits of the significand with the hidden one; exponent of the smallest positive number; of the power above all numbers."""

STEPS = 200_000  # of an orbit, before a question counts as too expensive


@dataclass(frozen=True)
class Orbit:
    """Where an orbit repeats.

    Attributes:
        states: Number of states before the first one that occurred already: so many differ.
        period: Steps since its first occurrence.
    """

    states: int
    period: int

    def horizon(self, modulus: int) -> int | None:
        """Letters after which the count modulo a number is lost to every reader; None if one keeps it for ever."""
        return None if self.period % modulus == 0 else self.states


def rounded(x: float, dtype: str) -> float:
    """Return the number of a type that is nearest to a float64 number, ties to even, with gradual underflow.

    Of a product of two numbers of the type, which float64 holds, and of a sum, because 53 >= 2 * 24 + 2 (Figueroa 1995), it is
    the rounded product and sum.

    Raises:
        OverflowError: It is not among the finite numbers.

    >>> rounded(1 / 3, "float8_e4m3fn"), rounded(2.0**-26, "float16")
    (0.34375, 0.0)
    """
    bits, lowest, highest = FORMATS[dtype]
    step = max(math.frexp(x)[1] - bits, lowest)
    found = math.ldexp(round(math.ldexp(x, -step)), step)
    largest = 448.0 if dtype == "float8_e4m3fn" else 2.0**highest
    if abs(found) > largest or (abs(found) == largest and dtype != "float8_e4m3fn"):
        raise OverflowError(f"{x:.6g} is not among the finite numbers of {dtype}")
    return found


def orbit(matrix: Sequence[Sequence[float]], shift: Sequence[float], start: Sequence[float], dtype: str) -> Orbit:
    """Follow h <- A h + b until a state comes back.

    A row is summed from its first entry on, and the shift is added last; products and sums are rounded one by one.

    Args:
        matrix: Rows of A, numbers of the type.
        shift: The vector b.
        start: The state before the first letter.
        dtype: One of `FORMATS`.

    Raises:
        OverflowError: A state is not finite.
        TooExpensive: No state has come back after `STEPS` steps, see `theory.cost`.

    >>> orbit([[-0.5]], [1.0], [0.0], "float8_e5m2"), orbit([[0.0, -1.0], [1.0, -1.0]], [0.0, 0.0], [1.0, 0.0], "bfloat16")
    (Orbit(states=5, period=2), Orbit(states=3, period=3))
    """
    state, seen = tuple(start), {}
    while state not in seen:
        if len(seen) >= STEPS:
            refuse(Estimate(f"an orbit in {dtype} (more than {len(seen)} steps)", 3e-6 * 1e3 * len(seen) * len(start) ** 2))
        seen[state] = len(seen)
        following = []
        for row, own in zip(matrix, shift, strict=True):
            total = rounded(row[0] * state[0], dtype)
            for entry, other in zip(row[1:], state[1:], strict=True):
                total = rounded(total + rounded(entry * other, dtype), dtype)
            following.append(rounded(total + own, dtype) + 0.0)  # no negative zero
        state = tuple(following)
    return Orbit(len(seen), len(seen) - seen[state])


@registered
def count_horizon(eigenvalue: Number, dtype: str, modulus: int = 2, shift: Number = 0.0, start: Number = 1.0) -> Bound:
    """Return the ones after which no reader of a rounded real recurrence knows their number modulo m.

    The recurrence is h <- a h + b for every letter 1, each operation rounded to nearest. Its orbit is followed until a state
    comes back: before that some reader knows the count, and after it none does.

    Args:
        eigenvalue: The number a, between -1 and 1; it is rounded to the type, as the others are.
        dtype: Type of the numbers: "float32", "bfloat16", "float16", "float8_e4m3fn" or "float8_e5m2".
        modulus: The number m, at least 2.
        shift: The number b.
        start: The state before the first letter.

    Raises:
        ValueError: The type is unknown, `modulus` is not an integer >= 1, or a number is not real and finite.
        TooExpensive: The orbit is too long to be followed, see `theory.cost`.

    >>> [count_horizon(eigenvalue=0.5, dtype=dtype).at() for dtype in ("float8_e5m2", "float16", "bfloat16", "float32")]
    [18.0, 26.0, 135.0, 151.0]
    >>> count_horizon(1, "float16", shift=1, start=0).at()  # a counter stands still at 2048
    2049.0
    """
    if dtype not in FORMATS:
        raise ValueError(f"dtype = {dtype!r}: expected one of {', '.join(FORMATS)}, the types whose orbits are followed.")
    modulus = positive_integer("modulus", modulus, "what the count is asked by")
    given = {"eigenvalue": eigenvalue, "shift": shift, "start": start}
    numbers = {name: _number(name, x, dtype) for name, x in given.items()}
    small = abs(numbers["eigenvalue"]) <= 1
    more = Assumption("modulus >= 2", sympy.true if modulus > 1 else sympy.false)
    bounded = Assumption("-1 <= eigenvalue <= 1", sympy.true if small else sympy.false)
    found = None
    if small and modulus > 1:
        try:
            found = orbit([[numbers["eigenvalue"]]], [numbers["shift"]], [numbers["start"]], dtype)
        except OverflowError:
            pass
    horizon = None if found is None else found.horizon(modulus)
    finite = Assumption(f"no state of the orbit overflows {dtype}", sympy.false if small and found is None else sympy.true)
    period = f", whose period is {found.period}" if found else ""
    lost = Assumption(
        f"the count modulo {modulus} is not kept for ever by this orbit{period}",
        sympy.false if found is not None and horizon is None else sympy.true,
    )
    return Bound(
        sympy.Integer(horizon or 0),
        f"the ones after which no reader of h <- a h + b in {dtype} knows their number modulo {modulus}",
        (more, bounded, finite, lost, Assumption(f"every operation is rounded once, to nearest ({GIVEN})")),
        "derived: rounding is monotone; after Grazzi et al., arXiv 2411.12537",
        side="exact",
    )


def _number(name: str, given: Number, dtype: str) -> float:
    if isinstance(given, bool) or not isinstance(given, (Real, sympy.Expr)):
        raise ValueError(f"{name} = {given!r:.80}: expected a real number")
    try:
        found = float(given)
    except (TypeError, OverflowError):
        found = math.nan
    if not math.isfinite(found):
        raise ValueError(f"{name} = {given!r:.80}: expected a real and finite number")
    try:
        return rounded(found, dtype)
    except OverflowError as error:
        raise ValueError(f"{name}: {error}") from None
