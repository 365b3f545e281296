r"""The Baker-Campbell-Hausdorff series, exactly, in the Lyndon basis.

**Odd degrees.** Goldberg's coefficients of the words that are read (one value for each partition of the degree) are integers
over a common denominator. Lazard elimination turns them into Lyndon coordinates (`theory.exact.elimination`). Each coordinate
is divided by the denominator at the end.

**Even degrees** follow from the odd ones. Let ``w = log(exp(X/2) exp(Y) exp(X/2))``. The inverse of this palindrome is the same
palindrome in ``-X`` and ``-Y``, so w has odd degrees only. The series is ``z = exp(ad X/2) w``, so its odd part is
``cosh(ad X/2) w`` and its even part is ``sinh(ad X/2) w``:

    z_even = tanh(ad X/2) z_odd.

X is the smallest letter, so ``[X, P_l] = P_Xl`` for every Lyndon word l other than X. A word is coded as a binary number with
its first letter as the highest digit. A leading X is a leading zero, so ad X keeps the code of every word, and the even degree
n is a sum of the odd degrees ``n-1, n-3, ..`` code by code.

The elimination runs modulo 2^64, which is exact if all results are smaller than 2^63. Two bounds can prove this. The steps have
non-negative entries, so the largest input times the largest row sum is one bound. If it is too coarse, the same steps in
floating point, on the values and on their absolute values, bound each result with its rounding error. If neither bound
succeeds, the elimination uses Python integers.

Source: K. Goldberg (see `theory.lie.goldberg`); V. S. Varadarajan, *Lie Groups, Lie Algebras, and Their Representations*,
section 2.15, for the series; the rule for even degrees is derived above.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import lcm
from types import MappingProxyType

import numpy as np

from theory.checks import positive_integer
from theory.cost import refuse
from theory.exact.elimination import input_words, lyndon_block, lyndon_coordinates
from theory.lie.cost import series
from theory.lie.goldberg import goldberg_denominator, goldberg_numerators, run_key
from theory.lie.series import LieSeries
from theory.lie.words import Word, lyndon_words

__all__ = ["bch"]

_LIMIT = 2.0**63
_ROUNDING = 2.0**-40  # room for more than 8000 roundings, longer than any chain of sums in the elimination


def bch(order: int, basis: str = "lyndon") -> LieSeries:
    """Return ``log(exp X exp Y)`` up to and including degree `order`; letter 0 is X, letter 1 is Y.

    Args:
        order: Last degree, at least 1; order 20 takes about a second and 0.2 GiB.
        basis: "lyndon". For other bases apply `theory.lie.hall_terms` or `theory.lie.right_normed_terms` to the result.

    Raises:
        ValueError: `order` is not an integer >= 1, or the basis is another one.
        TooExpensive: The order is too high, see `theory.cost`.

    >>> bch(4).as_expr()
    X + Y + [X,Y]/2 + [X,[X,Y]]/12 - [X,[Y,[X,Y]]]/24 - [Y,[X,Y]]/12
    """
    order = positive_integer("order", order, "the last degree of the series that is kept")
    if basis != "lyndon":
        raise ValueError(
            f"basis = {basis!r}: expected 'lyndon', the basis in which the series is computed. For a Hall or right-normed "
            "form, convert the result with hall_terms or right_normed_terms."
        )
    refuse(series(order))
    terms = {(0,): Fraction(1), (1,): Fraction(1)}
    numerators = goldberg_numerators(order)
    odd = {1: np.ones(1, np.int64)}  # numerators over `goldberg_denominator`, in the order of `_codes`
    for degree in range(2, order + 1):
        if degree % 2:
            odd[degree] = _eliminated(degree, *numerators[degree])
            _append(terms, lyndon_words(2, degree), odd[degree], goldberg_denominator(degree))
        else:
            words = [(1,)] if degree == 2 else lyndon_words(2, degree - 1)
            _append(terms, ((0, *word) for word in words), *_even(degree, odd))
    return LieSeries(MappingProxyType(terms), 2)


def _append(terms: dict[Word, Fraction], words: Iterable[Word], numerators: np.ndarray, denominator: int) -> None:
    for word, numerator in zip(words, numerators.tolist(), strict=True):
        if numerator:
            terms[word] = Fraction(numerator, denominator)


def _even(degree: int, odd: Mapping[int, np.ndarray]) -> tuple[np.ndarray, int]:
    """Return the numerators of an even degree in the order of the codes of the degree below, and their denominator."""
    lower = range(degree - 1, 0, -2)
    weights = [t / goldberg_denominator(m) for m, t in zip(lower, _half_tangent(degree // 2), strict=True)]
    denominator = lcm(*(weight.denominator for weight in weights))
    factors = [int(weight * denominator) for weight in weights]
    bound = sum(abs(factor) * int(np.abs(odd[m]).max()) for m, factor in zip(lower, factors, strict=True))
    total = np.zeros(len(odd[degree - 1]), np.int64 if bound < _LIMIT else object)
    for m, factor in zip(lower, factors, strict=True):
        total[np.searchsorted(_codes(degree - 1)[0], _codes(m)[0])] += odd[m].astype(total.dtype) * factor
    return total, denominator


@lru_cache(maxsize=64)
def _half_tangent(count: int) -> tuple[Fraction, ...]:
    """Return the coefficients of u, u^3, .. in ``T = tanh(u/2)``, from ``2 T' = 1 - T^2``."""
    found = [Fraction(1, 2)]
    for j in range(1, count):
        found.append(sum(found[i] * found[j - 1 - i] for i in range(j)) * Fraction(-1, 2 * (2 * j + 1)))
    return tuple(found)


