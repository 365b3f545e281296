r"""Finite-dimensional Lie algebras from structure constants or matrices: their series, radical and Levi decomposition, exactly.

The base field is Q, or the number field that the entries generate (sympy numbers such as sqrt(5)). Elements are rows of
coordinates in the given basis; they may lie in a larger number field than the structure constants. Exact numbers come in and go
out as integers and Fractions where they are rational, and as sympy numbers else. Elements of a field of sympy (ANP) are read
too. They do not say which root they are polynomials of, so they go out as they came in.

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
from theory.exact.arrays import bracket_rows, common_field, compact, contract
from theory.exact.fields import NumberField
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
        constants: Array ``c[i, j, k]`` with ``[e_i, e_j] = sum_k c[i, j, k] e_k``, of exact numbers.
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
        (constants,), field = common_field(c)
        if constants.ndim != 3 or len(set(constants.shape)) != 1 or not len(constants):
            raise ValueError(
                f"structure constants of shape {constants.shape}: expected (n, n, n) with n >= 1, c[i, j, k] the coefficient "
                "of e_k in [e_i, e_j]."
            )
        failed = np.argwhere(nonzero(constants + constants.transpose(1, 0, 2)))
        if len(failed):
            i, j, k = failed[0].tolist()
            constants = field.readable(constants)
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
            total = field.readable(cyclic[i, j, k]).tolist()
            raise ValueError(
                f"the Jacobi identity fails, first for the triple ({i}, {j}, {k}): the cyclic sum of [[e_{i}, e_{j}], e_{k}] "
                f"is {total}, expected 0, because these are not the structure constants of a Lie algebra."
            )
        return cls(field.readable(constants), name=name)

    @classmethod
    def from_matrices(cls, matrices: Sequence[Any], name: str = "") -> LieAlgebra:
        """Return the algebra with these matrices as its basis.

        Raises:
            ValueError: The matrices are not square and of one size, linearly dependent, or not closed under the commutator.
        """
        basis = square_matrices(matrices)
        refuse(structure(len(basis), basis.shape[1] ** 2, name))
        (elements,), field = common_field(basis)
        return cls(field.readable(matrix_constants(elements)), tuple(basis), name)

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
        """Return ``[x, y]`` in coordinates, an array of exact numbers of shape (dimension,).

        Raises:
            ValueError: An element does not have one exact coordinate for each dimension.

        >>> import sympy
        >>> c = np.zeros((2, 2, 2), object)
        >>> c[0, 1, 1], c[1, 0, 1] = sympy.sqrt(3), -sympy.sqrt(3)
        >>> LieAlgebra.from_structure_constants(c).bracket([sympy.sqrt(2), 0], [0, Fraction(1, 2)]).tolist()
        [0, sqrt(6)/2]
        """
        (left, right), constants, field = self._together(x, y)
        for row in (left, right):
            if row.shape != (self.dimension,):
                raise ValueError(f"bracket was given coordinates of shape {row.shape}: expected ({self.dimension},).")
        return field.readable(np.einsum("i,j,ijk->k", left.astype(object), right.astype(object), constants.astype(object)))

    @cached_property
    def derived_series(self) -> tuple[np.ndarray, ...]:
        """Bases of ``g, [g, g], ..``, down to zero or to the first repetition, which is included."""
        return tuple(map(self._field.readable, self._derived))

    @cached_property
    def lower_central_series(self) -> tuple[np.ndarray, ...]:
        """Bases of ``g, [g, g], [g, [g, g]], ..``, down to zero or to the first repetition, which is included."""
        return tuple(map(self._field.readable, self._series(lambda last: self._brackets(None, last))))

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
        bases = tuple(self._field.readable(complement(inner, outer)) for outer, inner in pairwise(self._derived))
        if self.matrices is None:
            return bases
        (matrices, *bases), field = common_field(np.array(self.matrices, dtype=object), *bases)
        return tuple(field.readable(np.tensordot(basis.astype(object), matrices.astype(object), axes=1)) for basis in bases)

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
        return not np.any(nonzero(self._constants))

    @property
    def is_perfect(self) -> bool:
        """Whether ``[g, g] = g``."""
        return len(self.derived_series[1]) == self.dimension

    @property
    def is_semisimple(self) -> bool:
        """Whether the Killing form is non-degenerate (Cartan)."""
        return rank(self._killing) == self.dimension

    @fact
    def killing_form(self) -> np.ndarray:
        """The matrix ``trace(ad e_i ad e_j)``."""
        return self._field.readable(self._killing)

    @fact
    def centre(self) -> np.ndarray:
        """A basis of the elements that commute with every element."""
        if self.is_abelian:
            return self._all()
        return self._field.readable(nullspace(self._constants.transpose(1, 2, 0).reshape(-1, self.dimension)))

    @fact
    def radical(self) -> list[list[Any]]:
        """A basis of the largest solvable ideal, the Killing-orthogonal complement of ``[g, g]``."""
        return self._vectors(self._radical())

    @fact
    def levi_decomposition(self) -> tuple[list[list[Any]], list[list[Any]]]:
        """Bases of a semisimple subalgebra and of the radical, whose direct sum is the algebra."""
        radical = self._radical()
        # Every Levi subalgebra lies in the last term of the derived series.
        levi = levi_subalgebra(self._constants, radical, self._derived[-1])
        return self._vectors(levi), self._vectors(radical)

    def subalgebra(self, basis: Any) -> LieAlgebra:
        """Return the algebra on these linearly independent elements.

        Raises:
            ValueError: There are no elements, they depend on each other, or their span is not closed under the bracket.
        """
        (rows,), constants, field = self._together(basis)
        if rows.ndim != 2 or not len(rows) or rows.shape[1] != self.dimension or rank(rows) < len(rows):
            raise ValueError(
                f"subalgebra was given elements of shape {rows.shape}: expected one independent row of {self.dimension} "
                "coordinates or more, because they are to be a basis."
            )
        count = len(rows)
        brackets = bracket_rows(rows, rows, constants).reshape(count * count, -1)
        found = coordinates(rows, brackets)
        if found is None:
            raise ValueError("subalgebra was given elements whose brackets leave their span: expected a closed span.")
        return LieAlgebra(field.readable(compact(found.reshape(count, count, count))))

    @cached_property
    def _over(self) -> tuple[np.ndarray, NumberField]:
        if self.constants.dtype != object:
            return self.constants, NumberField()
        (constants,), field = common_field(self.constants)
        return constants, field

    @property
    def _constants(self) -> np.ndarray:
        """The structure constants in their field."""
        return self._over[0]

    @property
    def _field(self) -> NumberField:
        return self._over[1]

    def _together(self, *arrays: Any) -> tuple[tuple[np.ndarray, ...], np.ndarray, NumberField]:
        """The arrays and the structure constants over one field."""
        if self.constants.dtype == object:
            (constants, *found), field = common_field(self.constants, *arrays)
            return tuple(found), constants, field
        found, field = common_field(*arrays)
        return found, self.constants, field

    @cached_property
    def _derived(self) -> tuple[np.ndarray, ...]:
        return self._series(lambda last: self._brackets(last, last))

    @cached_property
    def _killing(self) -> np.ndarray:
        return np.einsum("iab,jba->ij", self._constants.astype(object), self._constants.astype(object))

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
            return row_space(self._constants[i, j]) if len(i) else self._all()[:0]
        products = bracket_rows(None if whole else a, b, self._constants)
        if not whole:
            i, j = np.triu_indices(len(b), 1)
            products = products[i, j]
        return row_space(products.reshape(-1, self.dimension))

    def _radical(self) -> np.ndarray:
        derived = self._derived[1]
        if not len(derived):
            return self._all()
        conditions = derived.astype(object) @ self._killing
        return nullspace(conditions) if np.any(nonzero(conditions)) else self._all()

    def _vectors(self, rows: np.ndarray) -> list[list[Any]]:
        readable = self._field.readable(rows).tolist()
        return [[Fraction(entry) if isinstance(entry, int) else entry for entry in row] for row in readable]
