"""Lie polynomials in other bases: the Philip Hall basis, and right-normed brackets.

A bracket is a tree: a letter, or a pair of brackets.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from theory.checks import integer
from theory.cost import refuse
from theory.exact.linear import coordinates
from theory.lie.cost import hall, lyndon
from theory.lie.free import bracket, to_words
from theory.lie.series import LieSeries, checked
from theory.lie.words import Word, check_sizes, witt_dimension

__all__ = ["from_tree", "hall_basis", "hall_terms", "right_normed", "right_normed_terms"]

Tree: TypeAlias = "int | tuple[Any, Any]"

NESTED = 500
"""Depth to which brackets may be nested."""


def hall_basis(letters: int, degree: int) -> list[Tree]:
    """Return the Philip Hall basis of this degree, in its own order.

    Elements are ordered by degree, and within a degree as listed. A bracket ``[u, v]`` belongs to the basis if u and v do,
    ``u > v``, and ``u'' <= v`` in case ``u = [u', u'']``.

    Source: M. Hall, *A basis for free Lie rings and higher commutators in free groups*, 1950.

    Raises:
        ValueError: An argument is not an integer >= 1.
        TooExpensive: There are too many brackets, see `theory.cost`.

    >>> hall_basis(2, 3)
    [((1, 0), 0), ((1, 0), 1)]
    """
    letters, degree = check_sizes(letters, degree)
    refuse(lyndon(letters, degree))
    return list(_hall(letters, degree)[degree])


@lru_cache(maxsize=64)
def _hall(letters: int, degree: int) -> tuple[tuple[Tree, ...], ...]:
    levels: list[tuple[Tree, ...]] = [(), tuple(range(letters))]
    rank: dict[Tree, int] = {letter: letter for letter in range(letters)}
    for n in range(2, degree + 1):
        found = []
        for i in range(n - 1, 0, -1):
            for u in levels[i]:
                for v in levels[n - i]:
                    if rank[u] > rank[v] and (isinstance(u, int) or rank[u[1]] <= rank[v]):
                        found.append((u, v))
        rank |= {tree: len(rank) + index for index, tree in enumerate(found)}
        levels.append(tuple(found))
    return tuple(levels)


def hall_terms(series: LieSeries) -> dict[Tree, Fraction]:
    """Return the non-zero coefficients of a Lie polynomial in the Philip Hall basis.

    Cost: one linear system for each degree, of the size of the Witt dimension; degree 14 in two letters takes seconds.

    Raises:
        TooExpensive: A degree is too high, see `theory.cost`.

    >>> from theory.lie.bch import bch
    >>> hall_terms(bch(2))
    {0: Fraction(1, 1), 1: Fraction(1, 1), (1, 0): Fraction(-1, 2)}
    """
    terms: dict[Tree, Fraction] = {}
    refuse(hall(checked("hall_terms", series).letters, (witt_dimension(series.letters, degree) for degree in series.degrees)))
    for degree in series.degrees:
        trees = hall_basis(series.letters, degree)
        expanded = [from_tree(tree, series.letters) for tree in trees]
        words = sorted({word for element in expanded for word in element.terms})
        part = series.homogeneous(degree)
        rows = [[element.terms.get(word, 0) for word in words] for element in (*expanded, part)]
        table = np.array(rows, dtype=object)
        found = coordinates(table[:-1], table[-1:])
        assert found is not None, "the Hall elements of a degree are a basis of it"
        terms |= {tree: Fraction(c) for tree, c in zip(trees, found[0].tolist(), strict=True) if c}
    return terms


def from_tree(tree: Tree, letters: int) -> LieSeries:
    """Return a bracket as a Lie polynomial in the Lyndon basis.

    Raises:
        ValueError: The tree is neither a letter nor a pair of trees, or brackets are nested more than 500 deep.

    >>> from_tree((1, (0, 1)), 2).as_expr()
    [Y,[X,Y]]
    """
    layer = [tree]
    for _ in range(NESTED):
        parts = [part for pair in layer if isinstance(pair, (tuple, list)) for part in pair]
        layer = list({id(part): part for part in parts}.values())  # the same tree may stand in many places
        if not layer:
            return _expanded(tree, letters)
    raise ValueError(f"tree: expected brackets nested at most {NESTED} deep, because each level takes a level of calls.")


def _expanded(tree: Tree, letters: int) -> LieSeries:
    if isinstance(tree, (int, np.integer)):
        tree = integer("a letter", tree, "because the leaves of a bracket are letters", least=0)
        if tree >= letters:
            raise ValueError(f"a letter = {tree}: expected one of 0..{letters - 1}, the generators; raise `letters`.")
        return LieSeries({(tree,): Fraction(1)}, letters)
    if not isinstance(tree, (tuple, list)) or len(tree) != 2:
        raise ValueError(f"tree = {tree!r:.80}: expected a letter or a pair of trees, because a bracket has two arguments.")
    return bracket(_expanded(tree[0], letters), _expanded(tree[1], letters))


def right_normed(word: Word) -> Tree:
    """Return the bracket ``[w1, [w2, .. [w_(n-1), w_n]]]``.

    Raises:
        ValueError: The word is empty.

    >>> right_normed((0, 0, 1))
    (0, (0, 1))
    """
    if not word:
        raise ValueError("right_normed was given the empty word: expected at least one letter.")
    tree: Tree = word[-1]
    for letter in reversed(word[:-1]):
        tree = (letter, tree)
    return tree


def right_normed_terms(series: LieSeries) -> dict[Word, Fraction]:
    """Return a Lie polynomial as a combination of right-normed brackets: word ``w`` -> coefficient of ``[w1, [w2, ..]]``.

    For a letter a that occurs m times in every word of L, ``m L`` is the sum of ``c_w [w1, [w2, ..]]`` over the words w that
    end in a (Dynkin, Specht and Wever, for one letter). Here a is the largest letter of each multidegree. Brackets that vanish
    are left out. The remaining brackets span the space but need not be independent.

    Raises:
        TooExpensive: The brackets have too many words, see `theory.cost`.

    >>> from theory.lie.bch import bch
    >>> right_normed_terms(bch(3).homogeneous(3))
    {(0, 0, 1): Fraction(1, 12), (1, 0, 1): Fraction(-1, 12)}
    """
    terms = {}
    for word, c in to_words(checked("right_normed_terms", series)).items():
        last = max(word)
        if word[-1] == last and (len(word) == 1 or word[-2] != last):
            terms[word] = c / word.count(last)
    return terms
