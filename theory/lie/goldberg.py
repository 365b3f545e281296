r"""Goldberg's coefficients of the words of ``log(exp X exp Y)``: one value for each partition of the degree n.

The coefficient of the word ``X^s1 Y^s2 X^s3 ..`` with m runs depends only on the multiset of the ``s_i``; a word that starts
with Y has ``(-1)^(n-1)`` times this coefficient. With the integer polynomials ``H_1 = 1`` and
``H_s = d/dt [t (t-1) H_{s-1}]`` the coefficient is

    1 / (s1! .. sm!) * integral over [0, 1] of t^floor(m/2) (t-1)^floor((m-1)/2) H_s1(t) .. H_sm(t) dt.

The integrand has degree n-1, so the integral is an exact combination of its values at ``0 .. n-1`` (Gregory weights). All
partitions are computed together, each from the partition without its largest part.

Source: K. Goldberg, *The formal power series for log e^x e^y*, Duke Math. J. 23 (1956); common denominator: OEIS A338025.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import comb, factorial, lcm

import numpy as np

from theory.checks import integer, positive_integer
from theory.cost import Estimate, power, refuse
from theory.lie.cost import series, short

__all__ = ["goldberg_coefficient", "goldberg_denominator", "goldberg_numerators", "pair_constants"]


def goldberg_denominator(degree: int) -> int:
    """Return a common denominator of all coefficients of degree n, ``n! d_n``; for n <= 8 it is the least one.

    ``d_n`` is the product over the primes p < n of the largest ``p^t`` that is at most the digit sum of n in base p.

    Raises:
        ValueError: `degree` is not an integer >= 1.

    >>> [goldberg_denominator(n) for n in (1, 2, 3, 4, 5)]
    [1, 2, 12, 24, 720]
    """
    degree = positive_integer("degree", degree, "a degree of the series")
    refuse(Estimate(f"the denominators of degree {short(degree)}", 1e-8 * power(degree, 1.7)))
    return _denominator(degree)


@lru_cache(maxsize=64)
def _denominator(degree: int) -> int:
    extra = 1
    for p in range(2, degree):
        if all(p % q for q in range(2, int(p**0.5) + 1)):
            digits, rest = 0, degree
            while rest:
                digits, rest = digits + rest % p, rest // p
            reached = p
            while reached <= digits:
                extra, reached = extra * p, reached * p
    return factorial(degree) * extra


def goldberg_coefficient(runs: tuple[int, ...]) -> Fraction:
    """Return the coefficient of the word ``X^runs[0] Y^runs[1] X^runs[2] ..`` in ``log(exp X exp Y)``.

    >>> goldberg_coefficient((1, 1)), goldberg_coefficient((2, 1)), goldberg_coefficient((1, 1, 1))
    (Fraction(1, 2), Fraction(1, 12), Fraction(-1, 6))

    Raises:
        ValueError: There are no runs, or a run is not an integer >= 1.
    """
    if len(runs) == 0:
        raise ValueError(
            "goldberg_coefficient was given no runs: expected the lengths of the runs of a word that is not empty."
        )
    runs = tuple(positive_integer("a run", run, "how often a letter follows itself, so none is empty") for run in runs)
    degree = sum(runs)
    keys, numerators = goldberg_numerators(degree)[degree]
    key = sum(run_key(run) for run in runs) % 2**64
    return Fraction(numerators[int(np.searchsorted(keys, np.uint64(key)))], goldberg_denominator(degree))


@lru_cache(maxsize=32)
def pair_constants(degree: int) -> tuple[Fraction, ...]:
    """Return, for i = 0 .. n, the sum of the absolute coefficients of the words with i letters X and n-i letters Y.

    The term of degree n of ``log(exp X exp Y)`` has at most the norm ``sum over i of c_i |X|^i |Y|^(n-i)`` in any
    submultiplicative norm, and exactly this norm where X and Y are letters of the free associative algebra.

    Cost: one look-up for each of the ``2^(n-1)`` words that start with X.

    Raises:
        ValueError: `degree` is not an integer >= 1.

    >>> [str(c) for c in pair_constants(3)]
    ['0', '1/3', '1/3', '0']
    """
    degree = positive_integer("degree", degree, "a degree of the series")
    refuse(series(degree))
    keys, numerators = goldberg_numerators(degree)[degree]
    found = [0] * (degree + 1)
    for cuts in range(2 ** (degree - 1)):
        ends = [place for place in range(1, degree) if cuts >> (place - 1) & 1] + [degree]
        runs = [end - start for start, end in zip([0, *ends], ends, strict=False)]
        key = np.uint64(sum(run_key(run) for run in runs) % 2**64)
        size, count = abs(numerators[int(np.searchsorted(keys, key))]), sum(runs[::2])
        found[count] += size  # the word that starts with X, and the one with X and Y exchanged
        found[degree - count] += size
    return tuple(Fraction(total, goldberg_denominator(degree)) for total in found)


def run_key(run: int) -> int:
    """Return a number whose sum over the runs of a word, modulo 2^64, identifies their multiset; every table checks this."""
    return pow(0x9E3779B97F4A7C15, run, 2**64)


@lru_cache(maxsize=64)
def goldberg_numerators(order: int) -> tuple[tuple[np.ndarray, tuple[int, ...]], ...]:
    """Return, for each degree 0 .. order, the ascending keys of the partitions and the numerators over `goldberg_denominator`.

    Cost: one product of n integers for each partition of each n <= order.
    """
    order = integer("order", order, "the last degree", least=0)
    refuse(series(order))
    values_of_run = _run_values(order)
    nodes = np.arange(order).astype(object)
    powers = [nodes**0]
    for m in range(1, order + 1):  # t^floor(m/2) (t-1)^floor((m-1)/2) for m = 1, 2, ..
        powers.append(powers[-1] if m == 1 else powers[-1] * (nodes if m % 2 == 0 else nodes - 1))
    prefactor = np.array(powers, dtype=object)
    # For each degree, its partitions by largest part: values of the product, n!/prod s_i!, number of parts, key.
    table: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]] = [
        (np.ones((1, order), object), np.ones(1, object), np.zeros(1, np.int64), np.zeros(1, np.uint64))
    ]
    result: list[tuple[np.ndarray, tuple[int, ...]]] = [(np.zeros(0, np.uint64), ())]
    largest = [np.zeros(1, np.int64)]
    for n in range(1, order + 1):
        rows = []
        for part in range(1, n + 1):
            values, multinomial, parts, keys = table[n - part]
            count = int(np.searchsorted(largest[n - part], part, side="right"))
            rows.append(
                (
                    values[:count] * values_of_run[part],
                    multinomial[:count] * comb(n, part),
                    parts[:count] + 1,
                    keys[:count] + np.uint64(run_key(part)),
                )
            )
        largest.append(np.repeat(np.arange(1, n + 1), [len(row[2]) for row in rows]))
        values, multinomial, parts, keys = (np.concatenate(column) for column in zip(*rows, strict=True))
        table.append((values, multinomial, parts, keys))
        weights, denominator = _gregory_weights(n)
        integrals = (values[:, :n] * prefactor[parts, :n]) @ weights * multinomial
        scale = goldberg_denominator(n) // factorial(n)
        order_of_keys = np.argsort(keys)
        if (np.diff(keys[order_of_keys]) == 0).any():
            raise ArithmeticError(f"two partitions of {n} share a key; goldberg.run_key needs another multiplier")
        numerators = tuple(value * scale // denominator for value in integrals[order_of_keys].tolist())
        result.append((keys[order_of_keys], numerators))
    return tuple(result)


@lru_cache(maxsize=8)
def _run_values(order: int) -> list[np.ndarray]:
    """Return ``H_s(t)`` at ``t = 0 .. order-1`` for each run length ``s <= order``."""
    polynomial = [1]
    values = [np.zeros(order, object)]
    for _ in range(order):
        value = np.zeros(order, object)
        nodes = np.arange(order).astype(object)
        for coefficient in reversed(polynomial):
            value = value * nodes + coefficient
        values.append(value)
        product = [high - low for high, low in zip([0, 0, *polynomial], [0, *polynomial, 0], strict=True)]  # t^2 p - t p
        polynomial = [power * coefficient for power, coefficient in enumerate(product)][1:]
    return values


@lru_cache(maxsize=64)
def _gregory_weights(count: int) -> tuple[np.ndarray, int]:
    """Return integers w and D with ``integral over [0,1] of p = sum w_j p(j) / D`` for polynomials p of degree below `count`.

    In Newton's basis the integral of ``binomial(t, i)`` is the coefficient of ``z^i`` in ``z / log(1+z)``.
    """
    gregory: list[Fraction] = []
    for i in range(count):
        gregory.append(Fraction(int(i == 0)) - sum(gregory[i - j] * Fraction((-1) ** j, j + 1) for j in range(1, i + 1)))
    denominator = lcm(*(value.denominator for value in gregory))
    scaled = [int(value * denominator) for value in gregory]
    weights = [sum((-1) ** (i - j) * comb(i, j) * scaled[i] for i in range(j, count)) for j in range(count)]
    return np.array(weights, dtype=object), denominator
