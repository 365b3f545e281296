r"""Rank of a matrix modulo a prime: Gaussian elimination in blocks, mostly by exact matrix products in float64.

**Blocks.** ``BLOCK`` columns are eliminated one at a time among themselves. The collected row operations are then applied to
all columns on the right as one product, and the pivot rows leave the matrix.

**Exact products.** Residues are below ``2^31``, so a product of two residues needs 62 bits, but float64 holds only 53. Writing
the left factor as ``2^16 a + b`` with ``a < 2^15`` and ``b < 2^16`` makes every term at most ``2^47``, so sums of up to 64
terms are exact.

A rank modulo a prime is never larger than the rank over the rationals, and it is smaller only if the prime divides every
non-zero minor of the largest size. So a rank that reaches a proved upper bound *is* the rank, with certainty.
"""

from __future__ import annotations

from functools import cache
from math import isqrt

import numpy as np

from theory.checks import exact_entries, integer

__all__ = ["PRIMES", "checked_prime", "product", "rank_modulo", "residues"]

PRIMES = (2147483629, 2147483587)
"""Two primes just below 2^31."""

BLOCK = 64


def rank_modulo(matrix: np.ndarray, prime: int = PRIMES[0]) -> int:
    """The rank of an integer matrix modulo a prime below ``2^31``.

    Cost: two float64 products of ``rows * columns * rank`` each, and the memory of three copies of the matrix.

    Raises:
        ValueError: The matrix does not hold integers, or the modulus is not a prime below ``2^31``.

    >>> rank_modulo(np.array([[1, 2, 3], [2, 4, 6], [0, 1, 1]])), rank_modulo(np.array([[1, 2], [3, 1]]), 5)
    (2, 1)
    """
    array = _residues(matrix, prime)
    if array.shape[0] > array.shape[1]:
        array = np.ascontiguousarray(array.T)
    rank = 0
    for _ in range(0, array.shape[1], BLOCK):
        pivots, operations = _reduced(array[:, :BLOCK].copy(), prime)
        kept = np.setdiff1d(np.arange(len(array)), pivots)
        right = array[:, BLOCK:]
        # row i of the rest becomes row i minus its share of the pivot rows
        array = (right[kept] + prime - product(operations[kept], right[pivots], prime)) % prime
        rank += len(pivots)
        if not len(array):
            break
    return rank


def checked_prime(prime: int) -> int:
    """The prime, as a Python integer.

    Raises:
        ValueError: The number is not a prime, or is at least 2^31, so that products of residues would not fit 62 bits.
    """
    prime = integer("prime", prime, "the modulus")
    if not 2 <= prime < 2**31 or not _no_divisor(prime):
        raise ValueError(f"prime = {prime}: expected a prime below 2^31, because products of residues must fit 62 bits.")
    return prime


@cache
def _no_divisor(number: int) -> bool:
    return all(number % q for q in range(2, isqrt(number) + 1))


def residues(array: np.ndarray, prime: int) -> np.ndarray:
    """Integers of any width, or Python integers, modulo the prime, as int64.

    Raises:
        ValueError: Some entries are not integers.

    >>> residues(np.array([-1, 100], np.int8), PRIMES[0]).tolist(), residues(np.array([10**30], object), 7).tolist()
    ([2147483628, 100], [1])
    """
    array = np.asarray(array)
    if array.dtype == object:
        array = exact_entries("an array of integers", array)
    if array.dtype == object:
        whole = all(type(entry) is int for entry in array.ravel())
    else:
        whole = np.issubdtype(array.dtype, np.integer)
    if not whole:
        raise ValueError(
            f"entries of type {array.dtype}: expected integers, because they are reduced modulo a prime. Clear denominators."
        )
    wide = array if array.dtype == object or array.dtype == np.uint64 else array.astype(np.int64)
    return (wide % prime).astype(np.int64)


def product(left: np.ndarray, right: np.ndarray, prime: int) -> np.ndarray:
    """The product of two matrices of residues modulo a prime below 2^31, as residues (int64).

    >>> product(np.array([[2, 3]]), np.array([[4], [5]]), 7).tolist()
    [[2]]
    """
    total = np.zeros((left.shape[0], right.shape[1]), np.int64)
    for start in range(0, left.shape[1], BLOCK):
        part, other = left[:, start : start + BLOCK], right[start : start + BLOCK].astype(float)
        high = ((part >> 16).astype(float) @ other).astype(np.int64) % prime
        low = ((part & 0xFFFF).astype(float) @ other).astype(np.int64)
        total = (total + (high << 16) + low) % prime
    return total


def _reduced(panel: np.ndarray, prime: int) -> tuple[np.ndarray, np.ndarray]:
    """Pivot rows of a panel, and the multiples of the *original* pivot rows to subtract from each other row.

    Every other row vanishes: ``panel[i] - operations[i] @ panel[pivots]`` is zero.
    """
    rows = len(panel)
    pivots: list[int] = []
    free = np.ones(rows, bool)
    # the multiples of the original pivot rows that were subtracted from each row
    operations = np.zeros((rows, panel.shape[1]), np.int64)
    for column in range(panel.shape[1]):
        candidates = np.flatnonzero((panel[:, column] != 0) & free)
        if not len(candidates):
            continue
        pivot, others = candidates[0], candidates[1:]
        factors = panel[others, column] * pow(int(panel[pivot, column]), -1, prime) % prime
        panel[others] = (panel[others] - factors[:, None] * panel[pivot] % prime) % prime
        count = len(pivots)
        operations[others, :count] = (operations[others, :count] - factors[:, None] * operations[pivot, :count] % prime) % prime
        operations[others, count] = factors
        pivots.append(int(pivot))
        free[pivot] = False
    return np.array(pivots, int), operations[:, : len(pivots)]


def _residues(matrix: np.ndarray, prime: int) -> np.ndarray:
    array = np.asarray(matrix)
    if array.ndim != 2:
        raise ValueError(f"matrix has shape {array.shape}: expected two axes, rows and columns.")
    checked_prime(prime)
    return residues(array, prime)
