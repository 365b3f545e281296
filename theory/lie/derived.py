r"""Graded dimensions of the derived series of a free Lie algebra, and the lowest degree of each derived ideal.

A graded subalgebra of a free Lie algebra is free (Shirshov, Witt), so the ``k``-th derived ideal ``L^(k)`` is a free Lie
algebra. Let it have dimension ``d_j`` in degree ``j``. Its enveloping algebra has Hilbert series ``prod_j (1 - t^j)^(-d_j)``,
and a free associative algebra on generators with series ``g(t)`` has ``1 / (1 - g(t))``, so

    g(t) = 1 - prod_j (1 - t^j)^(d_j),        dim L^(k+1)_j = dim L^(k)_j - g_j,

where the second equation holds because free generators span ``L^(k) / [L^(k), L^(k)]``.

**Doubling.** Let ``L^(k)`` start in degree ``m`` with dimension ``d``. All elements of degree below ``2m`` are free generators,
so ``L^(k+1)`` starts in degree ``2m`` with the ``C(d, 2)`` brackets of two generators of degree ``m``. If ``d >= 3`` then
``C(d, 2) >= d >= 3``, so the step repeats and the degree doubles for ever. For three or more letters this holds from the start:
``m_k = 2^k``. For two letters the leading dimensions are 2, 1, 2, 1, 8, ..., so the series is needed up to degree 21.

Source: C. Reutenauer, *Free Lie Algebras*, theorem 2.5 (Shirshov-Witt); the doubling argument above.
"""

from __future__ import annotations

from functools import lru_cache

from theory.checks import integer
from theory.cost import digits, power, refuse
from theory.lie.cost import graded_dimensions, short
from theory.lie.words import check_sizes, witt_dimension

__all__ = ["derived_ideal_degree", "derived_ideal_dimension"]


def derived_ideal_dimension(letters: int, k: int, degree: int) -> int:
    """Return the dimension of one degree of the k-th derived ideal of the free Lie algebra; k = 0 is the whole algebra.

    Cost: ``k * degree^2`` integer operations; degrees below ``2^k`` need none.

    Raises:
        ValueError: `letters` or `degree` is not an integer >= 1, or `k` is negative.
        TooExpensive: The degree is too high, see `theory.cost`.

    >>> [derived_ideal_dimension(2, 2, n) for n in range(4, 8)]
    [0, 2, 4, 12]
    """
    letters, degree = check_sizes(letters, degree)
    k = _level(k, least=0)
    if degree.bit_length() <= k:  # degree < 2^k: L^(k) lies in the 2^k-th term of the lower central series
        return 0
    refuse(graded_dimensions(k, degree))
    return _dimensions(letters, k, degree)[degree]


def derived_ideal_degree(letters: int, k: int) -> int:
    """Return the lowest degree ``m_k`` in which the k-th derived ideal is not zero.

    A tower of k abelian layers reproduces a product of exponentials with an error of this order in the step size.

    Raises:
        ValueError: There is one letter (every derived ideal is then zero), or `k` is not an integer >= 1.

    >>> [derived_ideal_degree(2, k) for k in range(1, 7)]
    [2, 5, 10, 21, 42, 84]
    >>> [derived_ideal_degree(3, k) for k in range(1, 5)]
    [2, 4, 8, 16]
    """
    letters, k = check_sizes(letters, 1)[0], _level(k, least=1)
    if letters == 1:
        raise ValueError(
            "derived_ideal_degree was given one letter: the free Lie algebra on one letter is abelian, so its derived ideals "
            "are zero and have no lowest degree (one layer is exact). Give at least two letters."
        )
    degree, dimension = 1, letters
    for level in range(1, k + 1):
        if dimension >= 3:
            refuse(digits(f"the degree of the derived ideal {short(k)}", power(k, 1)))
            return degree << (k - level + 1)
        # With d = 2 the next ideal starts in degree 2m. With d = 1 it starts at m plus the next degree of this ideal, which is
        # at most m + 1, because the derived ideal of two letters has no gap.
        degree, dimension = _start(letters, level, 2 * degree + 1)
    return degree


def _start(letters: int, k: int, up_to: int) -> tuple[int, int]:
    dimensions = _dimensions(letters, k, up_to)
    return next((degree, dimension) for degree, dimension in enumerate(dimensions) if dimension)


@lru_cache(maxsize=256)
def _dimensions(letters: int, k: int, up_to: int) -> tuple[int, ...]:
    if k == 0:
        return (0, *(witt_dimension(letters, degree) for degree in range(1, up_to + 1)))
    above = _dimensions(letters, k - 1, up_to)
    product = _euler_product(above)
    return (0, *(above[degree] + product[degree] for degree in range(1, up_to + 1)))


def _euler_product(exponents: tuple[int, ...]) -> list[int]:
    """Return the coefficients of ``prod_j (1 - t^j)^(e_j)``, from ``t f' / f = - sum_j j e_j t^j / (1 - t^j)``."""
    size = len(exponents)
    slope = [0] * size
    for j in range(1, size):
        for multiple in range(j, size, j):
            slope[multiple] -= j * exponents[j]
    product = [1] + [0] * (size - 1)
    for n in range(1, size):
        product[n] = sum(slope[i] * product[n - i] for i in range(1, n + 1)) // n
    return product


def _level(k: int, least: int) -> int:
    return integer("k", k, "the number of times the derived ideal is taken", least)
