"""The products that compose two elements, and the squares that do: how many it takes, from below and from above.

Composing two elements is the multiplication of the group algebra without its trivial ideal. Over the real numbers the algebra
is a sum of matrix algebras, one for each real or quaternionic irrep and for each pair of complex ones.

From below: a simple algebra, and so a sum of t simple ones, needs 2 dim - t products at least (Alder and Strassen). From above:
one product for a real number, 3 for a complex one and 8 for a quaternion, times those of a scheme for matrices: 7 for size 2
(Strassen), 23 for size 3 (Laderman), blocks where 2 or 3 divides the size, and a border of entries elsewhere.

A unit of a hidden layer of z^2 is the square of a function of the first letter plus one of the second. Its mixed term is a
product, so that units are no fewer than products. Its squares must cancel, which costs a unit more for some groups
(`least_units`), and need not cost two units for a product (`distance_units`). Between the two sides lie 4 <= H <= 4 for C2xC2,
9 <= H <= 10 for S3, 11 <= H <= 12 for D4.

Source: A. Alder, V. Strassen, Theoret. Comput. Sci. 15 (1981); V. Strassen, Numer. Math. 13 (1969); J. Laderman, Bull. AMS 82
(1976); T. Howell, J.-C. Lafon, Cornell TR 75-245 (1975).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from typing import Protocol

__all__ = ["Typed", "distance_units", "least_products", "least_units", "matrix_products", "products"]

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
    >>> [least_products(group(name).irreps()[1:]) for name in ("C3", "S3", "Q8")]
    [3, 8, 10]
    """
    found = list(irreps)
    ideals = sum(Fraction(1, 2) if irrep.kind == "complex" else Fraction(1) for irrep in found)
    return int(2 * sum(irrep.dimension**2 for irrep in found) - ideals)


def products(irreps: Iterable[Typed]) -> int:
    """Return the products of explicit schemes that compose two elements; the argument is that of `least_products`.

    >>> from theory.groups import group
    >>> [products(group(name).irreps()[1:]) for name in ("C3", "S3", "Q8", "A5")]
    [3, 8, 11, 205]
    """
    sizes: Sequence[tuple[str, int]] = [
        (irrep.kind, irrep.dimension // (2 if irrep.kind == "quaternionic" else 1)) for irrep in irreps
    ]
    return int(sum(_NUMBERS[kind] * matrix_products(size) for kind, size in sizes))


def least_units(irreps: Iterable[Typed]) -> int:
    """Return a lower bound on the units of z^2 that compose two elements: `least_products`, and one more with a sign.

    A sign is a real irrep s of dimension 1. Let A be the direct sum of its ideal and of B, and L = 2 dim A - t, so that B needs
    at least L - 1 products. Suppose that L units are enough. Then L terms w_i * a_i(x) * b_i(y) make the product of A. Take one
    whose a_i has a part in s, and restrict x to a_i(x) = 0. The other L - 1 terms still make the product of B, so that they are
    as few as can be and the tensors w_j * a_j, in B and restricted, are linearly independent. None of them may leave a product
    of B's x with the part of y in s, so no other b_j has a part in s. As i was any such term, and one b_i must have such a
    part, i is alone. The same argument for b and w instead of a and b leaves s in the output of this unit alone. So the part of
    the answer in s is a multiple of one square, and does not change its sign. But s(g) s(h) does.

    Args:
        irreps: The non-trivial irreps whose Fourier coefficient is not zero, with both members of each complex pair.

    >>> from theory.groups import group
    >>> [least_units(group(name).irreps()[1:]) for name in ("C2", "C2xC2", "C3", "S3", "Q8")]
    [2, 4, 3, 9, 11]
    """
    found = list(irreps)
    return least_products(found) + any(irrep.kind == "real" and irrep.dimension == 1 for irrep in found)


def distance_units(irreps: Iterable[Typed]) -> int:
    """Return units of z^2 that compose two elements by squared distances: ``c n^3`` for each irrep, and those of a constant.

    Rows and columns of an orthogonal matrix have norm 1. So ``|x + y|^2 = 2 + 2 <x, y>``, with x a row of rho(g) and y a column
    of rho(h): the squares add up to a constant, and an entry of rho(g) rho(h) takes as many units as a row has real entries.
    A real irrep has n^2 entries and n units for each. A complex pair has 2 n^2 real entries and 2 n units for each, a
    quaternionic irrep n^2 and 2 n: 2 n^3 for each irrep. The constant is once more the squared norm of a row.

    Args:
        irreps: The non-trivial irreps whose Fourier coefficient is not zero, with both members of each complex pair.

    >>> from theory.groups import group
    >>> [distance_units(group(name).irreps()[1:]) for name in ("C2", "C2xC2", "C3", "S3", "D4", "Q8", "A5")]
    [2, 4, 6, 10, 12, 20, 246]
    """
    found = [(1 if irrep.kind == "real" else 2, irrep.dimension) for irrep in irreps]
    return sum(factor * n**3 for factor, n in found) + min(factor * n for factor, n in found)


@cache
def matrix_products(size: int) -> int:
    """Return the products of the scheme for square matrices of real numbers.

    >>> [matrix_products(size) for size in range(1, 7)]
    [1, 7, 23, 49, 110, 161]
    """
    known = {1: 1, 2: 7, 3: 23}
    if size in known:
        return known[size]
    for block in (2, 3):
        if size % block == 0:
            return matrix_products(block) * matrix_products(size // block)
    return matrix_products(size - 1) + size**3 - (size - 1) ** 3
