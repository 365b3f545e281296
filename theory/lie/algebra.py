r"""Finite-dimensional Lie algebras from structure constants or matrices: their series, radical and Levi decomposition, exactly.

The base field is Q, or the number field that the entries generate (sympy numbers such as sqrt(5)). Elements are rows of
coordinates in the given basis.

Source: W. de Graaf, *Lie Algebras: Theory and Algorithms*, chapters 1 and 4. The radical is the orthogonal complement of the
derived algebra under the Killing form; `theory.lie.levi` lifts a Levi subalgebra.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from theory.cost import refuse
from theory.exact.arrays import bracket_rows, compact, contract, exact_array
from theory.exact.integers import nonzero
from theory.exact.linear import complement, coordinates, nullspace, rank, row_space
from theory.facts import fact
from theory.lie.cost import structure
from theory.lie.levi import levi_subalgebra
from theory.lie.matrices import generated_basis, matrix_constants, square_matrices

__all__ = ["LieAlgebra"]


class LieAlgebra:
    """A Lie algebra with a basis ``e_0, e_1, ..``.

    Build one with `from_structure_constants`, `from_matrices` or `generated_by`.

    Attributes:
        constants: Array ``c[i, j, k]`` with ``[e_i, e_j] = sum_k c[i, j, k] e_k``.
        matrices: The defining matrices of the basis, or None.
        name: The name of the algebra, or "".

    >>> so3 = LieAlgebra.from_matrices([[[0, -1, 0], [1, 0, 0], [0, 0, 0]], [[0, 0, 1], [0, 0, 0], [-1, 0, 0]],
    ...     [[0, 0, 0], [0, 0, -1], [0, 1, 0]]])
    >>> so3.derived_dimensions, so3.is_solvable, so3.is_perfect
    ((3, 3), False, True)
    """

    def __init__(self, constants: np.ndarray, matrices: tuple[np.ndarray, ...] | None = None, name: str = "") -> None:
        self.constants = constants
        self.matrices = matrices
        self.name = name

    def __repr__(self) -> str:
        return f"<LieAlgebra {self.name or 'without a name'}: dimension {len(self.constants)}>"

    @classmethod
    def from_structure_constants(cls, c: Any, name: str = "") -> LieAlgebra:
        """Return the algebra with ``[e_i, e_j] = sum_k c[i, j, k] e_k``.

        Raises:
            ValueError: The array is not a cube or not antisymmetric, or the Jacobi identity fails; the error names the first
                indices that fail.
        """
        constants = exact_array(c)
        if constants.ndim != 3 or len(set(constants.shape)) != 1 or not len(constants):
            raise ValueError(
                f"structure constants of shape {constants.shape}: expected (n, n, n) with n >= 1, c[i, j, k] the coefficient "
                "of e_k in [e_i, e_j]."
            )
        failed = np.argwhere(nonzero(constants + constants.transpose(1, 0, 2)))
        if len(failed):
            i, j, k = failed[0].tolist()
            raise ValueError(
                f"c[{i}, {j}, {k}] = {constants[i, j, k]} but c[{j}, {i}, {k}] = {constants[j, i, k]}: expected opposite "
                f"numbers, because a Lie bracket is antisymmetric. The first failing triple is ({i}, {j}, {k})."
            )
        refuse(structure(len(constants), len(constants), name))
        nested = contract(constants, constants)  # [[e_i, e_j], e_l]: coefficients of e_m
        cyclic = nested + nested.transpose(1, 2, 0, 3) + nested.transpose(2, 0, 1, 3)
        failed = np.argwhere(nonzero(cyclic))
        if len(failed):
            i, j, k = failed[0][:3].tolist()
            raise ValueError(
                f"the Jacobi identity fails, first for the triple ({i}, {j}, {k}): the cyclic sum of [[e_{i}, e_{j}], e_{k}] "
                f"is {cyclic[i, j, k].tolist()}, expected 0, because these are not the structure constants of a Lie algebra."
            )
        return cls(constants, name=name)

    @classmethod
    def from_matrices(cls, matrices: Sequence[Any], name: str = "") -> LieAlgebra:
        """Return the algebra with these matrices as its basis.

        Raises:
            ValueError: The matrices are not square and of one size, linearly dependent, or not closed under the commutator.
        """
        basis = square_matrices(matrices)
        refuse(structure(len(basis), basis.shape[1] ** 2, name))
        return cls(matrix_constants(basis), tuple(basis), name)

    @classmethod
    def generated_by(cls, matrices: Sequence[Any], name: str = "") -> LieAlgebra:
        """Return the smallest algebra of matrices that contains these matrices.

        Raises:
            ValueError: The matrices are not square and of one size, or all of them are zero.
        """
        return cls.from_matrices(list(generated_basis(matrices)), name)

    @property
    def dimension(self) -> int:
        """Number of basis elements."""
        return len(self.constants)

    def bracket(self, x: Any, y: Any) -> np.ndarray:
        """Return ``[x, y]`` in coordinates.

        Raises:
            ValueError: An element does not have one exact coordinate for each dimension.
        """
        rows = [np.asarray(exact_array(v), dtype=object) for v in (x, y)]
        for row in rows:
            if row.shape != (self.dimension,):
                raise ValueError(f"bracket was given coordinates of shape {row.shape}: expected ({self.dimension},).")
        return np.einsum("i,j,ijk->k", *rows, self.constants.astype(object))

    @cached_property
    def derived_series(self) -> tuple[np.ndarray, ...]:
        """Bases of ``g, [g, g], ..``, down to zero or to the first repetition, which is included."""
        return self._series(lambda last: self._brackets(last, last))

    @cached_property
    def lower_central_series(self) -> tuple[np.ndarray, ...]:
        """Bases of ``g, [g, g], [g, [g, g]], ..``, down to zero or to the first repetition, which is included."""
        return self._series(lambda last: self._brackets(None, last))

    @fact
    def derived_complements(self) -> tuple[np.ndarray, ...]:
        """Bases of complements of ``g^(j)`` in ``g^(j-1)``: the layers of a solvable algebra's tower, lowest first.

        The elements are matrices if the algebra has matrices, and rows of coordinates otherwise.

        Raises:
            ValueError: The algebra is not solvable, so no tower of abelian layers is exact.

        >>> from theory.lie.named import named
        >>> [len(basis) for basis in named("upper4").derived_complements]
        [4, 3, 3]
        """
        if not self.is_solvable:
            raise ValueError(
                f"{self.name or 'the algebra'} is not solvable: its derived series has the dimensions "
                f"{self.derived_dimensions} and never reaches 0, so no tower of abelian layers is exact."
            )
        series = self.derived_series
        bases = tuple(complement(inner, outer) for outer, inner in pairwise(series))
        if self.matrices is None:
            return bases
        matrices = np.array(self.matrices, dtype=object)
        return tuple(np.tensordot(basis.astype(object), matrices, axes=1) for basis in bases)

    @fact
    def derived_dimensions(self) -> tuple[int, ...]:
        """The dimensions of the derived series, from the dimension down to 0 or to the first repetition."""
        return tuple(len(basis) for basis in self.derived_series)

    @fact
    def lower_central_dimensions(self) -> tuple[int, ...]:
        """The dimensions of the lower central series, from the dimension down to 0 or to the first repetition."""
        return tuple(len(basis) for basis in self.lower_central_series)

    @property
    def derived_length(self) -> int | None:
        """Number of steps of the derived series to zero, which is the number of abelian layers; None if not solvable."""
        dimensions = self.derived_dimensions
        return len(dimensions) - 1 if dimensions[-1] == 0 else None

    @property
    def nilpotency_class(self) -> int | None:
        """Number of steps of the lower central series to zero; None if not nilpotent."""
        dimensions = self.lower_central_dimensions
        return len(dimensions) - 1 if dimensions[-1] == 0 else None

    @property
    def is_solvable(self) -> bool:
        """Whether the derived series reaches zero."""
        return self.derived_length is not None

    @property
    def is_nilpotent(self) -> bool:
        """Whether the lower central series reaches zero."""
        return self.nilpotency_class is not None

    @property
    def is_abelian(self) -> bool:
        """Whether all brackets vanish."""
        return not np.any(nonzero(self.constants))

    @property
    def is_perfect(self) -> bool:
        """Whether ``[g, g] = g``."""
        return len(self.derived_series[1]) == self.dimension

    @property
    def is_semisimple(self) -> bool:
        """Whether the Killing form is non-degenerate (Cartan)."""
        return rank(self.killing_form) == self.dimension

    @fact
    def killing_form(self) -> np.ndarray:
        """The matrix ``trace(ad e_i ad e_j)``."""
        return np.einsum("iab,jba->ij", self.constants.astype(object), self.constants.astype(object))

    @fact
    def centre(self) -> np.ndarray:
        """A basis of the elements that commute with every element."""
        return nullspace(self.constants.transpose(1, 2, 0).reshape(-1, self.dimension)) if not self.is_abelian else self._all()

    @fact
    def radical(self) -> list[list[Any]]:
        """A basis of the largest solvable ideal, the Killing-orthogonal complement of ``[g, g]``."""
        return _vectors(self._radical())

    @fact
    def levi_decomposition(self) -> tuple[list[list[Any]], list[list[Any]]]:
        """Bases of a semisimple subalgebra and of the radical, whose direct sum is the algebra."""
        radical = self._radical()
        # Every Levi subalgebra lies in the last term of the derived series.
        levi = levi_subalgebra(self.constants, radical, self.derived_series[-1])
        return _vectors(levi), _vectors(radical)

    def subalgebra(self, basis: Any) -> LieAlgebra:
        """Return the algebra on these linearly independent elements.

        Raises:
            ValueError: There are no elements, they depend on each other, or their span is not closed under the bracket.
        """
        basis = exact_array(basis)
        count = len(basis)
        if not count or basis.shape != (count, self.dimension) or rank(basis) < count:
            raise ValueError(
                f"subalgebra was given elements of shape {basis.shape}: expected one independent row of {self.dimension} "
                "coordinates or more, because they are to be a basis."
            )
        brackets = bracket_rows(basis, basis, self.constants).reshape(count * count, -1)
        found = coordinates(basis, brackets)
        if found is None:
            raise ValueError("subalgebra was given elements whose brackets leave their span: expected a closed span.")
        return LieAlgebra(compact(found.reshape(count, count, count)))

    def _all(self) -> np.ndarray:
        return np.eye(self.dimension, dtype=np.int64)

    def _series(self, following: Any) -> tuple[np.ndarray, ...]:
        series = [self._all()]
        while len(series[-1]):
            series.append(following(series[-1]))
            if len(series[-1]) == len(series[-2]):
                break
        return tuple(series)

    def _brackets(self, a: np.ndarray | None, b: np.ndarray) -> np.ndarray:
        """Return a basis of the span of ``[a, b]``; ``a = None`` stands for the whole algebra."""
        if not len(b):
            return b
        whole = a is None or len(a) == self.dimension
        if whole and len(b) == self.dimension:
            i, j = np.triu_indices(self.dimension, 1)
            return row_space(self.constants[i, j]) if len(i) else self._all()[:0]
        products = bracket_rows(None if whole else a, b, self.constants)
        if not whole:
            i, j = np.triu_indices(len(b), 1)
            products = products[i, j]
        return row_space(products.reshape(-1, self.dimension))

    def _radical(self) -> np.ndarray:
        derived = self.derived_series[1]
        if not len(derived):
            return self._all()
        conditions = derived.astype(object) @ self.killing_form
        return nullspace(conditions) if np.any(nonzero(conditions)) else self._all()


def _vectors(rows: np.ndarray) -> list[list[Any]]:
    return [[Fraction(entry) if isinstance(entry, int) else entry for entry in row] for row in rows.tolist()]
