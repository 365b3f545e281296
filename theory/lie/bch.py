r"""The Baker-Campbell-Hausdorff series, exactly, in the Lyndon basis.

**Odd degrees.** Goldberg's coefficients of the words that are read (one value for each partition of the degree) are integers
over a common denominator. Lazard elimination turns them into Lyndon coordinates (`theory.exact.elimination`). Each coordinate
is divided by the denominator when the terms of the series are first read.

**Even degrees** follow from the odd ones. Let ``w = log(exp(X/2) exp(Y) exp(X/2))``. The inverse of this palindrome is the same
palindrome in ``-X`` and ``-Y``, so w has odd degrees only. The series is ``z = exp(ad X/2) w``, so its odd part is
``cosh(ad X/2) w`` and its even part is ``sinh(ad X/2) w``:

    z_even = tanh(ad X/2) z_odd.

X is the smallest letter, so ``[X, P_l] = P_Xl`` for every Lyndon word l other than X. A word is coded as a binary number with
its first letter as the highest digit. A leading X is a leading zero, so ad X keeps the code of every word, and the even degree
n is a sum of the odd degrees ``n-1, n-3, ..`` code by code.

**Integers of any size.** The elimination runs modulo 2^64, which is exact if all results are smaller than 2^63. Its matrix has
no negative entry, so a result is at most the largest input times the largest sum of a row. Larger inputs are cut into digits
that respect this bound. The digits are eliminated side by side, because the elimination is linear, and joined afterwards.

Source: K. Goldberg (see `theory.lie.goldberg`); V. S. Varadarajan, *Lie Groups, Lie Algebras, and Their Representations*,
section 2.15, for the series; the rule for even degrees is derived above.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from itertools import compress, repeat
from math import frexp, lcm

import numpy as np

from theory.checks import positive_integer
from theory.cost import refuse
from theory.exact.elimination import lyndon_block, lyndon_coordinates, row_sum
from theory.lie.cost import series
from theory.lie.goldberg import goldberg_denominator, goldberg_numerators, run_key
from theory.lie.series import LieSeries, made_later
from theory.lie.words import Word, lyndon_words

__all__ = ["bch"]

_BITS = 62  # a result below 2^62 fits int64, with a bit of room for the rounding of the bound


def bch(order: int, basis: str = "lyndon") -> LieSeries:
    """Return ``log(exp X exp Y)`` up to and including degree `order`; letter 0 is X, letter 1 is Y.

    Args:
        order: Last degree, at least 1; order 20 takes half a second the first time, and 0.2 GiB.
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
    goldberg, parts = goldberg_numerators(order), []
    odd, sizes = {1: np.ones(1, np.int64)}, {1: 1}  # numerators over `goldberg_denominator`, as `_codes`; and the largest
    for degree in range(2, order + 1):
        if degree % 2:
            odd[degree] = _eliminated(degree, *goldberg[degree])
            sizes[degree] = int(np.abs(odd[degree]).max())
            parts.append((odd[degree], goldberg_denominator(degree)))
        else:
            parts.append(_even(degree, odd, sizes))
    return made_later(partial(_terms, parts), 2)


def _terms(parts: Sequence[tuple[np.ndarray, int]]) -> dict[Word, Fraction]:
    """Return the terms of a series from the numerators of degree 2, 3, .. and their denominators."""
    terms: dict[Word, Fraction] = {(0,): Fraction(1), (1,): Fraction(1)}
    for degree, (numerators, denominator) in enumerate(parts, 2):
        if degree % 2:
            words = lyndon_words(2, degree)
        else:
            words = map((0,).__add__, [(1,)] if degree == 2 else lyndon_words(2, degree - 1))
        kept = numerators != 0
        found = map(Fraction, numerators[kept].tolist(), repeat(denominator))
        terms.update(zip(compress(words, kept.tolist()), found, strict=True))
    return terms


