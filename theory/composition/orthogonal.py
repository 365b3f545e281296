"""Widths of networks whose surplus terms add up to little, because rows and columns of an orthogonal matrix have norm 1.

An irrep of dimension n is a group of orthogonal matrices of size d: d = n for real type, and 2 n for a complex pair or a
quaternionic irrep. Its first d / e columns determine it, with e = 1, 2, 4 for real, complex and quaternionic type, so that
d^2 / e numbers have to be composed. The networks are those of the claims `bilinear_width` and `cube_width`.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from theory.composition.bilinear import Typed

__all__ = ["cube_units", "distance_units", "mixed_cube_units"]

_COLUMNS = {"real": 1, "complex": 2, "quaternionic": 4}


def distance_units(irreps: Iterable[Typed]) -> int:
    """Return units of z^2 that compose two elements by squared distances: ``d^3 / e`` for each irrep, and those of a constant.

    For x a row of rho(g) and y a column of rho(h), ``|x + y|^2 = 2 + 2 <x, y>``: the squares add up to a constant, and an entry
    of rho(g) rho(h) takes as many units as a row has entries. The constant is once more the squared norm of the shortest row.

    Args:
        irreps: The non-trivial irreps whose Fourier coefficient is not zero, with both members of each complex pair.

    >>> from theory.groups import group
    >>> [distance_units(group(name).irreps[1:]) for name in ("C2", "C2xC2", "C3", "S3", "D4", "Q8", "A5")]
    [2, 4, 6, 10, 12, 20, 246]
    """
    forms = [_real(irrep) for irrep in irreps]
    return int(sum(share * d**3 / e for d, e, share in forms)) + min(d for d, _, _ in forms)


def mixed_cube_units(irreps: Iterable[Typed]) -> int:
    """Return the units of more than one letter among `cube_units`: one for each path, and those that take pairs away.

    Of the cubes (x_a + Y_ab + z_b)^3 of the d^2 paths of an entry, the sums of x_a Y_ab^2, x_a^2 z_b, Y_ab^2 z_b and x_a z_b^2
    depend on one letter. Those of x_a^2 Y_ab and Y_ab z_b^2 depend on two. The squares x_a^2 of a row add up to 1, and so do
    those of a column: d - 1 of the d places have to be taken away, for d - 1 rows, at two units each. With real type the same
    holds at the other end, and otherwise all d / e columns have to be.

    Args:
        irreps: The non-trivial irreps, with both members of each complex pair.

    >>> from theory.groups import group
    >>> [mixed_cube_units(group(name).irreps[1:]) for name in ("C2", "C3", "S3", "Q8")]
    [1, 12, 21, 91]
    """
    total = Fraction(0)
    for d, e, share in map(_real, irreps):
        columns = d - 1 if e == 1 else d // e
        total += share * (d**4 // e + 2 * (d - 1) ** 2 + 2 * (d - 1) * columns)
    return int(total)


def cube_units(irreps: Iterable[Typed]) -> int:
    """Return units of z^3 that compose three elements: n^4 for a real irrep, lower powers of n, and one for a constant.

    To `mixed_cube_units` come functions of one letter: of the first letter one for each row, of the last one for each column,
    and of the middle letter, where d > 1, three for real type and two otherwise, one each for rows, columns and squares that
    complete others. Each takes one unit up to a constant, as every function f has a number c such that the cube root of f + c
    has mean zero. That needs codes in which all functions of mean zero are linear. The constant takes one more cube, of a sum
    of functions of the first letter whose c is not the sum of theirs. There is one in every group that was tried; the group of
    order 2 has no constant.

    Args:
        irreps: All non-trivial irreps, with both members of each complex pair.

    >>> from theory.groups import group
    >>> [cube_units(group(name).irreps[1:]) for name in ("C2", "C2xC2", "S3", "D4", "Q8", "A5")]
    [4, 13, 32, 40, 108, 1218]
    """
    found = list(irreps)
    singles = sum(share * (d + d // e + (1 if d == 1 else 3 if e == 1 else 2)) for d, e, share in map(_real, found))
    return mixed_cube_units(found) + int(singles) + (len(found) > 1)


def _real(irrep: Typed) -> tuple[int, int, Fraction]:
    """Size d of the orthogonal matrices, e, and the share of this irrep in them: half for each member of a complex pair."""
    e = _COLUMNS[irrep.kind]
    return irrep.dimension * min(e, 2), e, Fraction(1, 2) if e == 2 else Fraction(1)
