r"""Words of the free group that every solvable group of a given derived length kills, and their leading Lie brackets.

A group word is a tuple of signed letters ``(index, +1 or -1)``. Its Magnus expansion (``x -> 1 + x``) and its exponential one
(``x -> e^x``) begin with the same Lie element, its *leading bracket*; if those of v and w are independent then
``(v, w) = v w v^-1 w^-1`` begins with their bracket.

**Laws.** ``law_1 = (a, b)``, ``law_k = (v, w)`` with v, w in the (k-1)-th derived subgroup: length ``4^k``, trivial in every
group of derived length k, and of leading degree at least ``m_k``. To attain ``m_k`` keep three words with leading brackets of
degree ``m_k`` that are independent: these are free generators of the derived ideal, so the three pairwise commutators are again
independent, in degree ``2 m_k``. Three letters give ``(a,b), (a,c), (b,c)`` to start from. For two letters the degrees are
2, 5, 10, 21, with dimensions 1, 2, 1, 8. Where two words v, w begin with the same bracket up to sign, ``(v, w)`` begins with
``[v, c]``, c the leading bracket of ``v^-1 w`` or ``v w``: so ``(a,b), (a,b^-1)`` gives degree 5, and degree 21 is found by
search.

Source: W. Magnus, *Beziehungen zwischen Gruppen und Idealen in einem speziellen Ring*, 1935; the choice above is derived.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, permutations, product

import numpy as np

from theory.cost import refuse
from theory.exact.linear import rank
from theory.lie.cost import expansion, law
from theory.lie.derived import derived_ideal_degree
from theory.lie.free import from_words
from theory.lie.series import LieSeries

__all__ = ["commutator", "inverse", "leading_bracket", "solvable_law"]

GroupWord = tuple[tuple[int, int], ...]


def inverse(word: GroupWord) -> GroupWord:
    """The inverse: reversed, with signs changed."""
    return tuple((letter, -sign) for letter, sign in reversed(word))


def commutator(v: GroupWord, w: GroupWord) -> GroupWord:
    """``v w v^-1 w^-1``, not reduced.

    >>> commutator(((0, 1),), ((1, 1),))
    ((0, 1), (1, 1), (0, -1), (1, -1))
    """
    return (*v, *w, *inverse(v), *inverse(w))


def solvable_law(letters: int, k: int) -> GroupWord:
    """A word of length ``4^k``, trivial in every group of derived length k, whose leading bracket has degree exactly ``m_k``.

    The first two generators are used, or the first three; the tests expand every word with k <= 3, and (2, 4).

    Raises:
        ValueError: fewer than two letters or ``k < 1``.

    >>> solvable_law(2, 1)
    ((0, 1), (1, 1), (0, -1), (1, -1))
    >>> len(solvable_law(3, 2)), leading_bracket(solvable_law(2, 2)).degrees
    (16, (5,))
    """
    refuse(law(k))
    derived_ideal_degree(letters, k)  # refuses what has no law
    return _laws(min(letters, 3), k)[0]


def leading_bracket(word: GroupWord, degree: int = 12) -> LieSeries:
    """The lowest-degree term of the logarithm of the word, a homogeneous Lie element.

    Args:
        word: Signed letters.
        degree: Where to stop looking; memory grows as ``letters^degree``.

    Raises:
        ValueError: the word is empty, a sign is not +1 or -1, or the word is trivial through this degree.

    >>> leading_bracket(solvable_law(2, 1)).as_expr()
    [X,Y]
    """
    if not word or any(sign not in (1, -1) or letter < 0 for letter, sign in word):
        raise ValueError(f"leading_bracket was given {word!r}: expected a non-empty tuple of (letter index, +1 or -1).")
    letters = max(2, 1 + max(letter for letter, _ in word))
    for up_to in range(1, degree + 1):
        refuse(expansion(len(word), letters, up_to))
        part = _magnus_expansion(word, letters, up_to)[up_to]
        support = np.flatnonzero(part)
        if len(support):
            digits = support[:, None] // letters ** np.arange(up_to)[::-1] % letters
            terms = {tuple(row): c for row, c in zip(digits.tolist(), part[support].tolist(), strict=True)}
            return from_words(terms, letters)
    raise ValueError(
        f"the word of length {len(word)} is trivial through degree {degree}: it is the identity, or its leading bracket is of "
        "higher degree; raise `degree`."
    )


def _magnus_expansion(word: GroupWord, letters: int, degree: int) -> list[np.ndarray]:
    """Parts of degree 0 .. degree of the product of ``1 + x`` and ``(1 + x)^-1``: integer coefficients of all words."""
    # A coefficient of degree n is at most binomial(length + n, n): Python integers once that leaves int64.
    kind = np.int64 if (len(word) + degree) ** degree < 2**62 else object
    element = [np.zeros(letters**n, kind) for n in range(degree + 1)]
    element[0][0] = 1
    for letter, sign in word:
        if sign == 1:
            for n in range(degree, 0, -1):
                element[n][letter::letters] += element[n - 1]
        else:
            for n in range(1, degree + 1):
                element[n][letter::letters] -= element[n - 1]
    return element


@lru_cache(maxsize=64)
def _laws(letters: int, k: int) -> tuple[GroupWord, ...]:
    """At most three words of the k-th derived subgroup, of length ``4^k`` and degree ``m_k``, with independent brackets."""
    generators = [((letter, 1),) for letter in range(letters)]
    if letters == 2 and k <= 4:
        return _searched_laws(k)
    below = generators if k == 1 else list(_laws(letters, k - 1))
    return tuple(commutator(v, w) for v, w in combinations(below[:3], 2))


@lru_cache(maxsize=4)
def _searched_laws(k: int) -> tuple[GroupWord, ...]:
    x, y = ((0, 1),), ((1, 1),)
    if k == 1:
        return (commutator(x, y),)
    if k == 2:
        return tuple(commutator(commutator(v, w), commutator(v, inverse(w))) for v, w in ((x, y), (y, x)))
    if k == 3:
        return (commutator(*_searched_laws(2)),)
    # Level 4: words like law_3 begin with the same bracket up to sign; what distinguishes them is in degree 11.
    law = _searched_laws(3)[0]
    found, rows = [], []
    first = [commutator(v, w) for v, w in permutations(_images(_searched_laws(1)[0]), 2)]
    for other in (commutator(v, w) for v, w in combinations([w for w in first if _part(w, 5) is not None], 2)):
        parts = next((p for p in (_part(inverse(law) + other, 11), _part(law + other, 11)) if p is not None), None)
        if parts is not None and rank(np.array([*rows, parts])) > len(rows):
            rows.append(parts)
            found.append(commutator(law, other))
        if len(found) == 3:
            return tuple(found)
    raise ArithmeticError("no three independent laws of class 4 among the images of one of class 3; widen the search")


def _images(word: GroupWord) -> list[GroupWord]:
    """The word with its two letters exchanged or inverted, in all eight ways, itself first."""
    return [
        tuple((order[letter], sign * signs[letter]) for letter, sign in word)
        for order, signs in product(permutations(range(2)), product((1, -1), repeat=2))
    ]


def _part(word: GroupWord, degree: int) -> np.ndarray | None:
    """The part of this degree when the word begins there; else None."""
    element = _magnus_expansion(word, 2, degree)
    if any(part.any() for part in element[1:degree]) or not element[degree].any():
        return None
    return element[degree]
