r"""The series of a named group: from its table if that is affordable, else from its name alone.

The families have series that are known for every size. C_n is abelian; the commutators of D_n are the even rotations, those of
Q_4m the powers of a^2, and those of H3_n its centre; A_n is perfect from n = 5 on, and so are SL(2, p) and PSL(2, p); their
composition factors are the cyclic ones of prime order and one simple group. The derived subgroup of a product is the product of
the derived subgroups.

Source: Rotman, An Introduction to the Theory of Groups (1995), chapters 3, 5 and 8.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import chain, zip_longest
from typing import NamedTuple

from sympy import factorint, isprime

from theory.cost import Estimate, TooExpensive, power, refuse
from theory.groups.cost import order_of_name, structure
from theory.groups.group import FiniteGroup
from theory.groups.named import group

__all__ = ["Series", "series", "series_of_name", "spelled"]

MOST_DIGITS = 4000
"""Orders with more digits are not written out; Python itself prints no more than 4300."""


class Series(NamedTuple):
    """The series of a group.

    Attributes:
        derived_orders: Orders of the derived series, down to 1 or to the first repetition.
        composition_orders: Orders of a composition series, down to 1.
        stages: Orders of the cyclic factors of each abelian factor of the derived series, each a multiple of the next; empty
            if the group is not solvable.
    """

    derived_orders: tuple[int, ...]
    composition_orders: tuple[int, ...]
    stages: tuple[tuple[int, ...], ...]


def series(g: FiniteGroup) -> Series:
    """The series of a group, from its table."""
    return Series(
        tuple(map(len, g.derived_series)),
        tuple(map(len, g.composition_series)),
        tuple(stage.moduli for stage in g.tower.stages) if g.is_solvable else (),
    )


def series_of_name(name: str) -> Series:
    """The series of the group with a standard name, whatever its size, factor by factor.

    Raises:
        ValueError: The name is unknown, or the family has no group of this size.
        TooExpensive: A factor is neither small enough for a table nor of a family above, a number has no factors that are
            found within the limit of `theory.cost`, or the order has more than 4000 digits.

    >>> series_of_name("D10000000").stages, series_of_name("S30").derived_orders[1] == math.factorial(30) // 2
    (((2, 2), (5000000,)), True)
    """
    parts = name.split("x")
    known = {part: _factor(part) for part in dict.fromkeys(parts)}
    if sum(math.log10(known[part].derived_orders[0]) for part in parts) > MOST_DIGITS:
        raise TooExpensive(structure(math.inf, name), 1.0)
    return _product([known[part] for part in parts])


def spelled(number: int) -> str:
    """A count as text, and a count of more than 30 digits as a power of ten.

    >>> spelled(60), spelled(10**40)
    ('60', 'about 10^40')
    """
    return str(number) if number < 10**30 else f"about 10^{math.log10(number):.4g}"


def _factor(name: str) -> Series:
    cost = structure(order_of_name(name)[0], name)
    match = re.fullmatch(r"(PSL2_|SL2_|GL2_|H3_|C|D|Q|S|A)(\d+)", name)
    if cost.factor <= 1 or match is None or 3 * len(match[2]) > MOST_DIGITS:  # no family has an order above 2 n^3 but S, A
        refuse(cost)
        return series(group(name))
    family, n = match[1], int(match[2])
    if family in "SA":
        if math.lgamma(n + 1) > MOST_DIGITS * math.log(10):
            refuse(cost)
        even = math.factorial(n) // 2
        return Series((2 * even, even), (2 * even, even, 1), ()) if family == "S" else Series((even,), (even, 1), ())
    if family in ("PSL2_", "SL2_", "GL2_"):
        return _linear(family, n, name)
    if family == "H3_":
        return Series((n**3, n, 1), _chain(_primes(n) * 3), ((n, n), (n,)))
    if family == "C":
        return Series((n, 1), _chain(_primes(n)), ((n,),))
    if family == "Q" and n % 4:
        raise ValueError(f"Q{n}: a generalised quaternion group has an order that is a multiple of 4, from Q8 on")
    derived = n // 4 if family == "Q" else n // math.gcd(n, 2)
    order = n if family == "Q" else 2 * n
    above = (4,) if family == "Q" and derived % 2 else (2,) * (2 if order == 4 * derived else 1)
    return Series((order, derived, 1), _chain([*_primes(order // derived), *_primes(derived)]), (above, (derived,)))


def _linear(family: str, p: int, name: str) -> Series:
    """The series of SL(2, p), its quotient by its centre, and GL(2, p), for a prime from 5 on."""
    if not isprime(p):
        raise ValueError(f"{name}: the number after the underscore must be a prime")
    special = p * (p * p - 1)
    if family == "PSL2_":
        return Series((special // 2,), (special // 2, 1), ())
    if family == "SL2_":
        return Series((special,), (special, 2, 1), ())
    upper = [special * order for order in _chain(_primes(p - 1))]
    return Series((upper[0], special), (*upper, 2, 1), ())


def _primes(n: int) -> list[int]:
    """The prime factors of a number, with repetition, ascending."""
    found = factorint(n, limit=10**5) if n > 1 else {}
    rest = max(found, default=1)
    if rest > 10**10 and not isprime(rest):
        refuse(Estimate(f"the prime factors of {n if n < 10**30 else 'a number of the group'}", 1e-5 * power(rest, 0.25)))
        found = factorint(n)
    return [p for p, times in sorted(found.items()) for _ in range(times)]


def _chain(primes: Iterable[int]) -> tuple[int, ...]:
    """Orders of a series with these factors, from the whole group down to 1."""
    orders = [1]
    for p in primes:
        orders.append(orders[-1] * p)
    return tuple(reversed(orders))


def _product(factors: Sequence[Series]) -> Series:
    """The series of a direct product; its composition series goes down one factor after the other."""
    longest = max(len(factor.derived_orders) for factor in factors)
    last = [len(factor.derived_orders) - 1 for factor in factors]
    derived = tuple(
        math.prod(factor.derived_orders[min(k, end)] for factor, end in zip(factors, last, strict=True)) for k in range(longest)
    )
    composition, below = [], derived[0]
    for factor in factors:
        below //= factor.derived_orders[0]
        composition += [order * below for order in factor.composition_orders[:-1]]
    every = zip_longest(*(factor.stages for factor in factors), fillvalue=())
    stages = tuple(_invariants(tuple(chain(*of_step))) for of_step in every) if derived[-1] == 1 else ()
    return Series(derived, (*composition, 1), stages)


def _invariants(orders: tuple[int, ...]) -> tuple[int, ...]:
    """The orders of cyclic groups whose product is that of these ones, each a multiple of the next."""
    found = list(orders)
    for i in range(len(found)):
        for j in range(i + 1, len(found)):
            if found[i] % found[j]:
                found[i], found[j] = math.lcm(found[i], found[j]), math.gcd(found[i], found[j])
    return tuple(order for order in found if order > 1)