def _even(degree: int, odd: Mapping[int, np.ndarray], sizes: Mapping[int, int]) -> tuple[np.ndarray, int]:
    """Return the numerators of an even degree in the order of the codes of the degree below, and their denominator."""
    sources, denominator = _sources(degree)
    bound = sum(abs(factor) * sizes[m] for m, _, factor in sources)
    total = np.zeros(len(odd[degree - 1]), np.int64 if bound < 2**_BITS else object)
    for m, places, factor in sources:
        total[places] += odd[m].astype(total.dtype, copy=False) * factor
    return total, denominator


@lru_cache(maxsize=64)
def _sources(degree: int) -> tuple[list[tuple[int, np.ndarray, int]], int]:
    """Return, for an even degree, the odd degrees below, the places of their codes, and their factors; and the denominator."""
    lower = range(degree - 1, 0, -2)
    weights = [t / goldberg_denominator(m) for m, t in zip(lower, _half_tangent(degree // 2), strict=True)]
    denominator = lcm(*(weight.denominator for weight in weights))
    codes = _codes(degree - 1)[0]
    places = [np.searchsorted(codes, _codes(m)[0]) for m in lower]
    return [(m, at, int(w * denominator)) for m, at, w in zip(lower, places, weights, strict=True)], denominator


@lru_cache(maxsize=64)
def _half_tangent(count: int) -> tuple[Fraction, ...]:
    """Return the coefficients of u, u^3, .. in ``T = tanh(u/2)``, from ``2 T' = 1 - T^2``."""
    found = [Fraction(1, 2)]
    for j in range(1, count):
        found.append(sum(found[i] * found[j - 1 - i] for i in range(j)) * Fraction(-1, 2 * (2 * j + 1)))
    return tuple(found)


def _eliminated(degree: int, keys: np.ndarray, numerators: tuple[int, ...]) -> np.ndarray:
    """Return the numerators of an odd degree in the order of `_codes`."""
    blocks = [(degree - y, y) for y in range(1, degree)]
    limbs, width = _limbs(numerators, max(map(row_sum, blocks)))
    found = [lyndon_coordinates(m, limbs[at]) for m, at in zip(blocks, _places(degree, keys.tobytes()), strict=True)]
    return _joined(np.concatenate(found)[_codes(degree)[1]], width)


def _limbs(numbers: Sequence[int], factor: float) -> tuple[np.ndarray, int]:
    """Cut integers into digits in base ``2^width``, one column each, so small that ``factor`` times a digit fits int64."""
    width = _BITS - frexp(factor)[1]
    size = max(map(abs, numbers)).bit_length()
    if width < 1:
        return np.array(numbers, dtype=object)[:, None], 0
    count = max(1, -(-size // width))
    base = 1 << width
    columns = [list(numbers)]
    for _ in range(count - 1):
        columns[-1:] = [x % base for x in columns[-1]], [x // base for x in columns[-1]]
    return np.array(columns, dtype=np.int64).T, width


def _joined(digits: np.ndarray, width: int) -> np.ndarray:
    """Put digits together again, in Python integers if a sum could leave int64."""
    sizes = np.abs(digits).max(axis=0, initial=0).tolist()
    fits = sum(size << (width * k) for k, size in enumerate(sizes)) < 2**_BITS
    total = digits[:, -1] if fits else digits[:, -1].astype(object)
    for column in digits.T[-2::-1]:
        total = total * (1 << width) + column
    return total


@lru_cache(maxsize=64)
def _codes(degree: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the codes of the Lyndon words of this degree but X, ascending, and their places in the blocks by number of Y."""
    if degree == 1:
        return np.ones(1, np.int64), np.zeros(1, np.int64)
    words = np.concatenate([lyndon_block((degree - y, y)) for y in range(1, degree)])
    codes = words.astype(np.int64) @ (1 << np.arange(degree)[::-1])
    order = np.argsort(codes, kind="stable")
    return codes[order], order


@lru_cache(maxsize=64)
def _places(degree: int, partitions: bytes) -> tuple[np.ndarray, ...]:
    """Return, for 1 .. degree-1 letters Y, the place of each of the `input_words` among the keys of the partitions."""
    known = np.frombuffer(partitions, np.uint64)
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