def _eliminated(degree: int, known: np.ndarray, numerators: tuple[int, ...]) -> np.ndarray:
    """Return the numerators of an odd degree in the order of `_codes`."""
    small = max(map(abs, numerators)) < _LIMIT
    table = np.array(numerators, dtype=np.int64 if small else object)
    blocks = [_solve((degree - y, y), table[places]) for y, places in enumerate(_places(degree), 1)]
    return np.concatenate(blocks)[_codes(degree)[1]]


def _solve(m: tuple[int, int], values: np.ndarray) -> np.ndarray:
    column = values[:, None]
    if values.dtype == object:
        return lyndon_coordinates(m, column)[:, 0]
    if float(np.abs(values).max(initial=0)) * _row_sum(m) < _LIMIT / 2:
        return lyndon_coordinates(m, column)[:, 0]
    real = values.astype(np.float64)
    middle, radius = lyndon_coordinates(m, np.stack([real, np.abs(real)], axis=1)).T
    if np.all(np.abs(middle) + _ROUNDING * radius < _LIMIT):
        return lyndon_coordinates(m, column)[:, 0]
    return lyndon_coordinates(m, column.astype(object))[:, 0]


@lru_cache(maxsize=4096)
def _row_sum(m: tuple[int, int]) -> float:
    ones = np.ones((len(input_words(m)), 1))
    return float(lyndon_coordinates(m, ones).max(initial=0))


@lru_cache(maxsize=64)
def _codes(degree: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the codes of the Lyndon words of this degree but X, ascending, and their places among the blocks by number of Y."""
    if degree == 1:
        return np.ones(1, np.int64), np.zeros(1, np.int64)
    words = np.concatenate([lyndon_block((degree - y, y)) for y in range(1, degree)])
    codes = words.astype(np.int64) @ (1 << np.arange(degree)[::-1])
    order = np.argsort(codes, kind="stable")
    return codes[order], order


@lru_cache(maxsize=64)
def _places(degree: int) -> tuple[np.ndarray, ...]:
    """Return, for 1 .. degree-1 letters Y, the place of the coefficient of each of the `input_words` in `goldberg_numerators`."""
    known = goldberg_numerators(degree)[degree][0]
    keys, ones = _word_keys(degree)
    places = np.searchsorted(known, keys).astype(np.min_scalar_type(len(known)))
    starts_with_two = np.arange(len(keys)) % 2 == 0
    # if there are fewer Y than X, then only words that start with XX are read
    return tuple(places[(ones == y) & (starts_with_two | (2 * y >= degree))] for y in range(1, degree))


def _word_keys(length: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the key of the runs of every word of this length that starts with X, and its number of Y.

    The words are in the lexicographic order of their reversals, as in `input_words`.
    """
    run_keys = np.array([run_key(run) for run in range(length + 1)], dtype=np.uint64)
    # Reversed words grow letter by letter: `closed` is the key of their finished runs, `run` the length of the last run.
    closed, run, ones = np.zeros(2, np.uint64), np.ones(2, np.int8), np.arange(2, dtype=np.int8)
    for _ in range(length - 2):
        last, children = np.arange(len(closed)) % 2, []
        for letter in (0, 1):
            same = last == letter
            children.append((np.where(same, closed, closed + run_keys[run]), np.where(same, run + 1, 1), ones + letter))
        closed, run, ones = (np.stack(pair, axis=1).ravel() for pair in zip(*children, strict=True))
    ends_in_x = np.arange(len(closed)) % 2 == 0
    return np.where(ends_in_x, closed + run_keys[run + 1], closed + run_keys[run] + run_keys[1]), ones
