r"""The radius 2.8984793 of the Baker-Campbell-Hausdorff series, by another route.

Goldberg: the word with runs s_1 .. s_k has the coefficient, up to its sign,

    int_0^1 t^(k // 2) (1 - t)^((k-1) // 2) prod G_(s_i)(t) dt,   sum_s G_s(t) x^s = (e^x - 1) / (e^x (1 - t) + t).

In a Banach algebra the series is at most the sum over words of |coefficient| x^a y^b, x = |X| and y = |Y|. Put absolute values
under the integral: with F(x, t) = sum_s |G_s(t)| x^s the sum over words is at most an integral of terms over
``1 - t (1 - t) F(x, t) F(y, t)``. So the series converges where that is positive for all t; the bound is the smallest x + y
for which it vanishes somewhere.
"""

from fractions import Fraction
from functools import cache
from itertools import groupby, product
from math import factorial, prod

import mpmath
import pytest

from tests import twins
from theory.bounds import bch_radius
from theory.lie.goldberg import goldberg_coefficient

TERMS = 150


@cache
def absolute(t):
    """|G_1(t)|, |G_2(t)|, ..: the power series divided by hand, with 60 digits."""
    with mpmath.workdps(60):
        t = mpmath.mpf(t)
        exponential = [1 / mpmath.factorial(s) for s in range(TERMS + 1)]
        quotient = [mpmath.mpf(0)]
        for s in range(1, TERMS + 1):  # e^x (1 - t) + t starts with 1
            rest = mpmath.fsum(quotient[j] * exponential[s - j] for j in range(1, s))
            quotient.append(exponential[s] - (1 - t) * rest)
        return [float(abs(q)) for q in quotient]


def majorant(x, t):
    value = 0.0
    for c in reversed(absolute(t)):
        value = value * x + c
    return value


def smallest_sum(t):
    """Twice the x with t (1 - t) F(x, t)^2 = 1."""
    low, high = 0.0, 3.0
    for _ in range(60):
        x = (low + high) / 2
        low, high = (x, high) if t * (1 - t) * majorant(x, t) ** 2 < 1 else (low, x)
    return 2 * low


def goldberg_polynomials(largest):
    """s G_s = (t (t - 1) G_(s-1))', G_1 = 1: coefficients, lowest first."""
    found = {1: [Fraction(1)]}
    for s in range(2, largest + 1):
        old = [Fraction(0), Fraction(0), *found[s - 1]]
        lower = [Fraction(0), *found[s - 1], Fraction(0)]
        raised = [a - b for a, b in zip(old, lower, strict=True)]
        found[s] = [k * c / s for k, c in enumerate(raised)][1:]
    return found


def times(a, b):
    result = [Fraction(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            result[i + j] += x * y
    return result


def test_goldbergs_integral_and_its_generating_function():
    polynomials = goldberg_polynomials(8)
    series = twins.logarithm(
        twins.multiply(twins.exponential({(0,): Fraction(1)}, 7), twins.exponential({(1,): Fraction(1)}, 7), 7), 7
    )
    for length in range(1, 8):
        for word in product(range(2), repeat=length):
            runs = [len(list(run)) for _, run in groupby(word)]
            integrand = [Fraction(1)]
            for factor in [polynomials[s] for s in runs] + [[Fraction(0), Fraction(1)]] * (len(runs) // 2):
                integrand = times(integrand, factor)
            for _ in range((len(runs) - 1) // 2):
                integrand = times(integrand, [Fraction(-1), Fraction(1)])
            integral = sum(c / (k + 1) for k, c in enumerate(integrand))
            assert series.get(word, 0) == integral * ((-1) ** (length - 1) if word[0] else 1), word
    for s, polynomial in polynomials.items():
        for t in (0.125, 0.375, 0.5):
            assert absolute(t)[s] == pytest.approx(abs(float(sum(c * Fraction(t) ** k for k, c in enumerate(polynomial)))))


def test_the_radius_is_the_smallest_sum_at_which_the_majorant_diverges():
    radius = bch_radius().at()
    coarse = [k / 64 for k in range(1, 33)]  # F(x, t) = F(x, 1 - t)
    assert min(map(smallest_sum, coarse)) > radius
    # the smallest value lies between two points of the grid; it has one minimum there
    best = min(coarse, key=smallest_sum)
    low, high = best - 1 / 64, best + 1 / 64
    for _ in range(17):
        first, second = low + (high - low) * 0.382, low + (high - low) * 0.618
        low, high = (low, second) if smallest_sum(first) < smallest_sum(second) else (first, high)
    assert radius <= smallest_sum((low + high) / 2) < radius + 1e-7  # rounded down
    # unequal norms with the same sum do no worse
    for t in coarse[::3]:
        equal = majorant(radius / 2, t) ** 2
        assert all(majorant(share * radius, t) * majorant((1 - share) * radius, t) < equal for share in (0.02, 0.1, 0.3, 0.45))


def partitions(total, largest):
    """Tuples that sum to the total, descending, with entries up to the largest."""
    if not total:
        yield ()
    for first in range(min(total, largest), 0, -1):
        yield from ((first, *rest) for rest in partitions(total - first, first))


def test_sums_over_words_grow_at_that_rate():
    """Sums over words of degree n of |coefficient| (r / 2)^n, n even: falling at the radius, rising at 4 % more."""
    totals = {}
    for n in (8, 10, 12, 14):
        totals[n] = Fraction(0)
        for runs in partitions(n, n):
            arrangements = factorial(len(runs)) // prod(factorial(runs.count(s)) for s in set(runs))
            totals[n] += 2 * arrangements * abs(goldberg_coefficient(runs))
    radius = bch_radius().at()
    inside = [float(totals[n]) * (radius / 2) ** n for n in totals]
    assert inside == sorted(inside, reverse=True)
    assert totals[14] * (1.04 * radius / 2) ** 14 > totals[12] * (1.04 * radius / 2) ** 12
