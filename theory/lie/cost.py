"""The cost of Lie algebras and series, estimated from letters, degrees and dimensions alone; see `theory.cost`.

The number of Lyndon words of degree n in q letters is ``q^n / n`` up to a factor of two (Witt), so sums over degrees are known
without listing a word. Structure theory keeps a cube of ``dimension^3`` exact entries and reduces ``dimension^2 / 2`` brackets
to echelon form.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from theory.cost import Estimate, power

__all__ = ["alphabet", "brackets", "expansion", "family", "free_algebra", "graded_dimensions", "hall", "law", "lyndon"]
__all__ += ["permutations", "product_series", "reduced", "series", "short", "structure", "tower", "words_of_brackets"]

_GIB = 2.0**30
_CUBE, _BRACKET, _ENTRY = 3.5e-6, 4e-9, 8e-8  # seconds for an entry of the cube, a step of elimination, an entry of a matrix


def lyndon(letters: int, degree: int) -> Estimate:
    """Estimate the cost of all Lyndon words of one degree."""
    work = f"the Lyndon words of degree {short(degree)} in {short(letters)} letters"
    size = power(degree, 1)
    words = 1.0 if letters == 1 else power(letters, degree) / size if size < 1e9 else math.inf
    return Estimate(work, 2e-6 * words, words * (64 + 8 * size) / _GIB)


def series(order: int) -> Estimate:
    """Estimate the cost of the BCH series to this order."""
    words = sum(power(2, n) / n for n in range(max(order - 60, 1), order + 1)) if order < 10**6 else float("inf")
    return Estimate(f"the BCH series to order {short(order)}", 2.2e-5 * words, 1.8e3 * words / _GIB)


def product_series(factors: int, letters: int, order: int) -> Estimate:
    """Estimate the cost of the logarithm of a product of exponentials in the tensor algebra truncated at this order."""
    degree = power(order, 1)
    words = power(letters, order) if letters > 1 else degree
    steps = words * degree * (degree + factors / 2)
    work = f"the logarithm of {short(factors)} exponentials in {short(letters)} letters to order {short(order)}"
    return Estimate(work, 1e-7 * steps, 200.0 * words / _GIB)


def tower(layers: int, length: int) -> Estimate:
    """Estimate the cost of the remainder of a tower on a word.

    Its brackets have a degree of ``2^layers`` and more, and a degree has about three times the words of the one before.
    """
    work = f"the remainder of {short(layers)} layers on a word of {short(length)} letters"
    degree = 2 ** min(layers, 40)
    return Estimate(work, 1e-5 * power(3.3, degree) * power(length, 1), 1e-9 * power(3.3, degree))


def alphabet(letters: int) -> Estimate:
    """Estimate the cost of the names of the letters of a free Lie algebra."""
    return Estimate(f"a free Lie algebra in {short(letters)} letters", 3e-7 * power(letters, 1), 7e-8 * power(letters, 1))


def expansion(length: int, letters: int, degree: int) -> Estimate:
    """Estimate the cost of a product of `length` factors ``1 + x`` or their inverses, with all words up to a degree."""
    words = power(letters, degree)
    work = f"the expansion of {short(length)} factors in {short(letters)} letters to degree {short(degree)}"
    return Estimate(work, 1e-8 * words * length, 40.0 * words / _GIB)


def reduced(letters: int, length: int) -> Estimate:
    """Estimate the cost of the reduced words of signed letters up to a length."""
    words = 2.0 * letters * power(2 * letters - 1, length - 1)
    work = f"the reduced words of {short(length)} signed letters in {short(letters)} generators"
    return Estimate(work, 2e-6 * words, words * (64 + 8 * length) / _GIB)


def hall(letters: int, dimensions: Iterable[int]) -> Estimate:
    """Estimate the cost of Philip Hall coordinates in degrees of these dimensions: one linear system for each."""
    sizes = list(dimensions)
    work = f"the Hall coordinates of a series in {short(letters)} letters (systems of up to {max(sizes, default=0)} unknowns)"
    return Estimate(work, 5e-9 * sum(power(size, 3) for size in sizes), 16.0 * max(sizes, default=0) ** 2 / _GIB)


def words_of_brackets(lyndon_words: Iterable[tuple[int, ...]]) -> Estimate:
    """Estimate the cost of brackets, written out in words.

    A bracket of degree n has at most ``2^(n-1)`` words, and no more than there are words with its letters.
    """
    count, longest, words = 0, 0, 0.0
    for word in lyndon_words:
        logarithm = math.lgamma(len(word) + 1) - sum(math.lgamma(word.count(letter) + 1) for letter in set(word))
        words += min(power(2, len(word) - 1), power(math.e, logarithm))
        count, longest = count + 1, max(longest, len(word))
    work = f"the words of {count} bracket{'s' * (count != 1)} of up to {longest} letters"
    return Estimate(work, 1.5e-6 * words, 100.0 * words / _GIB)


def brackets(first: Mapping[int, int], second: Mapping[int, int], degree: int | None = None) -> Estimate:
    """Estimate the cost of the brackets of two series with these numbers of terms for each degree, up to a degree."""
    pairs, seconds, longest = 0, 0.0, 0
    for i, terms in first.items():
        for j, others in second.items():
            if degree is None or i + j <= degree:
                pairs, longest = pairs + terms * others, max(longest, i + j)
                seconds += terms * others * (4e-6 * (i + j) + 3e-10 * power(i + j, 4))
    work = f"the brackets of {pairs} pair{'s' * (pairs != 1)} of Lyndon words of up to {longest} letters together"
    return Estimate(work, seconds, 0.0)


def law(k: int) -> Estimate:
    """Estimate the cost of a word of the k-th derived subgroup, which has ``4^k`` letters."""
    if k < 0:
        return Estimate("a law")
    return Estimate(f"a law of class {short(k)}, of 4^{short(k)} letters,", 1e-6 * power(4, k), 100.0 * power(4, k) / _GIB)


def graded_dimensions(k: int, degree: int) -> Estimate:
    """Estimate the cost of the dimensions of the k-th derived ideal up to a degree: k products of series of long integers."""
    return Estimate(
        f"the dimensions of the derived ideal {short(k)} up to degree {short(degree)}",
        8e-8 * k * power(degree, 2),
        degree**2 * 0.125 / _GIB if degree < 10**9 else float("inf"),
    )


def permutations(degree: int) -> Estimate:
    """Estimate the cost of the constants of the sums over permutations up to a degree.

    There are half as many fractions for each degree, and as many digits, as the degree.
    """
    return Estimate(
        f"the constants up to degree {degree:.6g}" if degree < 10**300 else "the constants", 3e-9 * power(degree, 3.15), 0.0
    )


def structure(dimension: int, entries: int = 0, name: str = "") -> Estimate:
    """Estimate the cost of structure constants and series for a basis of matrices with `entries` entries each.

    >>> structure(3600, 3600).gib > 1000
    True
    """
    cube, pairs = power(dimension, 3), power(dimension, 2) / 2
    seconds = _CUBE * cube + _BRACKET * pairs * dimension * dimension + _ENTRY * entries * pairs
    gib = (150.0 * cube + 32.0 * pairs * entries) / _GIB
    work = f"the structure of {name or 'a Lie algebra'} (dimension {short(dimension)})"
    return Estimate(work, seconds, gib)


def free_algebra(letters: int, nilpotency_class: int) -> Estimate:
    """Estimate the cost of a free nilpotent algebra with its series."""
    if letters == 1:
        dimension = 1.0
    elif nilpotency_class >= 10**6:
        dimension = float("inf")
    else:  # the last degrees hold nearly all of the dimension
        first = max(nilpotency_class - 60, 1)
        dimension = sum(power(letters, n) / n for n in range(first, nilpotency_class + 1))
    name = f"free{short(letters)}_{short(nilpotency_class)}"
    return structure(int(dimension) if dimension < 1e15 else 10**15, 0, name)


def family(name: str, size: int) -> Estimate:
    """Estimate the cost of an algebra of a named family, whose dimension and matrix size are polynomials."""
    dimension, rows = _SIZES[name]
    return structure(dimension(size), rows(size) ** 2, f"{name}{short(size)}")


def short(number: int) -> str:
    """Return a number as text, by its size if it is long."""
    return str(number) if number < 10**12 else f"about 10^{int(number).bit_length() * 0.30103:.0f}"


_SIZES: dict[str, tuple[Callable[[int], int], Callable[[int], int]]] = {
    "abelian": (lambda n: n, lambda n: n),
    "so": (lambda n: n * (n - 1) // 2, lambda n: n),
    "sl": (lambda n: n * n - 1, lambda n: n),
    "gl": (lambda n: n * n, lambda n: n),
    "sp": (lambda n: n * (n + 1) // 2, lambda n: n),
    "heisenberg": (lambda n: n, lambda n: n // 2 + 2),
    "aff": (lambda n: n * n + n, lambda n: n + 1),
    "se": (lambda n: n * (n + 1) // 2, lambda n: n + 1),
    "upper": (lambda n: n * (n + 1) // 2, lambda n: n),
    "strict": (lambda n: n * (n - 1) // 2, lambda n: n),
    "graded": (lambda n: n, lambda n: n),
}
