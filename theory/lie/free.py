"""The free Lie algebra in the Lyndon basis: brackets, and conversion between words and brackets.

`structure_constants` rewrites the bracket of two basis elements by the Jacobi identity. For Lyndon words ``u < v`` the word
``uv`` is Lyndon. If ``(u, v)`` is its standard factorization, ``[P_u, P_v] = P_uv``. Otherwise ``u = u' u''`` with ``u'' < v``,
and

    [[P_u', P_u''], P_v] = [P_u', [P_u'', P_v]] + [[P_u', P_v], P_u''].

Source: C. Reutenauer, *Free Lie Algebras*, sections 4.2 and 5.1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from theory.checks import fraction, integer, positive_integer
from theory.cost import Estimate, refuse
from theory.exact.elimination import input_words, lyndon_block, lyndon_coordinates
from theory.lie.cost import brackets, words_of_brackets
from theory.lie.series import LieSeries, checked
from theory.lie.words import Word, is_lyndon, standard_factorization

__all__ = ["bracket", "from_words", "structure_constants", "substitute", "to_words"]


def structure_constants(u: Word, v: Word) -> Mapping[Word, int]:
    """Return ``[P_u, P_v]`` in the Lyndon basis: word -> integer.

    Raises:
        ValueError: A word is not Lyndon.
        TooExpensive: The words are too long, see `theory.cost`.

    >>> dict(structure_constants((0, 1), (0, 0, 1)))
    {(0, 0, 1, 0, 1): -1}
    """
    if not all(isinstance(word, Sequence) and not isinstance(word, (str, bytes)) for word in (u, v)):
        raise TypeError(f"structure_constants was given {u!r:.60} and {v!r:.60}: expected two words, tuples of letters.")
    u, v = tuple(u), tuple(v)
    refuse(brackets({len(u): 1}, {len(v): 1}))
    wrong = next((word for word in (u, v) if not is_lyndon(word)), None)
    if wrong is not None:
        raise ValueError(f"structure_constants was given {wrong}: expected Lyndon words, because they index the basis.")
    return _structure_constants(u, v)


@lru_cache(maxsize=1 << 18)
def _structure_constants(u: Word, v: Word) -> Mapping[Word, int]:
    if u == v:
        return MappingProxyType({})
    if v < u:
        return MappingProxyType({word: -c for word, c in _structure_constants(v, u).items()})
    if len(u) == 1 or standard_factorization(u)[1] >= v:
        return MappingProxyType({u + v: 1})
    left, right = standard_factorization(u)
    total: Counter[Word] = Counter()
    for word, c in _structure_constants(right, v).items():
        for target, d in _structure_constants(left, word).items():
            total[target] += c * d
    for word, c in _structure_constants(left, v).items():
        for target, d in _structure_constants(word, right).items():
            total[target] += c * d
    return MappingProxyType({word: c for word, c in sorted(total.items()) if c})


def bracket(a: LieSeries, b: LieSeries, degree: int | None = None) -> LieSeries:
    """Return ``[a, b]`` up to a degree, that is, in the free nilpotent algebra of this class; None keeps all degrees.

    Cost: about a tenth of a millisecond for each pair of terms of some 20 letters together, and more for longer ones.

    Raises:
        ValueError: The two series have different numbers of letters, or the degree is not an integer.
        TypeError: An argument is no series.
        TooExpensive: There are too many pairs of terms, see `theory.cost`; a degree leaves pairs out.

    >>> x, y = LieSeries({(0,): Fraction(1)}, 2), LieSeries({(1,): Fraction(1)}, 2)
    >>> dict(bracket(bracket(x, y), y).terms)
    {(0, 1, 1): Fraction(1, 1)}
    """
    a, b = checked("bracket", a), checked("bracket", b)
    degree = None if degree is None else integer("degree", degree, "the last degree that is kept")
    if a.letters != b.letters:
        raise ValueError(f"bracket was given series in {a.letters} and {b.letters} letters; expected the same free algebra.")
    refuse(_estimate(a, b, degree))
    total: dict[Word, Fraction] = {}
    by_length: dict[int, list[tuple[Word, Fraction]]] = {}
    for v, d in b.terms.items():
        by_length.setdefault(len(v), []).append((v, d))
    for u, c in a.terms.items():
        for length, pairs in by_length.items():
            if degree is None or len(u) + length <= degree:
                for v, d in pairs:
                    for word, k in _structure_constants(u, v).items():
                        total[word] = total.get(word, Fraction(0)) + c * d * k
    return LieSeries(total, a.letters, a.names)


def _estimate(a: LieSeries, b: LieSeries, degree: int | None) -> Estimate:
    first, second = (Counter(map(len, series.terms)) for series in (a, b))
    return brackets(first, second, degree)


def substitute(series: LieSeries, elements: tuple[LieSeries, ...], degree: int) -> LieSeries:
    """Return the series with each letter replaced by a Lie element, up to this degree.

    Raises:
        ValueError: The number of elements is not the number of letters of the series, or the degree is not an integer.
        TypeError: An element or the series is no series.
        TooExpensive: The elements have too many terms, see `bracket`; a lower degree leaves terms out.
    """
    elements = tuple(checked("substitute", element) for element in elements)
    degree = integer("degree", degree, "the last degree that is kept")
    if len(elements) != checked("substitute", series).letters:
        raise ValueError(f"substitute was given {len(elements)} elements; expected {series.letters}, one per letter.")
    known: dict[Word, LieSeries] = {(letter,): element for letter, element in enumerate(elements)}
    spent = 0.0

    def value(word: Word) -> LieSeries:
        nonlocal spent
        if word not in known:
            left, right = (value(part) for part in standard_factorization(word))
            spent += _estimate(left, right, degree).seconds
            refuse(Estimate(f"the brackets of {len(series.terms)} terms with elements for letters, to degree {degree},", spent))
            known[word] = bracket(left, right, degree)
        return known[word]

    total = elements[0] * 0
    for word, c in series.terms.items():
        term = value(word) * c
        total = total + LieSeries({w: x for w, x in term.terms.items() if len(w) <= degree}, term.letters, term.names)
    return total


def to_words(series: LieSeries) -> dict[Word, Fraction]:
    """Return the series as a polynomial in non-commuting letters: word -> coefficient.

    Raises:
        TooExpensive: The brackets have too many words, see `theory.cost`.

    >>> to_words(LieSeries({(0, 1): Fraction(1)}, 2))
    {(0, 1): Fraction(1, 1), (1, 0): Fraction(-1, 1)}
    """
    refuse(words_of_brackets(checked("to_words", series).terms))
    total: dict[Word, Fraction] = {}
    for lyndon, c in series.terms.items():
        for word, k in bracket_in_words(lyndon).items():
            total[word] = total.get(word, Fraction(0)) + c * k
    return {word: total[word] for word in sorted(total, key=lambda w: (len(w), w)) if total[word]}


@lru_cache(maxsize=1 << 14)
def bracket_in_words(word: Word) -> Mapping[Word, int]:
    """Return ``P_word`` in words, a row of the unitriangular table between the two bases."""
    if len(word) == 1:
        return MappingProxyType({word: 1})
    left, right = (bracket_in_words(part) for part in standard_factorization(word))
    total: Counter[Word] = Counter()
    for u, c in left.items():
        for v, d in right.items():
            total[u + v] += c * d
            total[v + u] -= c * d
    return MappingProxyType({w: c for w, c in total.items() if c})


def from_words(polynomial: Mapping[Word, int | Fraction], letters: int, *, check: bool = True) -> LieSeries:
    """Return the Lie polynomial with these word coefficients.

    Args:
        polynomial: Word -> coefficient.
        letters: Number of letters.
        check: Expand the result again and compare; otherwise the coefficients of words that need not be read are trusted.

    Raises:
        ValueError: A letter is out of range, or (if checked) the polynomial is not a Lie polynomial.
        TooExpensive: The check takes too long, see `theory.cost`.

    >>> dict(from_words({(0, 1): 2, (1, 0): -2}, 2).terms)
    {(0, 1): Fraction(2, 1)}
    """
    letters = positive_integer("letters", letters, "the number of generators")
    if not isinstance(polynomial, Mapping):
        raise TypeError(f"polynomial = {polynomial!r:.80}: expected a mapping, word -> coefficient.")
    terms: dict[Word, Fraction] = {}
    for content in {tuple(sorted(word)) for word, c in polynomial.items() if c}:
        if not content or content[0] < 0 or content[-1] >= letters:
            raise ValueError(f"from_words was given a word in {content}: expected words in the letters 0..{letters - 1}.")
        present, m = np.unique(content, return_counts=True)
        degrees = tuple(m.tolist())
        words = present[input_words(degrees)].tolist()
        values = np.array([[fraction("a coefficient", polynomial.get(tuple(word), 0))] for word in words], dtype=object)
        if len(degrees) == 1 and degrees[0] > 1:
            continue
        coordinates = lyndon_coordinates(degrees, values)[:, 0]
        terms |= {tuple(word): c for word, c in zip(present[lyndon_block(degrees)].tolist(), coordinates, strict=True)}
    series = LieSeries(terms, letters)
    if check and to_words(series) != {word: c for word, c in polynomial.items() if c}:
        raise ValueError(
            "from_words was given a polynomial that is not a Lie polynomial: its Lyndon coordinates expand to another one; "
            "expected a combination of commutators, because only those have coordinates in the Lyndon basis."
        )
    return series
