r"""Exact character tables from the class algebra.

Characters are computed as residues modulo a prime that determine them (`theory.groups.dixon`). The eigenvalues of an element
of order o are o-th roots of unity, and their multiplicities are integers that the residues on its powers give exactly. Every
value that this module returns comes from such multiplicities; those in floating point are their Fourier transform.
"""

from __future__ import annotations

import dataclasses
import math
from functools import cache, cached_property

import numpy as np
import sympy

from theory.caching import once_per_object
from theory.exact.cyclotomic import root_sum
from theory.facts import called
from theory.groups.abelian import abelian_basis, coordinates
from theory.groups.dixon import Field, field, multiplicities, residues
from theory.groups.names import element_name
from theory.groups.table import CayleyTable

__all__ = ["Characters", "characters"]

LARGEST = 10**7
"""Largest number of entries of a symbolic table."""

KINDS = {1: "real", 0: "complex", -1: "quaternionic"}
"""The kind of a representation by its Frobenius-Schur indicator."""


@dataclasses.dataclass(frozen=True, eq=False)
class Characters:
    """The irreducible characters of a group.

    Attributes:
        values: The characters as complex numbers, rounded; shape ``(characters, classes)``.
        residues: The same characters modulo the prime of `field`, which determine them.
        field: A prime field, and the root of unity in it that stands for exp(2 pi i / exponent).
        powers: For each class the classes of the powers 0, 1, .. of its elements.
        sizes: Sizes of the classes.
        indicators: Frobenius-Schur indicators: 1 real, 0 complex, -1 quaternionic.
        labels: The name of one element of each class.
    """

    values: np.ndarray
    residues: np.ndarray
    field: Field
    powers: tuple[np.ndarray, ...]
    sizes: np.ndarray
    indicators: np.ndarray
    labels: tuple[str, ...] = ()

    __call__ = called("FiniteGroup.characters")

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
        return self.residues[:, 0]

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
        return multiplicities(self.residues[number, self.powers[conjugacy_class]][None], self.field)[0]

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
        powers, linear = self.powers[conjugacy_class], self.degrees == 1
        order = len(powers)
        others = iter(multiplicities(self.residues[~linear][:, powers], self.field))
        found: dict[bytes, sympy.Expr] = {}
        column = []
        for i, residue in enumerate(self.residues[:, conjugacy_class].tolist()):
            if linear[i]:
                turn = self._turns[residue]
                column.append(_root(turn // (common := math.gcd(turn, self.field.order)), self.field.order // common))
                continue
            row = next(others)
            if (key := row.tobytes()) not in found:
                found[key] = root_sum(order, tuple(row.tolist()))
            column.append(found[key])
        return column

    @cached_property
    def _turns(self) -> dict[int, int]:
        """The power of the root of unity that each residue is."""
        return {pow(self.field.root, k, self.field.prime): k for k in range(self.field.order)}


@cache
def _root(turn: int, order: int) -> sympy.Expr:
    """The root of unity exp(2 pi i turn / order)."""
    return root_sum(order, tuple(int(k == turn) for k in range(order)))


@once_per_object
def characters(group: CayleyTable) -> Characters:
    """The exact character table, the trivial character first, then by degree and values. O(order * classes + classes^3).

    Raises:
        ArithmeticError: No random combination of class matrices separates the characters, which has negligible probability.
    """
    classes, class_of = group.conjugacy_classes, group.class_of
    representatives = np.array([members[0] for members in classes])
    sizes = np.array([len(members) for members in classes])
    powers = _power_classes(group, representatives)
    over = field(group)
    if len(classes) == group.order:  # abelian
        phases = _phases(group)[:, representatives]
        values = np.exp(2j * np.pi * np.arange(over.order) / over.order)[phases]
        found = np.array([pow(over.root, k, over.prime) for k in range(over.order)])[phases]
    else:
        found = residues(group, over)
        values = _lifted(found, over, powers)
    squares = class_of[group.table[representatives, representatives]]
    indicators = (found[:, squares] * sizes % over.prime).sum(axis=1) * pow(group.order, -1, over.prime) % over.prime
    indicators = np.where(indicators == over.prime - 1, -1, indicators)
    values[indicators != 0] = np.real(values[indicators != 0])
    order = _canonical_order(values)
    labels = tuple(element_name(group, g) for g in representatives.tolist())
    return Characters(values[order], found[order], over, powers, sizes, indicators[order], labels)


def _lifted(found: np.ndarray, over: Field, powers: tuple[np.ndarray, ...]) -> np.ndarray:
    """The characters in floating point, from the multiplicities of their eigenvalues."""
    values = np.empty(found.shape, complex)
    for number in _maximal_cyclic(powers):
        counts = multiplicities(found[:, powers[number]], over)
        values[:, powers[number]] = np.fft.fft(counts, axis=-1).conj()
    return values


def _maximal_cyclic(powers: tuple[np.ndarray, ...]) -> list[int]:
    """Classes of generators of cyclic subgroups that together meet every class."""
    covered, kept = np.zeros(len(powers), dtype=bool), []
    for number in sorted(range(len(powers)), key=lambda c: -len(powers[c])):
        if not covered[number]:
            kept.append(number)
            covered[powers[number]] = True
    return kept


def _phases(group: CayleyTable) -> np.ndarray:
    """Characters of a product of cyclic groups: for each element a the multiples sum_j a_j x_j / m_j of a turn / exponent."""
    basis, orders = abelian_basis(group)
    elements, position = coordinates(group, basis, orders)
    places = np.stack(np.unravel_index(np.arange(len(elements)), orders or (1,)), axis=1)
    phases = (places * (group.exponent // np.array(orders or (1,)))) @ places.T % group.exponent
    return phases[:, position]


def _power_classes(group: CayleyTable, representatives: np.ndarray) -> tuple[np.ndarray, ...]:
    """For each class the classes of the powers 0, 1, .. of its representative."""
    result = []
    for g in representatives:
        powers = [0]
        while (following := int(group.table[powers[-1], g])) != 0:
            powers.append(following)
        result.append(group.class_of[np.array(powers)])
    return tuple(result)


def _canonical_order(values: np.ndarray) -> np.ndarray:
    """By degree, then lexicographically by class: larger real parts first, then larger imaginary parts."""
    keys = np.stack([np.real(values), np.imag(values)], axis=2).reshape(len(values), -1).round(6) + 0.0
    return np.lexsort([*(-keys.T[::-1]), keys[:, 0]])
