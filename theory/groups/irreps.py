"""The irreducible representations of a finite group: their characters, and their matrices in numbers and in closed form."""

from __future__ import annotations

import dataclasses

import numpy as np
import sympy

from theory.caching import once_per_object
from theory.groups.characters import characters
from theory.groups.closed_form import exact_matrices
from theory.groups.table import CayleyTable
from theory.groups.unitary import unitary_matrices

__all__ = ["Irrep", "irreps"]


@dataclasses.dataclass(frozen=True, eq=False)
class Irrep:
    """An irreducible unitary representation.

    Attributes:
        group: The group.
        number: Row of the character table, and position in ``group.irreps``.
    """

    group: CayleyTable
    number: int

    def __repr__(self) -> str:
        return f"<Irrep {self.number} of {self.group.name}: dimension {self.dimension}, {self.kind}>"

    @property
    def dimension(self) -> int:
        """Size of the matrices."""
        return int(characters(self.group).degrees[self.number])

    @property
    def kind(self) -> str:
        """``"real"``, ``"complex"`` or ``"quaternionic"`` (Frobenius and Schur)."""
        return characters(self.group).kind(self.number)

    @property
    def character(self) -> tuple[sympy.Expr, ...]:
        """The exact character, one value per conjugacy class."""
        return characters(self.group).character(self.number)

    @property
    def conjugate(self) -> int:
        """Number of the complex conjugate representation; the same number unless the kind is complex."""
        return int(characters(self.group).conjugates[self.number])

    @property
    def matrices(self) -> np.ndarray:
        """Unitary matrices, complex, shape ``(order, dimension, dimension)``, see `theory.groups.unitary`."""
        return unitary_matrices(self.group, self.number)

    @property
    def exact(self) -> tuple[sympy.ImmutableMatrix, ...]:
        """Exact unitary matrices where a closed form is known, see `theory.groups.closed_form`.

        Raises:
            ValueError: No closed form is known for this representation.
        """
        return exact_matrices(self.group, self.number)


@once_per_object
def irreps(group: CayleyTable) -> tuple[Irrep, ...]:
    """One representative of each class of irreducible representations, in the order of the character table."""
    return tuple(Irrep(group, number) for number in range(len(characters(group).degrees)))
