r"""The first step at which some word misreads a rounded count, by listing the states that words of every length reach.

The count is ``z <- w_a z`` with the m-th roots ``w_a`` rounded to a type, every product and every sum rounded, ties to even. It
is read as the nearest root; halfway between two roots it counts as misread. The states are finitely many, and those that words
of t letters reach and no shorter ones do are new; as long as all are read rightly, a state has one count. So the listing ends
with the earliest misread step of all words, or with no new state, and then no word is ever misread.

Numbers of at most 8 bits have products of at most 16, which float64 holds; it rounds sums of two rounded products so that the
rounding to the type is right as well, because 53 >= 2 * 8 + 2. So all numbers here are those of the type.

At the orders 2, 3, 4, 6, 8 and 12 no word is ever misread, in any of the four types; at every other order to 128 some word is.
No law in order and spacing is known that the steps follow: they rise and fall with the order, by a factor of two and more
between neighbours. The list is the law.

Source: derived here; guarantees at every order stand in `theory.lie.rounded_roots`.
"""

from __future__ import annotations

from functools import lru_cache

import mpmath
import numpy as np
import sympy

from theory.bound import Assumption, Bound
from theory.checks import positive_integer
from theory.cost import Estimate, power, refuse
from theory.registry import registered

__all__ = ["FORMATS", "earliest_misread", "listed_misreading"]

FORMATS = {"bfloat16": (8, -133), "float8_e5m2": (3, -16), "float8_e4m3": (4, -9), "float8_e3m4": (5, -6)}
"""Type -> bits of the significand with the hidden one, and the exponent of the smallest positive number."""

_AT_ONCE = 2**25  # products of new states and letters
_HALF = 0.5 - 1e-9  # of the angle between two roots; a rational angle that is nearer to the half is the half


@registered
def earliest_misread(order: int, dtype: str) -> Bound:
    """Return the least number of letters after which some word is misread by a rounded count.

    Args:
        order: Modulus m, at least 2.
        dtype: "bfloat16", "float8_e5m2", "float8_e4m3" or "float8_e3m4".

    Raises:
        ValueError: The type is unknown, or `order` is not an integer >= 1.
        TooExpensive: Words reach too many states.

    >>> earliest_misread(order=16, dtype="bfloat16").at()
    120.0
    >>> [earliest_misread(order, "float8_e4m3").at() for order in (5, 7, 9, 16)]
    [18.0, 12.0, 11.0, 9.0]
    """
    order = positive_integer("order", order, "the modulus")
    step, states = listed_misreading(order, dtype)
    m, number = sympy.symbols("order step", positive=True, integer=True)
    return Bound(
        side="exact",
        expr=number,
        quantity=f"the least number of letters after which some word is misread by a count kept in {dtype}",
        assumes=(
            Assumption("order >= 2: with one root there is nothing to read", sympy.Ge(m, 2)),
            Assumption(
                f"some word is misread: all words reach {states} states" if not step or order < 2 else "some word is misread",
                sympy.true if step else sympy.false,
            ),
            Assumption("every operation is rounded to nearest, ties to even, with gradual underflow (taken as given)"),
        ),
        source="the states of all words, listed (derived, theory.lie.misread)",
        values={m: sympy.Integer(order), number: sympy.Integer(max(step, 1))},
    )


@lru_cache(maxsize=512)
def listed_misreading(order: int, dtype: str) -> tuple[int, int]:
    """Return the earliest misread step of all words, 0 if there is none, and the number of states that were listed.

    Raises:
        ValueError: The type is unknown, or `order` is not an integer >= 1.
        TooExpensive: Words reach too many states.

    Cost: states * order products; a second for half a million states.

    >>> listed_misreading(12, "bfloat16"), listed_misreading(4, "float8_e4m3")
    ((0, 108), (0, 4))
    """
    order = positive_integer("order", order, "the modulus")
    if dtype not in FORMATS:
        raise ValueError(f"dtype = {dtype!r}: expected one of {', '.join(FORMATS)}, the types that are small enough to list.")
    refuse(_listing(order, power(order, 1), dtype))
    bits, lowest = FORMATS[dtype]

    def near(numbers: np.ndarray) -> np.ndarray:
        exponent = np.maximum(np.frexp(numbers)[1] - bits, lowest)
        return np.ldexp(np.rint(np.ldexp(numbers, -exponent)), exponent) + 0.0  # no negative zero

    with mpmath.workprec(120):
        turns = [mpmath.mpf(2 * letter) / order for letter in range(order)]
        parts = np.array([[float(mpmath.cospi(turn)), float(mpmath.sinpi(turn))] for turn in turns])
    cos, sin = near(parts[:, 0]), near(parts[:, 1])
    letters = np.arange(order)
    new, counts = np.array([1.0 + 0.0j]), np.zeros(1, int)
    seen, step = new, 0
    while len(new):
        step += 1
        x, y = np.real(new)[:, None], np.imag(new)[:, None]
        states = near(near(x * cos) - near(y * sin)) + 1j * near(near(x * sin) + near(y * cos))
        found = (counts[:, None] + letters) % order
        ahead = np.angle(states) * (order / (2 * np.pi)) - found
        if (np.abs(ahead - order * np.rint(ahead / order)) >= _HALF).any() or not states.all():
            return step, len(seen)
        states, first = np.unique(states, return_index=True)
        fresh = ~np.isin(states, seen, assume_unique=True)
        new, counts = states[fresh], found.ravel()[first[fresh]]
        seen = np.concatenate([seen, new])
        if len(new) * order > _AT_ONCE:
            refuse(_listing(order, 32.0 * len(new), dtype))
    return 0, len(seen)


def _listing(order: int, states: float, dtype: str) -> Estimate:
    """The cost of a step from so many new states."""
    products = states * power(order, 1)
    return Estimate(
        f"the states of all words of order {order} in {dtype}", 4e-5 * power(order, 1) + 4e-7 * products, 1.5e-7 * products
    )
