r"""Exact character tables from the class algebra.

Burnside: the class sums commute, and their common eigenvectors are the characters. For a class function c with
:math:`c(g^{-1}) = \overline{c(g)}` the matrix of the group-algebra element :math:`\sum_g c(g) g` on normalised class sums is
Hermitian, and for a random c its eigenvalues are distinct: one eigenproblem of the size of the table gives all characters to
rounding. They are then made exact: the eigenvalues of an element of order o are o-th roots of unity, and their multiplicities
:math:`m_k = \frac1o \sum_l \chi(g^l) e^{-2\pi i k l / o}` are integers. The result is refused unless every multiplicity is
within `CLEAR` of an integer and the rounded characters are orthonormal.
"""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import sympy

from theory.groups.cyclotomic import root_sum

if TYPE_CHECKING:
    from theory.groups.group import FiniteGroup

__all__ = ["Characters", "characters"]

CLEAR = 1e-4
"""How far from an integer a multiplicity may come out; rounding leaves about 1e-10."""


@dataclasses.dataclass(frozen=True, eq=False)
class Characters:
    """The irreducible characters of a group.

    Attributes:
        values: complex numbers, rounded from the exact ones; shape ``(characters, classes)``.
        multiplicities: one integer array per class, shape ``(characters, order of its elements)``: how often each root of
            unity exp(2 pi i k / order) is an eigenvalue. This is the exact table.
        sizes: sizes of the classes.
        indicators: Frobenius-Schur indicators: 1 real, 0 complex, -1 quaternionic.
    """

    values: np.ndarray
    multiplicities: tuple[np.ndarray, ...]
    sizes: np.ndarray
    indicators: np.ndarray

    @property
    def degrees(self) -> np.ndarray:
        """Dimensions of the representations."""
        return self.multiplicities[0][:, 0]

    @cached_property
    def rows(self) -> tuple[tuple[sympy.Expr, ...], ...]:
        """The exact values of each character on each class."""
        return tuple(
            tuple(root_sum(m.shape[1], tuple(m[i].tolist())) for m in self.multiplicities) for i in range(len(self.values))
        )

    def matrix(self) -> sympy.Matrix:
        """The exact table as a sympy matrix."""
        return sympy.Matrix(self.rows)


def characters(group: FiniteGroup) -> Characters:
    """The exact character table, trivial character first, then by degree and values. O(order * classes + classes^3).

    Raises:
        ArithmeticError: if rounding leaves a multiplicity undecided for several random class functions.
    """
    classes, class_of = group.conjugacy_classes, group.class_of
    representatives = np.array([members[0] for members in classes])
    sizes = np.array([len(members) for members in classes])
    powers = _power_classes(group, representatives)
    for seed in range(5):
        table = _approximate(group, representatives, sizes, np.random.default_rng(seed))
        multiplicities = [_multiplicities(table, power) for power in powers]
        if all(np.abs(m - np.rint(m)).max() < CLEAR for m in multiplicities):
            break
    else:
        raise ArithmeticError(f"the characters of {group.name} do not separate in double precision")
    exact = [np.rint(np.real(m)).astype(int) for m in multiplicities]
    values = np.stack([m @ np.exp(2j * np.pi * np.arange(m.shape[1]) / m.shape[1]) for m in exact], axis=1)
    _check(values, sizes, group.order)
    order = _canonical_order(exact)
    squares = class_of[group.table[representatives, representatives]]
    indicators = np.rint(np.real(values[:, squares] @ sizes) / group.order).astype(int)
    values[indicators != 0] = np.real(values[indicators != 0])
    return Characters(values[order], tuple(m[order] for m in exact), sizes, indicators[order])


def _approximate(group: FiniteGroup, representatives: np.ndarray, sizes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """All characters to rounding; shape ``(characters, classes)``."""
    number, class_of = len(sizes), group.class_of
    weights = rng.normal(size=number) + 1j * rng.normal(size=number)
    weights = (weights + weights[class_of[group.inverses[representatives]]].conj()) / np.sqrt(sizes)
    # entry (s, t): sum over x in class s of weight(x^-1 z_t)
    products = class_of[group.table[group.inverses[:, None], representatives[None, :]]]
    flat = class_of[:, None] * number + np.arange(number)[None, :]
    terms = weights[products].ravel()
    matrix = np.bincount(flat.ravel(), terms.real, number**2) + 1j * np.bincount(flat.ravel(), terms.imag, number**2)
    root = np.sqrt(sizes)
    scaled = matrix.reshape(number, number) * root[None, :] / root[:, None]
    _, vectors = np.linalg.eigh((scaled + scaled.conj().T) / 2)
    rows = vectors.T.conj() * np.sqrt(group.order) / root[None, :]
    return rows * (np.abs(rows[:, :1]) / rows[:, :1])


def _power_classes(group: FiniteGroup, representatives: np.ndarray) -> list[np.ndarray]:
    """For each class the classes of the powers 0, 1, .. of its representative."""
    result = []
    for g in representatives:
        powers = [0]
        while (following := int(group.table[powers[-1], g])) != 0:
            powers.append(following)
        result.append(group.class_of[np.array(powers)])
    return result


def _multiplicities(table: np.ndarray, powers: np.ndarray) -> np.ndarray:
    """Multiplicity of each root of unity as an eigenvalue, before rounding; shape ``(characters, order)``."""
    return np.fft.fft(table[:, powers], axis=1) / len(powers)


def _check(values: np.ndarray, sizes: np.ndarray, order: int) -> None:
    gram = (values * sizes) @ values.conj().T / order
    # inner products of characters are integers, so anything under one half decides them
    if np.abs(gram - np.eye(len(values))).max() > CLEAR:
        raise ArithmeticError("the rounded characters are not orthonormal")


def _canonical_order(exact: list[np.ndarray]) -> list[int]:
    """Trivial first, then by degree, then lexicographically by multiplicities, those of low roots of unity foremost."""
    keys = [tuple(-int(m) for part in exact for m in part[i]) for i in range(len(exact[0]))]
    trivial = [all(part[i][0] == part[i].sum() for part in exact) for i in range(len(keys))]
    return sorted(range(len(keys)), key=lambda i: (exact[0][i][0], not trivial[i], keys[i]))
