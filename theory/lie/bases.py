"""Other bases of the free Lie algebra: Philip Hall, and right-normed brackets.

A bracket is a tree: a letter, or a pair of brackets. The basis is always named: coefficients mean nothing without it.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from theory.cost import refuse
from theory.exact.linear import coordinates
from theory.lie.cost import lyndon
from theory.lie.free import bracket, to_words
from theory.lie.series import LieSeries
from theory.lie.words import Word, _check_sizes

__all__ = ["from_tree", "hall_basis", "hall_terms", "right_normed", "right_normed_terms"]

Tree: TypeAlias = "int | tuple[Any, Any]"


def hall_basis(letters: int, degree: int) -> list[Tree]:
    """The Philip Hall basis of this degree, in its own order.

    The elements are ordered by degree, then as they are listed; ``[u, v]`` belongs when ``u > v`` do and, if ``u = [u', u'']``,
    ``u'' <= v``.

    Source: M. Hall, *A basis for free Lie rings and higher commutators in free groups*, 1950.

    Raises:
        ValueError: fewer than one letter or a degree below one.
        TooExpensive: too many brackets, see `theory.cost`.

    >>> hall_basis(2, 3)
    [((1, 0), 0), ((1, 0), 1)]
    """
    letters, degree = _check_sizes(letters, degree)
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
    """The coefficients of a Lie polynomial in the Philip Hall basis, zeros left out.

    Cost: a linear system of the Witt dimension per degree; meant for degrees up to about eight.

    >>> from theory.lie.bch import bch
    >>> hall_terms(bch(2))
    {0: Fraction(1, 1), 1: Fraction(1, 1), (1, 0): Fraction(-1, 2)}
    """
    terms: dict[Tree, Fraction] = {}
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
    """A bracket as a Lie polynomial in the Lyndon basis.

    >>> from_tree((1, (0, 1)), 2).as_expr()
    [Y,[X,Y]]
    """
    if isinstance(tree, int):
        return LieSeries({(tree,): Fraction(1)}, letters)
    return bracket(from_tree(tree[0], letters), from_tree(tree[1], letters))


def right_normed(word: Word) -> Tree:
    """The bracket ``[w1, [w2, .. [w_(n-1), w_n]]]``.

    Raises:
        ValueError: the empty word.

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
    """A Lie polynomial as a combination of right-normed brackets: word ``w`` -> coefficient of ``[w1, [w2, ..]]``.

    For a letter a that occurs m times in every word, ``m L`` is the sum of ``c_w [w1, [w2, ..]]`` over the words w of L that
    end in a (Dynkin, Specht, Wever, one letter at a time). The largest letter of each multidegree is taken. Brackets that
    vanish are left out; those that stay span but need not be independent.

    >>> from theory.lie.bch import bch
    >>> right_normed_terms(bch(3).homogeneous(3))
    {(0, 0, 1): Fraction(1, 12), (1, 0, 1): Fraction(-1, 12)}
    """
    terms = {}
    for word, c in to_words(series).items():
        last = max(word)
        if word[-1] == last and (len(word) == 1 or word[-2] != last):
            terms[word] = c / word.count(last)
    return terms
