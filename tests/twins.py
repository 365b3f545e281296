"""Slow and obvious twins of the clever routines: dictionaries of words, one rule each."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from math import factorial

Polynomial = dict[tuple[int, ...], Fraction]


def multiply(a: Polynomial, b: Polynomial, order: int) -> Polynomial:
    result: Polynomial = {}
    for u, x in a.items():
        for v, y in b.items():
            if len(u) + len(v) <= order:
                result[u + v] = result.get(u + v, 0) + x * y
    return {word: c for word, c in result.items() if c}


def add(a: Polynomial, b: Polynomial, scale=1) -> Polynomial:
    result = dict(a)
    for word, c in b.items():
        result[word] = result.get(word, 0) + scale * c
    return {word: c for word, c in result.items() if c}


def commutator(a: Polynomial, b: Polynomial, order: int = 10**9) -> Polynomial:
    return add(multiply(a, b, order), multiply(b, a, order), -1)


def exponential(a: Polynomial, order: int) -> Polynomial:
    power, result = {(): Fraction(1)}, {(): Fraction(1)}
    for n in range(1, order + 1):
        power = multiply(power, a, order)
        result = add(result, power, Fraction(1, factorial(n)))
    return result


def logarithm(a: Polynomial, order: int) -> Polynomial:
    rest = add(a, {(): Fraction(1)}, -1)
    power, result = {(): Fraction(1)}, {}
    for n in range(1, order + 1):
        power = multiply(power, rest, order)
        result = add(result, power, Fraction((-1) ** (n - 1), n))
    return result


def is_lyndon(word) -> bool:
    return all(word < word[i:] + word[:i] for i in range(1, len(word)))


def lyndon_words(letters: int, degree: int) -> list[tuple[int, ...]]:
    return [word for word in product(range(letters), repeat=degree) if is_lyndon(word)]


@cache
def standard_bracket(word) -> Polynomial:
    if len(word) == 1:
        return {word: Fraction(1)}
    split = next(i for i in range(1, len(word)) if is_lyndon(word[i:]))
    return commutator(standard_bracket(word[:split]), standard_bracket(word[split:]))


def expand(terms) -> Polynomial:
    """Lyndon terms as a polynomial in words."""
    result: Polynomial = {}
    for word, c in terms.items():
        result = add(result, standard_bracket(word), c)
    return result


def lyndon_terms(polynomial: Polynomial) -> Polynomial:
    """Coordinates of a Lie polynomial, smallest word first: P_w is w plus larger words."""
    terms, rest = {}, dict(polynomial)
    while rest:
        word = min(rest, key=lambda w: (len(w), w))
        terms[word] = rest[word]
        rest = add(rest, standard_bracket(word), -rest[word])
    return terms


def rank(rows: list[list]) -> int:
    """Rank over Q by elimination on Fractions."""
    rows = [[Fraction(x) for x in row] for row in rows]
    found = 0
    for column in range(len(rows[0]) if rows else 0):
        pivot = next((i for i in range(found, len(rows)) if rows[i][column]), None)
        if pivot is None:
            continue
        rows[found], rows[pivot] = rows[pivot], rows[found]
        for i in range(found + 1, len(rows)):
            factor = rows[i][column] / rows[found][column]
            if factor:
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[found], strict=True)]
        found += 1
    return found
