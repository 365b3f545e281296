"""The bilinear complexity of composing two elements: how many products it takes, from below and from above.

Composing two elements is the multiplication of the group algebra without its trivial ideal. Over the real numbers the algebra
is a sum of matrix algebras, one for each real or quaternionic irrep and for each pair of complex ones.

From below: a simple algebra, and so a sum of t simple ones, needs 2 dim - t products at least (Alder and Strassen). From above:
one product for a real number, 3 for a complex one and 8 for a quaternion, times those of a scheme for matrices: 7 for size 2
(Strassen), 23 for size 3 (Laderman), blocks where 2 or 3 divides the size, and a border of entries elsewhere.

Source: A. Alder, V. Strassen, Theoret. Comput. Sci. 15 (1981); V. Strassen, Numer. Math. 13 (1969); J. Laderman, Bull. AMS 82
(1976); T. Howell, J.-C. Lafon, Cornell TR 75-245 (1975).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from typing import Protocol

from theory.checks import integer

__all__ = ["Typed", "least_products", "matrix_products", "products"]

_NUMBERS = {"real": Fraction(1), "complex": Fraction(3, 2), "quaternionic": Fraction(8)}  # half of a complex pair


class Typed(Protocol):
    """The properties of an irrep on which a width depends."""

    @property
    def dimension(self) -> int:
        """Dimension over the complex numbers."""
        ...

    @property
    def kind(self) -> str:
        """``real``, ``complex`` or ``quaternionic``."""
        ...


def least_products(irreps: Iterable[Typed]) -> int:
    """Return a lower bound on the products of numbers that compose two elements: ``2 dim - t`` (Alder and Strassen).

    Args:
        irreps: The non-trivial irreps whose Fourier coefficient is not zero, with both members of each complex pair.

    >>> from theory.groups import group
    >>> [least_products(group(name).irreps[1:]) for name in ("C3", "S3", "Q8")]
    [3, 8, 10]
    """
    found = list(irreps)
    ideals = sum(Fraction(1, 2) if irrep.kind == "complex" else Fraction(1) for irrep in found)
    return int(2 * sum(irrep.dimension**2 for irrep in found) - ideals)


def products(irreps: Iterable[Typed]) -> int:
    """Return the products of explicit schemes that compose two elements; the argument is that of `least_products`.

    >>> from theory.groups import group
    >>> [products(group(name).irreps[1:]) for name in ("C3", "S3", "Q8", "A5")]
    [3, 8, 11, 205]
    """
    sizes: Sequence[tuple[str, int]] = [
        (irrep.kind, irrep.dimension // (2 if irrep.kind == "quaternionic" else 1)) for irrep in irreps
    ]
    return int(sum(_NUMBERS[kind] * matrix_products(size) for kind, size in sizes))


@cache
def matrix_products(size: int) -> int:
    """Return the products of the scheme for square matrices of real numbers.

    >>> [matrix_products(size) for size in range(1, 7)]
    [1, 7, 23, 49, 110, 161]
    """
    size = integer("size", size, "of the matrices", least=1)
    known = {1: 1, 2: 7, 3: 23}
    if size in known:
        return known[size]
    for block in (2, 3):
        if size % block == 0:
            return matrix_products(block) * matrix_products(size // block)
    return matrix_products(size - 1) + size**3 - (size - 1) ** 3
