"""Exact linear algebra over Q and over number fields, by python-flint if it is installed and in plain Python otherwise.

Matrices are numpy arrays with one row per vector; entries are integers, Fractions or elements of a sympy number field. All
results follow from the reduced row echelon form, which is unique, so both backends give identical answers. Rational rows are
returned as primitive integer rows, because a subspace does not depend on the length of its vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np

from theory.checks import exact_entries
from theory.exact.fields import lifted
from theory.exact.integers import nonzero

try:
    import flint
except ImportError:  # python-flint is the optional extra "exact"
    flint = None

__all__ = ["complement", "coordinates", "nullspace", "rank", "row_space"]


def row_space(rows: Any) -> np.ndarray:
    """The non-zero rows of the reduced row echelon form; over Q they are primitive integer rows with positive pivots.

    >>> row_space([[2, 4], [1, 2]]).tolist()
    [[1, 2]]
    """
    array = exact_entries("rows", rows)
    array = array[nonzero(array).any(axis=1)] if array.size else array[:0]
    if not len(array):
        return array
    if array.dtype == object and not _is_rational(array):
        return _field_row_space(lifted(array))
    if flint is not None:
        reduced, _, size = flint.fmpz_mat(_integers(array).tolist()).rref()
        flat = [int(entry) for entry in reduced.entries()[: int(size) * array.shape[1]]]
        return _compact([flat[i : i + array.shape[1]] for i in range(0, len(flat), array.shape[1])])
    return _compact(_integer_row_space(_integers(array).tolist()))


def rank(rows: Any) -> int:
    """Dimension of the span of the rows."""
    return len(row_space(rows))


def nullspace(matrix: Any) -> np.ndarray:
    """A basis of the vectors v with ``matrix @ v = 0``, as rows, one for each free column."""
    reduced = row_space(matrix)
    columns = reduced.shape[1]
    pivots = [_pivot(row) for row in reduced]
    vectors = []
    for free in sorted(set(range(columns)) - set(pivots)):
        vector: list[Any] = [0] * columns
        vector[free] = 1
        for row, pivot in zip(reduced.tolist(), pivots, strict=True):
            vector[pivot] = -_divide(row[free], row[pivot])
        vectors.append(vector)
    return _primitive(vectors, columns)


def coordinates(basis: np.ndarray, vectors: np.ndarray) -> np.ndarray | None:
    """The coefficients of each vector (a row) in a basis (independent rows); None if a vector lies outside their span."""
    size, count = len(basis), len(vectors)
    if not count or not size:
        return np.zeros((count, size), object) if not np.any(nonzero(vectors)) else None
    reduced = row_space(np.concatenate([basis, vectors]).T)
    if len(reduced) != size or any(_pivot(row) != i for i, row in enumerate(reduced)):
        return None
    lists = reduced.tolist()
    return np.array([[_divide(row[size + j], row[i]) for i, row in enumerate(lists)] for j in range(count)], dtype=object)


def complement(inner: np.ndarray, outer: np.ndarray) -> np.ndarray:
    """The first rows of ``outer`` that extend a basis of ``inner`` to a basis of the sum."""
    reduced = row_space(np.concatenate([inner, outer]).T)
    chosen = [_pivot(row) for row in reduced]
    return outer[[column - len(inner) for column in chosen if column >= len(inner)]]


def _pivot(row: Any) -> int:
    return next(i for i, entry in enumerate(row) if entry)


def _divide(a: Any, b: Any) -> Any:
    return Fraction(a, b) if isinstance(a, (int, Fraction)) and isinstance(b, (int, Fraction)) else a / b


def _is_rational(array: np.ndarray) -> bool:
    return all(isinstance(entry, (int, Fraction)) for entry in array.ravel().tolist())


def _integers(array: np.ndarray) -> np.ndarray:
    """Each row multiplied by its common denominator and divided by its greatest common divisor."""
    if array.dtype != object:
        return array
    return np.array([_cleared(row) for row in array.tolist()], dtype=object)


def _cleared(row: Sequence[Any]) -> list[int]:
    common = lcm(*(entry.denominator for entry in row))
    cleared = [int(entry * common) for entry in row]
    divisor = gcd(*cleared) or 1
    return [entry // divisor for entry in cleared]


def _primitive(vectors: list[list[Any]], columns: int) -> np.ndarray:
    if not vectors:
        return np.zeros((0, columns), np.int64)
    array = np.array(vectors, dtype=object)
    return _compact([_cleared(row) for row in vectors]) if _is_rational(array) else array


def _compact(rows: list[list[int]]) -> np.ndarray:
    """Primitive rows with positive pivots, in int64 if the entries are small."""
    result = []
    for row in rows:
        divisor = gcd(*row) * (1 if row[_pivot(row)] > 0 else -1)
        result.append(row if divisor == 1 else [entry // divisor for entry in row])
    small = all(-(2**31) < entry < 2**31 for row in result for entry in row)
    return np.array(result, dtype=np.int64 if small else object)


def _integer_row_space(rows: list[list[int]]) -> list[list[int]]:
    """Fraction-free Gauss-Jordan elimination, with every row kept primitive."""
    done: list[tuple[int, list[int]]] = []
    for row in rows:
        for pivot, known in done:
            row = _eliminated(row, known, pivot)
        if not any(row):
            continue
        pivot = _pivot(row)
        done = [(other, _eliminated(known, row, pivot)) for other, known in done]
        done.append((pivot, row))
    return [row for _, row in sorted(done, key=lambda item: item[0])]


def _eliminated(row: list[int], known: list[int], pivot: int) -> list[int]:
    if not row[pivot]:
        return row
    a, b = known[pivot], row[pivot]
    row = [a * x - b * y for x, y in zip(row, known, strict=True)]
    divisor = gcd(*row) or 1
    return [entry // divisor for entry in row]


def _field_row_space(array: np.ndarray) -> np.ndarray:
    done: list[tuple[int, list[Any]]] = []
    for row in array.tolist():
        for pivot, known in done:
            row = [x - row[pivot] * y for x, y in zip(row, known, strict=True)] if row[pivot] else row
        if not any(row):
            continue
        pivot = _pivot(row)
        row = [x / row[pivot] for x in row]
        done = [
            (other, [x - known[pivot] * y for x, y in zip(known, row, strict=True)] if known[pivot] else known)
            for other, known in done
        ]
        done.append((pivot, row))
    return np.array([row for _, row in sorted(done, key=lambda item: item[0])], dtype=object).reshape(-1, array.shape[1])
