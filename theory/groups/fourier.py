r"""The Fourier transform on a finite group: numerical and batched, or symbolic.

.. math:: \hat f[\rho] = \sum_g f(g)\, \rho(g)^*, \qquad
   f(g) = \frac1{|G|} \sum_\rho n_\rho \operatorname{tr}(\rho(g) \hat f[\rho]).

The transform of the convolution :math:`(f * h)(x) = \sum_y f(y) h(y^{-1} x)` is :math:`\hat h[\rho] \hat f[\rho]`, and
:math:`\sum_g |f(g)|^2 = \frac1{|G|} \sum_\rho n_\rho \|\hat f[\rho]\|_F^2` (Plancherel).

Arrays of numbers are transformed with the numerical representations, sequences of sympy expressions with the exact ones
(``Irrep.exact``), so the coefficients of a symbolic function are symbolic. The two bases may differ by a unitary change, which
changes no spectra, norms or singular values.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from numbers import Number

import numpy as np
import sympy

from theory.checks import exact_expression, plain
from theory.exact.cyclotomic import reduced
from theory.exact.integers import widened
from theory.groups.characters import characters
from theory.groups.irreps import irreps
from theory.groups.table import CayleyTable

__all__ = ["fourier", "inverse_fourier"]


def fourier(group: CayleyTable, values: np.ndarray | Sequence) -> list:
    """The coefficients sum_g f(g) rho(g)*, one per irrep in the order of ``group.irreps``.

    Args:
        group: The group.
        values: f, real or complex, shape ``(..., order)``; or one sympy expression (or Fraction) per element.

    Returns:
        Arrays of shape ``(..., n, n)`` with n the dimension of the irrep, or sympy matrices for symbolic values. Cost: one
        product with an order x order matrix.

    Raises:
        ValueError: The last axis does not hold one value per element; or the values are symbolic and some irrep has no closed
            form here.

    >>> from theory.groups import group
    >>> a, b = sympy.symbols("a b")
    >>> fourier(group("C2"), [a, b])
    [Matrix([[a + b]]), Matrix([[a - b]])]
    """
    if _is_symbolic(values):
        return _symbolic(group, values)
    values = _per_element(group, values)
    return _blocks(group, values @ _transform(group))


def inverse_fourier(group: CayleyTable, coefficients: Sequence) -> np.ndarray | list[sympy.Expr]:
    """The function with these coefficients: complex, shape ``(..., order)``, or a list of expressions for sympy matrices.

    Raises:
        ValueError: The coefficients are not one square matrix of the right size per irrep.
    """
    sizes = [int(n) for n in characters(group).degrees]
    arrays = [_numbers(c) for c in coefficients]
    if [a.shape[-2:] for a in arrays] != [(n, n) for n in sizes]:
        raise ValueError(
            f"expected a square matrix for each of the {len(sizes)} irreps of {group.name}, of sizes {sizes}, "
            f"got shapes {[a.shape for a in arrays]}"
        )
    if any(isinstance(c, sympy.MatrixBase) for c in coefficients):
        exact = [[exact_expression("a coefficient", x) for x in a.ravel()] for a in arrays]
        return _symbolic_inverse(group, [sympy.Matrix(n, n, entries) for n, entries in zip(sizes, exact, strict=True)])
    flat = np.concatenate([n * a.reshape(*a.shape[:-2], n * n) for n, a in zip(sizes, arrays, strict=True)], axis=-1)
    return flat @ _transform(group).conj().T / group.order


def _is_symbolic(values: np.ndarray | Sequence) -> bool:
    return np.asarray(values).dtype == object


def _symbolic(group: CayleyTable, values: np.ndarray | Sequence) -> list[sympy.Matrix]:
    f = [exact_expression("a value", value) for value in _per_element(group, values)]
    coefficients = []
    for irrep in irreps(group):
        total = sympy.zeros(irrep.dimension, irrep.dimension)
        for value, matrix in zip(f, irrep.exact, strict=True):
            total += value * matrix.H
        coefficients.append(total.applyfunc(reduced))
    return coefficients


def _symbolic_inverse(group: CayleyTable, coefficients: list[sympy.Matrix]) -> list[sympy.Expr]:
    values = [sympy.S.Zero] * group.order
    for irrep, coefficient in zip(irreps(group), coefficients, strict=True):
        for g, matrix in enumerate(irrep.exact):
            values[g] += irrep.dimension * (matrix * coefficient).trace() / group.order
    return [reduced(value) for value in values]


def _per_element(group: CayleyTable, values: np.ndarray | Sequence) -> np.ndarray:
    array = _numbers(values)
    if array.shape[-1:] != (group.order,):
        raise ValueError(f"expected one value for each of the {group.order} elements of {group.name}, got shape {array.shape}")
    return array


def _numbers(values: object) -> np.ndarray:
    """Values as an array of numbers or expressions."""
    array = plain(np.asarray(values))
    if array.dtype == object:
        wrong = next((x for x in array.ravel() if not isinstance(x, (Number, np.number, sympy.Expr))), None)
        if wrong is None:
            return widened(array)
    elif np.issubdtype(array.dtype, np.number) or array.dtype == bool:
        return array
    raise ValueError(f"values of type {array.dtype}: expected numbers or sympy expressions; text is never read as a number.")


@lru_cache(maxsize=16)
def _transform(group: CayleyTable) -> np.ndarray:
    """The entries conj(rho(g))[j, i] of all representations side by side, order x order; real if they are all real."""
    columns = [m.matrices.conj().transpose(0, 2, 1).reshape(group.order, -1) for m in irreps(group)]
    stacked = np.concatenate(columns, axis=1)
    return np.ascontiguousarray(np.real(stacked)) if not np.imag(stacked).any() else stacked


def _blocks(group: CayleyTable, flat: np.ndarray) -> list[np.ndarray]:
    sizes = [int(n) for n in characters(group).degrees]
    pieces = np.split(flat, np.cumsum([n * n for n in sizes])[:-1], axis=-1)
    return [piece.reshape(*piece.shape[:-1], n, n) for n, piece in zip(sizes, pieces, strict=True)]
