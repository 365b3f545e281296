r"""What the order of the letters adds to the state of a word: the variance within the words of equal letter counts.

A word w of T independent uniform letters 0, ..., n-1 takes the state v to ``y = M[w_T] ... M[w_1] v``. A system that sees only
how often each letter occurs answers all words of equal counts alike. So its mean square error is at least the variance of y
within these classes, and the mean of each class attains it.

**Exactly.** The mean of a class is a mean over its last letter, ``m(c) = sum_x c_x / |c| M_x m(c - e_x)``. The second moment
of y is ``S_t = mean_x M_x S_{t-1} M_x^T``. The variance within the classes is ``trace S_T - E |m|^2``.

**Small steps.** Let ``M_x = 1 + eps A_x + eps^2 A_x^2 / 2 + O(eps^3)``, as for exponentials and Cayley transforms. Through
degree two, y depends on the order by ``sum_{s<t} A[w_t] A[w_s]`` alone. Let N_ij be the number of places s < t with the letters
i and j, and ``b_ij = [A_j, A_i] v``. Since ``N_ij + N_ji = c_i c_j``, y minus the mean of its class is

    eps^2 sum_{i<j} (N_ij - c_i c_j / 2) b_ij + O(eps^3).

In a random order of given letters ``Var N_ij = c_i c_j (c_i + c_j + 1) / 12`` (Mann and Whitney), and ``Cov(N_ij, N_ik)`` is
``c_i c_j c_k / 12``; pairs without a common letter are independent. The factorial moments of the counts are ``E c_i c_j =
T (T-1) / n^2`` and ``E c_i c_j c_k = E c_i (c_i - 1) c_j = T (T-1) (T-2) / n^3``. So the variance is ``eps^4`` times

    T (T-1) / (4 n^2) sum_{i<j} |b_ij|^2  +  T (T-1) (T-2) / (12 n^3) sum_i |sum_j b_ij|^2.

Source: derived here; H. B. Mann, D. R. Whitney, *On a test of whether one of two random variables is stochastically larger than
the other*, Annals of Mathematical Statistics 18 (1947), for the variance of N_ij.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from sympy.ntheory.multinomial import multinomial_coefficients

from theory.checks import exact_entries, fraction, integer
from theory.cost import Estimate, refuse
from theory.exact.rotation import cayley

__all__ = ["cross_product", "order_variance", "order_variance_coefficient", "rational_rotation"]


def order_variance(matrices: np.ndarray, start: Any, length: int) -> Fraction:
    """Return the variance of ``M[w_T] ... M[w_1] v`` within the words w of equal letter counts, letters uniform.

    Args:
        matrices: Exact matrix of each letter, shape ``(letters, d, d)``.
        start: Exact vector v, shape ``(d,)``.
        length: T.

    Raises:
        ValueError: The shapes do not fit, an entry is rounded, or `length` is not an integer >= 0.
        TooExpensive: There are too many classes, see `theory.cost`.

    Cost: comb(T + letters, letters) letters products of a matrix and a vector.

    >>> swap, scale = [[0, 1], [1, 0]], [[1, 0], [0, 2]]
    >>> order_variance(np.array([swap, scale]), (1, 0), 2)  # (0, 2) and (0, 1), each a quarter of the words
    Fraction(1, 8)
    """
    matrices, start = _sizes("matrices", matrices, start)
    length, letters = integer("length", length, "the letters of a word", least=0), len(matrices)
    classes = comb(length + letters, letters)
    refuse(Estimate(f"the means of {classes:.3g} classes of words", 1e-5 * letters * len(start) ** 2 * classes))
    orders: dict[Any, int] = {(0,) * letters: 1}  # how many words have these letters
    means: dict[tuple[int, ...], Any] = dict.fromkeys(orders, start)
    second: Any = np.outer(start, start)
    for count in range(1, length + 1):
        second = sum(matrix @ second @ matrix.T for matrix in matrices) * Fraction(1, letters)
        orders = multinomial_coefficients(letters, count)
        means = {
            held: sum(Fraction(c, count) * (matrices[x] @ means[_less(held, x)]) for x, c in enumerate(held) if c)
            for held in orders
        }
    seen = sum((orders[held] * (mean @ mean) for held, mean in means.items()), Fraction(0))
    return Fraction(np.trace(second) - seen * Fraction(1, letters**length))


def order_variance_coefficient(generators: np.ndarray, start: Any, length: int) -> Fraction:
    """Return the limit of ``order_variance / eps^4`` for letters ``1 + eps A + eps^2 A^2 / 2 + O(eps^3)`` as eps tends to 0.

    Args:
        generators: Exact A of each letter, shape ``(letters, d, d)``.
        start: Exact vector v, shape ``(d,)``.
        length: T.

    Raises:
        ValueError: The shapes do not fit, an entry is rounded, or `length` is not an integer >= 0.

    >>> turns = np.array([[[0, -1], [1, 0]], [[1, 0], [0, -1]]])
    >>> order_variance_coefficient(turns, (1, 0), 2)  # |[A, B] v|^2 / 2 n^2, and [A, B] v = (0, 2)
    Fraction(1, 2)
    """
    generators, start = _sizes("generators", generators, start)
    length, letters = integer("length", length, "the letters of a word", least=0), len(generators)
    brackets = np.array([[(b @ a - a @ b) @ start for b in generators] for a in generators])
    pairs = sum((brackets[i, j] @ brackets[i, j] for i, j in combinations(range(letters), 2)), Fraction(0))
    together = sum((row @ row for row in brackets.sum(axis=1)), Fraction(0))
    two, three = length * (length - 1), length * (length - 1) * (length - 2)
    return Fraction(two, 4 * letters**2) * pairs + Fraction(three, 12 * letters**3) * together


def rational_rotation(axis: Sequence[Fraction | int], step: Fraction | int) -> np.ndarray:
    """Return the Cayley transform of ``step K``, K the cross product with `axis`: a rotation with rational entries.

    It turns by ``2 arctan(step |axis| / 2)``.

    Raises:
        ValueError: `axis` has not three entries, or a number is not rational.

    >>> rational_rotation((0, 0, 1), 2).tolist()[1]  # a quarter turn
    [Fraction(1, 1), Fraction(0, 1), Fraction(0, 1)]
    """
    return cayley(-fraction("step", step) / 2 * cross_product([fraction("an entry of axis", entry) for entry in axis]))


def cross_product(axis: Sequence[Fraction | int]) -> np.ndarray:
    """Return the matrix of the cross product with a vector of space, the generator of the rotations about it.

    Raises:
        ValueError: `axis` has not three entries.

    >>> cross_product((0, 0, 1)).tolist()
    [[0, -1, 0], [1, 0, 0], [0, 0, 0]]
    """
    if len(axis) != 3:
        raise ValueError(f"axis = {tuple(axis)!r}: expected three entries, the axis of a rotation of space")
    x, y, z = axis
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def _sizes(name: str, matrices: np.ndarray, start: Any) -> tuple[np.ndarray, np.ndarray]:
    matrices, start = exact_entries(name, matrices), exact_entries("start", start)
    if start.ndim != 1 or matrices.ndim != 3 or not len(matrices) or matrices.shape[1:] != (len(start),) * 2:
        raise ValueError(f"{name} of shape {matrices.shape} and a start of shape {start.shape}: expected (letters, d, d), (d,)")
    return matrices.astype(object), start.astype(object)


def _less(held: tuple[int, ...], letter: int) -> tuple[int, ...]:
    return (*held[:letter], held[letter] - 1, *held[letter + 1 :])
