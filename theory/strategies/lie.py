"""Lie series in the Lyndon basis, and Lie algebras: direct sums of the named ones, in their own basis or in another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from theory.checks import positive_integer
from theory.cost import refuse
from theory.lie import LieAlgebra, LieSeries, lyndon_words, named, witt_dimension
from theory.lie.cost import lyndon
from theory.strategies.sizes import interval, refused, simplest_first

__all__ = ["lie_algebras", "lie_series"]

Draw = Callable[[st.SearchStrategy[Any]], Any]

LARGEST = 12
"""Largest dimension that is drawn; structure constants have its cube in entries."""


def lie_series(
    letters: int = 2, *, min_degree: int = 1, max_degree: int = 4, max_terms: int = 4, max_denominator: int = 6
) -> st.SearchStrategy[LieSeries]:
    """Lie polynomials with rational coefficients; they shrink towards zero, through fewer terms of lower degree.

    Args:
        letters: Number of letters.
        min_degree: Smallest degree of a term.
        max_degree: Largest degree of a term.
        max_terms: Largest number of terms.
        max_denominator: Largest denominator of a coefficient; coefficients lie between -9 and 9.

    Raises:
        ValueError: The bounds are no degrees or counts, or one letter has no bracket of such a degree.
        TooExpensive: There are too many words, see `theory.cost`; lower `max_degree`.

    >>> from hypothesis import find, settings
    >>> find(lie_series(), lambda series: 2 in series.degrees, settings=settings(database=None))
    <LieSeries: [X,Y]>
    """
    letters = positive_integer("letters", letters, "the generators of the free Lie algebra")
    low, high = interval("degree", min_degree, max_degree)
    positive_integer("max_terms", max_terms, "the largest number of terms")
    positive_integer("max_denominator", max_denominator, "the largest denominator of a coefficient")
    high = 1 if letters == 1 else high  # one letter has no brackets
    refuse(lyndon(letters, high))
    words = [word for degree in range(low, high + 1) for word in lyndon_words(letters, degree)]
    if not words:
        why = "all brackets of one letter vanish"
        raise refused("lie_series", f"letters={letters}, min_degree={low}", why, "take two letters, or min_degree=1")
    coefficients = st.fractions(-9, 9, max_denominator=max_denominator)
    terms = st.dictionaries(st.sampled_from(words), coefficients, max_size=min(max_terms, len(words)))
    return st.builds(LieSeries, terms, st.just(letters))  # a call that a falsifying example can be copied from


def lie_algebras(
    *,
    min_dimension: int = 1,
    max_dimension: int = 6,
    solvable: bool | None = None,
    nilpotent: bool | None = None,
    new_basis: bool = False,
) -> st.SearchStrategy[LieAlgebra]:
    """Lie algebras: the families of `theory.lie.named` and their direct sums.

    Shrinks towards the abelian algebra of dimension one, by family and dimension.

    Args:
        min_dimension: Smallest dimension.
        max_dimension: Largest dimension, at most 12.
        solvable: True for solvable algebras, False for those that are not; None for all.
        nilpotent: The same for nilpotent algebras.
        new_basis: Write the structure constants in a random integer basis of determinant one, which hides ideals.

    Raises:
        ValueError: The bounds are no dimensions, contradict each other, or no algebra of the catalogue meets them.

    >>> from hypothesis import find, settings
    >>> find(lie_algebras(solvable=False), lambda algebra: True, settings=settings(database=None))
    <LieAlgebra sl2: dimension 3>
    """
    low, high = interval("dimension", min_dimension, max_dimension, largest=LARGEST)
    if nilpotent and solvable is False:
        why = "nilpotent algebras are solvable"
        raise refused("lie_algebras", "nilpotent=True, solvable=False", why, "drop one of the two")
    chosen = [
        entry
        for entry in _catalogue(high)
        if entry.dimension >= low and solvable in (None, entry.solvable) and nilpotent in (None, entry.nilpotent)
    ]
    if not chosen:
        wanted = f"min_dimension={low}, max_dimension={high}, solvable={solvable}, nilpotent={nilpotent}"
        why = "abelian algebras have dimension 1, others at least 2, and those that are not solvable at least 3"
        raise refused("lie_algebras", wanted, why, "raise max_dimension")
    drawn = simplest_first(chosen, lambda entry: tuple(name.rstrip("0123456789") for name in entry.names)).map(_sum)
    return drawn.flatmap(_in_another_basis) if new_basis else drawn


class _Sum(NamedTuple):
    dimension: int
    names: tuple[str, ...]
    solvable: bool
    nilpotent: bool


@lru_cache(maxsize=16)
def _catalogue(most: int) -> tuple[_Sum, ...]:
    """All direct sums of named algebras up to a dimension; abelian summands are joined into one."""
    blocks, found = sorted(_blocks(most)), []

    def add(first: int, total: _Sum) -> None:
        for index in range(first, len(blocks)):
            block = blocks[index]
            if total.dimension + block.dimension <= most and not _both_abelian(total, block):
                flags = total.solvable and block.solvable, total.nilpotent and block.nilpotent
                found.append(_Sum(total.dimension + block.dimension, (*total.names, *block.names), *flags))
                add(index, found[-1])

    add(0, _Sum(0, (), True, True))
    return tuple(sorted(found, key=lambda entry: (entry.dimension, not entry.nilpotent, not entry.solvable, entry.names)))


def _both_abelian(total: _Sum, block: _Sum) -> bool:
    return block.names[0].startswith("abelian") and any(name.startswith("abelian") for name in total.names)


def _blocks(most: int) -> Iterator[_Sum]:
    families: list[tuple[str, Callable[[int], int], range, bool, bool]] = [
        ("abelian", lambda n: n, range(1, most + 1), True, True),
        ("heisenberg", lambda n: n, range(3, most + 1, 2), True, True),
        ("strict", lambda n: n * (n - 1) // 2, range(4, most), True, True),
        ("free2_", lambda n: sum(witt_dimension(2, d) for d in range(1, n + 1)), range(3, 6), True, True),
        ("free3_", lambda n: sum(witt_dimension(3, d) for d in range(1, n + 1)), range(2, 4), True, True),
        ("aff", lambda n: n * n + n, range(1, 2), True, False),
        ("se", lambda n: n * (n + 1) // 2, range(2, 3), True, False),
        ("upper", lambda n: n * (n + 1) // 2, range(2, most), True, False),
        ("so", lambda n: n * (n - 1) // 2, range(3, most + 1), False, False),
        ("sl", lambda n: n * n - 1, range(2, most), False, False),
        ("gl", lambda n: n * n, range(2, most), False, False),
        ("sp", lambda n: n * (n + 1) // 2, range(4, most, 2), False, False),
        ("aff", lambda n: n * n + n, range(2, most), False, False),
        ("se", lambda n: n * (n + 1) // 2, range(3, most + 1), False, False),
    ]
    for family, dimension, sizes, solvable, nilpotent in families:
        for size in sizes:
            if dimension(size) <= most:
                yield _Sum(dimension(size), (f"{family}{size}",), solvable, nilpotent)


def _sum(entry: _Sum) -> LieAlgebra:
    if len(entry.names) == 1:
        return named(entry.names[0])
    constants = np.zeros((entry.dimension,) * 3, object)
    start = 0
    for part in map(named, entry.names):
        place = slice(start, start + part.dimension)
        constants[place, place, place] = part.constants
        start += part.dimension
    return LieAlgebra.from_structure_constants(constants, " + ".join(entry.names))


def _in_another_basis(algebra: LieAlgebra) -> st.SearchStrategy[LieAlgebra]:
    """New basis elements are the rows of L U, unitriangular integer matrices, whose inverse is integral."""
    size = algebra.dimension
    entries = st.lists(st.integers(-2, 2), min_size=size * (size - 1) // 2, max_size=size * (size - 1) // 2)

    def moved(below: list[int], above: list[int]) -> LieAlgebra:
        lower, upper = np.eye(size, dtype=object), np.eye(size, dtype=object)
        lower[np.tril_indices(size, -1)], upper[np.triu_indices(size, 1)] = below, above
        change, inverse = lower @ upper, _unitriangular_inverse(upper) @ _unitriangular_inverse(lower)
        constants = np.einsum("ai,bj,ijk,kc->abc", change, change, algebra.constants.astype(object), inverse)
        return LieAlgebra.from_structure_constants(constants, f"{algebra.name} in another basis")

    return st.builds(moved, entries, entries)


def _unitriangular_inverse(matrix: np.ndarray) -> np.ndarray:
    """The inverse 1 - N + N^2 - ... of 1 + N with N nilpotent."""
    one = np.eye(len(matrix), dtype=object)
    result, power = one, one
    for _ in range(len(matrix) - 1):
        power = power @ (one - matrix)
        result = result + power
    return result
