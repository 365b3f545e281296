r"""Logarithms of products of exponentials, and the Magnus expansion of a word of tokens.

The logarithm is computed in the tensor algebra truncated at degree N. The part of degree n is kept as integers over ``s^n``,
where s is the product of the primes up to N times the denominators of the coefficients. These integers suffice, because
``1/n!`` and every ``(E - 1)^k`` have a p-adic order above ``-n``; the division of ``(E - 1)^k`` by k is done at the end.

Source: the logarithm series; conversion to Lyndon brackets by `theory.exact.elimination`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import factorial, lcm, prod

import numpy as np

from theory.checks import fraction, integer, positive_integer
from theory.cost import refuse
from theory.exact.elimination import input_words, lyndon_block, lyndon_coordinates
from theory.lie.cost import product_series
from theory.lie.series import LieSeries
from theory.lie.words import Word

__all__ = ["log_product", "magnus"]

Factor = tuple[int, Fraction | int]


def log_product(factors: Iterable[Factor], order: int, letters: int | None = None) -> LieSeries:
    """Return ``log(exp(c_1 x_1) exp(c_2 x_2) ..)`` up to a degree.

    Args:
        factors: Pairs ``(letter, coefficient)`` with rational coefficients.
        order: Last degree, at least 1.
        letters: Number of generators; by default one more than the largest letter that occurs.

    Cost: about ``order^2 letters^order`` integer products; two letters to order 12 take well under a second.

    Raises:
        ValueError: There are no factors, a letter is out of range, or `order` is not an integer >= 1.
        TooExpensive: There are too many letters or the order is too high, see `theory.cost`.

    >>> log_product([(0, Fraction(1, 2)), (1, 1), (0, Fraction(1, 2))], 3).as_expr()
    X + Y - [X,[X,Y]]/24 - [Y,[X,Y]]/12
    """
    factors = list(factors)
    if wrong := [factor for factor in factors if not isinstance(factor, Sequence) or len(factor) != 2]:
        raise ValueError(f"log_product was given the factor {wrong[0]!r:.60}: expected a pair (letter, coefficient).")
    factors = [(letter, fraction("a coefficient", c)) for letter, c in factors]
    order = positive_integer("order", order, "the last degree of the series that is kept")
    if not factors:
        raise ValueError("log_product was given no factors: expected at least one (letter, coefficient).")
    factors = [(integer("a letter", letter, "the number of a generator"), c) for letter, c in factors]
    letters = (
        max(letter for letter, _ in factors) + 1 if letters is None else positive_integer("letters", letters, "generators")
    )
    if any(not 0 <= letter < letters for letter, _ in factors):
        raise ValueError(f"a factor's letter is outside 0..{letters - 1}: letters index the generators; raise `letters`.")
    refuse(product_series(len(factors), letters, order))
    scale = prod(p for p in range(2, order + 1) if all(p % q for q in range(2, p))) * lcm(*(c.denominator for _, c in factors))
    element = [np.ones(1, object)] + [np.zeros(letters**n, object) for n in range(1, order + 1)]
    for letter, c in factors:
        element = _times_exponential(element, letter, int(c * scale), letters)
    common = lcm(*range(1, order + 1))
    logarithm = _logarithm(element, common)
    terms: dict[Word, Fraction] = {}
    for degree in range(1, order + 1):
        terms |= _coordinates(logarithm[degree], degree, letters, common * scale**degree)
    return LieSeries(terms, letters)


def magnus(word: Sequence[int], order: int, letters: int | None = None) -> LieSeries:
    """Return the Magnus expansion of a word of unit tokens, its log-signature: ``log(exp x_w1 exp x_w2 ..)``.

    Raises:
        ValueError: As for `log_product`.

    >>> dict(magnus((0, 1, 0), 2).terms)
    {(0,): Fraction(2, 1), (1,): Fraction(1, 1)}
    """
    return log_product([(letter, 1) for letter in word], order, letters)


def _times_exponential(element: list[np.ndarray], letter: int, c: int, letters: int) -> list[np.ndarray]:
    """Return ``element exp(c x)``, scaled: ``result_n = sum_k element_(n-k) x^k c^k / k!``."""
    result = [part.copy() for part in element]
    for n in range(1, len(element)):
        for k in range(1, n + 1):
            # Words that end in k copies of the letter are spaced letters^k apart.
            start = letter * sum(letters**i for i in range(k))
            result[n][start :: letters**k] += element[n - k] * (c**k // factorial(k))
    return result


def _logarithm(element: list[np.ndarray], common: int) -> list[np.ndarray]:
    """Return ``common * log(element)`` for an element with constant term one."""
    order = len(element) - 1
    power = [part * 0 if n == 0 else part for n, part in enumerate(element)]
    total = [part * common for part in power]
    for k in range(2, order + 1):
        power = [
            sum((np.multiply.outer(power[i], element[n - i]).ravel() for i in range(k - 1, n)), np.zeros_like(element[n]))
            for n in range(order + 1)
        ]
        total = [part + (-1) ** (k - 1) * (common // k) * term for part, term in zip(total, power, strict=True)]
    return total


def _coordinates(values: np.ndarray, degree: int, letters: int, denominator: int) -> dict[Word, Fraction]:
    """Return the Lyndon terms of one degree from the coefficients of all its words in lexicographic order."""
    place = letters ** np.arange(degree)[::-1]
    terms = {}
    for content in _contents(letters, degree):
        present = np.array([letter for letter, count in enumerate(content) if count])
        m = tuple(count for count in content if count)
        if len(m) == 1 and degree > 1:
            continue
        column = values[present[input_words(m)] @ place][:, None]
        found = lyndon_coordinates(m, column)[:, 0].tolist()
        for word, c in zip(present[lyndon_block(m)].tolist(), found, strict=True):
            terms[tuple(word)] = Fraction(c, denominator)
    return terms


def _contents(letters: int, degree: int) -> Iterable[tuple[int, ...]]:
    if letters == 1:
        yield (degree,)
        return
    for first in range(degree, -1, -1):
        for rest in _contents(letters - 1, degree - first):
            yield (first, *rest)
