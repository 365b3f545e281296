"""Lie algebras of matrices: the structure constants of a basis, the algebra that matrices generate, affine generators."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from theory.exact.arrays import common_field, commutators, compact
from theory.exact.linear import complement, coordinates, rank

__all__ = ["affine_matrix", "generated_basis", "matrix_constants", "square_matrices"]


def square_matrices(matrices: Sequence[Any]) -> np.ndarray:
    """Return the matrices in one array of exact numbers, of shape (count, size, size).

    Raises:
        ValueError: There is no matrix, or the matrices are not square and of one size.
    """
    if not isinstance(matrices, Iterable):
        raise ValueError(f"matrices = {matrices!r:.60}: expected a sequence of square matrices.")
    entries = [matrix.tolist() if hasattr(matrix, "tolist") else matrix for matrix in matrices]
    shapes = {np.shape(np.array(matrix, dtype=object)) for matrix in entries}
    if len(shapes) != 1 or len(shape := shapes.pop()) != 2 or shape[0] != shape[1]:
        raise ValueError("expected at least one matrix, all square and of one size, because brackets are commutators of them.")
    (found,), field = common_field(np.array(entries, dtype=object))
    return field.readable(found)


def matrix_constants(basis: np.ndarray) -> np.ndarray:
    """Return the structure constants of matrices that are a basis of a Lie algebra; ``basis`` over one field.

    Raises:
        ValueError: The matrices are linearly dependent, or their span is not closed under the commutator.
    """
    count, size = len(basis), basis.shape[1]
    flat = basis.reshape(count, -1)
    if rank(flat) < count:
        first = next(i for i in range(count) if rank(flat[: i + 1]) <= i)
        raise ValueError(
            f"matrix {first} is a linear combination of those before it: expected a basis, so that structure constants are "
            "unique. Leave it out, or use LieAlgebra.generated_by."
        )
    pairs = [(i, j) for i in range(count) for j in range(i)]
    constants = np.zeros((count, count, count), object)
    if pairs:
        left, right = (basis[[pair[side] for pair in pairs]] for side in (0, 1))
        brackets = commutators(left, right).reshape(len(pairs), size * size)
        found = coordinates(flat, brackets)
        if found is None:
            i, j = next(pair for n, pair in enumerate(pairs) if coordinates(flat, brackets[n : n + 1]) is None)
            raise ValueError(
                f"the commutator of matrices {j} and {i} is not in their span: expected a span closed under brackets, "
                "because only that is a Lie algebra. Use LieAlgebra.generated_by to add what is missing."
            )
        for (i, j), row in zip(pairs, found, strict=True):
            constants[i, j], constants[j, i] = row, [-entry for entry in row]
    return compact(constants)


def generated_basis(matrices: Sequence[Any]) -> np.ndarray:
    """Return a basis of the smallest Lie algebra that contains these matrices, in one array of shape (count, size, size).

    Raises:
        ValueError: The matrices are not square and of one size, or all of them are zero.
    """
    (generators,), field = common_field(square_matrices(matrices))
    size = generators.shape[1]
    basis = complement(np.zeros((0, size * size), np.int64), generators.reshape(-1, size * size)).reshape(-1, size, size)
    if not len(basis):
        raise ValueError("generated_by was given zero matrices only: expected at least one that is not zero.")
    newest = basis
    while len(newest):  # the brackets of the generators with the elements added last span the next step
        brackets = commutators(generators[:, None], newest[None]).reshape(-1, size * size)
        newest = complement(basis.reshape(-1, size * size), brackets).reshape(-1, size, size)
        basis = np.concatenate([basis, newest])
    return field.readable(basis)


def affine_matrix(a: Any, b: Any) -> np.ndarray:
    """Return the homogenised generator ``[[A, b], [0, 0]]`` of ``h' = A h + b``; its derived length counts, not that of A.

    Raises:
        ValueError: A is not square, or the length of b is not the size of A.

    >>> affine_matrix([[1]], [2]).tolist()
    [[1, 2], [0, 0]]
    """
    parts, field = common_field(a, b)
    a, b = (field.readable(part.astype(object)) for part in parts)
    if a.ndim != 2 or a.shape[0] != a.shape[1] or b.shape != a.shape[:1]:
        raise ValueError(f"affine_matrix was given A of shape {a.shape} and b of shape {b.shape}: expected (n, n) and (n,).")
    return np.block([[a, b[:, None]], [np.zeros((1, len(a) + 1), object)]])
