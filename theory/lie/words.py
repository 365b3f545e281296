"""Lyndon words, which index a basis of the free Lie algebra, and the number of them.

Words are tuples of letters ``0, 1, ...``. A word is Lyndon if it is strictly smaller than each of its proper suffixes. The
standard factorization of a Lyndon word of length at least two is ``w = u v`` with ``v`` its longest proper Lyndon suffix; then
``u`` is Lyndon too, and the standard bracketing is ``P_w = [P_u, P_v]``.

Source: M. Lothaire, *Combinatorics on Words*, chapter 5; C. Reutenauer, *Free Lie Algebras*, chapters 4 and 5.
"""

from __future__ import annotations

import math
from functools import lru_cache
from math import factorial, gcd, prod

import sympy

from theory.checks import integer, positive_integer
from theory.cost import Estimate, digits, power, refuse
from theory.lie.cost import lyndon, short

__all__ = [
    "Word",
    "check_sizes",
    "is_lyndon",
    "lyndon_words",
    "moebius",
    "multigraded_witt_dimension",
    "standard_factorization",
    "witt_dimension",
]

Word = tuple[int, ...]


def lyndon_words(letters: int, degree: int) -> list[Word]:
    """Return the Lyndon words of exactly this length, in lexicographic order.

    Duval's algorithm finds the next word: repeat the word to the full length, drop trailing copies of the largest letter, and
    raise the last letter. The amortised cost of each word of length at most `degree` is constant.

    Raises:
        ValueError: An argument is not an integer >= 1.
        TooExpensive: There are too many words, see `theory.cost`.

    >>> lyndon_words(2, 4)
    [(0, 0, 0, 1), (0, 0, 1, 1), (0, 1, 1, 1)]
    """
    letters, degree = check_sizes(letters, degree)
    refuse(lyndon(letters, degree))
    return list(_lyndon_words(letters, degree))


@lru_cache(maxsize=64)
def _lyndon_words(letters: int, degree: int) -> tuple[Word, ...]:
    found = []
    word = [-1]
    while word:
        word[-1] += 1
        length = len(word)
        if length == degree:
            found.append(tuple(word))
        while len(word) < degree:
            word.append(word[-length])
        while word and word[-1] == letters - 1:
            word.pop()
    return tuple(found)


def is_lyndon(word: Word) -> bool:
    """Return whether the word is strictly smaller than each of its proper suffixes; the empty word is not Lyndon.

    >>> is_lyndon((0, 0, 1)), is_lyndon((0, 1, 0)), is_lyndon((0, 0))
    (True, False, False)
    """
    return len(word) > 0 and all(word < word[start:] for start in range(1, len(word)))


def standard_factorization(word: Word) -> tuple[Word, Word]:
    """Return the pair ``(u, v)`` with ``word = u v`` and ``v`` the longest proper Lyndon suffix.

    Raises:
        ValueError: The word is a single letter or is not Lyndon.

    >>> standard_factorization((0, 0, 1, 1))
    ((0,), (0, 1, 1))
    """
    word = tuple(word)
    if len(word) < 2 or not is_lyndon(word):
        raise ValueError(
            f"standard_factorization was given {word}; it needs a Lyndon word of length at least two, because only those "
            "split into two Lyndon words with the right one as long as possible. List them with lyndon_words(letters, degree)."
        )
    # The smallest proper suffix of a Lyndon word is its longest proper Lyndon suffix.
    start = min(range(1, len(word)), key=lambda i: word[i:])
    return word[:start], word[start:]


def witt_dimension(letters: int, degree: int) -> int:
    """Return the dimension of the part of degree n of the free Lie algebra: ``(1/n) sum over d | n of mu(d) letters^(n/d)``.

    Raises:
        ValueError: An argument is not an integer >= 1.
        TooExpensive: The number has too many digits, see `theory.cost`.

    >>> [witt_dimension(2, n) for n in range(1, 11)]
    [2, 1, 2, 3, 6, 9, 18, 30, 56, 99]
    """
    letters, degree = check_sizes(letters, degree)
    if letters == 1:
        return int(degree == 1)
    refuse(
        digits(
            f"the number of Lyndon words of degree {short(degree)} in {short(letters)} letters",
            power(degree, 1) * math.log2(letters),
        )
    )
    return sum(moebius(d) * letters ** (degree // d) for d in sympy.divisors(degree)) // degree


def multigraded_witt_dimension(degrees: tuple[int, ...]) -> int:
    """Return the number of Lyndon words in which each letter ``i`` occurs exactly ``degrees[i]`` times.

    Raises:
        ValueError: A count is negative, or all counts are zero.
        TooExpensive: The number has too many digits, see `theory.cost`.

    >>> multigraded_witt_dimension((8, 8))
    800
    """
    degrees = tuple(integer("a count", n, "how often a letter occurs") for n in degrees)
    total = sum(degrees)
    if total < 1 or min(degrees) < 0:
        raise ValueError(f"multigraded_witt_dimension was given {degrees}; it needs counts >= 0, not all zero, one per letter.")
    common, largest = gcd(*degrees), max(degrees)
    if largest == total:
        return int(total == 1)
    refuse(digits(f"the number of Lyndon words of a multidegree of {short(total)}", power(total, 1) * math.log2(total + 1)))
    return (
        sum(moebius(d) * factorial(total // d) // prod(factorial(n // d) for n in degrees) for d in sympy.divisors(common))
        // total
    )


def moebius(n: int) -> int:
    """Return the Moebius function: ``(-1)^r`` for a product of ``r`` distinct primes, and 0 otherwise.

    >>> [moebius(n) for n in range(1, 11)]
    [1, -1, -1, 0, -1, 1, -1, 0, 0, 1]
    """
    n = positive_integer("n", n, "whose prime factors are counted")
    refuse(Estimate(f"the prime factors of {short(n)}", 1e-6 * power(n, 0.25)))
    exponents = sympy.factorint(n).values()
    return 0 if any(exponent > 1 for exponent in exponents) else (-1) ** len(exponents)


def check_sizes(letters: int, degree: int, name: str = "degree") -> tuple[int, int]:
    """Return a number of letters and a degree (called `name` in errors) as Python integers.

    Raises:
        ValueError: One of them is not an integer >= 1.
    """
    reason = "because the free Lie algebra is generated by its letters and graded from degree one"
    return positive_integer("letters", letters, reason), positive_integer(name, degree, reason)
