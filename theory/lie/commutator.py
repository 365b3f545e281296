r"""Laws of solvable groups: words of the free group that are trivial at a given derived length, and their leading brackets.

A group word is a tuple of signed letters ``(index, +1 or -1)``. Its Magnus expansion (``x -> 1 + x``) and its exponential
expansion (``x -> e^x``) begin with the same Lie element, the *leading bracket* of the word. If the leading brackets of v and w
are independent, the commutator ``(v, w) = v w v^-1 w^-1`` begins with the bracket of the two.

**Laws.** Let ``law_1 = (a, b)`` and ``law_k = (v, w)`` with v, w in the (k-1)-th derived subgroup. Then law_k has ``4^k``
letters, is trivial in every group of derived length k, and has a leading degree of at least ``m_k``. To attain ``m_k``, keep
three words whose leading brackets have degree ``m_k`` and are independent. These brackets are free generators of the derived
ideal, so the three pairwise commutators are again independent, in degree ``2 m_k``. Three letters give ``(a,b), (a,c), (b,c)``
to start from. For two letters the degrees are 2, 5, 10, 21, with dimensions 1, 2, 1, 8. If two words v, w begin with the same
bracket up to sign, ``(v, w)`` begins with ``[v, c]``, c the leading bracket of ``v^-1 w`` or ``v w``. So ``(a,b), (a,b^-1)``
gives degree 5; degree 21 is found by search.

Source: W. Magnus, *Beziehungen zwischen Gruppen und Idealen in einem speziellen Ring*, 1935; the choice above is derived.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, permutations, product

import numpy as np

from theory.checks import positive_integer
from theory.cost import refuse
from theory.exact.linear import rank
from theory.lie.cost import expansion, law
from theory.lie.derived import derived_ideal_degree
from theory.lie.free import from_words
from theory.lie.series import LieSeries

__all__ = ["commutator", "inverse", "leading_bracket", "solvable_law"]

GroupWord = tuple[tuple[int, int], ...]


def inverse(word: GroupWord) -> GroupWord:
    """Return the inverse word: the letters in reverse, with opposite signs."""
    return tuple((letter, -sign) for letter, sign in reversed(word))


def commutator(v: GroupWord, w: GroupWord) -> GroupWord:
    """Return ``v w v^-1 w^-1``, not reduced.

    >>> commutator(((0, 1),), ((1, 1),))
    ((0, 1), (1, 1), (0, -1), (1, -1))
    """
    return (*v, *w, *inverse(v), *inverse(w))


def solvable_law(letters: int, k: int) -> GroupWord:
    """Return a word of ``4^k`` letters that is trivial in every group of derived length k, with leading degree exactly ``m_k``.

    The word uses the first two or three generators. Tests expand every word with k <= 3, and the word for two letters, k = 4.

    Raises:
        ValueError: There are fewer than two letters, or `k` is below 1.
        TooExpensive: The word is too long, see `theory.cost`.

    >>> solvable_law(2, 1)
    ((0, 1), (1, 1), (0, -1), (1, -1))
    >>> len(solvable_law(3, 2)), leading_bracket(solvable_law(2, 2)).degrees
    (16, (5,))
    """
    k = positive_integer("k", k, "the derived length of the groups")
    refuse(law(k))
    derived_ideal_degree(letters, k)  # refuses arguments without a law
    return _laws(min(letters, 3), k)[0]


def leading_bracket(word: GroupWord, degree: int = 12) -> LieSeries:
    """Return the term of lowest degree in the logarithm of the word, a homogeneous Lie element.

    Args:
        word: Signed letters.
        degree: Highest degree in which to look; memory grows as ``letters^degree``.

    Raises:
        ValueError: The word is empty or trivial through this degree, or a sign is not +1 or -1.
        TooExpensive: The expansion is too large, see `theory.cost`.

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
    """Return the parts of degree 0 .. degree of the product of ``1 + x`` and ``(1 + x)^-1``, with integer coefficients."""
    # A coefficient of degree n is at most binomial(length + n, n); beyond int64 the coefficients are Python integers.
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
    """Return at most three words of the k-th derived subgroup, of degree ``m_k``, whose leading brackets are independent."""
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
    # Level 4: words like law_3 begin with the same bracket up to sign, and first differ in degree 11.
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
    raise ArithmeticError("no three independent laws of derived length 4 among the images of a law of length 3; search wider")


def _images(word: GroupWord) -> list[GroupWord]:
    """Return the word with its two letters exchanged or inverted in all eight ways, beginning with the word itself."""
    return [
        tuple((order[letter], sign * signs[letter]) for letter, sign in word)
        for order, signs in product(permutations(range(2)), product((1, -1), repeat=2))
    ]


def _part(word: GroupWord, degree: int) -> np.ndarray | None:
    """Return the part of this degree if the word begins there, else None."""
    element = _magnus_expansion(word, 2, degree)
    if any(part.any() for part in element[1:degree]) or not element[degree].any():
        return None
    return element[degree]
