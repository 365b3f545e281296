r"""Exact character tables from the class algebra.

Burnside: the class sums commute, and their common eigenvectors are the characters. For a class function c with
:math:`c(g^{-1}) = \overline{c(g)}` the matrix of the group-algebra element :math:`\sum_g c(g) g` on normalised class sums is
Hermitian, and for a random c its eigenvalues are distinct, so one eigenproblem of the size of the table gives all characters
up to rounding. They are made exact as follows: the eigenvalues of an element of order o are o-th roots of unity, and their
multiplicities :math:`m_k = \frac1o \sum_l \chi(g^l) e^{-2\pi i k l / o}` are integers. The rounded integers are then proved
by arithmetic modulo a prime (`theory.groups.certificate`).
"""

from __future__ import annotations

import dataclasses
import math
from functools import cache, cached_property

import numpy as np
import sympy

from theory.caching import once_per_object
from theory.exact.cyclotomic import root_sum
from theory.groups.abelian import abelian_basis, coordinates
from theory.groups.certificate import certified, class_matrix
from theory.groups.names import element_names
from theory.groups.table import CayleyTable

__all__ = ["Characters", "characters"]

CLEAR = 1e-4
"""Largest accepted distance of a multiplicity from an integer; rounding leaves about 1e-10."""

LARGEST = 10**7
"""Largest number of entries of a symbolic table."""

KINDS = {1: "real", 0: "complex", -1: "quaternionic"}
"""The kind of a representation by its Frobenius-Schur indicator."""


