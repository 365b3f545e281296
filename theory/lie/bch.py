"""The Baker-Campbell-Hausdorff series, exactly, in the Lyndon basis.

There are three steps. Goldberg's coefficients of the words that are read (one value for each partition of the degree) are
integers over a common denominator. Lazard elimination turns them into Lyndon coordinates (`theory.exact.elimination`). Each
coordinate is divided by the denominator at the end.

The elimination runs modulo 2^64, which is exact if all results are smaller than 2^63. Two bounds can prove this. The steps have
non-negative entries, so the largest input times the largest row sum is one bound. If it is too coarse, the same steps in
floating point, on the values and on their absolute values, bound each result with its rounding error. If neither bound
succeeds, the elimination uses Python integers.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
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
    terms: dict[Word, Fraction] = {}
    numerators = goldberg_numerators(order)
    for degree, (keys, values) in enumerate(_word_keys(order)):
        if degree == 0:
            terms |= {(0,): Fraction(1), (1,): Fraction(1)}
        else:
            _add_degree(terms, degree + 1, keys, values, *numerators[degree + 1])
    return LieSeries(MappingProxyType(terms), 2)


def _add_degree(
    terms: dict[Word, Fraction], degree: int, keys: np.ndarray, ones: np.ndarray, known: np.ndarray, numerators: list[int]
) -> None:
    """Append the coefficients of one degree, given the key of every word that starts with X."""
    coordinates = []
    small = max(map(abs, numerators)) < _LIMIT
    table = np.array(numerators, dtype=np.int64 if small else object)
    for y_degree in range(degree - 1, 0, -1):
        m = (degree - y_degree, y_degree)
        reads_first_exponent = y_degree >= degree - y_degree  # otherwise only words that start with XX are read
        chosen = ones == y_degree if reads_first_exponent else (ones == y_degree) & _even(len(ones))
        words = keys[np.flatnonzero(chosen)]
        coordinates.append(_solve(m, table[np.searchsorted(known, words)]))
    denominator = goldberg_denominator(degree)
    merged = np.concatenate(coordinates[::-1])[_merge_order(degree)]
    for word, numerator in zip(lyndon_words(2, degree), merged.tolist(), strict=True):
        if numerator:
            terms[word] = Fraction(numerator, denominator)


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
def _merge_order(degree: int) -> np.ndarray:
    """Return the permutation that sorts the blocks of one degree, listed by the number of Y, lexicographically."""
    words = np.concatenate([lyndon_block((degree - y, y)) for y in range(1, degree)])
    return np.argsort(words.astype(np.int64) @ (1 << np.arange(degree)[::-1]), kind="stable")


@lru_cache(maxsize=4)
def _even(size: int) -> np.ndarray:
    return np.arange(size) % 2 == 0


def _word_keys(order: int):
    """Yield, for each length 1 .. order, the key of the runs of every word that starts with X, and its number of Y.

    The words are in the lexicographic order of their reversals, as in `input_words`.
    """
    run_keys = np.array([run_key(run) for run in range(order + 1)], dtype=np.uint64)
    closed, run, ones = np.zeros(1, np.uint64), np.zeros(1, np.int64), np.zeros(1, np.int64)
    # Reversed words grow letter by letter: `closed` is the key of their finished runs, `run` the length of the last run.
    for length in range(order):
        last = np.arange(len(closed)) % 2
        ends_in_x = (last == 0) | (length == 0)
        yield np.where(ends_in_x, closed + run_keys[run + 1], closed + run_keys[run] + run_keys[1]), ones
        children = []
        for letter in (0, 1):
            same = (last == letter) & (length > 0)
            started = closed + run_keys[run] if length else closed
            children.append((np.where(same, closed, started), np.where(same, run + 1, 1), ones + letter))
        closed, run, ones = (np.stack(pair, axis=1).ravel() for pair in zip(*children, strict=True))
