r"""Exact coefficients of the series used in Lie algebras, as fractions; they become floats where they are used."""

from fractions import Fraction
from functools import cache
from itertools import product
from math import factorial

from depthjax.lie.lyndon import brackets_from_words, word_indices


def exponential_series(terms: int, sign: int = 1) -> tuple[Fraction, ...]:
    """Return the first coefficients of exp(sign * z)."""
    return tuple(Fraction(sign**k, factorial(k)) for k in range(terms))


def inverse_derivative_series(terms: int) -> tuple[Fraction, ...]:
    """Return the first coefficients of z / (1 - exp(-z)), the inverse of the left-trivialised derivative of exp at ad = z."""
    return tuple((-1) ** k * bernoulli(k) / factorial(k) for k in range(terms))


@cache
def defect_series(weight: int) -> tuple[Fraction, ...]:
    """Return the coefficients of log(e^X e^Y e^{-(X + Y)}) on the Lyndon brackets of this weight, exact."""
    words = [_log_defect(weight)[word] for word in range(2**weight)]
    lyndon = [words[i] for i in word_indices(2, weight)]
    return tuple(
        sum((int(m) * c for m, c in zip(row, lyndon, strict=True)), Fraction(0))
        for row in brackets_from_words(2, weight).toarray()
    )


@cache
def bernoulli(n: int) -> Fraction:
    """Return the Bernoulli number B_n (B_1 = -1/2)."""
    if n == 0:
        return Fraction(1)
    binomials = [Fraction(factorial(n + 1), factorial(k) * factorial(n + 1 - k)) for k in range(n)]
    return -sum((c * bernoulli(k) for k, c in enumerate(binomials)), Fraction(0)) / (n + 1)


@cache
def _log_defect(weight: int) -> tuple[Fraction, ...]:
    # the defect minus one starts at weight 2, so powers up to weight // 2 contribute
    total = [Fraction(0)] * 2**weight
    for power in range(1, weight // 2 + 1):
        for word, value in enumerate(_defect_power(weight, power)):
            total[word] += Fraction((-1) ** (power + 1), power) * value
    return tuple(total)


@cache
def _defect_power(weight: int, power: int) -> tuple[Fraction, ...]:
    """Coefficients of (e^X e^Y e^{-(X + Y)} - 1)^power at the words of this weight."""
    if power == 1:
        return tuple(_defect(weight, word) for word in product((0, 1), repeat=weight))
    total = [Fraction(0)] * 2**weight
    for cut in range(2, weight - 2 * (power - 1) + 1):
        first, rest = _defect_power(cut, 1), _defect_power(weight - cut, power - 1)
        for word in range(2**weight):
            total[word] += first[word >> (weight - cut)] * rest[word & (2 ** (weight - cut) - 1)]
    return tuple(total)


def _defect(weight: int, word: tuple[int, ...]) -> Fraction:
    """Coefficient of a word in e^X e^Y e^{-(X + Y)} - 1: the sum over all prefixes of the form X^i Y^j."""
    total = Fraction(0)
    for cut in range(weight + 1):
        head = word[:cut]
        if list(head) == sorted(head):
            xs = head.count(0)
            rest = weight - cut
            total += Fraction((-1) ** rest, factorial(xs) * factorial(cut - xs) * factorial(rest))
    return total