@dataclasses.dataclass(frozen=True, eq=False)
class Characters:
    """The irreducible characters of a group.

    Attributes:
        values: The characters as complex numbers, rounded; shape ``(characters, classes)``.
        powers: For each class the classes of the powers 0, 1, .. of its elements.
        sizes: Sizes of the classes.
        indicators: Frobenius-Schur indicators: 1 real, 0 complex, -1 quaternionic.
        labels: The name of one element of each class.
    """

    values: np.ndarray
    powers: tuple[np.ndarray, ...]
    sizes: np.ndarray
    indicators: np.ndarray
    labels: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Characters of degrees {', '.join(map(str, self.degrees))}>"

    def __str__(self) -> str:
        """The table as text: a column for each class under its label and size, a row for each character."""
        head = [["class", *self.labels], ["size", *map(str, self.sizes)]]
        rows = head + [[f"X{i}", *map(str, self.character(i))] for i in range(len(self.values))]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(f"{word:>{width}}" for word, width in zip(row, widths, strict=True)) for row in rows]
        return "\n".join(lines)

    def latex(self) -> str:
        """The table in LaTeX."""
        head = " & ".join(["", *(rf"\text{{{label}}}" for label in self.labels)])
        rows = [" & ".join([rf"\chi_{{{i}}}", *map(sympy.latex, self.character(i))]) for i in range(len(self.values))]
        sizes = " & ".join([r"\text{size}", *map(str, self.sizes)])
        lines = r" \\ ".join([head, sizes + r" \\ \hline " + rows[0], *rows[1:]])
        return rf"\begin{{array}}{{r|{'r' * len(self.sizes)}}} {lines} \end{{array}}"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    @property
    def degrees(self) -> np.ndarray:
        """Dimensions of the representations."""
        return np.rint(np.real(self.values[:, 0])).astype(int)

    @cached_property
    def conjugates(self) -> np.ndarray:
        """Number of the complex conjugate of each character."""
        # row i of the product is |G| at the conjugate of i and zero elsewhere
        return np.argmax(np.abs((self.values * self.sizes) @ self.values.T), axis=1)

    def kind(self, number: int) -> str:
        """``"real"``, ``"complex"`` or ``"quaternionic"``: the kind of the representations with this character."""
        return KINDS[int(self.indicators[number])]

    def multiplicities(self, number: int, conjugacy_class: int) -> np.ndarray:
        """How often each root of unity exp(2 pi i k / order) is an eigenvalue, which is the exact value of a character."""
        return np.rint(np.real(_eigenvalues(self.values[number], self.powers[conjugacy_class]))).astype(int)

    def value(self, number: int, conjugacy_class: int) -> sympy.Expr:
        """The exact value of a character on a class."""
        counts = self.multiplicities(number, conjugacy_class)
        return root_sum(len(counts), tuple(counts.tolist()))

    def character(self, number: int) -> tuple[sympy.Expr, ...]:
        """The exact values of one character, one per class."""
        return tuple(self.value(number, c) for c in range(len(self.sizes)))

    def matrix(self) -> sympy.Matrix:
        """The exact table as a sympy matrix: a row for each character, a column for each class.

        Raises:
            ValueError: The table would have more than `LARGEST` entries.
        """
        entries = len(self.sizes) ** 2
        if entries > LARGEST:
            raise ValueError(
                f"a table of {len(self.sizes)} characters has {entries} symbolic entries, more than {LARGEST}: that would take "
                "gigabytes. Ask for single values, characters.value(number, conjugacy_class), or use the floating-point "
                "numbers, characters.values."
            )
        return sympy.Matrix(self._rows)

    @cached_property
    def _rows(self) -> tuple[tuple[sympy.Expr, ...], ...]:
        columns = [self._column(c) for c in range(len(self.sizes))]
        return tuple(zip(*columns, strict=True))

    def _column(self, conjugacy_class: int) -> list[sympy.Expr]:
        """The exact values of all characters on a class; equal values are simplified once."""
        order = len(self.powers[conjugacy_class])
        values, linear = self.values[:, conjugacy_class], self.degrees == 1
        turns = np.rint(np.angle(values) * order / (2 * np.pi)).astype(int) % order
        counts = np.zeros((len(values), 0), int)
        if not linear.all():
            counts = np.rint(np.real(_eigenvalues(self.values[~linear], self.powers[conjugacy_class]))).astype(int)
        others, found = iter(counts), {}
        column = []
        for i, turn in enumerate(turns.tolist()):
            if linear[i]:
                column.append(_root(turn // (common := math.gcd(turn, order)), order // common))
                continue
            row = next(others)
            if (key := row.tobytes()) not in found:
                found[key] = root_sum(order, tuple(row.tolist()))
            column.append(found[key])
        return column


@cache
def _root(turn: int, order: int) -> sympy.Expr:
    """The root of unity exp(2 pi i turn / order)."""
    return root_sum(order, tuple(int(k == turn) for k in range(order)))


@once_per_object
def characters(group: CayleyTable) -> Characters:
    """The exact character table, the trivial character first, then by degree and values. O(order * classes + classes^3).

    Raises:
        ArithmeticError: Rounding leaves some multiplicity undecided or wrong for each of five random class functions.
    """
    classes, class_of = group.conjugacy_classes, group.class_of
    representatives = np.array([members[0] for members in classes])
    sizes = np.array([len(members) for members in classes])
    powers = _power_classes(group, representatives)
    if group.is_abelian:
        values = _abelian(group)[:, representatives]
    else:
        values = _proved(group, representatives, sizes, powers)
    squares = class_of[group.table[representatives, representatives]]
    indicators = np.rint(np.real(values[:, squares] @ sizes) / group.order).astype(int)
    values[indicators != 0] = np.real(values[indicators != 0])
    order = _canonical_order(values)
    labels = tuple(element_names(group)[g] for g in representatives)
    return Characters(values[order], powers, sizes, indicators[order], labels)


def _proved(group: CayleyTable, representatives: np.ndarray, sizes: np.ndarray, powers: tuple[np.ndarray, ...]) -> np.ndarray:
    """Characters from the class algebra; every value is computed from multiplicities that are proved."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        table = _approximate(group, representatives, sizes, rng)
        values, clear, counts = np.empty_like(table), True, {}
        for number in _maximal_cyclic(powers):
            found = _eigenvalues(table, powers[number])
            counts[number] = np.rint(np.real(found))
            clear = clear and bool(np.abs(found - counts[number]).max() < CLEAR)
            values[:, powers[number]] = np.fft.fft(counts[number], axis=-1).conj()
        if clear and certified(group, counts, rng):
            return values
    raise ArithmeticError(f"the characters of {group.name} do not separate in double precision")


def _maximal_cyclic(powers: tuple[np.ndarray, ...]) -> list[int]:
    """Classes of generators of cyclic subgroups that together meet every class."""
    covered, kept = np.zeros(len(powers), dtype=bool), []
    for number in sorted(range(len(powers)), key=lambda c: -len(powers[c])):
        if not covered[number]:
            kept.append(number)
            covered[powers[number]] = True
    return kept


def _abelian(group: CayleyTable) -> np.ndarray:
    """Characters of a product of cyclic groups: exp(2 pi i sum_j a_j x_j / m_j) for each element a."""
    basis, orders = abelian_basis(group)
    elements, position = coordinates(group, basis, orders)
    exponent = group.exponent
    places = np.stack(np.unravel_index(np.arange(len(elements)), orders or (1,)), axis=1)
    phases = (places * (exponent // np.array(orders or (1,)))) @ places.T % exponent
    return np.exp(2j * np.pi * np.arange(exponent) / exponent)[phases][:, position]


def _approximate(group: CayleyTable, representatives: np.ndarray, sizes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """All characters up to rounding; shape ``(characters, classes)``."""
    number, class_of = len(sizes), group.class_of
    weights = rng.normal(size=number) + 1j * rng.normal(size=number)
    weights = (weights + weights[class_of[group.inverses[representatives]]].conj()) / np.sqrt(sizes)
    matrix = class_matrix(group, weights.real) + 1j * class_matrix(group, weights.imag)
    root = np.sqrt(sizes)
    scaled = matrix * root[None, :] / root[:, None]
    _, vectors = np.linalg.eigh((scaled + scaled.conj().T) / 2)
    rows = vectors.T.conj() * np.sqrt(group.order) / root[None, :]
    return rows * (np.abs(rows[:, :1]) / rows[:, :1])


def _power_classes(group: CayleyTable, representatives: np.ndarray) -> tuple[np.ndarray, ...]:
    """For each class the classes of the powers 0, 1, .. of its representative."""
    result = []
    for g in representatives:
        powers = [0]
        while (following := int(group.table[powers[-1], g])) != 0:
            powers.append(following)
        result.append(group.class_of[np.array(powers)])
    return tuple(result)


def _eigenvalues(table: np.ndarray, powers: np.ndarray) -> np.ndarray:
    """Multiplicity of each root of unity as an eigenvalue, before rounding; shape ``(..., order)``."""
    return np.fft.fft(table[..., powers], axis=-1) / len(powers)


def _canonical_order(values: np.ndarray) -> np.ndarray:
    """By degree, then lexicographically by class: larger real parts first, then larger imaginary parts."""
    keys = np.stack([np.real(values), np.imag(values)], axis=2).reshape(len(values), -1).round(6) + 0.0
    return np.lexsort([*(-keys.T[::-1]), keys[:, 0]])
